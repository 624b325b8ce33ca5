"""The column headers of a synthetic table: levels, merged regions and paths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tabrag.data.synthetic.plan import TablePlan
from tabrag.types import Cell, HeaderPath

Region = tuple[int, int, int, int]
_COUNTED = ("persons", "number", "thousands")


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """One data column: the texts of its header levels, its part of the breakdown, its year and its kind."""

    levels: tuple[str, ...]
    part: str
    year: int
    kind: str


def year_label(plan: TablePlan, year: int) -> str:
    """A year as the family prints it in a header."""
    text = plan.style.year_form.format(year=year, start=year - 1, end=f"{year % 100:02d}")
    return f"{text} (p)" if plan.style.provisional and year == plan.years[-1] else text


def unit_text(plan: TablePlan) -> str:
    """The unit as the table prints it, for a company with its currency."""
    return plan.measure.unit.format(currency=plan.entity.currency)


def column_heads(plan: TablePlan) -> list[Head]:
    """The data columns from left to right."""
    parts = [""]
    if plan.breakdown is not None and plan.style.rows != "parts":
        parts = [part.label for part in plan.breakdown.parts]
        if plan.breakdown.total and not plan.measure.rate:
            total = plan.breakdown.total
            parts = [total, *parts] if plan.breakdown.total_first else [*parts, total]
    pairs = [(year, part) for year in plan.years for part in parts]
    if "part" in plan.style.columns and plan.style.columns.index("part") < plan.style.columns.index("year"):
        pairs = [(year, part) for part in parts for year in plan.years]
    heads: list[Head] = []
    above = plan.measure.title
    if plan.topic.statement:
        above = "Years ended 31 December" if plan.measure.flow else "At 31 December"
    counted = "Number" if plan.measure.unit in _COUNTED else "Amount"
    for year, part in pairs:
        texts = {"measure": above, "year": year_label(plan, year), "part": part}
        levels = tuple(texts[name] for name in plan.style.columns)
        if plan.style.extra == "share":
            heads.append(Head(levels=(*levels, counted), part=part, year=year, kind="value"))
            heads.append(Head(levels=(*levels, "Percent"), part=part, year=year, kind="share"))
        else:
            heads.append(Head(levels=levels, part=part, year=year, kind="value"))
    if plan.style.extra == "change":
        heads += _change_heads(plan)
    return heads


def _change_heads(plan: TablePlan) -> list[Head]:
    first, last = (year_label(plan, year).removesuffix(" (p)") for year in (plan.years[0], plan.years[-1]))
    above = f"Change, {first} to {last}"
    kinds = [("change", "Absolute"), ("percent_change", "Percent")]
    if plan.measure.unit == "per cent":
        kinds = [("change", "Percentage points")]
    return [Head(levels=(above, text), part="", year=plan.years[-1], kind=kind) for kind, text in kinds]


def header_rows(
    plan: TablePlan, heads: Sequence[Head], *, num_header_cols: int
) -> tuple[list[list[str]], list[Region], list[HeaderPath]]:
    """Cells of the header rows, their merged regions, and one path a column (empty for a header column)."""
    num_levels = len(heads[0].levels)
    num_rows = num_levels + (plan.style.unit == "row")
    cells = [[""] * (num_header_cols + len(heads)) for _ in range(num_rows)]
    merged: list[Region] = [(0, num_rows - 1, 0, num_header_cols - 1)]
    cells[0][0] = unit_text(plan).capitalize() if plan.style.unit == "stub" else plan.topic.by.capitalize()
    if plan.style.unit == "stub" and plan.topic.kind == "company":
        cells[0][0] = f"In {unit_text(plan)}"
    paths: list[list[Cell]] = [[] for _ in heads]
    for level in range(num_levels):
        start = 0
        for col in range(1, len(heads) + 1):
            same = col < len(heads) and heads[col].levels[: level + 1] == heads[start].levels[: level + 1]
            if same:
                continue
            first, last = num_header_cols + start, num_header_cols + col - 1
            cells[level][first] = heads[start].levels[level]
            merged.append((level, level, first, last))
            for column in range(start, col):
                paths[column].append((level, first))
            start = col
    if plan.style.unit == "row":
        cells[num_rows - 1][num_header_cols] = unit_text(plan)
        merged.append((num_rows - 1, num_rows - 1, num_header_cols, num_header_cols + len(heads) - 1))
        for path in paths:
            path.append((num_rows - 1, num_header_cols))
    return cells, merged, [() for _ in range(num_header_cols)] + [tuple(path) for path in paths]
