"""Questions in, answers out: rewrite, retrieve from one or more indexes, fuse, rerank, refine, read.

Each stage can be called alone: ``pipeline.retrieve(queries)`` gives a run, ``pipeline.rerank(queries, run)``
its better order, ``pipeline.refine(queries, run)`` what its tables are cut down to,
``pipeline.read(queries, run)`` answers. Everything is opened on first use and stays open. Relative paths of a
config file are those of the current directory, as in every config of this project.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from tabrag.config import load
from tabrag.documents.whole import Item
from tabrag.errors import UserError
from tabrag.inference.instructions import split_instructions
from tabrag.inference.pipeline_config import PipelineConfig
from tabrag.inference.stages import Stages
from tabrag.types import Answer, Query, Run, Table, Turn

if TYPE_CHECKING:
    from tabrag.inference.view import Parts


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


class Pipeline(Stages):
    """Answers questions over the tables of a data set folder.

    Args:
        config: The settings.

    Raises:
        UserError: A setting out of range. What is missing on disk is named by the stage that needs it.
    """

    @classmethod
    def from_config(cls, config: str | Path | PipelineConfig) -> Pipeline:
        """A pipeline from a YAML file or from settings."""
        return cls(config if isinstance(config, PipelineConfig) else load(PipelineConfig, config))

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


def _tables(item: Item) -> list[Table]:
    """The table, or all tables of the document."""
    return [item] if isinstance(item, Table) else list(item.tables.values())


@contextmanager
def _timed(spent: dict[str, float], stage: str) -> Iterator[None]:
    """Note the seconds of a stage."""
    start = time.perf_counter()
    yield
    spent[stage] = time.perf_counter() - start
