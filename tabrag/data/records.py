"""Tables, queries and gold headers as the lines of ``corpus.jsonl``, ``queries.jsonl`` and ``headers.jsonl``.

Documents have their own lines in ``documents.jsonl``, see :mod:`tabrag.data.document_records`.

Reading is lenient about absent keys (a hand-written line needs few), strict about kinds. Words lie in three
lists of equal length (``words``, ``boxes``, ``word_cells``), the form that layout models and OCR tools share.
"""

from __future__ import annotations

from typing import Any

from tabrag.tables.grid import make_grid
from tabrag.tables.text import words_text
from tabrag.types import Box, Cell, GoldHeaders, Grid, HeaderPath, Query, Source, Table, Turn, Word

TASKS = ("qa", "verify", "describe")
LABELS = ("SUPPORTED", "REFUTED", "NOT ENOUGH INFO")
EVIDENCE = ("text", "table", "both", "pages", "chart", "none")
"""Where in a document an answer can stand."""


def lone_half(text: str) -> str:
    """The first half of a surrogate pair without its partner, escaped, or an empty text.

    JSON can hold one as an escape; a file in UTF-8 cannot.
    """
    return next((ascii(char) for char in text if "\ud800" <= char <= "\udfff"), "")


def flat_text(table: Table) -> str:
    """All texts of a table for tools that only know text: headings, then one line a row without blank cells.

    A table without a grid gives the words of its picture.
    """
    lines = [text for text in (table.page_title, table.section, table.caption) if text]
    if table.grid is not None:
        rows = (
            " | ".join(" ".join(cell.split()) for cell in row if cell.strip()) for row in table.grid.cells
        )
        lines += [row for row in rows if row]
    elif words := words_text(table):
        lines.append(words)
    return "\n".join(lines)


def table_to_record(table: Table) -> dict[str, Any]:
    """The line of ``corpus.jsonl``; ``_id`` stands first: a reader finds it without parsing the rest."""
    record: dict[str, Any] = {"_id": table.id, "title": table.title, "text": flat_text(table)}
    record |= {"page_title": table.page_title, "section": table.section, "caption": table.caption}
    record["grid"] = None if table.grid is None else _grid_to_record(table.grid)
    record["image"] = table.image
    words = table.words
    record["words"] = None if words is None else [word.text for word in words]
    record["boxes"] = None if words is None else [list(word.box) for word in words]
    record["word_cells"] = None if words is None else [_listed(word.cell) for word in words]
    record["source"] = source_to_record(table.source)
    if table.document is not None:
        record["document"] = table.document
    record["metadata"] = dict(table.metadata)
    return record


def table_from_record(record: dict[str, Any]) -> Table:
    """The table of a line of ``corpus.jsonl``.

    Raises:
        KeyError, TypeError, ValueError: A required key is missing or a value has the wrong kind.
    """
    words = record.get("words")
    grid = record.get("grid")
    return Table(
        id=text_value(record["_id"], "_id"),
        title=record.get("title") or "",
        page_title=record.get("page_title") or "",
        section=record.get("section") or "",
        caption=record.get("caption") or "",
        grid=None if grid is None else _grid_from_record(grid),
        image=record.get("image"),
        words=None if words is None else _words(words, record.get("boxes"), record.get("word_cells")),
        source=source_from_record(record.get("source")),
        document=text_value(record["document"], "document") if record.get("document") is not None else None,
        metadata=dict(record.get("metadata") or {}),
    )


def source_to_record(source: Source) -> dict[str, Any]:
    """Where a table or a document came from, as part of its line."""
    return {"file": source.file, "page": source.page, "box": _listed(source.box), "sheet": source.sheet}


def source_from_record(record: dict[str, Any] | None) -> Source:
    """What :func:`source_to_record` wrote; absent keys are unknown."""
    record = record or {}
    page = record.get("page")
    return Source(
        file=record.get("file") or "",
        page=None if page is None else int(page),
        box=None if record.get("box") is None else box_from_record(record["box"]),
        sheet=record.get("sheet") or "",
    )


def query_to_record(query: Query) -> dict[str, Any]:
    """The line of ``queries.jsonl``."""
    return {
        "_id": query.id,
        "text": query.text,
        "answers": list(query.answers),
        "task": query.task,
        "label": query.label,
        **({"data_set": query.data_set} if query.data_set else {}),
        **({"evidence": query.evidence} if query.evidence else {}),
        **({"history": [[turn.question, turn.answer] for turn in query.history]} if query.history else {}),
    }


def query_from_record(record: dict[str, Any]) -> Query:
    """The query of a line of ``queries.jsonl``; all but ``_id`` and ``text`` may be absent."""
    return Query(
        id=text_value(record["_id"], "_id"),
        text=text_value(record["text"], "text"),
        answers=[str(answer) for answer in record.get("answers") or []],
        task=record.get("task") or "qa",
        label=record.get("label"),
        data_set=record.get("data_set") or "",
        evidence=record.get("evidence") or "",
        history=[_turn(turn) for turn in record.get("history") or []],
    )


def gold_to_record(gold: GoldHeaders) -> dict[str, Any]:
    """The line of ``headers.jsonl``."""
    return {
        "query_id": gold.query_id,
        "table_id": gold.table_id,
        "top": [list(cell) for cell in gold.top],
        "left": [list(cell) for cell in gold.left],
        "answer_cells": [list(cell) for cell in gold.answer_cells],
        "formula": gold.formula,
    }


def gold_from_record(record: dict[str, Any]) -> GoldHeaders:
    """The gold headers of a line of ``headers.jsonl``."""
    return GoldHeaders(
        query_id=text_value(record["query_id"], "query_id"),
        table_id=text_value(record["table_id"], "table_id"),
        top=[_cell(cell) for cell in record.get("top") or []],
        left=[_cell(cell) for cell in record.get("left") or []],
        answer_cells=[_cell(cell) for cell in record.get("answer_cells") or []],
        formula=record.get("formula"),
    )


def _grid_to_record(grid: Grid) -> dict[str, Any]:
    return {
        "cells": grid.cells,
        "merged": [list(region) for region in grid.merged],
        "num_header_rows": grid.num_header_rows,
        "num_header_cols": grid.num_header_cols,
        "top_paths": _listed_paths(grid.top_paths),
        "left_paths": _listed_paths(grid.left_paths),
    }


def _grid_from_record(record: dict[str, Any]) -> Grid:
    return make_grid(
        record["cells"],
        merged=[_region(region) for region in record.get("merged") or []],
        num_header_rows=int(record.get("num_header_rows") or 0),
        num_header_cols=int(record.get("num_header_cols") or 0),
        top_paths=_paths(record.get("top_paths")),
        left_paths=_paths(record.get("left_paths")),
    )


def _words(
    texts: list[str], boxes: list[list[int]] | None, cells: list[list[int] | None] | None
) -> list[Word]:
    if boxes is None or len(boxes) != len(texts):
        found = "none" if boxes is None else str(len(boxes))
        raise ValueError(f"{len(texts)} words need as many boxes, found {found}")
    if cells is not None and len(cells) != len(texts):
        raise ValueError(f"{len(texts)} words need as many word_cells, found {len(cells)}")
    return [
        Word(text=text, box=box_from_record(box), cell=None if cell is None else _cell(cell))
        for text, box, cell in zip(texts, boxes, cells or [None] * len(texts), strict=True)
    ]


def _listed_paths(paths: list[HeaderPath] | None) -> list[list[list[int]]] | None:
    return None if paths is None else [[list(cell) for cell in path] for path in paths]


def _paths(paths: list[list[list[int]]] | None) -> list[HeaderPath] | None:
    return None if paths is None else [tuple(_cell(cell) for cell in path) for path in paths]


def _listed(values: tuple[int, ...] | None) -> list[int] | None:
    return None if values is None else list(values)


def _cell(value: list[int]) -> Cell:
    row, col = value
    return (int(row), int(col))


def _region(value: list[int]) -> tuple[int, int, int, int]:
    first_row, last_row, first_col, last_col = value
    return (int(first_row), int(last_row), int(first_col), int(last_col))


def box_from_record(value: list[int]) -> Box:
    """Four whole numbers.

    Raises:
        TypeError, ValueError: It is something else.
    """
    x0, y0, x1, y1 = value
    return (int(x0), int(y0), int(x1), int(y1))


def _turn(value: list[str]) -> Turn:
    question, answer = value
    return Turn(question=text_value(question, "history"), answer=text_value(answer, "history"))


def text_value(value: Any, key: str) -> str:
    """A text.

    Raises:
        TypeError: It is something else.
    """
    if not isinstance(value, str):
        raise TypeError(f"'{key}' must be a text, found {value!r}")
    return value
