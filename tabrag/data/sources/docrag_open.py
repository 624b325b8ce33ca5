"""docrag-open: one corpus of documents with tables and text, and questions that name their document.

Documents of TAT-QA, FinQA, HybridQA, OTT-QA (the tables whose passages can be had) and MultiHiertt (without
questions: to be told apart from the relevant ones). Rules, in this order:

1. A MultiHiertt document that copies a page of a document with questions is left out: it could answer them.
   See :mod:`tabrag.data.document_copies`.
2. Questions that do not name their document are dropped; see :mod:`tabrag.data.document_questions`.
3. Documents that are copies of each other, and tables of one Wikipedia page, form a group. A group's
   questions go to one split, drawn by a hash of its first id by the shares of :data:`SHARES`: no document,
   and no copy of it, is in two splits. Questions that are official dev or test questions are never training
   questions, but for HybridQA, of which only dev can be had.

It is the like of DocRAGLib (MixRAG, arXiv 2504.09554), which is not at hand. Documents are read anew in each
pass, one at a time.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tabrag.data.card import Card
from tabrag.data.dataset import Dataset, LazyDocuments, LazyTables
from tabrag.data.document_copies import Groups
from tabrag.data.document_corpus import read_corpus
from tabrag.data.document_questions import KEPT, read_question, verdict
from tabrag.data.sources import finqa, hybridqa, multihiertt, ottqa, tatqa
from tabrag.data.sources.docrag_card import docrag_note
from tabrag.errors import UserError
from tabrag.types import Block, Document, Qrels, Query, Table

NAME = "docrag-open"
LICENCE = "other"
SPLITS = ("train", "dev", "test")
WIKIPEDIA = ("hybridqa", "ottqa")
DISTRACTORS = "multihiertt"
SHARES = {
    ("tatqa", "dev"): (0.0, 0.5, 0.5),
    ("tatqa", "test"): (0.0, 0.5, 0.5),
    ("finqa", "train"): (1.0, 0.0, 0.0),
    ("finqa", "dev"): (0.0, 0.5, 0.5),
    ("finqa", "test"): (0.0, 0.0, 1.0),
    ("hybridqa", "dev"): (0.7, 0.15, 0.15),
    ("ottqa", "dev"): (0.0, 0.5, 0.5),
}
"""(data set, its split) -> shares of train, dev and test; a group of several has the smallest of each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question of a part.

    Attributes:
        query: With the ids of the corpus.
        split: Its split in the part.
        document_id: What answers it, with the id of the corpus.
        formula: Of its answer, where known.
    """

    query: Query
    split: str
    document_id: str
    formula: str | None


def read(folder: Path, limit: int | None = None) -> Dataset:
    """Read all sets; each stands in the folder of its name below ``folder``.

    Args:
        folder: The folder that holds ``tatqa``, ``finqa``, ``hybridqa``, ``ottqa`` and ``multihiertt``.
        limit: Take this many documents, in equal shares from all sets.

    Raises:
        UserError: A folder or file is missing or broken, or ``limit`` is below 1.
    """
    return joined(read_parts(Path(folder), limit=limit))


def read_parts(folder: Path, *, limit: int | None = None) -> dict[str, Dataset]:
    """The data sets by name, each with its share of ``limit`` documents; see :func:`read`."""
    if limit is not None and limit < 1:
        raise UserError(f"--limit {limit}: give 1 or more")
    readers = {
        "tatqa": tatqa.read,
        "finqa": finqa.read,
        "hybridqa": hybridqa.read,
        "ottqa": _read_ottqa,
        DISTRACTORS: multihiertt.read,
    }
    parts = {}
    for place, (name, reader) in enumerate(readers.items()):
        share = None if limit is None else limit // len(readers) + (place < limit % len(readers))
        if share != 0:
            parts[name] = reader(folder / name, limit=share)
    return parts


def joined(parts: Mapping[str, Dataset]) -> Dataset:
    """The corpus of some parts, and the questions that name their document."""
    asked = list(_questions(parts))
    read_all = [read_question(one.query.text, one.query.answers, one.formula) for one in asked]
    corpus = read_corpus(parts, read_all, distractors={DISTRACTORS}, one_page=WIKIPEDIA)
    counts: Counter[tuple[str, str]] = Counter()
    kept: list[Question] = []
    for one, words in zip(asked, read_all, strict=True):
        found = verdict(words, corpus.row_of[one.document_id], corpus.index)
        counts[one.query.data_set, found] += 1
        if found == KEPT:
            kept.append(one)
    queries = [one.query for one in kept]
    qrels = split(kept, corpus.groups)
    left = {query.id for query in queries}
    gold_headers = [
        replace(gold, query_id=f"{name}/{gold.query_id}", table_id=f"{name}/{gold.table_id}")
        for name, data in parts.items()
        for gold in data.gold_headers
        if f"{name}/{gold.query_id}" in left
    ]
    repairs = Counter(
        {f"{name}: questions left out: {rule}": count for (name, rule), count in sorted(counts.items())}
    )
    for name in parts:
        del repairs[f"{name}: questions left out: {KEPT}"]
    repairs[f"{DISTRACTORS}: documents left out as copies"] = len(corpus.left_out)

    def tables() -> Iterator[Table]:
        for name, data in parts.items():
            for table in data.tables:
                if f"{name}/{table.document}" not in corpus.left_out:
                    yield _named_table(table, name)
            for rule, count in data.repairs.items():
                repairs[f"{name}: {rule}"] = count

    def documents() -> Iterator[Document]:
        for name, data in parts.items():
            for document in data.documents:
                if f"{name}/{document.id}" not in corpus.left_out:
                    yield _named_document(document, name)

    note = docrag_note({name: data.card for name, data in parts.items()}, corpus, counts, queries, qrels)
    terms = "the union of the licences of its parts, each of which keeps its own (see below)"
    return Dataset(
        card=Card(name=NAME, licence=LICENCE, terms=terms, note=note),
        tables=LazyTables(tables),
        documents=LazyDocuments(documents),
        queries=queries,
        qrels=qrels,
        gold_headers=gold_headers,
        repairs=repairs,
    )


def _questions(parts: Mapping[str, Dataset]) -> Iterator[Question]:
    for name, data in parts.items():
        formulas = {gold.query_id: gold.formula for gold in data.gold_headers}
        queries = {query.id: query for query in data.queries}
        for split_name, judged in data.qrels.items():
            for query_id, grades in judged.items():
                yield Question(
                    query=replace(queries[query_id], id=f"{name}/{query_id}", data_set=name),
                    split=split_name,
                    document_id=f"{name}/{next(iter(grades))}",
                    formula=formulas.get(query_id),
                )


def _read_ottqa(folder: Path, limit: int | None = None) -> Dataset:
    card = Card(name=ottqa.NAME, licence=ottqa.LICENCE, citation=ottqa.CITATION, url=ottqa.URL)
    return hybridqa.read_linked(folder, card=card, limit=limit)


def split(questions: Sequence[Question], groups: Groups) -> dict[str, Qrels]:
    """Judgements by split: query id -> document id -> 1; the questions of a group are in one split."""
    shares: dict[str, tuple[float, ...]] = {}
    for one in questions:
        own, group = SHARES[one.query.data_set, one.split], groups.of(one.document_id)
        shares[group] = tuple(map(min, own, shares.get(group, own)))
    drawn = {group: _draw(group, values) for group, values in shares.items()}
    qrels: dict[str, Qrels] = {name: {} for name in SPLITS}
    for one in questions:
        qrels[drawn[groups.of(one.document_id)]][one.query.id] = {one.document_id: 1}
    return qrels


def _draw(group: str, shares: Sequence[float]) -> str:
    """A split by a hash of the group's name; test where no split has a share."""
    digest = hashlib.blake2b(group.encode(), digest_size=8).digest()
    left = int.from_bytes(digest, "big") / 2**64 * sum(shares)
    for name, share in zip(SPLITS, shares, strict=True):
        if left < share:
            return name
        left -= share
    return SPLITS[-1]


def _named_table(table: Table, name: str) -> Table:
    document = f"{name}/{table.document}"
    return replace(
        table,
        id=f"{name}/{table.id}",
        document=document,
        source=replace(table.source, file=document),
        metadata={"data_set": name} | table.metadata,
    )


def _named_document(document: Document, name: str) -> Document:
    def named(block: Block) -> Block:
        return block if block.table is None else replace(block, table=f"{name}/{block.table}")

    document_id = f"{name}/{document.id}"
    return replace(
        document,
        id=document_id,
        blocks=[named(block) for block in document.blocks],
        source=replace(document.source, file=document_id),
        metadata={"data_set": name} | document.metadata,
    )
