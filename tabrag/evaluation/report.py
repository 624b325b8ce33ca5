"""One HTML file that shows what a run reached: figures side by side, the loss, and questions with their
tables.

The file is complete in itself: no scripts, no assets, pictures inside. All text from data is escaped, and a
content security policy keeps a browser from loading or running anything.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tabrag.evaluation.report_table import marked_boxes, marked_grid, picture_url
from tabrag.evaluation.report_tint import tint_of, tinted_boxes, tinted_cells
from tabrag.files import atomic_write
from tabrag.tables.grid import left_paths, path_texts, top_paths
from tabrag.types import Answer, Grid, HeaderPath, Table

_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM = 720, 260, 60, 14, 52


@dataclass(kw_only=True)
class Example:
    """One question of a report.

    Attributes:
        answer: The answer with its evidence and candidates.
        table: The table of its first evidence; None where there is none.
        picture: That table's picture file; the grid is shown where None.
        gold: Gold answers, where known.
        right: Whether the answer is right, where known.
        gold_tables: Ids of the tables that hold the answer.
        titles: Titles of the candidates by table id; the id stands where one is missing.
    """

    answer: Answer
    table: Table | None = None
    picture: Path | None = None
    gold: Sequence[str] = ()
    right: bool | None = None
    gold_tables: frozenset[str] = frozenset()
    titles: Mapping[str, str] = field(default_factory=dict)


def write_report(
    path: str | Path,
    *,
    title: str,
    systems: Mapping[str, Mapping[str, float]],
    curve: Sequence[tuple[float, float]] = (),
    examples: Iterable[Example] = (),
    settings: Mapping[str, Any] | None = None,
) -> None:
    """Write the report; it stands at ``path`` only once it is whole.

    Args:
        path: The HTML file.
        title: Its heading.
        systems: System name -> figure name -> figure, 0..1; columns are the figures of all systems in order
            of first appearance, and a missing one is shown as a dash.
        curve: Points ``(step, loss)`` of the training loss; values that are not finite are left out.
        examples: Questions with their tables.
        settings: Names and values; nested mappings are shown with dotted names.

    Raises:
        UserError: A picture cannot be opened.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    columns = list(dict.fromkeys(name for figures in systems.values() for name in figures))
    text = environment.get_template("report.html.jinja").render(
        title=title,
        columns=columns,
        systems=_systems(systems, columns),
        curve=_curve(curve),
        examples=[_example(example) for example in examples],
        settings=list(_flat(settings or {})),
    )
    with atomic_write(path) as file:
        file.write(text)


def _systems(systems: Mapping[str, Mapping[str, float]], columns: Sequence[str]) -> list[dict[str, Any]]:
    best = {name: max(figures[name] for figures in systems.values() if name in figures) for name in columns}
    rows = []
    for system, figures in systems.items():
        cells = [
            None
            if name not in figures
            else {
                "text": f"{100 * figures[name]:.1f}",
                "percent": round(100 * min(max(figures[name], 0.0), 1.0), 1),
                "best": figures[name] == best[name] and len(systems) > 1,
            }
            for name in columns
        ]
        rows.append({"name": system, "figures": cells})
    return rows


def _curve(points: Sequence[tuple[float, float]]) -> dict[str, Any] | None:
    """Positions in the drawing; None where there are fewer than two points."""
    points = [(step, loss) for step, loss in points if math.isfinite(step) and math.isfinite(loss)]
    if len(points) < 2:
        return None
    steps, losses = zip(*points, strict=True)
    x_low, x_high = min(steps), max(steps)
    y_low, y_high = min(0.0, *losses), max(losses)
    right, bottom = _WIDTH - 24, _HEIGHT - _BOTTOM

    def at_x(step: float) -> float:
        return round(_LEFT + (right - _LEFT) * (step - x_low) / ((x_high - x_low) or 1), 1)

    def at_y(loss: float) -> float:
        return round(bottom - (bottom - _TOP) * (loss - y_low) / ((y_high - y_low) or 1), 1)

    fractions = (0, 0.25, 0.5, 0.75, 1)
    return {
        "width": _WIDTH,
        "height": _HEIGHT,
        "left": _LEFT,
        "right": right,
        "points": " ".join(f"{at_x(step)},{at_y(loss)}" for step, loss in points),
        "x_ticks": [
            {"at": at_x(x), "label": f"{x:.0f}"} for x in (x_low + f * (x_high - x_low) for f in fractions)
        ],
        "y_ticks": [
            {"at": at_y(y), "label": f"{y:.2f}"} for y in (y_low + f * (y_high - y_low) for f in fractions)
        ],
    }


def _example(example: Example) -> dict[str, Any]:
    answer, table = example.answer, example.table
    evidence = answer.evidence[0] if answer.evidence else None
    cells = evidence.cells[:3] if evidence else []
    rows, cols = sorted({row for row, _ in cells}), sorted({col for _, col in cells})
    notes = []
    shown: dict[str, Any] = {
        "rows": "",
        "columns": "",
        "source": "",
        "picture": "",
        "width": 0,
        "boxes": [],
        "grid": [],
    }
    if table is not None and evidence is not None:
        grid = table.grid
        headers = []
        tint = None if grid is None else tint_of(grid, evidence)
        if grid is not None:
            lefts, tops = left_paths(grid), top_paths(grid)
            headers = [cell for row in rows for cell in lefts[row]] + [
                cell for col in cols for cell in tops[col]
            ]
            shown["rows"] = _paths_text(grid, [lefts[row] for row in rows])
            shown["columns"] = _paths_text(grid, [tops[col] for col in cols])
        shown["source"] = _source(table, evidence.title)
        if example.picture is not None:
            shown["picture"], shown["width"] = picture_url(example.picture)
            words = table.words or []
            tinted = [] if grid is None or tint is None else tinted_boxes(grid, words, tint)
            shown["boxes"] = marked_boxes(words, evidence.cells, headers, tinted)
            if tint is not None and tinted:
                notes.append(tint.text)
            if evidence.cells and not any(box["kind"] == "cell" for box in shown["boxes"]):
                notes.append("The cells are not marked: the positions of this picture's words are not known.")
        elif grid is not None:
            tinted = set() if tint is None else tinted_cells(grid, tint)
            shown["grid"], num_hidden = marked_grid(grid, evidence.cells, headers, tinted)
            if tint is not None and tinted:
                notes.append(tint.text)
            if num_hidden:
                notes.append(f"{num_hidden} further rows are not shown here.")
        if not evidence.cells:
            notes.append("The answer does not stand in this table word for word.")
    return {
        **shown,
        "question": answer.question,
        "answer": answer.answer,
        "gold": "; ".join(example.gold),
        "confidence": "" if answer.confidence is None else f"{100 * answer.confidence:.0f} %",
        "right": example.right,
        "alt": f"Table: {evidence.title}" if evidence else "Table",
        "notes": [*answer.notes, *notes],
        "candidates": [
            {
                "title": example.titles.get(candidate.item_id) or candidate.item_id,
                "score": f"{candidate.score:.4g}",
                "gold": candidate.item_id in example.gold_tables,
            }
            for candidate in answer.candidates
        ],
    }


def _paths_text(grid: Grid, paths: Iterable[HeaderPath]) -> str:
    return "; ".join(filter(None, (" › ".join(path_texts(grid, path)) for path in paths)))


def _source(table: Table, title: str) -> str:
    page = "" if table.source.page is None else f"page {table.source.page}"
    return " · ".join(part for part in (title, table.source.file, page, f"table {table.id}") if part)


def _flat(values: Mapping[str, Any], prefix: str = "") -> Iterable[tuple[str, str]]:
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", "–" if value is None else str(value)
