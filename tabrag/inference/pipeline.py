"""Questions in, answers out: rewrite, retrieve from one or more indexes, fuse, rerank, refine, read.

Each stage can be called alone: ``pipeline.retrieve(queries)`` gives a run, ``pipeline.rerank(queries, run)``
its better order, ``pipeline.refine(queries, run)`` what its tables are cut down to,
``pipeline.read(queries, run)`` answers. Everything is opened on first use
and stays open. Relative paths of a config file are those of the current directory, as in every config of this
project.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tabrag.config import load
from tabrag.documents.whole import Item
from tabrag.errors import UserError
from tabrag.index.config import RetrieveConfig
from tabrag.inference.config import ReaderConfig, RefineConfig, RerankConfig, RewriteConfig, TreeConfig
from tabrag.inference.instructions import split_instructions
from tabrag.types import Answer, Query, Run, Table, Turn

if TYPE_CHECKING:
    from tabrag.data.folder import DataFolder
    from tabrag.inference.answer import Reader
    from tabrag.inference.given_run import GivenRun
    from tabrag.inference.refine import Refine
    from tabrag.inference.rerank import Rerank
    from tabrag.inference.retrieve import Retrieve
    from tabrag.inference.rewrite import Rewrite
    from tabrag.inference.tree import TreeNodes
    from tabrag.inference.view import Parts


@dataclass(kw_only=True)
class PipelineConfig(RetrieveConfig):
    """What a pipeline searches and how it answers.

    Attributes:
        data: Data set folder of the tables.
        rewrite: How a question of a conversation becomes one that stands alone, and what is searched for;
            questions stay as they are where null.
        indexes: Index folders over it; the rankings of several are fused. None where ``run`` gives the
            candidates.
        run: Run file whose candidates are read, in place of searching indexes; ``gold`` takes the relevant
            tables of each query, which shows what the reader alone can do.
        checkpoint: Retriever of the dense indexes; the one that each index names where null.
        k: Candidates a question.
        fusion: How several rankings become one.
        encoding: How questions are embedded.
        filter: Which items may be found, for example ``{file: 'reports/*', year: '>=2023'}``; all where null.
        rerank: What puts the candidates in a better order; they stay as they are where null.
        tree: Summary trees whose best nodes the reader gets beside the candidates; none where null.
        refine: Which rows and columns of a table's text the reader gets; all of them where null. Pictures
            stay whole.
        reader: How answers are read.
        batch_size: Questions that go through the stages together.
    """

    data: str
    indexes: list[str] = field(default_factory=list)
    run: str | None = None
    k: int = 10
    rewrite: RewriteConfig | None = None
    rerank: RerankConfig | None = None
    tree: TreeConfig | None = None
    refine: RefineConfig | None = None
    reader: ReaderConfig = field(default_factory=ReaderConfig)
    batch_size: int = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What the stages before reading give.

    Attributes:
        queries: The questions, rewritten where there is such a stage.
        ranked: Their ranked candidates.
        run: What is read of them: documents opened, nodes of summary trees added.
        parts: Refined tables.
        notes: Query id -> what did not go as the settings say.
    """

    queries: Sequence[Query]
    ranked: Run
    run: Run
    parts: Parts
    notes: Mapping[str, list[str]]


class Pipeline:
    """Answers questions over the tables of a data set folder.

    Args:
        config: The settings.

    Raises:
        UserError: A setting out of range. What is missing on disk is named by the stage that needs it.
    """

    def __init__(self, config: PipelineConfig) -> None:
        if not config.indexes and config.run is None:
            raise UserError(
                "the pipeline has no index: set indexes: [FOLDER, ...], or run for known candidates"
            )
        if config.indexes and config.run is not None:
            raise UserError("indexes and run both give the candidates: set one of them")
        if config.filter and config.run is not None:
            raise UserError("filter narrows indexes, but run gives the candidates: leave one of them out")
        if config.k < 1 or config.batch_size < 1:
            raise UserError(f"k={config.k}, batch_size={config.batch_size}: both must be at least 1")
        if config.refine is not None and config.reader.reader == "chat" and config.reader.show == "image":
            raise UserError(
                "refine cuts down the text of tables, but reader.show=image shows their pictures alone: "
                "set reader.show=text or both, or refine=null"
            )
        self.config = config

    @classmethod
    def from_config(cls, config: str | Path | PipelineConfig) -> Pipeline:
        """A pipeline from a YAML file or from settings."""
        return cls(config if isinstance(config, PipelineConfig) else load(PipelineConfig, config))

    @cached_property
    def data(self) -> DataFolder:
        """The data set folder."""
        from tabrag.data.folder import DataFolder

        return DataFolder(self.config.data, trees=None if self.config.tree is None else self.config.tree.file)

    @cached_property
    def rewrite(self) -> Rewrite | None:
        """What makes questions stand alone; None where they stay as they are."""
        if self.config.rewrite is None:
            return None
        from tabrag.inference.rewrite import Rewrite

        config, reader = self.config.rewrite, self.config.reader
        same = reader.reader == "chat" and (config.chat, config.server) == (reader.chat, reader.server)
        return Rewrite(config, chat=self.reader.chat if same else None)

    @cached_property
    def retrieve(self) -> Retrieve | GivenRun:
        """The first stage: ``retrieve(queries)`` is a run of ``k`` candidates a query."""
        if self.config.run is not None:
            from tabrag.inference.given_run import GivenRun

            return GivenRun(self.config.run, self.data, k=self.config.k)
        from tabrag.inference.retrieve import Retrieve

        retrieve = Retrieve(self.config)
        if self.data.has_documents:
            retrieve.warn_of_changes(self.data.digests())
        return retrieve

    @cached_property
    def reranker(self) -> Rerank | None:
        """What puts candidates in a better order; None where they stay as they are."""
        from tabrag.inference.rerank import Rerank

        config, reader = self.config.rerank, self.config.reader
        if config is None:
            return None
        # One model in memory for both, so that the reader goes on where the reranker has read the table.
        same = _is_one_model(config, reader)
        chat = self.reader.chat if same else None
        paths = {"image_path": self.data.image_path, "picture_path": self.data.picture_path}
        return Rerank(config, chat=chat, **paths)

    @cached_property
    def tree(self) -> TreeNodes | None:
        """What finds nodes of summary trees; None where there are none."""
        config = self.config.tree
        if config is None or not config.indexes:
            return None
        from tabrag.inference.tree import TreeNodes

        encoding = self.config.encoding
        nodes = TreeNodes(
            config,
            self.data.items,
            checkpoint=self.config.checkpoint,
            encoding=encoding,
            filter=self.config.filter,
        )
        nodes.retrieve.warn_of_changes(self.data.digests())
        return nodes

    @cached_property
    def refiner(self) -> Refine | None:
        """What cuts tables down; None where they are read whole."""
        from tabrag.inference.refine import Refine

        return None if self.config.refine is None else Refine(self.config.refine)

    @cached_property
    def reader(self) -> Reader:
        """What reads the answers."""
        from tabrag.inference.answer import Reader

        return Reader(self.config.reader)

    def rerank(self, queries: Sequence[Query], run: Run) -> Run:
        """The stage after retrieval: the same candidates, the likeliest first; as they are where there is
        none.
        """
        return run if self.reranker is None else self.reranker(queries, run, self.data.items)

    def open_documents(self, queries: Sequence[Query], run: Run) -> Run:
        """The stage before refining: candidates that are documents give way to their tables, for a reader
        of tables."""
        from tabrag.inference.document_tables import table_run

        if not self.data.has_documents or self.reader.reads_documents:
            return run
        return table_run(queries, run, self.data.items, depth=self.reader.num_tables)

    def refine(self, queries: Sequence[Query], run: Run) -> Parts:
        """The stage before reading: what stays of the tables that will be read; nothing where they stay
        whole."""
        from tabrag.inference.view import candidate_item

        if self.refiner is None:
            return {}
        asked = {
            (query.id, table.id): (split_instructions(query.text)[0], table.grid)
            for query in queries
            for candidate in self.reader.read_of(run.get(query.id, []))
            for table in _tables(candidate_item(self.data.items, candidate.item_id))
            if table.grid is not None
        }
        refined = self.refiner(list(asked.values()))
        return {key: one.part for key, one in zip(asked, refined, strict=True)}

    def read(self, queries: Sequence[Query], run: Run, parts: Parts | None = None) -> list[Answer]:
        """The last stage: an answer with evidence for each query, from its candidates in ``run``.

        Args:
            queries: The questions.
            run: Their candidates.
            parts: Refined tables; made here where None.
        """
        parts = self.refine(queries, run) if parts is None else parts
        return self.reader(queries, run, self.data, parts=parts)

    def open(self) -> Pipeline:
        """Open data, indexes and models now, so that what is missing shows before any work."""
        _ = self.data, self.rewrite, self.retrieve, self.tree
        if self.rewrite is not None and self.rewrite.needs_model:
            self.rewrite.chat.num_tokens("")
        if self.reranker is not None:
            self.reranker.open()
        if self.refiner is not None:
            _ = self.refiner.scorer, self.refiner.resolved()
        self.reader.open()
        return self

    def settings(self) -> dict[str, Any]:
        """All that an answer depends on besides its question."""
        return {
            **self.retrieve.settings(),
            **self.data.digests(),
            "rewrite": None if self.rewrite is None else self.rewrite.settings(),
            "tree": None if self.tree is None else self.tree.settings(),
            "rerank": None if self.reranker is None else self.reranker.settings(),
            "refine": None if self.refiner is None else self.refiner.settings(),
            "reader": self.reader.settings(),
        }

    def ask(self, question: str, *, task: str = "qa", history: Sequence[Turn] = ()) -> Answer:
        """Answer one question, or judge one statement (``task="verify"``).

        Args:
            question: The question.
            task: ``qa``, ``verify`` or ``describe``.
            history: The conversation before it, for ``rewrite``.

        Raises:
            UserError: The candidates come from ``run``, which holds them by query id.
        """
        if self.config.run is not None:
            raise UserError("run holds candidates by query id, none for a new question: set indexes instead")
        query = Query(id="question", text=question, task=task, history=list(history))
        return next(self.ask_all([query]))

    def ask_all(self, queries: Iterable[Query]) -> Iterator[Answer]:
        """Answers in the order of ``queries``, computed in batches as they are needed.

        ``timings_ms`` holds ``rewrite``, ``retrieve``, ``rerank``, ``tree``, ``open`` (documents into tables)
        and ``refine`` where there are such stages, and ``read``: the time of the batch over its number of
        queries. Opening indexes and models does not count. ``candidates`` are those of the ranking, before
        documents are opened; ``question`` is what was asked, before it was rewritten.

        Raises:
            UserError: A query without text, or two of one id in a batch.
        """
        self.open()
        rest = iter(queries)
        while batch := list(islice(rest, self.config.batch_size)):
            if len({query.id for query in batch}) < len(batch):
                raise UserError("two queries of one batch have the same id: ids must be unique")
            spent: dict[str, float] = {}
            found = self.find(batch, spent=spent)
            milliseconds = {stage: seconds * 1000 / len(batch) for stage, seconds in spent.items()}
            answers = self.read(found.queries, found.run, found.parts)
            for query, answer in zip(batch, answers, strict=True):
                timings = {**milliseconds, **answer.timings_ms}
                candidates = list(found.ranked.get(query.id, []))
                notes = [*found.notes.get(query.id, []), *answer.notes]
                yield dataclasses.replace(
                    answer, question=query.text, candidates=candidates, notes=notes, timings_ms=timings
                )

    def find(self, queries: Sequence[Query], *, spent: dict[str, float] | None = None) -> Found:
        """All stages before reading.

        Args:
            queries: The questions.
            spent: Takes up the seconds of each stage.
        """
        spent = {} if spent is None else spent
        if self.rewrite is not None:
            with _timed(spent, "rewrite"):
                queries = self.rewrite(queries)
        with _timed(spent, "retrieve"):
            run = self.retrieve(queries)
        if self.reranker is not None:
            with _timed(spent, "rerank"):
                run = self.rerank(queries, run)
        ranked = run
        if self.tree is not None:
            with _timed(spent, "tree"):
                nodes = self.tree(queries)
            run = {query.id: [*run.get(query.id, []), *nodes[query.id]] for query in queries}
        if self.data.has_documents and not self.reader.reads_documents:
            with _timed(spent, "open"):
                run = self.open_documents(queries, run)
        parts: Parts = {}
        if self.refiner is not None:
            with _timed(spent, "refine"):
                parts = self.refine(queries, run)
        notes = {} if self.rewrite is None else self.rewrite.notes
        return Found(queries=queries, ranked=ranked, run=run, parts=parts, notes=notes)


def _is_one_model(rerank: RerankConfig, reader: ReaderConfig) -> bool:
    """Whether the reranker's language model is the reader's, with the same settings."""
    if reader.reader != "chat" or rerank.server != reader.server:
        return False
    if rerank.checkpoint is not None:
        return rerank.checkpoint == reader.chat.model
    return rerank.server is not None or rerank.chat == reader.chat


def _tables(item: Item) -> list[Table]:
    """The table, or all tables of the document."""
    return [item] if isinstance(item, Table) else list(item.tables.values())


@contextmanager
def _timed(spent: dict[str, float], stage: str) -> Iterator[None]:
    """Note the seconds of a stage."""
    start = time.perf_counter()
    yield
    spent[stage] = time.perf_counter() - start
