"""What words and numbers say about whether a table is the one that a question asks about.

No model: shares of the question's words that stand in title, headers and cells, each word weighed by how few
items of a corpus have it, and numbers and years that agree or contradict. Facts about cells see the whole
table, of which an encoder reads the headers alone. A word reranker knows nothing else; a cross-encoder takes
them beside its own states, as the header classifier takes the facts of
:func:`tabrag.models.inputs.headers.word_facts`.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import lru_cache

from tabrag.tables.lexical import body_paths, words
from tabrag.tables.text import title_text
from tabrag.types import Table

NUM_FACTS = 24
"""Facts of a pair, see :func:`question_facts`."""
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_SEPARATOR = re.compile(r"(?<=\d),(?=\d{3})")
_YEAR = re.compile(r"(?:19|20)\d\d")

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class WordWeights:
    """How much a word tells: ``ln(1 + items / items with it)``.

    Attributes:
        num_items: Items of the corpus.
        counts: In how many of them a word stands, for words of two items or more; others count as of one.
    """

    num_items: int = 1
    counts: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, items: Iterable[ItemWords]) -> WordWeights:
        """The weights that a corpus gives."""
        counts: Counter[str] = Counter()
        num_items = 0
        for item in items:
            num_items += 1
            counts.update(item.all)
        kept = {word: count for word, count in sorted(counts.items()) if count > 1}
        return cls(max(1, num_items), kept)

    def __call__(self, word: str) -> float:
        """The weight of a stem (:func:`tabrag.tables.lexical.words`), greater than 0."""
        return math.log1p(self.num_items / self.counts.get(word, 1))

    def total(self, some: Iterable[str]) -> float:
        """The sum of the weights of different stems, whatever their order."""
        return math.fsum(map(self, some))


@dataclass(frozen=True, slots=True)
class ItemWords:
    """The words of an item, prepared for any question.

    Attributes:
        title: Stems of the title.
        rows: Stems of the different header paths of rows.
        cols: Stems of the different header paths of columns.
        headers: Stems of title and headers.
        all: Stems of the whole item.
        pairs: Stems that follow one another in the title or in one header.
        title_pairs: Those of the title.
        title_numbers: Numbers in the title.
        header_numbers: Numbers in title and headers.
        numbers: All numbers.
        num_headers: Different texts of headers.
        num_cells: Cells, headers included.
    """

    title: frozenset[str]
    rows: tuple[frozenset[str], ...]
    cols: tuple[frozenset[str], ...]
    headers: frozenset[str]
    all: frozenset[str]
    pairs: frozenset[Pair]
    title_pairs: frozenset[Pair]
    title_numbers: frozenset[str]
    header_numbers: frozenset[str]
    numbers: frozenset[str]
    num_headers: int
    num_cells: int

    @classmethod
    def of_table(cls, table: Table) -> ItemWords:
        """The words of a table; those of a picture that was read count as cells."""
        title = title_text(table)
        if table.grid is None:
            return cls._of(title, (), (), [word.text for word in table.words or ()])
        rows, cols = body_paths(table.grid)
        cells = [text for row in table.grid.cells for text in row]
        return cls._of(title, list(rows.values()), list(cols.values()), cells)

    @classmethod
    def of_texts(cls, title: str, texts: Sequence[str]) -> ItemWords:
        """The words of something that has no headers."""
        return cls._of(title, (), (), texts)

    @classmethod
    def _of(
        cls, title: str, rows: Sequence[Sequence[str]], cols: Sequence[Sequence[str]], cells: Sequence[str]
    ) -> ItemWords:
        headers = list(dict.fromkeys(text for path in (*rows, *cols) for text in path))
        row_words, col_words = _paths(rows), _paths(cols)
        own = frozenset(words(title))
        known = own.union(*row_words, *col_words)
        header_numbers = numbers_of(title).union(*map(numbers_of, headers))
        different = list(dict.fromkeys(cells))
        return cls(
            title=own,
            rows=row_words,
            cols=col_words,
            headers=known,
            all=known.union(*map(_stems, different)),
            pairs=_pairs(words(title)).union(*(_pairs(words(text)) for text in headers)),
            title_pairs=_pairs(words(title)),
            title_numbers=numbers_of(title),
            header_numbers=header_numbers,
            numbers=header_numbers.union(*map(numbers_of, different)),
            num_headers=len(headers),
            num_cells=len(cells),
        )


def question_facts(question: str, item: ItemWords, weights: WordWeights) -> list[float]:
    """:data:`NUM_FACTS` numbers, about 0..1, that depend on this question and this item alone.

    The shares of the question's different stems, by weight, that stand in the title, in headers of columns,
    in headers of rows, in any of these, anywhere; the plain share in title or headers; the heaviest stem that
    is missing in title and headers, and the heaviest missing everywhere, over the heaviest of all. The share
    of the title that the question has. What the best header of a row adds to the title, what the best header
    of a column adds to both, and the share of all three together; how much of these two headers the question
    has. The share of the question's neighbouring stems that are neighbours in title or headers, and in the
    title; the share of the title's that are neighbours in the question. The share of its numbers in title or
    headers, and anywhere; its years that stand nowhere. Whether the title has years, and others than the
    question. How many headers and cells there are.
    """
    in_order = words(question)
    weight_of = {word: weights(word) for word in sorted(set(in_order))}
    asked = weight_of.keys()
    total, heaviest = math.fsum(weight_of.values()), max(weight_of.values(), default=0.0)

    def share(some: Set[str]) -> float:
        return _part(math.fsum(weight_of[word] for word in weight_of if word in some), total)

    def heaviest_missing(some: Set[str]) -> float:
        return _part(max((weight_of[word] for word in weight_of if word not in some), default=0.0), heaviest)

    def best(paths: Sequence[frozenset[str]], wanted: Set[str]) -> frozenset[str]:
        return max(
            paths,
            key=lambda path: share(path & wanted),
            default=frozenset(),
        )

    def known(some: Set[str]) -> float:
        return _part(math.fsum(weight_of[word] for word in weight_of if word in some), weights.total(some))

    row = best(item.rows, asked - item.title)
    col = best(item.cols, asked - item.title - row)
    pairs, numbers = _pairs(in_order), numbers_of(question)
    years = {number for number in numbers if _YEAR.fullmatch(number)}
    title_years = {number for number in item.title_numbers if _YEAR.fullmatch(number)}
    return [
        share(item.title),
        share(frozenset().union(*item.cols)),
        share(frozenset().union(*item.rows)),
        share(item.headers),
        share(item.all),
        _part(len(asked & item.headers), len(asked)),
        heaviest_missing(item.headers),
        heaviest_missing(item.all),
        known(item.title),
        share(row - item.title),
        share(col - item.title - row),
        share(item.title | row | col),
        known(row),
        known(col),
        _part(len(pairs & item.pairs), len(pairs)),
        _part(len(pairs & item.title_pairs), len(pairs)),
        _part(len(pairs & item.title_pairs), len(item.title_pairs)),
        _part(len(numbers & item.header_numbers), len(numbers)),
        _part(len(numbers & item.numbers), len(numbers)),
        min(1.0, len(years - item.numbers) / 2),
        float(bool(title_years)),
        float(bool(title_years - years)),
        math.log1p(item.num_headers) / 5,
        math.log1p(item.num_cells) / 6,
    ]


@lru_cache(maxsize=50_000)
def numbers_of(text: str) -> frozenset[str]:
    """The numbers of a text, without separators of thousands: ``1,234.5`` is ``1234.5``."""
    return frozenset(_NUMBER.findall(_SEPARATOR.sub("", text)))


@lru_cache(maxsize=50_000)
def _stems(text: str) -> frozenset[str]:
    return frozenset(words(text))


def _paths(paths: Sequence[Sequence[str]]) -> tuple[frozenset[str], ...]:
    found = (frozenset[str]().union(*map(_stems, path)) for path in paths)
    return tuple(dict.fromkeys(found))


def _pairs(stems: Sequence[str]) -> frozenset[Pair]:
    return frozenset(zip(stems, stems[1:], strict=False))


def _part(some: float, of_all: float) -> float:
    return some / of_all if of_all > 0 else 0.0
