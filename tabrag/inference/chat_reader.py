"""Answers of a chat model that reads the table's text, its picture or both.

Three tasks:

- ``qa``: the model replies with the value, or reasons first (:mod:`tabrag.inference.prompting`). Where the
  question says how to answer ("in JSON", see :mod:`tabrag.inference.instructions`), its reply is kept in that
  form, and the value in it is looked for in the table. Where it says, in any words, that there is no answer,
  the answer is ``Not answerable``, without evidence.
- ``verify``: the model says how likely each label is. NOT ENOUGH INFO is one of them unless
  ``reader.can_be_open`` is off; what the reranker thinks of the table counts for it, see :func:`judge`.
- ``describe``: the model replies with a sentence or two.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from tabrag.chat.prompts import (
    NOT_ANSWERABLE,
    NOT_ENOUGH_INFO,
    Shown,
    describe_prompt,
    verify_labels,
    verify_prompt,
)
from tabrag.chat.protocol import ChatModel, Message, Reply, probabilities
from tabrag.documents.part import document_of
from tabrag.evaluation.answer_refusals import is_refusal
from tabrag.evaluation.answer_replies import final_answer
from tabrag.inference.checks import check_number, check_sentence
from tabrag.inference.computed import computed_answer
from tabrag.inference.config import ReaderConfig
from tabrag.inference.page_evidence import Located, page_evidence
from tabrag.inference.prompting import PROMPTINGS, Prompting
from tabrag.inference.view import Corpus, View, picture_of
from tabrag.types import Answer, Query

logger = logging.getLogger(__name__)

_MAX_UNSURE = 3
"""Tables and texts at most that are named where the answer stands in none of all that was read."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A query and what it is answered from.

    Attributes:
        query: The query.
        question: Its text without instructions how to answer.
        instruction: These instructions, or empty.
        views: The tables to read, the best first; of documents the tables and the text that is shown.
        shown: What a chat model sees of them.
        relevance: How likely the best of them holds the answer, 0..1; None where no reranker says it.
        notes: What the model does not see of tables.
        pages: The pages that are marked in what is shown, as document id and number.
        pictures: Pictures of the pages that were found, by path, for a model that looks at them.
    """

    query: Query
    question: str
    instruction: str
    views: Sequence[View]
    shown: Sequence[Shown] = ()
    relevance: float | None = None
    notes: Sequence[str] = ()
    pages: tuple[tuple[str, int], ...] = ()
    pictures: Sequence[str] = ()


def read_chat(
    asked: Sequence[Asked],
    answers: Sequence[Answer],
    corpus: Corpus,
    *,
    chat: ChatModel,
    config: ReaderConfig,
) -> None:
    """Fill ``answers``, one for each of ``asked``.

    ``confidence`` is the model's own; for statements the reranker's P(True) is in it already.

    Raises:
        UserError: A table has no picture where one must be shown, or the model cannot read it.
    """
    for one, answer in zip(asked, answers, strict=True):
        answer.notes += one.notes
    statements = [row for row, one in enumerate(asked) if one.query.task == "verify"]
    if statements:
        labels = verify_labels(can_be_open=config.can_be_open)
        prompts = [
            verify_prompt(asked[row].question, asked[row].shown, can_be_open=config.can_be_open)
            for row in statements
        ]
        for row, scores in zip(statements, chat.score_batch(prompts, labels), strict=True):
            answer, one = answers[row], asked[row]
            answer.answer, answer.confidence = judge(
                dict(zip(labels, probabilities(scores), strict=True)),
                relevance=one.relevance,
                min_confidence=config.min_confidence,
            )
            answer.evidence = [
                view.locate("", one.question, image=picture_of(view.table, corpus))
                for view in one.views[:_MAX_UNSURE]
            ]
    prompting = PROMPTINGS[config.prompting]
    for (max_new_tokens, stop), rows in _replies(asked, config, prompting).items():
        prompts = [_prompt(asked[row], prompting) for row in rows]
        replies = chat.generate_batch(prompts, max_new_tokens=max_new_tokens, stop=stop)
        for row, reply in zip(rows, replies, strict=True):
            _fill(answers[row], asked[row], reply, corpus, prompting)


def judge(
    chances: dict[str, float], *, relevance: float | None = None, min_confidence: float = 0.0
) -> tuple[str, float]:
    """The label of a statement and its confidence.

    With the probability ``r`` that the table is the right one (1 where nobody says it), a label's confidence
    is ``r`` times its probability. That of NOT ENOUGH INFO, where it is among the labels, also gets
    ``1 - r``: a wrong table tells nothing. The label with the highest confidence is taken. Where that is
    below ``min_confidence``, the label is NOT ENOUGH INFO, with what is missing to 1.

    Args:
        chances: The probability of each label, which sum up to 1.
        relevance: ``r``.
        min_confidence: 0..1.
    """
    right = 1.0 if relevance is None else relevance
    sure = {label: chance * right for label, chance in chances.items()}
    if NOT_ENOUGH_INFO in sure:
        sure[NOT_ENOUGH_INFO] += 1 - right
    label = max(sure, key=sure.__getitem__)
    if sure[label] < min_confidence and label != NOT_ENOUGH_INFO:
        return NOT_ENOUGH_INFO, 1 - sure[label]
    return label, sure[label]


def _replies(
    asked: Sequence[Asked], config: ReaderConfig, prompting: Prompting
) -> dict[tuple[int, tuple[str, ...]], list[int]]:
    """Rows whose reply is a text, by its length at most and where it ends.

    A description in an asked form may have several lines; others end with the first one.
    """
    groups: dict[tuple[int, tuple[str, ...]], list[int]] = {}
    for row, one in enumerate(asked):
        if one.query.task == "verify":
            continue
        length, stop = config.max_text_tokens, () if one.instruction else ("\n",)
        if one.query.task == "qa":
            stop = prompting.stop(instruction=one.instruction)
            if not prompting.is_short:
                length = config.max_reasoning_tokens
            elif not one.instruction:
                length = config.max_new_tokens
        groups.setdefault((length, stop), []).append(row)
    return groups


def _prompt(one: Asked, prompting: Prompting) -> list[Message]:
    if one.query.task == "describe":
        return describe_prompt(one.question, one.shown, instruction=one.instruction)
    return prompting.prompt(one.question, one.shown, instruction=one.instruction, has_pages=bool(one.pages))


def _fill(answer: Answer, one: Asked, reply: Reply, corpus: Corpus, prompting: Prompting) -> None:
    """Set text, evidence, confidence, formula and notes of an answer that the model wrote."""
    reading = PROMPTINGS["direct"] if one.query.task == "describe" else prompting
    said = reading.read(reply.text, one.query.text, instruction=one.instruction)
    answer.answer, answer.confidence, text = said.answer, reply.probability, said.value
    pictures = [picture_of(view.table, corpus) for view in one.views]
    views = list(zip(one.views, pictures, strict=True))
    tables = [view.table for view in one.views]
    answer.notes += said.notes
    if is_refusal(final_answer(text)):
        if not one.instruction:
            answer.answer = NOT_ANSWERABLE
        answer.evidence = []
        return
    if said.formula is not None:
        computed = computed_answer(said, said.formula, one.query.text, views)
        answer.answer, answer.formula, answer.evidence = computed.answer, computed.formula, computed.evidence
        answer.notes += computed.notes
        if reply.probability is not None and not computed.all_found:
            answer.confidence = reply.probability / 2
        return
    if one.query.task == "describe":
        found = [view.locate_sentence(text, one.question, image=picture) for view, picture in views]
        notes = check_sentence(text, one.question, tables)
    else:
        # Of the table that holds the reply's value, that value alone is left.
        text = min((view.value_of(text, one.question) for view in one.views), key=len)
        if not one.instruction:
            answer.answer = text
        found = [view.locate(text, one.question, image=picture) for view, picture in views]
        notes = check_number(text, tables, found)
    located = [evidence for evidence in found if evidence.cells]
    answer.evidence = located or found[:_MAX_UNSURE]
    answer.notes += notes
    if said.pages is not None and one.pages:
        numbered = [(document_of(shown.item_id), shown) for shown in one.shown if shown.item_id]
        by_view = [(view.table.document or view.table.id, view.table.source.file) for view in one.views]
        evidence, notes = page_evidence(
            [
                Located(document, evidence)
                for (document, _), evidence in zip(by_view, found, strict=True)
                if evidence.cells
            ],
            said.pages,
            pages=one.pages,
            documents=[document for document, _ in numbered],
            titles={document: shown.title for document, shown in reversed(numbered)},
            files={document: file for document, file in by_view if file},
        )
        answer.evidence = evidence or found[:_MAX_UNSURE]
        answer.notes += notes
    if reply.probability is not None and not located:
        answer.confidence = reply.probability / 2
