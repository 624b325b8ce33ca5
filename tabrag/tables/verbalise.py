"""Sentences about a table without a language model: what it reports, and what each header lets one look up.

They follow H-RCL of MixRAG (Zhang et al., "Mixture-of-RAG", 2025): one text a header *node* of every level of
both axes, with all leaf paths of the other axis; the flat form has one a leaf row and leaf column, and the
table's summary says each label once. The paper lets a language model write them from the same headers; here
they are templates. Numbers that stand as labels say nothing about what a table holds and are left out; years
stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from tabrag.tables.axes import AXES, Axis, axis_headers
from tabrag.tables.grid import corner_paths, path_texts
from tabrag.tables.text import one_line, title_text, words_text
from tabrag.types import Grid, Table

Labels = tuple[str, ...]
"""The labels of a header path, outermost level first."""

_LETTER = re.compile(r"[^\W\d_]")
_YEAR = re.compile(r"(?<!\d)(?:1[89]|20)\d\d(?!\d)")
_UNITS = re.compile(
    r"\b(?:in|of)\s+(?:US\s*)?[$€£¥]?\s*(?:thousands?|millions?|billions?|trillions?)\b"
    r"|\b(?:per ?cent(?:age)?|thousands?|millions?|billions?|USD|EUR|GBP|U\.S\. dollars?|euros?|pounds?)\b"
    r"|[$€£¥%]",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Statement:
    """What one header, or the whole table, lets a reader look up.

    Attributes:
        head: What it is about; never empty where the table says anything.
        details: What can be looked up there, one label path each, outermost level first.
    """

    head: str
    details: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """Head and details in one line."""
        return self.head if not self.details else f"{self.head}: {'; '.join(self.details)}"


def summary(table: Table) -> Statement:
    """The table's subject, period, units, row labels and column labels, each label once.

    A table without a grid gives the words of its picture.
    """
    title = title_text(table)
    grid = table.grid
    if grid is None:
        return Statement(title or "Table", (words,) if (words := words_text(table)) else ())
    labels = {axis: _distinct(label for path in _paths(grid, axis) for label in path) for axis in AXES}
    corner = _distinct(one_line(text) for path in corner_paths(grid) for text in path_texts(grid, path))
    names = [title, *corner, *labels["col"], *labels["row"]]
    parts = [*corner, *labels["row"], *labels["col"]]
    if years := _period(names):
        parts.append(years)
    if units := _distinct(unit.group().strip() for name in names for unit in _UNITS.finditer(name)):
        parts.append("units " + ", ".join(units))
    return Statement(title or "Table", tuple(parts))


def header_statements(table: Table, *, levels: bool = True, title: bool = True) -> list[Statement]:
    """One statement a header of either axis: rows first, in the order of the table, each text once.

    Args:
        table: A table; one without a grid, or without any header, gives its summary.
        levels: One for each header *node* with its path, and whole paths of the other axis (H-RCL); otherwise
            one for each row and column with its own label alone, and own labels of the other axis (flat RCL).
        title: Whether a head begins with the table's title.
    """
    grid = table.grid
    if grid is None:
        return [summary(table)]
    name_of_all = title_text(table) if title else ""
    paths = {axis: _paths(grid, axis) for axis in AXES}
    leaves = {
        axis: tuple(_distinct(" > ".join(path if levels else path[-1:]) for path in paths[axis] if path))
        for axis in AXES
    }
    found: dict[Statement, None] = {}
    for axis, other in zip(AXES, AXES[::-1], strict=True):
        for path in _nodes(paths[axis]) if levels else paths[axis]:
            if path:
                label = " > ".join(path if levels else path[-1:])
                head = f"{name_of_all}. {label}" if name_of_all else label
                found.setdefault(Statement(head, leaves[other]))
    return list(found) or [summary(table)]


def _nodes(paths: Iterable[Labels]) -> list[Labels]:
    """Every beginning of every path: the nodes of the header tree, parents before their children."""
    return list(dict.fromkeys(path[:length] for path in paths for length in range(1, len(path) + 1)))


def _paths(grid: Grid, axis: Axis) -> list[Labels]:
    """The label paths of the body rows or columns; what is no label is dropped from them.

    A row without a header, as in tables of records, is labelled by the first of its first cells that can be a
    label; a column without one has none.
    """
    paths = []
    for header in axis_headers(grid, axis):
        labels = tuple(text for text in map(one_line, path_texts(grid, header.path)) if _is_label(text))
        if not header.path and axis == "row":
            labels = tuple(text for text in map(one_line, header.texts) if _is_label(text))[:1]
        paths.append(labels)
    return paths


def _is_label(text: str) -> bool:
    return _LETTER.search(text) is not None or _YEAR.search(text) is not None


def _period(texts: Iterable[str]) -> str:
    """First and last year that the labels name: ``1999 to 2003``, or the one; empty where there is none."""
    years = sorted({int(year.group()) for text in texts for year in _YEAR.finditer(text)})
    if not years:
        return ""
    return str(years[0]) if len(years) == 1 else f"{years[0]} to {years[-1]}"


def _distinct(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(text for text in texts if text))
