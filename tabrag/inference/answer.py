"""The last stage: from a question and its ranked tables to an answer with its evidence.

Two readers:

- ``cells``: picks cells and, where the question asks for it, computes with them; no language model. A trained
  cell reader where ``checkpoint`` names one (:mod:`tabrag.inference.cell_reader`), else the words of headers
  and cells (:mod:`tabrag.inference.rule_reader`), read in the first few tables
  (:mod:`tabrag.inference.rule_tables`); where nothing of them fits the question, it is not answerable. Both
  call every statement NOT ENOUGH INFO.
- ``chat``: a chat model reads the table's text, picture or both (:mod:`tabrag.inference.chat_reader`).

Confidence, 0..1: for the cell reader the probability of operator and cells; for the rule reader how clearly
the chosen row and column lead over the next best, times the share of the question's words that they and the
table's titles say; for ``chat`` the geometric mean of the probabilities that
the model gave to the tokens of its own reply, halved where the answer (of a formula: one of its numbers) does
not stand in the table (it may be computed, or made up); for statements the probability of the label among the
labels. Where the best candidate was reranked, its score P(True) is the probability that its table holds the
answer, and the confidence is the product of both; without a reranker it does not know whether the right table
was retrieved.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from tabrag.chat.open import open_chat, refuse_text_alone
from tabrag.chat.prompts import NOT_ANSWERABLE, NOT_ENOUGH_INFO, VERSION, Shown
from tabrag.chat.prompts_reasoning import REASONING_VERSION
from tabrag.chat.protocol import ChatModel
from tabrag.data.records import TASKS
from tabrag.documents.whole import WholeDocument
from tabrag.errors import UserError
from tabrag.inference.chat_reader import Asked, read_chat
from tabrag.inference.config import ReaderConfig
from tabrag.inference.document_view import document_views, without_places
from tabrag.inference.found import Found
from tabrag.inference.instructions import split_instructions
from tabrag.inference.rule_tables import MIN_SUPPORT, NUM_TABLES, best_table
from tabrag.inference.table_view import shown_tables
from tabrag.inference.tree import STAGE as TREE
from tabrag.inference.view import Corpus, Parts, View, candidate_item, picture_of
from tabrag.inference.visual import VisualReader, pictures_of
from tabrag.models.blend import is_chance
from tabrag.types import Answer, Candidate, Query, Run, Table

if TYPE_CHECKING:
    from tabrag.inference.cell_reader import CellAnswerer


class Reader:
    """Reads answers; the chat model is loaded on first use and stays.

    Args:
        config: The settings.
        chat: A chat model to use instead of the one that ``config.chat`` names.
    """

    def __init__(self, config: ReaderConfig, *, chat: ChatModel | None = None) -> None:
        if config.num_tables < 1:
            raise UserError(f"reader.num_tables is {config.num_tables}: the reader needs at least 1 table")
        if not 0 <= config.min_confidence <= 1:
            raise UserError(f"reader.min_confidence is {config.min_confidence}: it must be 0 to 1")
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
        answers = [
            Answer(query_id=query.id, question=query.text, answer="", confidence=0.0) for query in queries
        ]
        asked = self._looked_at(self.contexts(queries, run, corpus, parts=parts))
        pairs = [(one, answer) for one, answer in zip(asked, answers, strict=True) if one.views]
        if self.config.reader == "cells":
            self._read_cells(pairs, run, corpus)
        elif pairs:
            some, theirs = zip(*pairs, strict=True)
            read_chat(some, theirs, corpus, chat=self.chat, config=self.config)
        milliseconds = (time.perf_counter() - start) * 1000 / max(len(queries), 1)
        for one, answer in zip(asked, answers, strict=True):
            if one.relevance is not None and answer.confidence is not None and one.query.task != "verify":
                answer.confidence *= one.relevance
            answer.evidence = [without_places(evidence) for evidence in answer.evidence]
            answer.candidates = list(run.get(one.query.id, []))
            answer.timings_ms["read"] = milliseconds
        return answers

    def open(self) -> None:
        """Load the model now, where there is one."""
        if self.config.reader == "chat":
            self.chat.num_tokens("")
            if self.config.show != "text":
                refuse_text_alone(self.chat, self.config.chat.model, setting="reader.")
            if self.visual is not None:
                self.visual.open()
        else:
            _ = self.cell_reader

    def settings(self) -> dict[str, Any]:
        """All that an answer depends on besides question and tables."""
        if self.config.reader == "cells":
            model = None if self.cell_reader is None else self.cell_reader.model.fingerprint()
            return {"reader": "cells", "model": model}
        used = self.config.chat if self.config.server is None else self.config.server
        own = {
            name: value
            for name, value in dataclasses.asdict(self.config).items()
            if name not in ("server", "visual")
        }
        versions = {"prompt_version": VERSION}
        if self.config.prompting != "direct":
            versions["reasoning_version"] = REASONING_VERSION
        seen = {} if self.visual is None else {"visual": self.visual.settings()}
        return {**own, "chat": used.identity(), **versions, **seen}

    @property
    def reads_documents(self) -> bool:
        """Whether it reads documents with their text; otherwise their tables alone."""
        return self.config.reader == "chat"

    @property
    def num_tables(self) -> int:
        """How many of a query's candidates are read."""
        if self.config.reader == "chat":
            return self.config.num_tables
        return NUM_TABLES if self.config.checkpoint is None else 1

    def contexts(
        self,
        queries: Sequence[Query],
        run: Run,
        corpus: Corpus,
        *,
        parts: Parts | None = None,
        num_tokens: Callable[[str], int] | None = None,
    ) -> list[Asked]:
        """What each query is answered from, in the order of ``queries``.

        Args:
            queries: The questions.
            run: Their candidates.
            corpus: Where these are found.
            parts: Refined tables.
            num_tokens: How texts are measured; the chat model's own tokens where None. The reader of cells
                needs no texts, and has none then.

        Raises:
            UserError: A candidate is not in the corpus, or has no picture where one must be shown.
        """
        if num_tokens is None and self.config.reader == "chat":
            num_tokens = self.chat.num_tokens
        return [
            self._asked(query, run.get(query.id, []), corpus, parts or {}, num_tokens) for query in queries
        ]

    def _asked(
        self,
        query: Query,
        candidates: Sequence[Candidate],
        corpus: Corpus,
        parts: Parts,
        num_tokens: Callable[[str], int] | None,
    ) -> Asked:
        question, instruction = split_instructions(query.text)
        items = [candidate_item(corpus.items, one.item_id) for one in self.read_of(candidates)]
        relevance = p_true(candidates)
        if num_tokens is not None and any(isinstance(item, WholeDocument) for item in items):
            made = document_views(
                items,
                question,
                refined={table_id: part for (asked, table_id), part in parts.items() if asked == query.id},
                config=self.config.context,
                num_tokens=num_tokens,
                picture_path=None if self.config.show == "text" else corpus.picture_path,
            )
            pictures = [] if self.visual is None else pictures_of(items, corpus.picture_path)
            return Asked(
                query,
                question,
                instruction,
                made.views,
                made.shown,
                relevance=relevance,
                pages=made.pages,
                pictures=pictures,
            )
        tables = [View(item, parts.get((query.id, item.id))) for item in items if isinstance(item, Table)]
        if num_tokens is None:
            return Asked(query, question, instruction, tables, relevance=relevance)
        shown, notes = shown_tables(
            tables, question, corpus=corpus, config=self.config, num_tokens=num_tokens
        )
        return Asked(query, question, instruction, tables, shown, relevance, notes)

    def read_of(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """The best candidates and the nodes of summary trees beside them, by turns: a budget cuts both."""
        ranked = [one for one in candidates if one.stage != TREE][: self.num_tables]
        nodes = [one for one in candidates if one.stage == TREE]
        return [one for pair in zip_longest(ranked, nodes) for one in pair if one is not None]

    def _read_cells(self, pairs: Sequence[tuple[Asked, Answer]], run: Run, corpus: Corpus) -> None:
        readable: list[tuple[Asked, Answer]] = []
        for one, answer in pairs:
            view = one.views[0]
            image = picture_of(view.table, corpus)
            if one.query.task == "verify":
                answer.answer, answer.evidence = (
                    NOT_ENOUGH_INFO,
                    [view.locate("", one.question, image=image)],
                )
            elif all(view.read.grid is None for view in one.views):
                answer.evidence = [view.evidence_at([], image=image)]
            else:
                readable.append((one, answer))
        if self.cell_reader is not None:
            asked = [
                (one.question, grid) for one, _ in readable if (grid := one.views[0].read.grid) is not None
            ]
            for (one, answer), found in zip(readable, self.cell_reader(asked), strict=True):
                _write(answer, found, one.views[0], corpus)
            return
        for one, answer in readable:
            self._read_rules(one, answer, run.get(one.query.id, []), corpus)

    def _read_rules(
        self, asked: Asked, answer: Answer, candidates: Sequence[Candidate], corpus: Corpus
    ) -> None:
        """The answer by rules: of the first table alone where a reranker has read them all."""
        scores = {candidate.item_id: candidate.score for candidate in reversed(candidates)}
        views = [
            (view, grid)
            for view in (asked.views if asked.relevance is None else asked.views[:1])
            if (grid := view.read.grid) is not None
        ]
        if not views:
            _write(answer, None, asked.views[0], corpus)
            return
        found = best_table(
            asked.question,
            [(view.table, grid) for view, grid in views],
            [scores.get(view.table.id, 0.0) for view, _ in views],
        )
        if found is None:
            _write(answer, None, views[0][0], corpus)
        elif found[1].support < MIN_SUPPORT:
            answer.answer, answer.confidence = NOT_ANSWERABLE, 0.0
        else:
            _write(answer, found[1], views[found[0]][0], corpus)

    def _looked_at(self, asked: list[Asked]) -> list[Asked]:
        """With what an image-text model says of the pages' pictures, where there is one."""
        if self.visual is None:
            return asked
        notes = self.visual([(one.question, one.pictures) for one in asked])
        return [
            dataclasses.replace(one, shown=[*one.shown, Shown("", text=note, name="Pictures")])
            if note
            else one
            for one, note in zip(asked, notes, strict=True)
        ]

    @cached_property
    def visual(self) -> VisualReader | None:
        """What looks at pictures of pages for the chat model; None where nothing does."""
        if self.config.visual is None or self.config.reader != "chat":
            return None
        return VisualReader(self.config.visual)

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
            self._chat = open_chat(self.config.chat, self.config.server)
        return self._chat


def _write(answer: Answer, found: Found | None, view: View, corpus: Corpus) -> None:
    """Put what was found in a table into an answer."""
    if found is not None:
        answer.answer, answer.confidence, answer.formula = found.text, found.certainty, found.formula
    cells = [] if found is None else found.cells
    answer.evidence = [view.evidence_at(cells, image=picture_of(view.table, corpus))]


def p_true(candidates: Sequence[Candidate]) -> float | None:
    """The reranker's probability that the best candidate holds the answer; None where it was not reranked."""
    return candidates[0].score if candidates and is_chance(candidates[0]) else None
