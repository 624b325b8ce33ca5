"""Which tables of a document a fact speaks of: its page, and the place that it names in words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tabrag.evaluation.table_facts import plain
from tabrag.types import Table

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_ADDRESS = re.compile(r"(?:(?P<sheet>.+)\s)?\$?(?P<col>[A-Z]{1,3})\$?(?P<row>\d+)$")
_RANGE = re.compile(r"([A-Z]+)(\d+)(?::([A-Z]+)(\d+))?$")
_NAMED = re.compile(r"(?:table|tab\.|表)\s*[\d.]+", re.IGNORECASE)


def on_page(table: Table, page: int | None) -> bool:
    """Whether a table stands on a page; one over several pages names them as ``first-last`` in
    ``metadata["pages"]``."""
    first = table.source.page
    if page is None or first is None:
        return True
    numbers = [int(number) for number in re.findall(r"\d+", table.metadata.get("pages", ""))]
    return min([first, *numbers]) <= page <= max([first, *numbers])


def is_chart(table: Table) -> bool:
    """Whether it holds the numbers of a drawn chart: a reader sees no table there."""
    return table.metadata.get("kind") == "chart"


def is_nested(table: Table) -> bool:
    """Whether it stands inside a cell of another table."""
    return "outer_table" in table.metadata


def places(tables: Sequence[Table], *, page: int | None = None, where: str | None = None) -> list[Table]:
    """The tables that a fact may mean.

    ``where`` may be the address of a cell with or without its sheet, "third table", or what a table is called
    ("Table 2.7"); where it says nothing that can be told apart, all tables of the page may be meant.
    """
    candidates = [table for table in tables if on_page(table, page)]
    if not where:
        return candidates
    if address := _ADDRESS.match(where):
        return _at_address(candidates, address)
    if ordinal := re.match(rf"({'|'.join(_ORDINALS)}) table\b", where, re.IGNORECASE):
        number = _ORDINALS.index(ordinal[1].lower())
        seen = [table for table in candidates if not is_chart(table)]
        outer = [table for table in seen if not is_nested(table)]
        meant = {group[number].id: group[number] for group in (seen, outer) if number < len(group)}
        return list(meant.values())
    if where == "chart":
        return candidates
    name = _NAMED.match(where)
    wanted = plain(name[0] if name else re.split(r"[;,(]", where)[0])
    named = [table for table in candidates if any(_says(text, wanted) for text in _titles(table))]
    return named or candidates


def of_note(tables: Sequence[Table], note: str) -> list[Table]:
    """The tables that a count's note speaks of: those of one sheet, or those at the top level."""
    sheets = {table.source.sheet for table in tables} - {""}
    named = [
        sheet
        for sheet in sheets
        if re.search(rf"\bon (?:sheet )?{re.escape(sheet)}(?!\w)", note, re.IGNORECASE)
    ]
    if named:
        return [table for table in tables if table.source.sheet == max(named, key=len)]
    if re.match(r"at the top level", note):
        return [table for table in tables if not is_nested(table)]
    return list(tables)


def _titles(table: Table) -> list[str]:
    return [table.caption, table.title, table.section, table.page_title]


def _says(text: str, wanted: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(wanted)}(?![\w.]*\d)", plain(text)) is not None if wanted else False


def _at_address(tables: Sequence[Table], address: re.Match[str]) -> list[Table]:
    sheet = plain(address["sheet"] or "")
    if sheet and any(plain(table.source.sheet) == sheet for table in tables):
        tables = [table for table in tables if plain(table.source.sheet) == sheet]
    cell = (int(address["row"]), _column(address["col"]))
    return [table for table in tables if _covers(table.metadata.get("range", ""), cell)]


def _covers(area: str, cell: tuple[int, int]) -> bool:
    match = _RANGE.match(area)
    if match is None:
        return True
    first = (int(match[2]), _column(match[1]))
    last = (int(match[4]), _column(match[3])) if match[3] else first
    return first[0] <= cell[0] <= last[0] and first[1] <= cell[1] <= last[1]


def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number
