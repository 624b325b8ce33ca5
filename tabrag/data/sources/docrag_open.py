"""docrag-open: one corpus of documents with tables and text, and questions that name their document.

Documents of TAT-QA, FinQA, HybridQA, OTT-QA (the tables whose passages can be had) and MultiHiertt (without
questions: to be told apart from the relevant ones). Rules, in this order:

1. A MultiHiertt document that is a copy of a document with questions is left out; see
   :mod:`tabrag.data.document_copies`.
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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

from tabrag.data.card import Card
from tabrag.data.dataset import Dataset, LazyDocuments, LazyTables
from tabrag.data.document_copies import MAX_HOLDERS as MAX_RUN_HOLDERS
from tabrag.data.document_copies import MIN_SHARE, RUN, Groups, Runs
from tabrag.data.document_questions import (
    KEPT,
    MAX_HOLDERS,
    MAX_TITLES,
    MIN_FIT,
    VERDICTS,
    NamedQuestion,
    read_question,
    verdict,
)
from tabrag.data.document_words import DocumentWords, texts_of, words_of
from tabrag.data.sources import finqa, hybridqa, multihiertt, ottqa, tatqa
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
class Part:
    """A data set that goes into the corpus; ``name`` stands before its ids."""

    name: str
    data: Dataset


@dataclass(slots=True, kw_only=True)
class Corpus:
    """What one pass over all documents found.

    Attributes:
        row_of: Document id -> its number; documents that were left out have none.
        index: Which documents hold what the questions ask for.
        groups: Documents that must not be parted.
        left_out: Ids of copies.
        num_copies: Pairs of copies that stay.
    """

    row_of: dict[str, int]
    index: DocumentWords
    groups: Groups
    left_out: frozenset[str]
    num_copies: int


def read(folder: Path, limit: int | None = None) -> Dataset:
    """Read all sets; each stands in the folder of its name below ``folder``.

    Args:
        folder: The folder that holds ``tatqa``, ``finqa``, ``hybridqa``, ``ottqa`` and ``multihiertt``.
        limit: Take this many documents, in equal shares from all sets.

    Raises:
        UserError: A folder or file is missing or broken, or ``limit`` is below 1.
    """
    return joined(read_parts(Path(folder), limit=limit))


def read_parts(folder: Path, *, limit: int | None = None) -> list[Part]:
    """The data sets, each with its share of ``limit`` documents; see :func:`read`."""
    if limit is not None and limit < 1:
        raise UserError(f"--limit {limit}: give 1 or more")
    readers = {
        "tatqa": tatqa.read,
        "finqa": finqa.read,
        "hybridqa": hybridqa.read,
        "ottqa": _read_ottqa,
        DISTRACTORS: multihiertt.read,
    }
    parts = []
    for place, (name, reader) in enumerate(readers.items()):
        share = None if limit is None else limit // len(readers) + (place < limit % len(readers))
        if share != 0:
            parts.append(Part(name=name, data=reader(folder / name, limit=share)))
    return parts


def joined(parts: Sequence[Part]) -> Dataset:
    """The corpus of some parts, and the questions that name their document."""
    questions = {
        f"{part.name}/{query.id}": (part.name, query) for part in parts for query in part.data.queries
    }
    documents = {
        f"{part.name}/{query_id}": (split, f"{part.name}/{next(iter(grades))}")
        for part in parts
        for split, judged in part.data.qrels.items()
        for query_id, grades in judged.items()
    }
    formulas = {
        f"{part.name}/{gold.query_id}": gold.formula for part in parts for gold in part.data.gold_headers
    }
    named = {
        query_id: read_question(query.text, query.answers, formulas.get(query_id))
        for query_id, (_, query) in questions.items()
    }
    corpus = _read_corpus(parts, named.values())
    counts: Counter[tuple[str, str]] = Counter()
    kept: dict[str, str] = {}
    for query_id, question in named.items():
        found = verdict(question, corpus.row_of[documents[query_id][1]], corpus.index)
        counts[questions[query_id][0], found] += 1
        if found == KEPT:
            kept[query_id] = documents[query_id][1]
    qrels = _split(kept, {query_id: documents[query_id][0] for query_id in kept}, corpus.groups)
    queries = [
        replace(query, id=query_id, data_set=name)
        for query_id, (name, query) in questions.items()
        if query_id in kept
    ]
    gold_headers = [
        replace(gold, query_id=query_id, table_id=f"{part.name}/{gold.table_id}")
        for part in parts
        for gold in part.data.gold_headers
        if (query_id := f"{part.name}/{gold.query_id}") in kept
    ]
    repairs = Counter(
        {
            f"{name}: questions left out: {rule}": count
            for (name, rule), count in sorted(counts.items())
            if rule != KEPT
        }
    )
    repairs[f"{DISTRACTORS}: documents left out as copies"] = len(corpus.left_out)

    def tables() -> Iterator[Table]:
        for part in parts:
            yield from (
                _named_table(table, part.name)
                for table in part.data.tables
                if f"{part.name}/{table.document}" not in corpus.left_out
            )
            for rule, count in part.data.repairs.items():
                repairs[f"{part.name}: {rule}"] = count

    def all_documents() -> Iterator[Document]:
        for part in parts:
            for document in part.data.documents:
                if f"{part.name}/{document.id}" not in corpus.left_out:
                    yield _named_document(document, part.name)

    return Dataset(
        card=_card(parts, corpus, counts, queries, qrels),
        tables=LazyTables(tables),
        documents=LazyDocuments(all_documents),
        queries=queries,
        qrels=qrels,
        gold_headers=gold_headers,
        repairs=repairs,
    )


def _read_ottqa(folder: Path, limit: int | None = None) -> Dataset:
    card = Card(name=ottqa.NAME, licence=ottqa.LICENCE, citation=ottqa.CITATION, url=ottqa.URL)
    return hybridqa.read_linked(folder, card=card, limit=limit)


def _read_corpus(parts: Sequence[Part], questions: Iterable[NamedQuestion]) -> Corpus:
    """One pass over the documents: what they hold, which are copies of others."""
    from tqdm import tqdm

    questions = list(questions)
    words = {word for one in questions for word in (*one.title_words, *one.words, *one.numbers)}
    words |= {word for one in questions for word in one.answer_words}
    index = DocumentWords(words, {phrase for one in questions for phrase in one.phrases})
    runs, groups, ids, pages = Runs(), Groups(), [], {}
    for part in parts:
        progress = tqdm(_with_tables(part.data), desc=f"read {part.name}", unit=" documents", mininterval=1.0)
        for document, tables in progress:
            row, document_id = len(ids), f"{part.name}/{document.id}"
            ids.append(document_id)
            texts = [words_of(text) for text in texts_of(document, tables)]
            index.add(row, document.title, texts)
            runs.add(row, texts)
            if part.name in WIKIPEDIA:
                groups.join(document_id, pages.setdefault(document.title, document_id))
    left_out, num_copies = set(), 0
    for first, second, _ in runs.copies():
        is_distractor = [ids[row].startswith(f"{DISTRACTORS}/") for row in (first, second)]
        if any(is_distractor) and not all(is_distractor):
            left_out.add((first, second)[is_distractor.index(True)])
        else:
            num_copies += 1
            groups.join(ids[first], ids[second])
    index.without(left_out)
    return Corpus(
        row_of={document_id: row for row, document_id in enumerate(ids) if row not in left_out},
        index=index,
        groups=groups,
        left_out=frozenset(ids[row] for row in left_out),
        num_copies=num_copies,
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


def _split(kept: Mapping[str, str], split_of: Mapping[str, str], groups: Groups) -> dict[str, Qrels]:
    """Judgements by split: query id -> document, each group in one split."""
    shares: dict[str, tuple[float, ...]] = {}
    for query_id, document_id in kept.items():
        own = SHARES[query_id.partition("/")[0], split_of[query_id]]
        group = groups.of(document_id)
        shares[group] = tuple(map(min, own, shares.get(group, own)))
    drawn = {group: _draw(group, values) for group, values in shares.items()}
    qrels: dict[str, Qrels] = {split: {} for split in SPLITS}
    for query_id, document_id in kept.items():
        qrels[drawn[groups.of(document_id)]][query_id] = {document_id: 1}
    return qrels


def _draw(group: str, shares: Sequence[float]) -> str:
    """A split by a hash of the group's name; test where no split has a share."""
    digest = hashlib.blake2b(group.encode(), digest_size=8).digest()
    left = int.from_bytes(digest, "big") / 2**64 * sum(shares)
    for split, share in zip(SPLITS, shares, strict=True):
        if left < share:
            return split
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


def _card(
    parts: Sequence[Part],
    corpus: Corpus,
    counts: Counter[tuple[str, str]],
    queries: Sequence[Query],
    qrels: Mapping[str, Qrels],
) -> Card:
    note = "\n\n".join([_rules(corpus), _licences(parts), _rule_table(counts), _split_table(queries, qrels)])
    terms = "the union of the licences of its parts, each of which keeps its own (see below)"
    return Card(name=NAME, licence=LICENCE, terms=terms, note=note)


def _rules(corpus: Corpus) -> str:
    return f"""Documents of TAT-QA, FinQA, HybridQA, OTT-QA and MultiHiertt; questions are judged on
documents. Rules, in this order:

1. A MultiHiertt document that shares {MIN_SHARE:.0%} or more of the shorter one's runs of {RUN} words with a
   document with questions is left out: {len(corpus.left_out):,}. Runs in over {MAX_RUN_HOLDERS} documents do
   not count.
2. A question is dropped that does not name its document. It *names nothing* where it shares with it no word
   and no two neighbouring words that at most {MAX_HOLDERS} documents hold, nor two words of the title that at
   most {MAX_TITLES} titles hold; it *fits another document* that holds all these and {MIN_FIT:.0%} of its
   words on the subject; it is *answered elsewhere* if another document holds all these and the numbers of its
   formula or the words of its answers; it is *not to be checked* if its own document holds none of these and
   another one all that is rare.
3. Copies by the rule of 1 ({corpus.num_copies:,} pairs) and tables of one Wikipedia page are in one split.
   Shares of train, dev and test: HybridQA 70, 15, 15 %; OTT-QA and TAT-QA 0, 50, 50 %; reports with official
   dev questions of FinQA 0, 50, 50 %, its other reports train or test by company.

The questions have words in common with their documents by rule 2, which helps lexical search. `evidence` of a
query says what of the document its answer needs."""


def _licences(parts: Sequence[Part]) -> str:
    lines = ["| data set | name | licence | source | citation |", "|---|---|---|---|---|"]
    for part in parts:
        card = part.data.card
        lines.append(f"| {part.name} | {card.name} | {card.licence} | {card.url} | {card.citation} |")
    return "\n".join(lines)


def _rule_table(counts: Counter[tuple[str, str]]) -> str:
    lines = [f"| questions of | in the source | {' | '.join(VERDICTS)} |", "|---" * (len(VERDICTS) + 2) + "|"]
    for name in [*dict.fromkeys(name for name, _ in counts), "all"]:
        found = [
            sum(count for (one, rule), count in counts.items() if rule == verdict and name in (one, "all"))
            for verdict in VERDICTS
        ]
        lines.append(f"| {name} | " + " | ".join(f"{count:,}" for count in (sum(found), *found)) + " |")
    return "\n".join(lines)


def _split_table(queries: Sequence[Query], qrels: Mapping[str, Qrels]) -> str:
    lines = ["| split | data set | questions | documents | text | table | both | unknown |", "|---" * 8 + "|"]
    for split, judged in qrels.items():
        for name in dict.fromkeys(query.data_set for query in queries):
            ones = [query for query in queries if query.data_set == name and query.id in judged]
            if not ones:
                continue
            documents = len({next(iter(judged[query.id])) for query in ones})
            kinds = Counter(query.evidence for query in ones)
            figures = [len(ones), documents, *(kinds[kind] for kind in ("text", "table", "both", ""))]
            lines.append(f"| {split} | {name} | " + " | ".join(f"{figure:,}" for figure in figures) + " |")
    return "\n".join(lines)
