"""Titles, publications and captions as statistics offices and annual reports write them."""

from __future__ import annotations

from tabrag.data.synthetic.columns import unit_text
from tabrag.data.synthetic.plan import TablePlan
from tabrag.data.synthetic.sheet import NOT_MEANINGFUL, Sheet

_NOTES = {
    "statistics": (
        "Estimates for this item are subject to a wide margin of error.",
        "Break in series: definitions were revised during the period.",
        "Includes units that could not be classified elsewhere.",
    ),
    "company": (
        "Prior-year amounts have been restated to conform to the current presentation.",
        "Includes the effect of businesses acquired during the period.",
        "Excludes discontinued operations.",
    ),
}


def title(plan: TablePlan) -> str:
    """The title of the table, with its number, place, period and, where the family says so, unit."""
    measure, first, last = plan.measure.title, plan.years[0], plan.years[-1]
    by = f" by {plan.topic.by}" if plan.topic.by else ""
    if plan.breakdown is not None:
        by += f" and {plan.breakdown.by}"
    unit = f" ({unit_text(plan)})" if plan.style.unit == "title" else ""
    name, number = plan.entity.name, plan.style.number
    if plan.topic.kind == "company":
        dates = "years ended 31 December" if plan.measure.flow else "at 31 December"
        years = f"{first}-{last}" if plan.style.title else f"{first} to {last}"
        return (
            f"{name}: {measure}{by}, fiscal years {years}{unit}",
            f"Note {number.split('.')[0]}. {name} - {measure}{by}, FY{first}-FY{last}{unit}",
            f"{measure}{by}, {name}, {dates} {years}{unit}",
        )[plan.style.title]
    years = f"{first}-{last}"
    if plan.topic.years == "school":
        years = f"{first - 1}/{first % 100:02d} to {last - 1}/{last % 100:02d}"
    return (
        f"Table {number}  {measure}{by}, {name}, {years}{unit}",
        f"{measure}{by}: {name}, {years}{unit}",
        f"Table {number}. {name}: {measure[:1].lower() + measure[1:]}{by}{unit}, {years}",
    )[plan.style.title]


def page_title(plan: TablePlan) -> str:
    """The publication, which comes out the year after the last one."""
    if plan.topic.kind == "company":
        return f"Annual Report {plan.years[-1]}"
    return ("", f"Statistical Yearbook {plan.years[-1] + 1}", "Statistical Releases")[plan.style.title]


def caption(sheet: Sheet) -> str:
    """The footnotes that the table's marks refer to, and for a statistics office the source."""
    style, kind = sheet.plan.style, sheet.plan.topic.kind
    notes = []
    if sheet.footnoted:
        number = int(style.number.split(".")[1]) % len(_NOTES[kind])
        notes.append(f"{style.footnote} {_NOTES[kind][number]}")
    if any(value is None for value in sheet.values.values()):
        notes.append(
            f"{style.missing} not available for publication, but included in totals where applicable."
            if style.missing
            else f"{NOT_MEANINGFUL} not meaningful."
        )
    if style.provisional:
        notes.append("(p) provisional.")
    if kind == "statistics" and style.title != 1 and not sheet.plan.measure.rate:
        notes.append("Totals are sums of the rounded figures.")
    return " ".join(notes)
