"""Windows of a table's picture: parts of it, each with the words that stand there.

Pixels, words and boxes of a window agree: what it shows is cut out of the picture in strips
(:mod:`tabrag.tables.strips`), below the title and the header rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from tabrag.tables.boxes import normalise_box
from tabrag.tables.grid_cutter import GridCutter
from tabrag.tables.strips import LIMIT, enclosing, holds, moved
from tabrag.tables.windows import even_parts
from tabrag.tables.word_rows import group_rows
from tabrag.types import Cell, Grid, Strip, Word


@dataclass(frozen=True, slots=True)
class PictureWindow:
    """One part of a picture.

    Attributes:
        words: Its words, in the order of those of the whole; boxes are those of the part.
        strips: What of the picture it shows; None for all of it.
        cells: The grid cells that it shows, headers included; None for all of them, or where there is no
            grid.
    """

    words: list[Word]
    strips: list[Strip] | None = None
    cells: frozenset[Cell] | None = None


@dataclass(frozen=True, slots=True)
class WordMeter:
    """What fits into a model's input.

    Attributes:
        limit: Most tokens.
        count: Tokens that the model makes of each list of words, special tokens included.
    """

    limit: int
    count: Callable[[Sequence[Sequence[Word]]], Sequence[int]]


def picture_windows(words: Sequence[Word], grid: Grid | None, meter: WordMeter) -> list[PictureWindow]:
    """A picture in windows whose words fit into a model's input.

    With a grid whose cells the words name, a window has the title, the header rows, and as many body rows as
    fit, with their row headers, over as many columns as fit. A text that belongs to it and stands elsewhere
    in the picture (a section's label, the text of a merged region) is cut out as well. Without, a window has
    as many lines of words as fit. What finds no room otherwise stands in windows of lines; a word that is too
    long for a window alone is parted between letters.

    Args:
        words: Words of the whole picture, boxes in 0..1000 of it.
        grid: The table's grid, where there is one.
        meter: What fits.

    Returns:
        The whole as one window where it fits, or where not even the special tokens do.
    """
    empty, total = meter.count([[], words])
    if total <= meter.limit or empty >= meter.limit:
        return [PictureWindow(list(words))]
    all_words = _Words(words, meter, empty=empty)
    every = range(len(words))
    if grid is None or not any(all_words.in_grid(number, grid) for number in every):
        return [replace(window, cells=None) for window in all_words.by_lines(every)]
    title = [number for number in every if not all_words.in_grid(number, grid)]
    shown = title if all_words.cost(title) <= all_words.room // 2 else []
    cutter = _Cutter(grid, all_words, title=shown)
    found = [window for window in cutter.windows(cutter.parts()) if window.numbers]
    seen = {*title, *(number for window in found for number in window.numbers)}
    return [
        *all_words.by_lines([] if shown else title),
        *(window.made for window in found),
        *all_words.by_lines([number for number in every if number not in seen], title=shown),
    ]


class _Words:
    """Words with their costs.

    Attributes:
        room: Most tokens of the words of a window.
    """

    def __init__(self, words: Sequence[Word], meter: WordMeter, *, empty: int) -> None:
        self.words = [replace(word, box=normalise_box(word.box, LIMIT, LIMIT)) for word in words]
        self.meter = meter
        self.empty = empty
        self.room = meter.limit - empty
        texts = list(dict.fromkeys(word.text for word in words))
        counts = meter.count([[Word(text=text, box=(0, 0, 0, 0))] for text in texts])
        of_text = {text: count - empty for text, count in zip(texts, counts, strict=True)}
        self.costs = [of_text[word.text] for word in words]

    def cost(self, numbers: Iterable[int]) -> int:
        """Tokens of some words; exact for tokenizers that part words at blanks, as these do."""
        return sum(self.costs[number] for number in numbers)

    def in_grid(self, number: int, grid: Grid) -> bool:
        """Whether a word stands in a cell of the grid."""
        cell = self.words[number].cell
        return cell is not None and cell[0] < grid.num_rows and cell[1] < grid.num_cols

    def window(
        self, numbers: Iterable[int], strips: Sequence[Strip], places: dict[int, int], cells: Iterable[Cell]
    ) -> PictureWindow:
        """The window of some words, each in its strip."""
        order = sorted(numbers)
        words = moved([self.words[number] for number in order], [places[n] for n in order], strips)
        return PictureWindow(words, list(strips), frozenset(cells))

    def line_strips(self, numbers: Sequence[int]) -> tuple[list[Strip], dict[int, int]]:
        """A strip for each line of words, and the strip that each word stands in."""
        lines = self.lines(numbers)
        strips = [enclosing(self.words[number] for number in line) for line in lines]
        return strips, {number: place for place, line in enumerate(lines) for number in line}

    def lines(self, numbers: Sequence[int]) -> list[list[int]]:
        """Words in lines, from above."""
        number_of = {id(self.words[number]): number for number in numbers}
        return [
            [number_of[id(word)] for word in row]
            for row in group_rows([self.words[number] for number in numbers])
        ]

    def by_lines(self, numbers: Sequence[int], *, title: Sequence[int] = ()) -> list[PictureWindow]:
        """Windows of as many lines as fit below the title's; a line that is too long is parted."""
        room = self.room - self.cost(title)
        windows: list[PictureWindow] = []
        taken: list[int] = []
        for line in self.lines(numbers) if numbers else []:
            if taken and self.cost(taken) + self.cost(line) > room:
                windows.append(self._block(taken, title))
                taken = []
            if self.cost(line) > room:
                windows += self._parted(line, title)
            else:
                taken += line
        return [*windows, self._block(taken, title)] if taken else windows

    def _parted(self, line: Sequence[int], title: Sequence[int]) -> Iterator[PictureWindow]:
        if self.cost(line) <= self.room - self.cost(title):
            yield self._block(line, title)
        elif len(line) > 1:
            for half in even_parts(line, 2):
                yield from self._parted(half, title)
        elif title:
            yield from self._parted(line, ())
        else:
            yield from self._letters(self.words[line[0]])

    def _letters(self, word: Word) -> Iterator[PictureWindow]:
        """A word that is too long alone: each part of its letters with the picture of the whole word."""
        if len(word.text) > 1 and self.meter.count([[word]])[0] > self.meter.limit:
            for text in even_parts(word.text, 2):
                yield from self._letters(replace(word, text=text))
        else:  # the model cuts what is one letter, and counts that
            strips = [enclosing([word])]
            yield PictureWindow(moved([word], [0], strips), strips, _cells([word]))

    def _block(self, numbers: Sequence[int], title: Sequence[int]) -> PictureWindow:
        """One region of the picture, below the title."""
        strips, places = self.line_strips(title) if title else ([], {})
        own = [self.words[number] for number in numbers]
        places |= dict.fromkeys(numbers, len(strips))
        return self.window([*title, *numbers], [*strips, enclosing(own)], places, _cells(own))


@dataclass(frozen=True, slots=True)
class _Made:
    """A window with the numbers of its words."""

    made: PictureWindow
    numbers: list[int]


class _Cutter(GridCutter[_Made]):
    """A picture of a grid that has too many words."""

    def __init__(self, grid: Grid, words: _Words, *, title: Sequence[int]) -> None:
        super().__init__(grid, limit=words.meter.limit)
        self.words = words
        self.title = title
        self.numbers: dict[Cell, list[int]] = {}
        for number, word in enumerate(words.words):
            if word.cell is not None and words.in_grid(number, grid):
                self.numbers.setdefault(word.cell, []).append(number)
        wide = {(region[0], region[2]) for region in grid.merged if region[2] < region[3]}
        high = {(region[0], region[2]) for region in grid.merged if region[0] < region[1]}
        above = max((words.words[n].box[3] for n in title), default=0)
        self._row_edges = self._edges(grid.num_rows, axis=0, passed=high, start=above)
        self._col_edges = self._edges(grid.num_cols, axis=1, passed=wide, start=0)

    def costs(self, rows: Sequence[int], cols: Sequence[int]) -> tuple[int, list[int]]:
        """Tokens of title and header rows together, special ones included, and of each body row."""
        across = [*self.head_cols, *cols]
        head = {self.owner((row, col)) for row in self.head_rows for col in across}
        fixed = self.words.empty + self.words.cost(self.title) + sum(self.costs_above(list(head)))
        lines = ({self.owner((row, col)) for col in across} for row in rows)
        return fixed, [
            sum(self.costs_above([cell for cell in line if cell[0] == row]))
            for row, line in zip(rows, lines, strict=True)
        ]

    def costs_above(self, cells: Sequence[Cell]) -> list[int]:
        return [self.words.cost(self.numbers.get(cell, ())) for cell in cells]

    def counts(self, windows: Sequence[_Made]) -> Sequence[int]:
        return self.words.meter.count([window.made.words for window in windows])

    def window(self, rows: Sequence[int], cols: Sequence[int]) -> _Made:
        shown, missing = self.cells(rows, cols)
        spans = self._spans([*self.head_cols, *cols], self._col_edges)
        strips, places = self.words.line_strips(self.title) if self.title else ([], {})
        across = tuple(spans)
        head = [(top, bottom, across) for top, bottom in self._spans(self.head_rows, self._row_edges)]
        body = [(top, bottom, across) for top, bottom in self._spans(rows, self._row_edges)]
        loose: list[tuple[Strip, list[int]]] = []
        inside: list[tuple[Strip, list[int]]] = [(strip, []) for strip in (*head, *body)]
        for cell in sorted(shown | missing):
            if not (numbers := self.numbers.get(cell, [])):
                continue
            own = [self.words.words[number] for number in numbers]
            for strip, held in inside:
                if all(holds(strip, word) for word in own):
                    held += numbers
                    break
            else:
                loose.append((enclosing(own), numbers))
        numbers = list(places)
        for strip, held in (*inside[: len(head)], *loose, *inside[len(head) :]):
            places |= dict.fromkeys(held, len(strips))
            strips.append(strip)
            numbers += held
        if not numbers:
            return _Made(PictureWindow([]), [])
        return _Made(self.words.window(numbers, strips, places, shown | missing), numbers)

    def _edges(self, count: int, *, axis: int, passed: set[Cell], start: int) -> list[tuple[int, int] | None]:
        """The edges of each row (axis 0) or column (axis 1), halfway to its neighbours; None for an empty
        one.

        Args:
            count: How many there are.
            axis: Which of them.
            passed: Cells that reach over several, which say nothing of one.
            start: Where the first may begin.
        """
        low, high = (1, 3) if axis == 0 else (0, 2)
        extents: dict[int, tuple[int, int]] = {}
        for cell, numbers in self.numbers.items():
            if cell not in passed:
                boxes = [self.words.words[number].box for number in numbers]
                own = (min(box[low] for box in boxes), max(box[high] for box in boxes))
                old = extents.get(cell[axis], own)
                extents[cell[axis]] = (min(own[0], old[0]), max(own[1], old[1]))
        order = sorted(extents)
        begin = {place: extents[place][0] for place in order}
        end = {place: extents[place][1] for place in order}
        for before, place in pairwise(order):
            if end[before] <= begin[place]:
                end[before] = begin[place] = (end[before] + begin[place]) // 2
        if order:
            first, last = order[0], order[-1]
            begin[first] = min(begin[first], (begin[first] + start) // 2)
            end[last] = max(end[last], (end[last] + LIMIT + 1) // 2)
        for place in order:  # no row or column is so thin that nothing shows
            begin[place] = min(begin[place], LIMIT - 1)
            end[place] = max(end[place], begin[place] + 1)
        return [(begin[place], end[place]) if place in begin else None for place in range(count)]

    @staticmethod
    def _spans(places: Sequence[int], edges: Sequence[tuple[int, int] | None]) -> list[tuple[int, int]]:
        """The edges of rows or columns; neighbours are joined."""
        spans: list[tuple[int, int]] = []
        before = None
        for place in places:
            edge = edges[place]
            if edge is None:
                continue
            if before is not None and all(edges[between] is None for between in range(before + 1, place)):
                spans[-1] = (min(spans[-1][0], edge[0]), max(spans[-1][1], edge[1]))
            else:
                spans.append(edge)
            before = place
        return spans


def _cells(words: Iterable[Word]) -> frozenset[Cell]:
    return frozenset(word.cell for word in words if word.cell is not None)
