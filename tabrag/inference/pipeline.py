"""Questions in, answers out: retrieve from one or more indexes, fuse, read.

Each stage can be called alone (:meth:`Pipeline.retrieve`, :meth:`Pipeline.read`). Everything is opened on
first use and stays open. Relative paths of a config file are those of the current directory, as in every
config of this project.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from tabrag.config import load
from tabrag.data.folder import DataFolder
from tabrag.errors import UserError
from tabrag.index.encoding import EncodeConfig
from tabrag.index.folder import Index
from tabrag.index.fusion import rrf
from tabrag.inference.answer import Reader, ReaderConfig
from tabrag.types import Answer, Query, Run

if TYPE_CHECKING:
    from tabrag.models.retriever import Retriever

logger = logging.getLogger(__name__)


@dataclass(kw_only=True)
class PipelineConfig:
    """What a pipeline searches and how it answers.

    Attributes:
        data: Data set folder of the tables.
        indexes: Index folders over it; the rankings of several are fused by reciprocal rank.
        retriever: Checkpoint that embeds queries; the one that made the index (from its manifest) where null.
        k: Candidates kept for a query.
        depth: Candidates that each index gives to the fusion.
        fusion_constant: The constant of reciprocal rank fusion.
        batch_size: Questions that go through the stages together.
        encoding: How queries are embedded.
        reader: How answers are read.
    """

    data: str
    indexes: list[str]
    retriever: str | None = None
    k: int = 10
    depth: int = 100
    fusion_constant: float = 60.0
    batch_size: int = 32
    encoding: EncodeConfig = field(default_factory=EncodeConfig)
    reader: ReaderConfig = field(default_factory=ReaderConfig)


class Pipeline:
    """Answers questions over the tables of a data set folder.

    Args:
        config: The settings.

    Raises:
        UserError: A setting that cannot work; missing folders are named when the stage that needs them is
            used.
    """

    def __init__(self, config: PipelineConfig) -> None:
        if not config.indexes:
            raise UserError("the pipeline needs at least one index: set indexes: [FOLDER, ...]")
        if config.k < 1 or config.depth < config.k or config.batch_size < 1:
            raise UserError(
                f"k={config.k}, depth={config.depth}, batch_size={config.batch_size}: k and batch_size must be"
                " at least 1, and depth at least k"
            )
        self.config = config
        self.reader = Reader(config.reader)

    @classmethod
    def from_config(cls, config: str | Path | PipelineConfig) -> Pipeline:
        """A pipeline from a YAML file or from settings."""
        return cls(config if isinstance(config, PipelineConfig) else load(PipelineConfig, config))

    @cached_property
    def data(self) -> DataFolder:
        """The data set folder."""
        return DataFolder(self.config.data)

    @cached_property
    def indexes(self) -> list[Index]:
        """The open indexes, in the order of the config."""
        return [Index.open(path, encoding=self.config.encoding) for path in self.config.indexes]

    @cached_property
    def retrievers(self) -> list[Retriever | None]:
        """The retriever of each index (None for BM25); indexes of one checkpoint share it."""
        loaded: dict[str, Retriever] = {}
        retrievers: list[Retriever | None] = []
        for index in self.indexes:
            if index.manifest.kind == "bm25":
                retrievers.append(None)
                continue
            checkpoint = self.config.retriever or index.manifest.checkpoint
            if checkpoint is None:
                raise UserError(f"{index.path}: its manifest names no checkpoint: set retriever: FOLDER")
            if checkpoint not in loaded:
                from tabrag.models.retriever import Retriever

                loaded[checkpoint] = Retriever.from_pretrained(checkpoint)
            retrievers.append(loaded[checkpoint])
        return retrievers

    def retrieve(self, queries: Sequence[Query]) -> Run:
        """The ``k`` best tables of each query: of the only index, or of all indexes fused."""
        runs = [
            index.search(queries, self.config.depth, retriever)
            for index, retriever in zip(self.indexes, self.retrievers, strict=True)
        ]
        if len(runs) == 1:
            return {query_id: candidates[: self.config.k] for query_id, candidates in runs[0].items()}
        return rrf(runs, k=self.config.fusion_constant, depth=self.config.k)

    def read(self, queries: Sequence[Query], run: Run) -> list[Answer]:
        """An answer with evidence for each query, from its candidates in ``run``."""
        return self.reader(queries, run, self.data)

    def ask(self, question: str, *, task: str = "qa") -> Answer:
        """Answer one question, or judge one statement (``task="verify"``)."""
        if not question.strip():
            raise UserError("the question is empty: ask something")
        return next(self.ask_all([Query(id="question", text=question, task=task)]))

    def ask_all(self, queries: Iterable[Query]) -> Iterator[Answer]:
        """Answers in the order of ``queries``, read in batches as they are needed.

        ``timings_ms`` holds ``retrieve`` and ``read``: the time of the batch over its number of queries. The
        first batch also pays for opening indexes and models.
        """
        rest = iter(queries)
        while batch := list(islice(rest, self.config.batch_size)):
            if len({query.id for query in batch}) < len(batch):
                raise UserError("two queries of one batch have the same id: ids must be unique")
            start = time.perf_counter()
            run = self.retrieve(batch)
            milliseconds = (time.perf_counter() - start) * 1000 / len(batch)
            for answer in self.read(batch, run):
                answer.timings_ms = {"retrieve": milliseconds, **answer.timings_ms}
                yield answer
