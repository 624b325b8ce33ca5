"""The tables of an annual report; all of one report agree with each other."""

from __future__ import annotations

import random

from tabrag.data.synthetic_documents.company import NUM_SITES, Company
from tabrag.data.synthetic_documents.drawing import FIRM_STARTS
from tabrag.data.synthetic_documents.figures import Figures
from tabrag.data.synthetic_documents.story import Line, Sheet

_POSITIONS = (
    *("Chair", "Chief executive", "Chief financial officer", "Senior independent director"),
    *(
        "Non-executive director",
        "Non-executive director",
        "Employee representative",
        "Non-executive director",
    ),
)
_FUNCTIONS = ("Production", "Sales", "Holding", "Services", "Research", "Leasing")
_FORMS = ("Ltd.", "GmbH", "S.A.S.", "B.V.", "AB", "Inc.", "S.p.A.", "Pty Ltd", "Kft.", "A/S")


def amount(value: float, *, decimals: int = 0, minus: bool = False) -> str:
    """A number as the tables print it; with ``minus`` in parentheses, as a deduction is."""
    text = f"{abs(value):,.{decimals}f}"
    return f"({text})" if minus or value < 0 else text


def segment_sheet(company: Company, year: int, figures: Figures, number: str) -> Sheet:
    """Divisions by measure and year, with the group's total."""
    measures = {"Revenue": "revenue", "Operating profit": "profit", "Capital expenditure": "capex"}
    columns = tuple((name, str(one)) for name in measures for one in (year, year - 1))
    keys = [(measure, one) for measure in measures.values() for one in (year, year - 1)]
    lines = [
        Line(labels=(row.label,), values=tuple(amount(figures.segment[m, row.label, y]) for m, y in keys))
        for row in company.segments
    ]
    lines.append(
        Line(labels=("Group",), values=tuple(amount(figures.total(m, y)) for m, y in keys), total=True)
    )
    return Sheet(
        key="segments",
        caption=f"Table {number}: Key figures by segment ({company.currency} million)",
        corner="Segment",
        columns=columns,
        lines=tuple(lines),
        notes=("Revenue between segments has been eliminated.",),
    )


def market_sheet(company: Company, year: int, figures: Figures, number: str) -> Sheet:
    """Countries below their regions: sales to customers and long-lived assets."""
    measures = {"Net sales": "revenue", "Non-current assets": "assets"}
    columns = tuple((name, str(one)) for name in measures for one in (year, year - 1))
    keys = [(measure, one) for measure in measures.values() for one in (year, year - 1)]
    lines = []
    for region, rows in company.markets.items():
        sums = tuple(amount(sum(figures.country[m, row.label, y] for row in rows)) for m, y in keys)
        lines.append(Line(labels=(region,), values=sums, total=True))
        lines += [
            Line(
                labels=(region, row.label),
                values=tuple(amount(figures.country[m, row.label, y]) for m, y in keys),
            )
            for row in rows
        ]
    rows = company.countries
    sums = tuple(amount(sum(figures.country[m, row.label, y] for row in rows)) for m, y in keys)
    lines.append(Line(labels=("All markets",), values=sums, total=True))
    return Sheet(
        key="markets",
        caption=f"Table {number}: Sales and assets by country ({company.currency} million)",
        corner="Country of the customer",
        columns=columns,
        lines=tuple(lines),
    )


def staff_sheet(company: Company, year: int, figures: Figures, number: str, rng: random.Random) -> Sheet:
    """Employees by country; the regions are rows of their own without numbers."""
    columns = tuple(
        (name, str(one)) for name in ("Employees at year-end", "Women (%)") for one in (year, year - 1)
    )
    lines = []
    for region, rows in company.markets.items():
        lines.append(Line(labels=(region,)))
        for row in rows:
            staff = [amount(figures.country["staff", row.label, one]) for one in (year, year - 1)]
            women = [f"{rng.uniform(24, 52):.1f}" for _ in range(2)]
            lines.append(Line(labels=(region, row.label), values=(*staff, *women)))
    return Sheet(
        key="staff",
        caption=f"Table {number}: Our workforce by country",
        corner="Country",
        columns=columns,
        lines=tuple(lines),
        notes=("Headcount, without apprentices and agency workers.",),
    )


def environment_sheet(company: Company, year: int, number: str, rng: random.Random) -> Sheet:
    """Energy, water, waste and emissions with units and targets."""
    groups = {
        "Energy": (
            ("Electricity", "GWh", 160.0),
            ("Natural gas", "GWh", 210.0),
            ("District heating", "GWh", 34.0),
        ),
        "Water": (("Fresh water withdrawn", "thousand m³", 900.0), ("Waste water", "thousand m³", 700.0)),
        "Waste": (("Recycled", "thousand tonnes", 21.0), ("Sent to landfill", "thousand tonnes", 3.4)),
        "Emissions": (
            ("Scope 1", "kt CO2e", 64.0),
            ("Scope 2", "kt CO2e", 48.0),
            ("Business travel", "kt CO2e", 5.0),
        ),
    }
    lines = []
    for group, rows in groups.items():
        lines.append(Line(labels=(group,)))
        for label, unit, base in rows:
            before = base * company.size * rng.uniform(0.6, 1.6)
            now = before * rng.uniform(0.86, 1.06)
            values = (unit, *(f"{value:,.1f}" for value in (now, before, now * rng.uniform(0.6, 0.8))))
            lines.append(Line(labels=(group, label), values=values))
    return Sheet(
        key="environment",
        caption=f"Table {number}: Environmental indicators",
        corner="Indicator",
        columns=(("Unit",), (str(year),), (str(year - 1),), (f"Target {year + 5}",)),
        lines=tuple(lines),
        texts=(0,),
    )


def board_sheet(company: Company, year: int, number: str, rng: random.Random) -> Sheet:
    """Directors: position, since when, meetings attended."""
    meetings = rng.randint(8, 12)
    since = rng.sample(range(year - 14, year), 8)
    lines = tuple(
        Line(
            labels=(person,),
            values=(position, str(start), f"{rng.randint(meetings - 3, meetings)}/{meetings}"),
        )
        for person, position, start in zip(company.people[:8], _POSITIONS, since, strict=True)
    )
    return Sheet(
        key="board",
        caption=f"Table {number}: The board and its meetings",
        corner="Name",
        columns=(("Position",), ("Member since",), ("Meetings attended",)),
        lines=lines,
        texts=(0,),
    )


def pay_sheet(company: Company, year: int, number: str, rng: random.Random) -> Sheet:
    """What the directors were paid, in thousands; a wide table."""
    lines = []
    for person in company.people[:8]:
        parts = [rng.randint(140, 980), rng.randint(4, 60), rng.randint(30, 700), rng.randint(20, 640)]
        parts.append(rng.randint(12, 210))
        lines.append(Line(labels=(person,), values=tuple(amount(value) for value in (*parts, sum(parts)))))
    return Sheet(
        key="pay",
        caption=f"Table {number}: Remuneration of the board in {year} ({company.currency} thousand)",
        corner="Director",
        columns=(
            *(("Fixed pay", "Base salary"), ("Fixed pay", "Benefits")),
            *(("Variable pay", "Annual bonus"), ("Variable pay", "Share plan")),
            *(("Other", "Pension"), ("Other", "Total")),
        ),
        lines=tuple(lines),
    )


def quarter_sheet(company: Company, year: int, figures: Figures, number: str) -> Sheet:
    """Divisions by quarter; the widest table."""
    columns = tuple(
        (f"Q{quarter} {year}", name) for quarter in range(1, 5) for name in ("Revenue", "Order intake")
    )
    lines = [
        Line(
            labels=(row.label,),
            values=tuple(
                amount(figures.quarter[measure, row.label, quarter, year])
                for quarter in range(1, 5)
                for measure in ("revenue", "orders")
            ),
        )
        for row in company.segments
    ]
    return Sheet(
        key="quarters",
        caption=f"Table {number}: Quarterly development by segment ({company.currency} million)",
        corner="Segment",
        columns=columns,
        lines=tuple(lines),
    )


def holdings_sheet(company: Company, year: int, number: str, rng: random.Random) -> Sheet:
    """Subsidiaries and associates: a list so long that it runs over pages."""
    starts = rng.sample(FIRM_STARTS, len(FIRM_STARTS))
    stem = company.alias.split()[0]
    lines: list[Line] = []
    for region, rows in company.markets.items():
        lines.append(Line(labels=(region,)))
        for _ in range(rng.randint(15, 21)):
            place = len(lines)
            word = starts[place % len(starts)]
            name = f"{stem} {word}" if place < len(starts) else f"{word} {rng.choice(company.towns)}"
            values = (
                rng.choice(rows).label,
                rng.choice(_FUNCTIONS),
                f"{rng.choice((100.0, 100.0, rng.uniform(20, 99))):.1f}",
                amount(rng.uniform(0.4, 240.0), decimals=1),
            )
            full = f"{name} {rng.choice(_FORMS)}"
            if full not in {line.labels[-1] for line in lines}:
                lines.append(Line(labels=(region, full), values=values))
    return Sheet(
        key="holdings",
        caption=f"Table {number}: List of shareholdings at 31 December {year}",
        corner="Name of the entity",
        columns=(
            ("Country",),
            ("Activity",),
            ("Interest held (%)",),
            (f"Equity ({company.currency} million)",),
        ),
        lines=tuple(lines),
        texts=(0, 1),
        notes=("Equity as in the local accounts, translated at the closing rate.",),
    )


def site_sheet(company: Company, year: int, number: str, rng: random.Random) -> Sheet:
    """Works and depots with their size and use."""
    lines = tuple(
        Line(
            labels=(town,),
            values=(
                rng.choice(company.segments).label,
                amount(rng.randrange(4000, 96000, 100)),
                *(f"{rng.uniform(58, 97):.1f}" for _ in range(2)),
            ),
        )
        for town in sorted(company.towns[:NUM_SITES])
    )
    return Sheet(
        key="sites",
        caption=f"Table {number}: Main production sites",
        corner="Site",
        columns=(
            *(("Profile", "Main user"), ("Profile", "Floor area (m²)")),
            *(("Capacity use (%)", str(year)), ("Capacity use (%)", str(year - 1))),
        ),
        lines=lines,
        texts=(0,),
    )
