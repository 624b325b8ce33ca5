"""The small tables of slides; all of one deck agree with each other."""

from __future__ import annotations

import random

from tabrag.data.synthetic_documents.company import Company
from tabrag.data.synthetic_documents.figures import Figures
from tabrag.data.synthetic_documents.report_sheets import amount
from tabrag.data.synthetic_documents.story import Line, Sheet


def quarter_segments(company: Company, year: int, quarter: int, figures: Figures) -> Sheet:
    """Divisions in the quarter and in that of the year before."""
    now, before = f"Q{quarter} {year}", f"Q{quarter} {year - 1}"
    keys = [(m, y) for m in ("revenue", "orders") for y in (year, year - 1)]
    lines = [
        Line(
            labels=(row.label,),
            values=tuple(amount(figures.quarter[m, row.label, quarter, y]) for m, y in keys),
        )
        for row in company.segments
    ]
    sums = tuple(
        amount(sum(figures.quarter[m, row.label, quarter, y] for row in company.segments)) for m, y in keys
    )
    return Sheet(
        key="quarter segments",
        caption=f"Segments, {company.currency} million",
        corner="Segment",
        columns=tuple((name, when) for name in ("Revenue", "Orders received") for when in (now, before)),
        lines=(*lines, Line(labels=("Total",), values=sums, total=True)),
    )


def quarter_markets(company: Company, year: int, quarter: int, figures: Figures, rng: random.Random) -> Sheet:
    """The largest countries: sales of the quarter and growth; they add up to no more than the group."""
    total = sum(figures.quarter["revenue", row.label, quarter, year] for row in company.segments)
    year_total = figures.total("revenue", year)
    rows = sorted(company.countries, key=lambda row: -figures.country["revenue", row.label, year])
    rows = [row for row in rows if not row.label.startswith("Other")][:6]
    lines = tuple(
        Line(
            labels=(row.label,),
            values=(
                amount(
                    total * figures.country["revenue", row.label, year] / year_total * rng.uniform(0.9, 1.1)
                ),
                f"{rng.uniform(-6, 14):+.1f}",
                amount(figures.country["staff", row.label, year] * rng.uniform(0.95, 1.0)),
            ),
        )
        for row in rows
    )
    return Sheet(
        key="quarter markets",
        caption=f"Largest markets, Q{quarter} {year}",
        corner="Country",
        columns=((f"Sales ({company.currency} million)",), ("Growth (%)",), ("Employees",)),
        lines=lines,
    )


def indicators(company: Company, year: int, quarter: int, rng: random.Random) -> Sheet:
    """Operating indicators in two groups."""
    groups = {
        "Delivery": (
            ("On-time delivery (%)", 82, 98),
            ("Order backlog (days)", 38, 140),
            ("Returns (%)", 1, 6),
        ),
        "Customers": (
            ("Net promoter score", 22, 67),
            ("Online orders (%)", 18, 71),
            ("Repeat buyers (%)", 40, 83),
        ),
    }
    lines = []
    for group, rows in groups.items():
        lines.append(Line(labels=(group,)))
        for label, low, high in rows:
            values = tuple(f"{rng.uniform(low, high):.1f}" for _ in range(3))
            lines.append(Line(labels=(group, label), values=values))
    return Sheet(
        key="indicators",
        caption="Operating indicators",
        corner="Indicator",
        columns=((f"Q{quarter} {year}",), (f"Q{quarter} {year - 1}",), (f"Goal {year + 1}",)),
        lines=tuple(lines),
    )


def debt_bridge(company: Company, year: int, quarter: int, figures: Figures, rng: random.Random) -> Sheet:
    """From the net debt at the start of the quarter to that at its end."""
    start = round(figures.line["Borrowings", year - 1] * rng.uniform(0.6, 0.8))
    parts = {
        "Cash earned by operations": -round(start * rng.uniform(0.12, 0.2)),
        "Investments paid": round(start * rng.uniform(0.05, 0.1)),
        "Interest and tax paid": round(start * rng.uniform(0.02, 0.05)),
        "Currency effects": round(start * rng.uniform(-0.03, 0.03)) or 3,
    }
    rows = [("Net debt at start of quarter", start), *parts.items()]
    rows.append(("Net debt at end of quarter", start + sum(parts.values())))
    return Sheet(
        key="debt",
        caption=f"Net debt bridge, Q{quarter} {year}",
        corner="Step",
        columns=((f"{company.currency} million",),),
        lines=tuple(
            Line(labels=(label,), values=(amount(value),), total=label.startswith("Net debt"))
            for label, value in rows
        ),
    )


def investment_plan(company: Company, year: int, rng: random.Random) -> Sheet:
    """Projects with their dates and budgets."""
    kinds = ("press shop", "cold store", "test field", "logistics hall", "data centre", "paint line")
    lines = tuple(
        Line(
            labels=(f"{town} {kind}",),
            values=(
                str(year - rng.randint(0, 1)),
                str(year + rng.randint(1, 4)),
                amount(budget := rng.randint(14, 240)),
                amount(budget * rng.uniform(0.1, 0.8)),
            ),
        )
        for town, kind in zip(rng.sample(company.towns, 6), rng.sample(kinds, 6), strict=True)
    )
    return Sheet(
        key="plan",
        caption=f"Major projects, {company.currency} million",
        corner="Project",
        columns=(
            ("Schedule", "Start"),
            ("Schedule", "Ready"),
            ("Money", "Budget"),
            ("Money", "Spent so far"),
        ),
        lines=lines,
    )


def targets(company: Company, year: int, rng: random.Random) -> Sheet:
    """Medium-term targets of the divisions."""
    goal = str(year + 4)
    lines = []
    for row in company.segments:
        margin, growth = rng.uniform(5, 15), rng.uniform(1, 7)
        values = (margin, growth, margin + rng.uniform(0.5, 4), growth + rng.uniform(0.3, 3))
        lines.append(Line(labels=(row.label,), values=tuple(f"{value:.1f}" for value in values)))
    return Sheet(
        key="targets",
        caption="Medium-term ambitions by segment (%)",
        corner="Segment",
        columns=(("Today", "Margin"), ("Today", "Growth"), (goal, "Margin"), (goal, "Growth")),
        lines=tuple(lines),
    )
