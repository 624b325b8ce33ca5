"""The last stage: from a question and its ranked tables to an answer with its evidence.

Two readers:

- ``cells``: picks cells and, where the question asks for it, computes with them; no language model. A trained
  cell reader where ``checkpoint`` names one (:mod:`tabrag.inference.cell_reader`), else header words alone,
  which answer "what is the value" questions, comparisons and extremes (:mod:`tabrag.inference.rule_reader`).
  Both call every statement NOT ENOUGH INFO.
- ``chat``: a chat model reads the table's text, picture or both.

Confidence, 0..1: for the cell reader the probability of operator and cells; for the rule reader how clearly
the chosen row and column lead over the next best; for ``chat`` the geometric mean of the probabilities that
the model gave to the tokens of its own reply, halved where the answer does not stand in the table (it may be
computed, or made up); for statements the probability of the label among the labels. None of them is
calibrated, and none knows whether the right table was retrieved.
"""

from __future__ import annotations

import dataclasses
import logging
import time
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from tabrag.chat.prompts import (
    NOT_ENOUGH_INFO,
    NOT_FOUND,
    VERSION,
    Shown,
    answer_prompt,
    verify_labels,
    verify_prompt,
)
from tabrag.chat.protocol import ChatModel, probabilities
from tabrag.data.records import TASKS
from tabrag.errors import UserError
from tabrag.evaluation.answers import normalise
from tabrag.inference.config import ReaderConfig
from tabrag.inference.context import build_context
from tabrag.inference.evidence import value_of
from tabrag.inference.found import Found
from tabrag.inference.rule_reader import read_cell
from tabrag.inference.view import Parts, Tables, View, candidate_table
from tabrag.tables.text import title_text
from tabrag.types import Answer, Candidate, Grid, Query, Run, Table

if TYPE_CHECKING:
    from tabrag.inference.cell_reader import CellAnswerer

logger = logging.getLogger(__name__)


class Corpus(Protocol):
    """Where tables and their pictures are found; a :class:`tabrag.data.folder.DataFolder` is one."""

    @property
    def tables(self) -> Tables: ...

    def image_path(self, table: Table) -> Path: ...


class Reader:
    """Reads answers; the chat model is loaded on first use and stays.

    Args:
        config: The settings.
        chat: A chat model to use instead of the one that ``config.chat`` names.
    """

    def __init__(self, config: ReaderConfig, *, chat: ChatModel | None = None) -> None:
        if config.num_tables < 1:
            raise UserError(f"reader.num_tables is {config.num_tables}: the reader needs at least 1 table")
        self.config = config
        self._chat = chat

    def __call__(
        self, queries: Sequence[Query], run: Run, corpus: Corpus, *, parts: Parts | None = None
    ) -> list[Answer]:
        """One answer a query, in the order of ``queries``.

        Tables of ``parts`` are read as they are there; the evidence names cells of the whole table.

        A query without candidates gets an empty answer with confidence 0. ``timings_ms["read"]`` is the
        stage's time over the number of queries.

        Raises:
            UserError: A query has an unknown task, a candidate is not in the corpus, or the chat model cannot
                read what it should be shown.
        """
        for query in queries:
            if query.task not in TASKS:
                raise UserError(
                    f"query '{query.id}' has the task '{query.task}': it must be one of {', '.join(TASKS)}"
                )
        start = time.perf_counter()
        tables = [self._views(query, run.get(query.id, []), corpus, parts or {}) for query in queries]
        read = self._read_cells if self.config.reader == "cells" else self._read_chat
        answers = read(queries, tables, corpus)
        milliseconds = (time.perf_counter() - start) * 1000 / max(len(queries), 1)
        for query, answer in zip(queries, answers, strict=True):
            answer.candidates = list(run.get(query.id, []))
            answer.timings_ms["read"] = milliseconds
        return answers

    def open(self) -> None:
        """Load the model now, where there is one."""
        if self.config.reader == "chat":
            self.chat.num_tokens("")
        else:
            _ = self.cell_reader

    def settings(self) -> dict[str, Any]:
        """All that an answer depends on besides question and tables."""
        if self.config.reader == "cells":
            model = None if self.cell_reader is None else self.cell_reader.model.fingerprint()
            return {"reader": "cells", "model": model}
        settings = dataclasses.asdict(self.config)
        for name in ("device", "batch_size"):
            del settings["chat"][name]
        return {**settings, "prompt_version": VERSION}

    @property
    def num_tables(self) -> int:
        """How many of a query's candidates are read."""
        return self.config.num_tables if self.config.reader == "chat" else 1

    def _views(
        self, query: Query, candidates: Sequence[Candidate], corpus: Corpus, parts: Parts
    ) -> list[View]:
        return [
            View(candidate_table(corpus.tables, candidate.item_id), parts.get((query.id, candidate.item_id)))
            for candidate in candidates[: self.num_tables]
        ]

    def _read_cells(self, queries: Sequence[Query], tables: list[list[View]], corpus: Corpus) -> list[Answer]:
        answers = [_empty(query) for query in queries]
        asked: list[tuple[Answer, View, str | None]] = []
        for query, answer, some in zip(queries, answers, tables, strict=True):
            if not some:
                continue
            view, image = some[0], _image(some[0].table, corpus)
            if query.task == "verify":
                answer.answer, answer.evidence = NOT_ENOUGH_INFO, [view.locate("", query.text, image=image)]
            elif view.read.grid is None:
                answer.evidence = [view.evidence_at([], image=image)]
            else:
                asked.append((answer, view, image))
        pairs = [(answer.question, grid) for answer, view, _ in asked if (grid := view.read.grid) is not None]
        for (answer, view, image), found in zip(asked, self._found(pairs), strict=True):
            if found is not None:
                answer.answer, answer.confidence, answer.formula = found.text, found.certainty, found.formula
            answer.evidence = [view.evidence_at([] if found is None else found.cells, image=image)]
        return answers

    def _found(self, pairs: list[tuple[str, Grid]]) -> Sequence[Found | None]:
        """What the cell reader, or the rule reader without one, finds in each grid."""
        if self.cell_reader is None:
            return [read_cell(grid, question) for question, grid in pairs]
        return self.cell_reader(pairs)

    def _read_chat(self, queries: Sequence[Query], tables: list[list[View]], corpus: Corpus) -> list[Answer]:
        answers = [_empty(query) for query in queries]
        asked = [row for row, some in enumerate(tables) if some]
        verify = [row for row in asked if queries[row].task == "verify"]
        answer = [row for row in asked if queries[row].task != "verify"]
        chat = self.chat
        if verify:
            prompts = [
                verify_prompt(queries[row].text, self._shown(queries[row], tables[row], corpus))
                for row in verify
            ]
            labels = verify_labels(can_be_open=False)
            for row, scores in zip(verify, chat.score_batch(prompts, labels), strict=True):
                chances = probabilities(scores)
                place = chances.index(max(chances))
                answers[row].answer, answers[row].confidence = labels[place], chances[place]
                answers[row].evidence = [
                    view.locate("", queries[row].text, image=_image(view.table, corpus))
                    for view in tables[row]
                ]
        if answer:
            prompts = [
                answer_prompt(queries[row].text, self._shown(queries[row], tables[row], corpus))
                for row in answer
            ]
            replies = chat.generate_batch(prompts, max_new_tokens=self.config.max_new_tokens, stop=("\n",))
            for row, reply in zip(answer, replies, strict=True):
                self._fill(answers[row], reply.text, reply.probability, tables[row], corpus)
        return answers

    def _fill(
        self, answer: Answer, text: str, probability: float | None, views: list[View], corpus: Corpus
    ) -> None:
        """Set text, evidence and confidence of an answer that a chat model gave."""
        answer.confidence = probability
        if normalise(NOT_FOUND) in normalise(text):
            answer.answer = NOT_FOUND
            answer.evidence = [view.evidence_at([], image=_image(view.table, corpus)) for view in views]
            return
        values = [value_of(text, view.read) for view in views]
        text = answer.answer = min(
            values, key=len
        )  # a value that was found in a table is a part of the reply
        found = [view.locate(text, answer.question, image=_image(view.table, corpus)) for view in views]
        answer.evidence = [evidence for evidence in found if evidence.cells] or found
        if probability is not None and not any(evidence.cells for evidence in found):
            answer.confidence = probability / 2

    def _shown(self, query: Query, views: list[View], corpus: Corpus) -> list[Shown]:
        shown = []
        for view in views:
            table = view.table
            text = picture = None
            if self.config.show != "image":
                context = build_context(
                    table,
                    query.text,
                    part=view.part,
                    config=self.config.context,
                    num_tokens=self.chat.num_tokens,
                )
                text = context.text
                if context.num_hidden_rows or context.num_hidden_cols:
                    logger.info(
                        "table %s, query %s: %d rows and %d columns are not shown to the reader",
                        table.id, query.id, context.num_hidden_rows, context.num_hidden_cols,
                    )  # fmt: skip
            if self.config.show != "text":
                picture = _image(table, corpus)
                if picture is None:
                    raise UserError(f"table '{table.id}' has no picture to show: set reader.show=text")
            shown.append(Shown(table.id, title_text(table), text or "", picture))
        return shown

    @cached_property
    def cell_reader(self) -> CellAnswerer | None:
        """The trained cell reader; None where header words decide."""
        if self.config.checkpoint is None:
            return None
        from tabrag.inference.cell_reader import CellAnswerer
        from tabrag.inference.runtime import device
        from tabrag.models.cell_reader import CellReader

        model = CellReader.from_pretrained(self.config.checkpoint)
        return CellAnswerer(model.to(device(self.config.device)))

    @property
    def chat(self) -> ChatModel:
        """The chat model."""
        if self._chat is None:
            from tabrag.chat.local import LocalChat

            self._chat = LocalChat(self.config.chat)
        return self._chat


def _empty(query: Query) -> Answer:
    return Answer(query_id=query.id, question=query.text, answer="", confidence=0.0)


def _image(table: Table, corpus: Corpus) -> str | None:
    return str(corpus.image_path(table)) if table.image is not None else None
