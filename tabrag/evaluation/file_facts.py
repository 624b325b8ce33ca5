"""How many checked facts of real files were reached by reading them.

``files.jsonl`` holds one file a line: ``path``, ``kind``, ``facts`` (``pages``, ``tables``, ``header``,
``cell``, ``text``, ``expect``) and ``questions``. Facts for people (``merged``, ``order``, ``note``) and
counts of markup are not counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tabrag.documents.placeholders import document_text
from tabrag.evaluation.fact_places import is_chart, of_note, on_page, places
from tabrag.evaluation.table_facts import cells_at, has_row, missing_headers, plain
from tabrag.tables.text import words_text
from tabrag.types import Document, Table

TYPES = ("pages", "tables", "header", "cell", "text", "expect")
"""Types of fact that a program can check."""
_NUMBERS = {"none": 0, "no": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7}
_FEW = 3


@dataclass(frozen=True, slots=True)
class Checked:
    """A fact and whether it was reached.

    Attributes:
        fact: As it stands in ``files.jsonl``.
        reached: Whether the file says so as it was read.
        found: Where not: what was found instead.
    """

    fact: dict[str, Any]
    reached: bool
    found: str = ""


def check_facts(
    document: Document | None,
    tables: Sequence[Table],
    facts: Iterable[dict[str, Any]],
    *,
    status: str = "ok",
    reason: str = "",
) -> list[Checked]:
    """Check the facts of one file that a program can check.

    Args:
        document: The document that was read; None where the file failed.
        tables: Its tables in reading order.
        facts: Facts of any type.
        status: ``ok``, ``partial`` or ``failed``.
        reason: Why it is not ``ok``.
    """
    checked = []
    for fact in facts:
        found = _fault(document, tables, fact, status=status, reason=reason)
        if found is not None:
            checked.append(Checked(fact, not found, found))
    return checked


def _fault(
    document: Document | None, tables: Sequence[Table], fact: dict[str, Any], *, status: str, reason: str
) -> str | None:
    """What is wrong, an empty text where nothing is, None where it cannot be checked."""
    kind = fact["type"]
    if kind == "expect":
        return _expect_fault(tables, str(fact["value"]), status=status, reason=reason)
    if kind not in TYPES:
        return None
    if kind == "tables" and (wanted := _wanted_count(fact)) is None:
        return None
    if document is None:
        return f"the file was not read: {reason}"
    if kind == "pages":
        count = len(document.pages)
        return "" if count == fact["value"] else f"{count} pages"
    if kind == "tables":
        return _count_fault(tables, fact, wanted)
    if kind == "text":
        return "" if plain(str(fact["value"])) in plain(full_text(document, tables)) else "no such text"
    meant = places(tables, page=fact.get("page"), where=fact.get("where"))
    return _header_fault(meant, fact) if kind == "header" else _cell_fault(meant, fact)


def full_text(document: Document, tables: Iterable[Table]) -> str:
    """All that a document says: titles, blocks, and the texts of its tables and pictures."""
    parts = [document.title, document_text(document)]
    for table in tables:
        parts += [table.title, table.caption, *table.metadata.values(), words_text(table)]
        if table.grid is not None:
            parts += [text for row in table.grid.cells for text in row]
    return "\n".join(parts)


def _wanted_count(fact: dict[str, Any]) -> int | None:
    """How many tables a reader sees; None where only elements of markup were counted."""
    note = str(fact.get("note") or "")
    if "<table>" not in note:
        return int(fact["value"])
    said = re.search(r"(\w+) (?:is a data table|holds? data)", note)
    return _NUMBERS.get(said[1].lower()) if said else None


def _count_fault(tables: Sequence[Table], fact: dict[str, Any], wanted: int | None) -> str:
    seen = [table for table in tables if not is_chart(table) and on_page(table, fact.get("page"))]
    seen = of_note(seen, str(fact.get("note") or ""))
    if len(seen) == wanted:
        return ""
    shown = ", ".join(f"{table.id.rpartition('#')[2]} {_size(table)}" for table in seen[:12])
    return f"{len(seen)} tables: {shown}"


def _size(table: Table) -> str:
    grid = table.grid
    page = f" p.{table.source.page}" if table.source.page else ""
    return ("no grid" if grid is None else f"{grid.num_rows}x{grid.num_cols}") + page


def _header_fault(tables: Sequence[Table], fact: dict[str, Any]) -> str:
    wanted = [str(text) for text in fact["value"]]
    missing = [missing_headers(table, wanted) for table in tables]
    if not missing:
        return "no table there"
    best = min(range(len(missing)), key=lambda number: len(missing[number]))
    if not missing[best]:
        return ""
    return f"{tables[best].id.rpartition('#')[2]} has no header {missing[best]}"


def _cell_fault(tables: Sequence[Table], fact: dict[str, Any]) -> str:
    column, row, wanted = fact.get("column"), fact.get("row"), plain(str(fact["value"]))
    if not tables:
        return "no table there"
    found = []
    for table in tables:
        for _, text in cells_at(table, column, row):
            if plain(text) == wanted:
                return ""
            found.append(text)
    if found:
        return f"there stands {found[:5]}"
    with_column = [table.id.rpartition("#")[2] for table in tables if any(cells_at(table, column, None))]
    with_row = [table.id.rpartition("#")[2] for table in tables if has_row(table, row)]
    return f"column in {with_column[:5] or 'no table'}, row in {with_row[:5] or 'no table'}"


def _expect_fault(tables: Sequence[Table], value: str, *, status: str, reason: str) -> str | None:
    warned = status != "ok" or any("warning" in table.metadata for table in tables)
    if value == "error":
        return "" if status == "failed" and reason else f"status {status}"
    if value in ("warning", "warning or error"):
        return "" if warned else f"status {status}, no warning"
    if value == "bounded":  # that it came to an end with a reason, or with its text, says so
        return "" if status == "ok" or reason else f"status {status} without a reason"
    if value == "few or no tables":
        if status == "failed":
            return f"the file was not read: {reason}"
        return "" if len(tables) <= _FEW else f"{len(tables)} tables"
    return None
