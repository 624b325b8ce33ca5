"""One pass over the documents of several data sets: what they hold, and which are copies of others."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, groupby

from tabrag.data.dataset import Dataset
from tabrag.data.document_copies import Groups, Runs
from tabrag.data.document_questions import NamedQuestion
from tabrag.data.document_words import DocumentWords, parts_of
from tabrag.types import Document, Table

MIN_LEFT_OUT = 0.25
"""A distractor is left out if it has this part of the runs in common with a page with questions ..."""
MIN_GROUPED = 0.5
"""... and documents stay in one split that have this part in common; of the shorter one's runs each time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """What the pass found.

    Attributes:
        row_of: Document id -> its number in ``index``; documents that are left out have none.
        index: Which documents hold what the questions ask for.
        groups: Documents that must not be parted by splits.
        left_out: Ids of distractors that are copies.
        num_copies: Pairs of copies that stay.
    """

    row_of: Mapping[str, int]
    index: DocumentWords
    groups: Groups
    left_out: frozenset[str]
    num_copies: int


def read_corpus(
    parts: Mapping[str, Dataset],
    questions: Collection[NamedQuestion],
    *,
    distractors: Collection[str] = (),
    one_page: Collection[str] = (),
) -> Corpus:
    """Read all documents once, one at a time.

    Args:
        parts: Name -> data set; ids get the name before them (``finqa/AAPL_2004``).
        questions: Their words and phrases are looked for.
        distractors: Names of data sets without questions: their documents are left out where they copy a
            page of a document of another.
        one_page: Names of data sets whose documents of one title come from one page, and form a group.
    """
    from tqdm import tqdm

    words = {word for one in questions for word in (*one.title_words, *one.words)}
    words |= {word for one in questions for word in one.numbers | one.answer_words}
    index = DocumentWords(words, {phrase for one in questions for phrase in one.phrases})
    runs, groups = Runs(), Groups()
    ids: list[str] = []
    row_of_part: list[int] = []
    is_distractor: list[bool] = []
    pages: dict[str, str] = {}
    for name, data in parts.items():
        progress = tqdm(_with_tables(data), desc=f"read {name}", unit=" documents", mininterval=1.0)
        for document, tables in progress:
            row, document_id = len(ids), f"{name}/{document.id}"
            ids.append(document_id)
            is_distractor.append(name in distractors)
            texts = parts_of(document, tables)
            index.add(row, document.title, chain.from_iterable(texts))
            for part in texts:
                runs.add(len(row_of_part), part)
                row_of_part.append(row)
            if name in one_page:
                groups.join(document_id, pages.setdefault(document.title, document_id))
    left_out: set[int] = set()
    grouped: set[tuple[int, int]] = set()
    for first_part, second_part, share in runs.copies(MIN_LEFT_OUT):
        first, second = row_of_part[first_part], row_of_part[second_part]
        if is_distractor[first] != is_distractor[second]:
            left_out.add(first if is_distractor[first] else second)
        elif share >= MIN_GROUPED and first != second:
            grouped.add((first, second))
            groups.join(ids[first], ids[second])
    index.without(left_out)
    return Corpus(
        row_of={document_id: row for row, document_id in enumerate(ids) if row not in left_out},
        index=index,
        groups=groups,
        left_out=frozenset(ids[row] for row in left_out),
        num_copies=len(grouped),
    )


def _with_tables(data: Dataset) -> Iterator[tuple[Document, list[Table]]]:
    """Documents with their tables, which sources give in the same order."""
    by_document = groupby(data.tables, key=lambda table: table.document)
    following = next(by_document, None)
    for document in data.documents:
        tables: list[Table] = []
        if following is not None and following[0] == document.id:
            tables = list(following[1])
            following = next(by_document, None)
        yield document, tables
