"""Charts whose numbers stand nowhere else in the publication."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Literal

from tabrag.data.synthetic_documents.company import Company
from tabrag.data.synthetic_documents.drawing import MONTHS
from tabrag.data.synthetic_documents.story import Figure

Kind = Literal["bar", "barh", "line", "pie"]


def _figure(
    key: str,
    caption: str,
    kind: Kind,
    labels: tuple[str, ...],
    values: list[float],
    name: str,
    unit: str,
    decimals: int,
) -> Figure:
    return Figure(
        key=key,
        caption=caption,
        kind=kind,
        labels=labels,
        series=((name, tuple(round(value, decimals) for value in values)),),
        unit=unit,
        decimals=decimals,
    )


def enquiries(company: Company, year: int, rng: random.Random) -> Figure:
    """Enquiries month by month."""
    base = rng.uniform(260, 2400) * company.size
    values = _distinct(rng, 12, lambda: base * rng.uniform(0.6, 1.4), 0)
    labels = tuple(month[:3] for month in MONTHS)
    return _figure(
        "enquiries", f"Customer enquiries by month, {year}", "bar", labels, values, "Enquiries", "number", 0
    )


def satisfaction(company: Company, year: int, rng: random.Random) -> Figure:
    """Marks that customers gave the divisions."""
    values = _distinct(rng, len(company.segments), lambda: rng.uniform(5.8, 9.4), 1)
    labels = tuple(row.label for row in company.segments)
    return _figure(
        *("satisfaction", f"Customer satisfaction by segment, {year} (scale 0 to 10)", "barh"),
        *(labels, values, "Mark", "mark", 1),
    )


def channels(company: Company, year: int, rng: random.Random) -> Figure:
    """Through which channels customers buy."""
    labels = ("Own stores", "Wholesale", "Online", "Key accounts", "Agents")
    return _figure(
        *("channels", f"Orders by sales channel, {year} (% of orders)", "pie"),
        *(labels, _shares(rng, len(labels)), "Share", "% of orders", 1),
    )


def energy(company: Company, year: int, rng: random.Random) -> Figure:
    """Where the energy comes from."""
    labels = ("Hydropower", "Wind", "Gas", "Biomass", "Nuclear", "Coal")
    return _figure(
        *("energy", f"Sources of the energy used, {year} (%)", "pie"),
        *(labels, _shares(rng, len(labels)), "Share", "%", 1),
    )


def emissions(company: Company, year: int, rng: random.Random) -> Figure:
    """Emissions for each unit of output over the years."""
    labels = tuple(str(one) for one in range(year - 7, year + 1))
    # Two reports of a company must say the same of a year that both show.
    level = random.Random(f"emissions/{company.key}").uniform(90, 160)
    values = [
        level * 0.94 ** (one - 2009) * random.Random(f"emissions/{company.key}/{one}").uniform(0.94, 1.06)
        for one in range(year - 7, year + 1)
    ]
    return _figure(
        *("emissions", f"Carbon intensity, {year - 7} to {year} (kg CO2 per unit made)", "line"),
        *(labels, values, "Intensity", "kg CO2 per unit", 1),
    )


def ages(company: Company, year: int, rng: random.Random) -> Figure:
    """Age bands of the staff."""
    labels = ("under 25", "25-34", "35-44", "45-54", "55-64", "65 and over")
    return _figure(
        *("ages", f"Age structure of the workforce at the end of {year} (%)", "bar"),
        *(labels, _shares(rng, len(labels)), "Share", "% of staff", 1),
    )


def share_price(company: Company, year: int, rng: random.Random) -> Figure:
    """The share's price at the end of each month."""
    level = rng.uniform(12, 90)
    values = _distinct(rng, 12, lambda: level * rng.uniform(0.8, 1.25), 2)
    labels = tuple(month[:3] for month in MONTHS)
    return _figure(
        *("share price", f"Share price at month-end, {year} ({company.currency})", "line"),
        *(labels, values, "Price", company.currency, 2),
    )


def lead_times(company: Company, year: int, rng: random.Random) -> Figure:
    """Delivery times of the regions."""
    labels = tuple(company.markets)
    values = _distinct(rng, len(labels), lambda: rng.uniform(6, 48), 1)
    return _figure(
        *("lead times", f"Average delivery time by region, {year} (days)", "barh"),
        *(labels, values, "Days", "days", 1),
    )


def market_size(company: Company, year: int, rng: random.Random) -> Figure:
    """How large the market is expected to become."""
    labels = tuple(str(one) for one in range(year - 2, year + 5))
    level = rng.uniform(40, 300)
    values = [level * 1.06**place * rng.uniform(0.97, 1.03) for place in range(len(labels))]
    return _figure(
        *("market size", f"Addressable market, {year - 2} to {year + 4} ({company.currency} billion)", "bar"),
        *(labels, values, "Market", f"{company.currency} billion", 1),
    )


MAKERS: dict[str, Callable[[Company, int, random.Random], Figure]] = {
    "enquiries": enquiries,
    "satisfaction": satisfaction,
    "channels": channels,
    "energy": energy,
    "emissions": emissions,
    "ages": ages,
    "share price": share_price,
    "lead times": lead_times,
    "market size": market_size,
}
"""Key -> what makes the chart."""


def _distinct(rng: random.Random, count: int, draw: Callable[[], float], decimals: int) -> list[float]:
    """Values that differ in print, so that each extreme has one place."""
    values: list[float] = []
    while len(values) < count:
        value = round(draw(), decimals)
        if value not in values:
            values.append(value)
    return values


def _shares(rng: random.Random, count: int) -> list[float]:
    """Percentages with one decimal, all different, that add up to 100."""
    while True:
        weights = [rng.uniform(1, 6) for _ in range(count)]
        values = [round(100 * weight / sum(weights), 1) for weight in weights[:-1]]
        values.append(round(100 - sum(values), 1))
        if len(set(values)) == count and min(values) > 3:
            return values
