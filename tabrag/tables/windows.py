"""Windows: a table that is longer than a model's input, in parts that each say what they are about.

What fits is asked of the model's own tokenizer (:class:`Meter`). A window knows the cells that it shows.
Nothing is left out: what finds no room beside the headers stands in windows of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from tabrag.tables.text import title_text, words_text
from tabrag.types import Cell, Table

SequenceT = TypeVar("SequenceT", bound=Sequence)

Piece = tuple[Cell | None, str]
"""A text with the cell that it stands in."""


@dataclass(frozen=True, slots=True)
class Window:
    """One part of a table.

    Attributes:
        text: Its text form.
        cells: The grid cells that it shows, headers included; None for all of them.
    """

    text: str
    cells: frozenset[Cell] | None = None


@dataclass(frozen=True, slots=True)
class Meter:
    """What fits into a model's input.

    Attributes:
        limit: Most tokens of a text.
        count: Tokens that the model's tokenizer makes of each text, prefix and special tokens included.
    """

    limit: int
    count: Callable[[Sequence[str]], Sequence[int]]

    def fits(self, text: str) -> bool:
        """Whether the model sees the whole text."""
        return self.count([text])[0] <= self.limit

    def parts(self, texts: Sequence[str]) -> list[int]:
        """About the tokens that each text adds to a longer one.

        Sums are exact for tokenizers that part words at blanks and signs; where others join them, a window
        is measured again as a whole.
        """
        empty, *counts = self.count(["", *texts])
        return [count - empty for count in counts]


def repeated_title(table: Table, meter: Meter, *, wanted: bool = True) -> tuple[str, list[Piece]]:
    """The title that each window repeats, or it as a piece of its own where it takes over half of one."""
    title = title_text(table) if wanted else ""
    if title and meter.count([title])[0] > meter.limit // 2:
        return "", [(None, title)]
    return title, []


def pack(pieces: Sequence[Piece], meter: Meter, *, title: str = "") -> Iterator[Window]:
    """Windows of pieces without headers, in their order, under the title.

    A piece that is too long is parted at blanks, a word that is too long between letters.
    """
    if not pieces:
        return
    text = "\n".join(part for part in (title, " | ".join(text for _, text in pieces)) if part)
    empty, before, count = meter.count(["", title, text])
    if count <= meter.limit:
        yield Window(text, frozenset(cell for cell, _ in pieces if cell is not None))
        return
    room = max(1, meter.limit - (before if title else empty))
    num_parts = max(2, -(-count // room))
    if len(pieces) > 1:
        for part in even_parts(pieces, num_parts):
            yield from pack(part, meter, title=title)
        return
    cell, text = pieces[0]
    words = text.split()
    if len(words) > 1:
        for some in even_parts(words, num_parts):
            yield from pack([(cell, " ".join(some))], meter, title=title)
    elif len(text) > 1:
        for letters in even_parts(text, num_parts):
            yield from pack([(cell, letters)], meter, title=title)
    elif title:
        yield from pack(pieces, meter)
    else:  # an input that does not hold one letter; the model cuts it, and counts that
        yield Window(text, frozenset({cell} if cell is not None else ()))


def words_windows(table: Table, meter: Meter, *, title: bool = True) -> list[Window]:
    """Windows of a table without a grid: the title, and part of the words of its picture.

    Returns:
        One text of title and words where that fits.
    """
    titles = [title_text(table)] if title and title_text(table) else []
    body = words_text(table)
    whole = "\n".join([*titles, body] if body else titles)
    if meter.fits(whole):
        return [Window(whole)]
    shown, pieces = repeated_title(table, meter, wanted=title)
    windows = [*pack(pieces, meter), *pack([(None, body)] if body else [], meter, title=shown)]
    return [Window(window.text) for window in windows]


def even_parts(sequence: SequenceT, num_parts: int) -> Iterator[SequenceT]:
    """The sequence in up to ``num_parts`` parts of about one length, none empty."""
    num_parts = min(num_parts, len(sequence))
    for number in range(num_parts):
        yield sequence[number * len(sequence) // num_parts : (number + 1) * len(sequence) // num_parts]  # type: ignore[misc]
