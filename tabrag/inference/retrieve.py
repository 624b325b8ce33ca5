"""The first stage: queries to candidates, from one index or from several fused ones."""

from __future__ import annotations

import dataclasses
import json
import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tabrag.errors import UserError
from tabrag.index.config import RetrieveConfig
from tabrag.inference.instructions import split_instructions
from tabrag.types import Query, Run

if TYPE_CHECKING:
    from tabrag.data.folder import DataFolder
    from tabrag.index.folder import Index
    from tabrag.models.retriever import Retriever


logger = logging.getLogger(__name__)

_MINIMA = {"bm25": 0.0, "cosine": -1.0}
"""The least score that there can be; an inner product has none."""


class Retrieve:
    """Open indexes with their retrievers; called with queries it gives a run.

    Attributes:
        config: Its settings.
        indexes: The open indexes.
    """

    def __init__(self, config: RetrieveConfig) -> None:
        """Open the indexes and load their retrievers, each checkpoint once.

        Raises:
            UserError: No index, a broken one, one made by another encoder, or a setting out of range.
        """
        from tabrag.index.filtering import Filter
        from tabrag.index.folder import Index

        if not config.indexes:
            raise UserError("no index is named: give at least one index folder")
        if config.k < 1:
            raise UserError(f"k is {config.k}, but at least one result must be asked for: set k >= 1")
        if len(config.indexes) > 1 or config.fusion.document_weight:
            config.fusion.depths(len(config.indexes), k=config.k)
        self.config = config
        self.indexes = [Index.open(path, encoding=config.encoding) for path in config.indexes]
        if config.filter is not None:
            passes = Filter(config.filter)
            self.indexes = [index.narrowed(passes) for index in self.indexes]
        loaded: dict[str, Retriever] = {}
        self._retrievers = [self._load(index, loaded) for index in self.indexes]

    def __call__(self, queries: Sequence[Query], run: Run | None = None) -> Run:
        """Candidates of each query, best first.

        Searched for is ``search`` of a query, or its text where that is empty; instructions how to answer are
        not, see :mod:`tabrag.inference.instructions`.

        Args:
            queries: With distinct ids and some text.
            run: Ignored: this is the first stage.

        Raises:
            UserError: A query without text; its id is named.
        """
        from tabrag.index.fusion import convex, rrf, with_documents

        refuse_empty(queries)
        queries = [dataclasses.replace(query, text=searched_text(query)) for query in queries]
        fusion, k = self.config.fusion, self.config.k
        is_plain = len(self.indexes) == 1 and not fusion.document_weight
        depths = [k] if is_plain else fusion.depths(len(self.indexes), k=k)
        runs = [
            index.search(queries, depth, retriever)
            for index, retriever, depth in zip(self.indexes, self._retrievers, depths, strict=True)
        ]
        if is_plain:
            return runs[0]
        # What a document is worth is told by all parts that were found of it.
        depth = sum(depths) if fusion.document_weight else k
        if len(runs) == 1:
            fused = runs[0]
        elif fusion.method == "rrf":
            fused = rrf(runs, k=fusion.k, weights=fusion.weights, depth=depth)
        else:
            minima = [_MINIMA.get(index.manifest.metric or index.manifest.kind) for index in self.indexes]
            fused = convex(runs, minima=minima, weights=fusion.weights, depth=depth)
        if not fusion.document_weight:
            return fused
        return with_documents(fused, weight=fusion.document_weight, depth=k)

    def warn_of_changes(self, digests: Mapping[str, str]) -> None:
        """Say which indexes of documents were made of other versions of the data set folder's files.

        Args:
            digests: SHA-256 of its files as they are.
        """
        for index in self.indexes:
            made_of = index.manifest.digests
            if any(digests.get(name) != digest for name, digest in made_of.items()):
                logger.warning(
                    "%s: made of another version of the data set folder: what is found of documents that "
                    "have changed may be another part; run infer/index.py with --sync=true",
                    index.path,
                )

    def settings(self) -> dict[str, Any]:
        """All that a run depends on besides its queries: the indexes' content and how they are fused."""
        return {
            "indexes": [
                {
                    "kind": index.manifest.kind,
                    "encoder": index.manifest.encoder,
                    "files": index.manifest.files,
                }
                for index in self.indexes
            ],
            "k": self.config.k,
            "fusion": dataclasses.asdict(self.config.fusion),
            "filter": self.config.filter,
        }

    def _load(self, index: Index, loaded: dict[str, Retriever]) -> Retriever | None:
        if index.manifest.kind == "bm25":
            return None
        from tabrag.models.retriever import Retriever

        name = self.config.checkpoint or index.manifest.checkpoint
        if name is None:
            raise UserError(f"{index.path}: the index does not say which checkpoint made it: name it")
        if name not in loaded:
            loaded[name] = Retriever.from_pretrained(name)
        length = index.manifest.item_max_length
        retriever = loaded[name] if length is None else loaded[name].with_item_length(length)
        index.check_retriever(retriever)
        return retriever


def searched_text(query: Query) -> str:
    """What is searched for: ``search``, else the text, without instructions how to answer."""
    return split_instructions(query.search.strip() or query.text)[0]


def refuse_empty(queries: Sequence[Query]) -> None:
    """Raise :class:`UserError` where a query has no text; the first ids are named."""
    empty = [query.id for query in queries if not query.text.strip()]
    if empty:
        names = ", ".join(f"'{query_id}'" for query_id in empty[:5])
        raise UserError(f"{len(empty)} queries have no text: {names}; give them a question or remove them")


def select_queries(
    *,
    data: DataFolder | None = None,
    split: str | None = None,
    file: str | Path | None = None,
    question: str | None = None,
) -> list[Query]:
    """The queries of a data set folder (of one split, or all), of a JSONL file, or a single question.

    Args:
        data: A data set folder.
        split: Take the queries that its judgements of this split name.
        file: A file in the form of ``queries.jsonl``.
        question: One question; it gets the id ``question``.

    Raises:
        UserError: Not exactly one source, a split without a folder, a broken file, an id that occurs twice,
            half of a character, or judgements about unknown queries.
    """
    from tabrag.data.records import lone_half, query_from_record
    from tabrag.files import read_jsonl

    if sum(source is not None for source in (data, file, question)) != 1:
        raise UserError("name exactly one source of queries: a data set folder, a file or a question")
    if split is not None and data is None:
        raise UserError(f"split '{split}' chooses among the queries of a data set folder: leave it out here")
    if question is not None:
        if half := lone_half(question):
            raise UserError(
                f"the question holds half of a character ({half}), which is no text: type it anew"
            )
        return [Query(id="question", text=question)]
    if file is not None:
        queries: dict[str, Query] = {}
        for number, record in enumerate(read_jsonl(file), start=1):
            try:
                query = query_from_record(record)
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                raise UserError(f"{file}: record {number} is not a query ({error!r})") from error
            if half := lone_half(json.dumps(record, ensure_ascii=False)):
                raise UserError(
                    f"{file}: record {number}: half of a character ({half}), which is no text: write it anew"
                )
            if query.id in queries:
                raise UserError(f"{file}: record {number}: query id '{query.id}' occurs twice")
            queries[query.id] = query
        return list(queries.values())
    assert data is not None
    if split is None:
        return list(data.queries.values())
    from tabrag.evaluation.ranking import check_qrels

    qrels = data.qrels(split)
    check_qrels(qrels, query_ids=data.queries, item_ids=data.items.ids)
    return [data.queries[query_id] for query_id in qrels]
