"""A data set folder on disk: tables, queries, judgements and pictures, in BEIR's shape.

``corpus.jsonl`` (tables), ``documents.jsonl`` (where there are documents), ``queries.jsonl``,
``qrels/SPLIT.tsv``, ``headers.jsonl``, ``evidence.jsonl``, ``README.md``, ``images/`` and ``pages/``.
Tables are read one at a time (see :mod:`tabrag.data.store`); pictures are only named here, never opened.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

from tabrag.data.card import Card, readme
from tabrag.data.document_records import document_from_record, document_to_record
from tabrag.data.evidence_records import evidence_from_record, evidence_to_record
from tabrag.data.items import Items
from tabrag.data.records import (
    gold_from_record,
    gold_to_record,
    query_from_record,
    query_to_record,
    table_from_record,
    table_to_record,
)
from tabrag.data.store import RecordStore
from tabrag.documents.part import parse_part_id, table_id_fault, whole_id_fault
from tabrag.errors import UserError
from tabrag.files import atomic_folder, atomic_write, inside, read_jsonl, sha256_file, write_jsonl
from tabrag.types import Document, GoldEvidence, GoldHeaders, Qrels, Query, Table

RecordT = TypeVar("RecordT")

QRELS_HEADER = "query-id\tcorpus-id\tscore"
_ORDER = ("train", "dev", "test")


class DataFolder:
    """Reads a data set folder.

    Args:
        path: The folder.
        trees: File of summary trees of its documents (``infer/tree.py``), whose nodes are items then.

    Raises:
        UserError: The folder or its ``corpus.jsonl`` is missing or broken.
    """

    def __init__(self, path: str | Path, *, trees: str | Path | None = None) -> None:
        self.path = Path(path)
        self.trees = None if trees is None else Path(trees)
        if not self.path.is_dir():
            raise UserError(f"{self.path}: no such data set folder; make one with scripts/prepare_data.py")
        self.tables = RecordStore(self.path / "corpus.jsonl", table_from_record)

    @cached_property
    def documents(self) -> RecordStore[Document]:
        """The documents that tables stand in; a table names its own by ``Table.document``.

        Raises:
            UserError: The folder has none, its file is broken, or a document or table has the id of a part of
                another document, or both have one id.
        """
        path = self.path / "documents.jsonl"
        if not path.is_file():
            raise UserError(
                f"{self.path} has no documents.jsonl, only tables: "
                "make it from files with  scripts/prepare_data.py documents"
            )
        documents = RecordStore(path, document_from_record)
        for document_id in documents.ids:
            if "#" in document_id and (fault := whole_id_fault(document_id)):
                raise UserError(f"{path}: {fault}")
        suspect = chain(self.tables.shared_ids(documents), filter(parse_part_id, self.tables.ids))
        for table_id in suspect:
            if fault := table_id_fault(table_id, documents):
                raise UserError(f"{self.tables.path}: {fault}")
        return documents

    @cached_property
    def items(self) -> Items:
        """Tables, documents and parts of documents alike, by id."""
        return Items(self.tables, self.documents if self.has_documents else None, self.trees)

    @property
    def has_documents(self) -> bool:
        """Whether the folder holds documents besides tables."""
        return (self.path / "documents.jsonl").is_file()

    def digests(self) -> dict[str, str]:
        """SHA-256 of the files with the items: ``corpus``, and ``documents`` and ``trees`` if there are."""
        names = ("corpus", "documents") if self.has_documents else ("corpus",)
        trees = {} if self.trees is None else {"trees": sha256_file(self.trees)}
        return {name: sha256_file(self.path / f"{name}.jsonl") for name in names} | trees

    @cached_property
    def queries(self) -> dict[str, Query]:
        """Queries by id, in the order of the file; empty where the folder has none."""
        path = self.path / "queries.jsonl"
        queries: dict[str, Query] = {}
        for number, query in _read(path, query_from_record):
            if query.id in queries:
                raise UserError(
                    f"{path}: record {number}: query id '{query.id}' occurs twice; ids must be unique"
                )
            queries[query.id] = query
        return queries

    @cached_property
    def splits(self) -> list[str]:
        """Names of the splits: train, dev, test, then others by name."""
        names = {path.stem for path in (self.path / "qrels").glob("*.tsv") if not path.name.startswith(".")}
        return sorted(names, key=lambda name: (_ORDER.index(name) if name in _ORDER else len(_ORDER), name))

    def qrels(self, split: str) -> Qrels:
        """Query id -> table id -> grade of one split, in the order of the file.

        Raises:
            UserError: The split does not exist (the splits that do are named) or a line is broken.
        """
        if split not in self.splits:
            raise UserError(
                f"{self.path}: no split '{split}'; it has {', '.join(self.splits) or 'no qrels/*.tsv at all'}"
            )
        path = self.path / "qrels" / f"{split}.tsv"
        qrels: Qrels = {}
        with path.open(encoding="utf-8") as file:
            for number, line in enumerate(file, start=1):
                if not line.strip() or (number == 1 and line.rstrip("\r\n") == QRELS_HEADER):
                    continue
                try:
                    query_id, table_id, grade = line.rstrip("\r\n").split("\t")
                    qrels.setdefault(query_id, {})[table_id] = int(grade)
                except ValueError as error:
                    raise UserError(
                        f"{path}:{number}: expected query-id, corpus-id and a whole number, separated by tabs"
                    ) from error
        return qrels

    @cached_property
    def gold_headers(self) -> dict[str, list[GoldHeaders]]:
        """Gold headers and answer cells by query id; empty where the folder has none."""
        gold: dict[str, list[GoldHeaders]] = {}
        for _, item in _read(self.path / "headers.jsonl", gold_from_record):
            gold.setdefault(item.query_id, []).append(item)
        return gold

    @cached_property
    def evidence(self) -> dict[str, GoldEvidence]:
        """What each question rests on, by query id; empty where the folder does not say it."""
        read = _read(self.path / "evidence.jsonl", evidence_from_record)
        return {evidence.query_id: evidence for _, evidence in read}

    def image_path(self, table: Table) -> Path:
        """Absolute path of a table's picture.

        Raises:
            UserError: The table has no picture, or its path leads out of the folder.
        """
        if table.image is None:
            raise UserError(
                f"table '{table.id}' of {self.path} has no picture; "
                "make the folder with  scripts/prepare_data.py ... --render"
            )
        return inside(self.path, table.image)

    def picture_path(self, relative: str) -> str:
        """Absolute path of a picture of a document or of its pages.

        Raises:
            UserError: The path leads out of the folder.
        """
        return str(inside(self.path, relative))


def write_folder(
    path: str | Path,
    *,
    tables: Iterable[Table],
    queries: Iterable[Query],
    qrels: Mapping[str, Qrels],
    gold_headers: Iterable[GoldHeaders] = (),
    card: Card,
) -> dict[str, int]:
    """Write a data set folder without pictures; it stands at ``path`` only once it is complete.

    Returns:
        Counts: ``tables``, ``queries``, ``headers`` and ``qrels/SPLIT`` (judgements).

    Raises:
        UserError: ``path`` holds something that is no data set folder, or an id cannot stand in a TSV file.
    """
    with new_folder(path) as temporary:
        num_tables = write_tables(temporary, tables)
        return write_judgements(
            temporary, num_tables, queries=queries, qrels=qrels, gold_headers=gold_headers, card=card
        )


@contextmanager
def new_folder(path: str | Path) -> Iterator[Path]:
    """A temporary folder that takes the place of ``path``, and of an older data set there, when all went
    well.

    Raises:
        UserError: ``path`` is a file, or a folder that holds other things than a data set.
    """
    path = Path(path)
    refuse_foreign(path)
    with atomic_folder(path) as temporary:
        yield temporary


def refuse_foreign(path: Path) -> None:
    """Raise :class:`UserError` where writing a data set to ``path`` would destroy something else."""
    if path.is_symlink() or (path.exists() and not path.is_dir()):
        raise UserError(f"{path} exists and is not a folder; name another --out")
    if path.is_dir() and any(path.iterdir()) and not (path / "corpus.jsonl").is_file():
        raise UserError(f"{path} holds other files and no data set (corpus.jsonl); name another --out")


def write_tables(folder: Path, tables: Iterable[Table]) -> int:
    """Write ``corpus.jsonl``, one table at a time; return how many."""
    return write_jsonl(folder / "corpus.jsonl", map(table_to_record, tables))


def write_documents(folder: Path, documents: Iterable[Document]) -> int:
    """Write ``documents.jsonl``, one document at a time; return how many."""
    return write_jsonl(folder / "documents.jsonl", map(document_to_record, documents))


def write_judgements(
    folder: Path,
    num_tables: int,
    *,
    num_documents: int = 0,
    num_pages: int = 0,
    queries: Iterable[Query],
    qrels: Mapping[str, Qrels],
    gold_headers: Iterable[GoldHeaders] = (),
    evidence: Iterable[GoldEvidence] = (),
    card: Card,
) -> dict[str, int]:
    """Write queries, judgements, gold headers, evidence and the README; see :func:`write_folder`."""
    counts = {"documents": num_documents} if num_documents else {}
    counts |= {"pages": num_pages} if num_pages else {}
    counts["tables"] = num_tables
    counts["queries"] = write_jsonl(folder / "queries.jsonl", map(query_to_record, queries))
    gold_headers = list(gold_headers)
    if gold_headers:
        counts["headers"] = write_jsonl(folder / "headers.jsonl", map(gold_to_record, gold_headers))
    if evidence := list(evidence):
        counts["evidence"] = write_jsonl(folder / "evidence.jsonl", map(evidence_to_record, evidence))
    splits = [split for split, judgements in qrels.items() if judgements]
    for split in splits:
        counts[f"qrels/{split}"] = _write_qrels(folder / "qrels", split, qrels[split])
    text = readme(card, counts=counts, splits=splits, has_headers=bool(gold_headers))
    with atomic_write(folder / "README.md") as file:
        file.write(text)
    return counts


def _write_qrels(folder: Path, split: str, qrels: Qrels) -> int:
    rows = [
        {"query-id": query_id, "corpus-id": table_id, "score": grade}
        for query_id, grades in qrels.items()
        for table_id, grade in grades.items()
    ]
    for row in rows:
        for key in ("query-id", "corpus-id"):
            if any(character in str(row[key]) for character in "\t\r\n"):
                raise UserError(f"id {row[key]!r} holds a tab or a line break: qrels/*.tsv cannot carry it")
    with atomic_write(folder / f"{split}.tsv") as file:
        file.write(QRELS_HEADER + "\n")
        file.writelines(f"{row['query-id']}\t{row['corpus-id']}\t{row['score']}\n" for row in rows)
    # `datasets` reads all configs of a folder with one builder, here JSON: the judgements stand in that form
    # too.
    return write_jsonl(folder / f"{split}.jsonl", rows)


def _read(path: Path, parse: Callable[[dict[str, Any]], RecordT]) -> Iterator[tuple[int, RecordT]]:
    if not path.is_file():
        return
    for number, row in enumerate(read_jsonl(path), start=1):
        try:
            yield number, parse(row)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise UserError(f"{path}: record {number} cannot be read ({error!r})") from error
