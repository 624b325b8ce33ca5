"""The second dimensions of the synthetic tables."""

from __future__ import annotations

from tabrag.data.synthetic.topic import Breakdown, Part


def _part(label: str, weight: float, *phrases: str) -> Part:
    return Part(label=label, phrases=phrases, weight=weight)


BREAKDOWNS: dict[str, Breakdown] = {
    breakdown.key: breakdown
    for breakdown in (
        Breakdown(
            key="sex",
            by="sex",
            parts=(
                _part("Men", 0.53, "among men", "among males"),
                _part("Women", 0.47, "among women", "among females"),
            ),
            total="Both sexes",
        ),
        Breakdown(
            key="residence",
            by="type of area",
            parts=(
                _part("Urban", 0.66, "in urban areas", "in towns and cities"),
                _part("Rural", 0.34, "in rural areas", "in the countryside"),
            ),
            total="Total",
        ),
        Breakdown(
            key="quarter",
            by="quarter",
            parts=(
                _part("Q1", 0.235, "in the first quarter of {year}", "in Q1 of {year}"),
                _part("Q2", 0.25, "in the second quarter of {year}", "in Q2 of {year}"),
                _part("Q3", 0.245, "in the third quarter of {year}", "in Q3 of {year}"),
                _part("Q4", 0.27, "in the fourth quarter of {year}", "in Q4 of {year}"),
            ),
            total="Full year",
            total_first=False,
        ),
        Breakdown(
            key="sector",
            by="sector",
            parts=(
                _part("Public", 0.61, "in the public sector", "on the public side"),
                _part("Private", 0.39, "in the private sector", "on the private side"),
            ),
            total="All sectors",
            total_first=False,
        ),
        Breakdown(
            key="enterprise",
            by="size of enterprise",
            parts=(
                _part("Fewer than 50 employees", 0.22, "at small firms", "at firms with under 50 staff"),
                _part("50 to 249 employees", 0.27, "at medium-sized firms", "at firms with 50 to 249 staff"),
                _part("250 or more employees", 0.51, "at large firms", "at firms with at least 250 staff"),
            ),
            total="All enterprises",
            total_first=False,
        ),
        Breakdown(
            key="market",
            by="market",
            parts=(
                _part("Domestic", 0.58, "in the home market", "from domestic customers"),
                _part("International", 0.42, "abroad", "from customers outside the home country"),
            ),
            total="Worldwide",
            total_first=False,
        ),
    )
}
