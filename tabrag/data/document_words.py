"""Which documents hold which words and phrases, for a set of words and phrases that is known beforehand."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Hashable, Iterable, Iterator
from itertools import chain

from tabrag.data.answerable import GENERIC_WORDS
from tabrag.index.tokens import STOP_WORDS, tokenize
from tabrag.types import Document, Table

UNSPECIFIC_WORDS = frozenset(
    (
        "million thousand billion respectively related due company companies group ended end ending fiscal "
        "quarter month reported consolidated net change changed january february march april may june july "
        "august september october november december"
    ).split()
)
"""Words of any report, which make no phrase and no title distinctive."""

Phrase = tuple[str, str]
Holders = int
"""The documents that hold something, as the bits of a number: bit ``n`` is the ``n``-th document."""


def words_of(text: str) -> list[str]:
    """All words of a text in order, stop words too, as the tokens of the BM25 index."""
    return tokenize(text, stop_words=frozenset())


def phrases_of(words: Iterable[str]) -> Iterator[Phrase]:
    """Pairs of neighbours that can name something: no number, stop word, generic or unspecific word."""
    before = ""
    for word in words:
        named = word if _can_name(word) else ""
        if before and named:
            yield before, named
        before = named


def parts_of(document: Document, tables: Iterable[Table]) -> list[list[list[str]]]:
    """The words of each text of a document by page: title, blocks, titles and cells of its tables.

    A document without pages is one part. A table stands at the place of its block.
    """
    table_of = {table.id: table for table in tables}
    parts: dict[int | None, list[str]] = {}
    for block in document.blocks:
        texts = parts.setdefault(block.page, [] if parts else [document.title])
        if block.text:
            texts.append(block.text)
        if block.table in table_of:
            table = table_of[block.table]
            texts += [table.title, table.section, table.caption]
            texts += chain.from_iterable(table.grid.cells if table.grid else ())
    return [[words_of(text) for text in texts if text] for texts in parts.values()]


class DocumentWords:
    """Documents that hold words and phrases anywhere, and words in their titles.

    Args:
        words: What is looked for; nothing else is kept, so that a large corpus needs little memory.
        phrases: Likewise.
    """

    def __init__(self, words: Collection[str], phrases: Collection[Phrase]) -> None:
        self._words, self._phrases = frozenset(words), frozenset(phrases)
        self._rows: dict[Hashable, array[int]] = {}
        self._bits: dict[Hashable, Holders] = {}
        self._counts: dict[Hashable, int] = {}

    def add(self, row: int, title: str, texts: Iterable[list[str]]) -> None:
        """Add a document; rows ascend.

        Args:
            row: Its number.
            title: Its title.
            texts: The words of each of its texts; phrases do not run from one into the next.
        """
        held: set[Hashable] = {("title", word) for word in self._words.intersection(words_of(title))}
        for words in texts:
            held |= self._words.intersection(words)
            held |= self._phrases.intersection(phrases_of(words))
        for key in held:
            self._rows.setdefault(key, array("I")).append(row)

    def without(self, rows: Collection[int]) -> None:
        """Forget documents that were added."""
        dropped = frozenset(rows)
        for key, held in self._rows.items():
            self._rows[key] = array("I", (row for row in held if row not in dropped))
        self._bits.clear()

    def count(self, key: str | Phrase) -> int:
        """How many documents hold a word or phrase."""
        return len(self._rows.get(key, ()))

    def holders(self, key: str | Phrase, *, in_title: bool = False) -> Holders:
        """The documents that hold a word or phrase, or the word in their title."""
        place: Hashable = ("title", key) if in_title else key
        if place not in self._bits:
            bits = 0
            for row in self._rows.get(place, ()):
                bits |= 1 << row
            self._bits[place] = bits
        return self._bits[place]


def _can_name(word: str) -> bool:
    return (
        len(word) > 1
        and not word[0].isdigit()
        and word not in STOP_WORDS
        and word not in GENERIC_WORDS
        and word not in UNSPECIFIC_WORDS
    )
