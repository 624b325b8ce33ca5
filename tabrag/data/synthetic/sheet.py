"""A plan and its figures as a grid, with the address of every value."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from tabrag.data.synthetic.columns import column_heads, header_rows
from tabrag.data.synthetic.figures import Figures
from tabrag.data.synthetic.plan import TablePlan
from tabrag.data.synthetic.topic import Row
from tabrag.tables.grid import make_grid
from tabrag.types import Cell, Grid, HeaderPath

NOT_MEANINGFUL = "n.m."

Slot = tuple[str, str, int, str]
"""Row label, part label ("" without a breakdown), year (the last one for changes), kind of column."""


@dataclass(slots=True, kw_only=True)
class Sheet:
    """A laid out table.

    Attributes:
        plan: What it is about.
        grid: The grid, with annotated paths.
        cells: Where each value stands.
        values: The printed number of each slot, None where it is not available.
        footnoted: Label of the row with the footnote mark, "" for none.
    """

    plan: TablePlan
    grid: Grid
    cells: dict[Slot, Cell]
    values: dict[Slot, float | None]
    footnoted: str = ""


@dataclass(slots=True)
class _Line:
    texts: list[str]
    row: Row | None
    part: str
    parents: list[int] = field(default_factory=list)
    merge_to: int = 0
    """Last column of the merged label, 0 for none."""
    group_rows: int = 0
    """In ``merged`` layout: number of rows that the first label spans, 0 where it does not start here."""


def make_sheet(plan: TablePlan, figures: Figures, seed: int) -> Sheet:
    """Lay out a table."""
    rng = random.Random(f"{seed}/sheet/{plan.family}")
    leaves = plan.topic.leaves
    footnoted = rng.choice(leaves).label if plan.style.footnote else ""
    num_header_cols = 2 if plan.style.rows == "merged" else 1
    heads = column_heads(plan)
    cells, merged, top_paths = header_rows(plan, heads, num_header_cols=num_header_cols)
    num_header_rows = len(cells)
    lines = _lines(plan, num_cols=num_header_cols + len(heads))
    missing = _missing(plan, seed)
    slots: dict[Slot, Cell] = {}
    values: dict[Slot, float | None] = {}
    left_paths: list[HeaderPath] = [() for _ in range(num_header_rows)]
    for number, line in enumerate(lines):
        row_number = num_header_rows + number
        texts = [_marked(text, footnoted, plan.style.footnote) for text in line.texts]
        row_cells = texts + [""] * len(heads)
        if line.merge_to:
            merged.append((row_number, row_number, 0, line.merge_to))
        if line.group_rows > 1:
            merged.append((row_number, row_number + line.group_rows - 1, 0, 0))
        own = (row_number, len(texts) - 1 if texts[-1] else 0)
        parents = [(num_header_rows + parent, 0) for parent in line.parents]
        left_paths.append(tuple(dict.fromkeys([*parents, own])))
        if line.row is not None:
            for col, head in enumerate(heads, start=num_header_cols):
                slot: Slot = (line.row.label, line.part or head.part, head.year, head.kind)
                value = _value(plan, figures, slot, missing)
                row_cells[col] = (
                    (plan.style.missing or NOT_MEANINGFUL)
                    if value is None
                    else printed(plan, value, head.kind)
                )
                slots[slot] = (row_number, col)
                values[slot] = None if value is None else value / 10 ** decimals(plan, head.kind)
        cells.append(row_cells)
    grid = make_grid(
        cells,
        merged=merged,
        num_header_rows=num_header_rows,
        num_header_cols=num_header_cols,
        top_paths=top_paths,
        left_paths=left_paths,
    )
    return Sheet(plan=plan, grid=grid, cells=slots, values=values, footnoted=footnoted)


def decimals(plan: TablePlan, kind: str) -> int:
    """Decimals that a kind of column prints."""
    return 1 if kind in ("share", "percent_change") else plan.measure.decimals


def printed(plan: TablePlan, value: int, kind: str) -> str:
    """A whole number of the last printed digit as the table prints it."""
    digits = decimals(plan, kind)
    text = f"{abs(value) / 10**digits:,.{digits}f}"
    if plan.style.percent_sign and kind in ("share", "percent_change"):
        text += "%"
    if value >= 0:
        return text
    return f"({text})" if plan.style.minus == "(" else f"{plan.style.minus}{text}"


def _marked(text: str, footnoted: str, mark: str) -> str:
    return f"{text}{'' if mark in '*¹' else ' '}{mark}" if footnoted and text.strip() == footnoted else text


def _missing(plan: TablePlan, seed: int) -> set[tuple[str, str, int]]:
    if not plan.style.missing:
        return set()
    rng = random.Random(
        f"{seed}/missing/{plan.topic.key}/{plan.measure.subject}/{plan.entity.name}/{plan.years}"
    )
    parts = [part.label for part in plan.breakdown.parts] if plan.breakdown is not None else [""]
    rows = [row.label for row in plan.topic.leaves]
    return {
        (rng.choice(rows), rng.choice(parts), rng.choice(plan.years)) for _ in range(rng.choice((0, 1, 1, 2)))
    }


def _value(plan: TablePlan, figures: Figures, slot: Slot, missing: set[tuple[str, str, int]]) -> int | None:
    label, part, year, kind = slot
    if (label, part, year) in missing:
        return None
    value = figures[label, part, year]
    if kind == "value":
        return value
    if kind == "share":
        whole = figures[plan.topic.total, part, year]
        return round(1000 * value / whole)
    first = plan.years[0]
    if (label, part, first) in missing:
        return None
    before = figures[label, part, first]
    if kind == "change":
        return value - before
    # A percentage of a loss says nothing.
    return round(1000 * (value - before) / before) if before > 0 else None


def _lines(plan: TablePlan, *, num_cols: int) -> list[_Line]:
    if plan.style.rows != "parts":
        return _block(plan, part="", num_cols=num_cols)
    breakdown = plan.breakdown
    assert breakdown is not None
    labels = [part.label for part in breakdown.parts]
    if breakdown.total and not plan.measure.rate:
        labels = [breakdown.total, *labels] if breakdown.total_first else [*labels, breakdown.total]
    lines: list[_Line] = []
    for label in labels:
        start = len(lines)
        lines.append(_Line([label], None, "", merge_to=num_cols - 1))
        for line in _block(plan, part=label, num_cols=num_cols):
            line.parents = [start, *(parent + start + 1 for parent in line.parents)]
            lines.append(line)
    return lines


def _block(plan: TablePlan, *, part: str, num_cols: int) -> list[_Line]:
    rows = list(plan.topic.rows)
    if plan.style.total_last and plan.topic.total:
        rows.sort(key=lambda row: row.label == plan.topic.total)
    if plan.topic.statement:
        return _statement_lines(rows, merged=plan.style.rows == "sections", num_cols=num_cols)
    if plan.style.rows == "sections":
        return _section_lines(rows, num_cols=num_cols)
    if plan.style.rows == "merged":
        return _merged_lines(rows)
    lines: list[_Line] = []
    at: dict[str, int] = {}
    for row in rows:
        at[row.label] = len(lines)
        indent = "  " if row.group else ""
        lines.append(_Line([indent + row.label], row, part, [at[row.group]] if row.group else []))
    return lines


def _statement_lines(rows: list[Row], *, merged: bool, num_cols: int) -> list[_Line]:
    lines: list[_Line] = []
    group, heading = "", 0
    for row in rows:
        if row.group and row.group != group:
            heading = len(lines)
            lines.append(_Line([row.group], None, "", merge_to=num_cols - 1 if merged else 0))
        group = row.group
        indent = "  " if group else ""
        lines.append(_Line([indent + row.label], row, "", [heading] if group else []))
    return lines


def _section_lines(rows: list[Row], *, num_cols: int) -> list[_Line]:
    groups = {row.group for row in rows if row.group}
    lines: list[_Line] = []
    for row in rows:
        if row.label not in groups:
            if not row.group:
                lines.append(_Line([row.label], row, ""))
            continue
        heading = len(lines)
        lines.append(_Line([row.label], None, "", merge_to=num_cols - 1))
        lines += [_Line([item.label], item, "", [heading]) for item in rows if item.group == row.label]
        lines.append(_Line([f"{row.label}, total"], row, "", [heading]))
    return lines


def _merged_lines(rows: list[Row]) -> list[_Line]:
    groups = {row.group for row in rows if row.group}
    lines: list[_Line] = []
    for row in rows:
        if row.label not in groups:
            if not row.group:
                lines.append(_Line([row.label, ""], row, "", merge_to=1))
            continue
        start = len(lines)
        items = [item for item in rows if item.group == row.label]
        for item in items:
            lines.append(_Line(["", item.label], item, "", [start]))
        lines.append(_Line(["", "Total"], row, "", [start]))
        lines[start].texts[0] = row.label
        lines[start].group_rows = len(items) + 1
    return lines
