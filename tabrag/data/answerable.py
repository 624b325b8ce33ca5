"""Whether a question or statement names anything of its table: else no retriever could find the table.

The rule needs no model. Take the words of the query that say what it is about, and of these the ones that its
table holds. The query names nothing where more than :data:`MAX_TABLES` tables of the pool hold all of them
("which player scored the most points?"): a search that knew which words to trust would still be left with
more tables than Recall@50 looks at. It names something where this is not so for the words of the titles, or
for the words of the whole table. Single letters are no such words, and in cells numbers of less than four
digits are not: nearly every table of figures holds them.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Sequence

from tabrag.index.tokens import STOP_WORDS, tokenize
from tabrag.tables.text import words_text
from tabrag.types import Table

MAX_TABLES = 50
"""The most tables that may hold all words which a query shares with its own table."""

GENERIC_WORDS = frozenset(
    (
        # Which table is meant does not depend on how something is asked or counted ...
        "about above after against all also among amount another any average before below besides best "
        "between biggest both bottom combined compared consecutive count counted decrease difference "
        "different during each earliest either equal even ever every except exactly fewer fewest first "
        "five following four greater greatest half high higher highest increase just largest last latest "
        "least less likely long longer longest low lower lowest max maximum mean min minimum more most "
        "next no none not number numbers one only other others out over overall per percent percentage "
        "percentages point points previous proportion proportions ratio respectively same second several "
        "share shortest since single six smaller smallest some sum ten than third three through times top "
        "total totally totals twice two under until up value values while within worst year years "
        # ... nor on the words for asking, for a table and its parts, and for the verbs that go with them.
        "able can chart column columns come could get give given gives go got he hello her his i know "
        "list listed lists made make makes me mentioned my name named names our please row rows shall she "
        "should show showed shown shows table tables take tell thank us want we would you your "
    ).split()
)
"""Words that say how something is asked or counted, or name a table's parts; English, as stop words are."""

_WORDS_LEFT_OUT = STOP_WORDS | GENERIC_WORDS
_LONG_NUMBER = 4  # digits: a year, an attendance, a price


def subject_words(text: str, *, small_numbers: bool = False) -> list[str]:
    """The distinct words of a query that say what it is about, in order, as the tokens of the BM25 index."""
    words = dict.fromkeys(tokenize(text, stop_words=_WORDS_LEFT_OUT))
    return [word for word in words if _is_subject(word, small_numbers=small_numbers)]


def _is_subject(word: str, *, small_numbers: bool) -> bool:
    if word[0].isdigit():
        return small_numbers or sum(character.isdigit() for character in word) >= _LONG_NUMBER
    return len(word) > 1 or not word.isascii()


class WordIndex:
    """Which tables hold which words, in their titles and anywhere.

    Args:
        tables: The pool; a table's text is its titles and cells (or the words of its picture).
    """

    def __init__(self, tables: Iterable[Table]) -> None:
        self._row_of: dict[str, int] = {}
        self._titles, self._texts = _Holders(), _Holders()
        for row, table in enumerate(tables):
            self._row_of[table.id] = row
            titles = "\n".join((table.title, table.page_title, table.section, table.caption))
            self._titles.add(titles, row)
            self._texts.add(f"{titles}\n{_body(table)}", row)

    def names_its_table(self, text: str, table_id: str, *, max_tables: int = MAX_TABLES) -> bool:
        """Whether few enough tables hold all words that the query shares with its table.

        Args:
            text: The query.
            table_id: Its table.
            max_tables: At most this many may hold the words shared with the titles in theirs, or the words
                shared with the whole table anywhere.
        """
        row = self._row_of[table_id]
        for holders, small_numbers in ((self._titles, True), (self._texts, False)):
            shared = holders.among(subject_words(text, small_numbers=small_numbers), row)
            if shared and holders.are_few(shared, max_tables):
                return True
        return False


class _Holders:
    """Word -> the rows that hold it, ascending."""

    def __init__(self) -> None:
        self._rows: dict[str, array[int]] = {}
        self._bits: dict[str, int] = {}

    def add(self, text: str, row: int) -> None:
        for word in set(tokenize(text, stop_words=_WORDS_LEFT_OUT)):
            if (rows := self._rows.get(word)) is None:
                rows = self._rows[word] = array("I")
            rows.append(row)

    def among(self, words: Iterable[str], row: int) -> list[str]:
        """The words that ``row`` holds."""
        held = []
        for word in words:
            rows = self._rows.get(word, ())
            place = bisect_left(rows, row)
            if place < len(rows) and rows[place] == row:
                held.append(word)
        return held

    def are_few(self, words: Sequence[str], most: int) -> bool:
        """Whether at most ``most`` rows hold all words, each of which is held by some row."""
        if min(len(self._rows[word]) for word in words) <= most:
            return True
        common = -1
        for word in words:
            common &= self._set_of(word)
        return common.bit_count() <= most

    def _set_of(self, word: str) -> int:
        """The rows of a word as the bits of one number: intersections are single operations."""
        if word not in self._bits:
            rows = self._rows[word]
            mask = bytearray(rows[-1] // 8 + 1)
            for row in rows:
                mask[row >> 3] |= 1 << (row & 7)
            self._bits[word] = int.from_bytes(mask, "little")
        return self._bits[word]


def _body(table: Table) -> str:
    if table.grid is None:
        return words_text(table)
    return "\n".join(dict.fromkeys(cell for row in table.grid.cells for cell in row))
