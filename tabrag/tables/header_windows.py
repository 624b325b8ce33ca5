"""Windows of a headers text: title, part of the left paths, part of the top paths."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain

from tabrag.tables.grid import path_texts
from tabrag.tables.text import header_paths, headers_text, leaf_paths, one_line
from tabrag.tables.windows import Meter, Window, even_parts, pack, repeated_title
from tabrag.types import Grid, HeaderPath, Table

Paths = Mapping[str, Sequence[HeaderPath]]
"""Paths by field, ``left`` and ``top``."""


def headers_windows(
    table: Table,
    meter: Meter,
    *,
    fields: Sequence[str] = ("title", "left", "top"),
    parents: str = "repeat",
    field_separator: str = " | ",
    header_separator: str = "; ",
    path_separator: str = " > ",
) -> list[Window]:
    """A headers text in windows; each path stands whole in one at least.

    Of left and top paths the list that takes at most half of a window stands in all windows, so that every
    row is seen with the columns.

    Args:
        table: The table.
        meter: What fits.
        fields: See :func:`tabrag.tables.text.headers_text`.
        parents: See there, as for the separators.
        field_separator: Stands between two fields.
        header_separator: Stands between two paths of a field.
        path_separator: Stands between the levels of a path.

    Returns:
        The one text of :func:`tabrag.tables.text.headers_text` where it fits.
    """
    text = partial(
        headers_text,
        parents=parents,
        field_separator=field_separator,
        header_separator=header_separator,
        path_separator=path_separator,
    )
    whole = text(table, fields=fields)
    if meter.fits(whole):
        return [Window(whole)]
    title, pieces = repeated_title(table, meter, wanted="title" in fields)
    windows = list(pack(pieces, meter))
    if table.grid is None:
        return windows
    cutter = _Cutter(table, table.grid, meter, text, title=title, fields=fields)
    for paths in cutter.shared_out():
        windows += cutter.windows(paths)
    # What stands in all windows is printed alone where it does not fit beside a long path: once is enough.
    return list({window.text: window for window in windows}.values())


class _Cutter:
    """One headers text that is too long."""

    def __init__(
        self,
        table: Table,
        grid: Grid,
        meter: Meter,
        text: partial[str],
        *,
        title: str,
        fields: Sequence[str],
    ) -> None:
        self.table = table
        self.grid = grid
        self.meter = meter
        self.title = title
        self.fields = [name for name in fields if name != "title" or title]
        self.print = text
        self.repeat = text.keywords["parents"] == "repeat"
        self.header_separator: str = text.keywords["header_separator"]
        self.path_separator: str = text.keywords["path_separator"]
        self.paths = {
            name: distinct
            for name, paths in header_paths(grid).items()
            if name in fields and (distinct := self._distinct(paths))
        }

    def shared_out(self) -> list[Paths]:
        """Paths of each window, by estimate; the shorter list begins again where it is at its end."""
        if not self.paths:
            return []
        room = self.meter.limit - self.meter.count([self.title])[0]
        units = {
            name: list(dict.fromkeys(chain.from_iterable(map(self._units, paths))))
            for name, paths in self.paths.items()
        }
        costs = {
            name: dict(
                zip(
                    some,
                    self.meter.parts([self.header_separator + self._text(unit) for unit in some]),
                    strict=True,
                )
            )
            for name, some in units.items()
        }
        needs = {name: sum(some.values()) for name, some in costs.items()}
        chunks: dict[str, list[list[HeaderPath]]] = {}
        for name, paths in self.paths.items():
            others = sum(needs.values()) - needs[name]
            share = room if len(needs) == 1 else max(room // 2, room - others)
            chunks[name] = self._chunks(paths, costs[name], share)
        num_windows = max(map(len, chunks.values()))
        return [{name: some[n % len(some)] for name, some in chunks.items()} for n in range(num_windows)]

    def windows(self, paths: Paths) -> Iterator[Window]:
        """A window of these paths; more than one where they do not fit together."""
        text = self.print(self.table, fields=self.fields, paths=paths)
        cells = frozenset(cell for some in paths.values() for path in some for cell in path)
        longer = max(paths, key=lambda name: len(paths[name]))
        if self.meter.fits(text):
            yield Window(text, cells)
        elif len(paths[longer]) > 1:
            for part in even_parts(paths[longer], 2):
                yield from self.windows({**paths, longer: part})
        elif sum(map(len, paths.values())) > 1:
            for name, some in paths.items():
                yield from self.windows({name: some})
        else:
            alone = self.print(self.table, fields=[longer], paths=paths)
            for window in pack([(None, alone)], self.meter, title=self.title):
                yield Window(window.text, cells)

    def _chunks(
        self, paths: Sequence[HeaderPath], costs: Mapping[HeaderPath, int], share: int
    ) -> list[list[HeaderPath]]:
        chunks: list[list[HeaderPath]] = [[]]
        printed: set[HeaderPath] = set()
        for path in paths:
            units = set(self._units(path))
            if chunks[-1] and sum(costs[unit] for unit in printed | units) > share:
                chunks.append([])
                printed = set()
            chunks[-1].append(path)
            printed |= units
        return chunks

    def _units(self, path: HeaderPath) -> list[HeaderPath]:
        """What is printed once in a text: whole paths, or single headers."""
        return [path] if self.repeat else [(cell,) for cell in path]

    def _text(self, unit: HeaderPath) -> str:
        if self.repeat:
            return self.path_separator.join(map(one_line, path_texts(self.grid, unit)))
        (row, col) = unit[0]
        return one_line(self.grid.cells[row][col])

    def _distinct(self, paths: Sequence[HeaderPath]) -> list[HeaderPath]:
        """Leaf paths that print something; of those that print the same the first."""
        texts: dict[str, HeaderPath] = {}
        for path in leaf_paths(paths):
            texts.setdefault("\n".join(map(self._text, self._units(path))), path)
        return [path for text, path in texts.items() if text.strip()]
