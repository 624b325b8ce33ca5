"""Tables that are nearly the same: by their cells, or by title and headers.

*By cells*: one table under two titles, with a column or some rows more, or in another spelling of case and
punctuation. What is compared are pairs of neighbouring cells in the body rows, the shingles of Broder, "On
the resemblance and containment of documents", 1997. A pair that more than :data:`MAX_HOLDERS` tables hold
("1 | 0") says nothing and is left out; copies, which share most of all their pairs (:data:`COPY`), count as
one, else nothing that a table of many copies says would count. The similarity is the containment of the
smaller table in the larger one: shared pairs / pairs of the smaller one. As few tables hold each pair that
counts, all similarities are computed exactly, in time that grows with the number of cells, and with the
square of the number of copies. Single cells would not do: two tables of medals share ranks, nations and small
numbers. Tables with the same set of cells are near-duplicates of any size.

*By headers*: the same title and headers, different figures. Such are hard to tell apart, but not the same.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any

from tabrag.data.content import spelled_out
from tabrag.data.dataset import NearDuplicates
from tabrag.tables.text import headers_text
from tabrag.types import Grid, Table

MIN_SIMILARITY = 0.5
"""Near-duplicates by cells share at least this part of the smaller table's pairs of neighbours ..."""
MIN_SHARED = 4
"""... and at least this many of them."""
MAX_HOLDERS = 20
"""A pair of neighbours that more tables hold, copies counted once, does not count."""
COPY = 0.75
"""Copies share at least this part of the larger table's pairs, those that do not count included."""

_MAX_LISTED = 10 * MAX_HOLDERS
"""Tables that a pair leads to in the search for copies."""

_BETWEEN_WORDS = re.compile(r"\W+")


def near_duplicates(tables: Sequence[Table]) -> list[NearDuplicates]:
    """All near-duplicates: pairs by cells in the order of the tables, then groups by headers."""
    texts = _Texts()
    cells = [texts.cells(table.grid) for table in tables]
    return [*_by_cells(tables, cells), *_by_headers(tables, cells)]


class _Texts:
    """Cell texts as small numbers, equal for texts of the same words; 0 stands for none."""

    def __init__(self) -> None:
        self._of_text: dict[str, int] = {}
        self._of_words: dict[str, int] = {"": 0}

    def cells(self, grid: Grid | None) -> list[list[int]]:
        """Numbers of the cells that have words, header rows first; a repeated neighbour counts once."""
        rows = []
        for row in () if grid is None else spelled_out(grid.cells, grid.merged):
            numbers = [number for number in map(self._number, row) if number]
            rows.append([n for place, n in enumerate(numbers) if not place or n != numbers[place - 1]])
        return rows

    def _number(self, text: str) -> int:
        number = self._of_text.get(text)
        if number is None:
            words = _BETWEEN_WORDS.sub(" ", text.casefold()).strip()
            number = self._of_text[text] = self._of_words.setdefault(words, len(self._of_words))
        return number


def _by_cells(tables: Sequence[Table], cells: Sequence[list[list[int]]]) -> Iterator[NearDuplicates]:
    pairs = [
        _neighbours(rows[0 if table.grid is None else table.grid.num_header_rows :])
        for table, rows in zip(tables, cells, strict=True)
    ]
    holders: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for place, own in enumerate(pairs):
        for pair in own:
            holders[pair].append(place)
    original = _originals(pairs, {pair for pair, places in holders.items() if len(places) > MAX_HOLDERS})
    sizes: Counter[int] = Counter()
    shared: Counter[tuple[int, int]] = Counter()
    for places in holders.values():
        if len(places) <= MAX_HOLDERS or len({original[place] for place in places}) <= MAX_HOLDERS:
            sizes.update(places)
            shared.update(combinations(places, 2))
    similarities = {
        pair: similarity
        for pair, count in shared.items()
        if count >= MIN_SHARED
        and (similarity := count / min(sizes[pair[0]], sizes[pair[1]])) >= MIN_SIMILARITY
    }
    for group in _groups((place, frozenset().union(*rows)) for place, rows in enumerate(cells)):
        similarities |= dict.fromkeys(combinations(group, 2), 1.0)
    for (first, second), similarity in sorted(similarities.items()):
        ids = (tables[first].id, tables[second].id)
        yield NearDuplicates(kind="cells", table_ids=ids, similarity=round(similarity, 4))


def _originals(pairs: Sequence[set[tuple[int, int]]], common: set[tuple[int, int]]) -> list[int]:
    """For each table the first one that it is a copy of, else itself; those without common pairs are not
    looked at.
    """
    originals = list(range(len(pairs)))
    leads: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for place, own in enumerate(pairs):
        if own.isdisjoint(common):
            continue
        counts: Counter[int] = Counter()
        for pair in own:
            counts.update(leads.get(pair, ()))
        alike = {other: count / max(len(own), len(pairs[other])) for other, count in counts.items()}
        best = max(alike, key=lambda other: (alike[other], -other), default=0)
        if counts[best] >= MIN_SHARED and alike[best] >= COPY:
            originals[place] = best
            continue
        for pair in own:
            if len(leads[pair]) < _MAX_LISTED:
                leads[pair].append(place)
    return originals


def _by_headers(tables: Sequence[Table], cells: Sequence[list[list[int]]]) -> Iterator[NearDuplicates]:
    def headers(table: Table) -> str:
        return _BETWEEN_WORDS.sub(" ", headers_text(table).casefold()).strip()

    for group in _groups((place, headers(table)) for place, table in enumerate(tables)):
        first, *others = (frozenset().union(*cells[place]) for place in group)
        lowest = min(len(first & other) / max(1, len(first | other)) for other in others)
        ids = tuple(tables[place].id for place in group)
        yield NearDuplicates(kind="headers", table_ids=ids, similarity=round(lowest, 4))


def _neighbours(rows: Iterable[list[int]]) -> set[tuple[int, int]]:
    """Pairs of neighbouring cells; a row of one cell is a pair with nothing."""
    pairs: set[tuple[int, int]] = set()
    for row in rows:
        pairs.update(zip(row, row[1:] or [0], strict=False))
    return pairs


def _groups(keys: Iterable[tuple[int, Any]]) -> Iterator[list[int]]:
    """The places that share a key, where there are two or more; a place with an empty key is in none."""
    places_of: defaultdict[Any, list[int]] = defaultdict(list)
    for place, key in keys:
        if key:
            places_of[key].append(place)
    return (places for places in places_of.values() if len(places) > 1)
