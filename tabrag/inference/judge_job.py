"""Answers judged by a chat model, FastRAGEval: one call an answer, and one more where a reply is unreadable.

Nothing is scored that was not judged: an answer whose two replies cannot be read, or that the model refuses,
gets a row with ``error``, is counted apart and tried again at the next start.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tabrag import distributed
from tabrag.chat.config import LocalChatConfig, ServerChatConfig
from tabrag.chat.endpoint import ServerUnavailable
from tabrag.chat.judge import VERSION, Several, judge_prompt, repair_prompt
from tabrag.chat.open import open_chat
from tabrag.chat.protocol import ChatModel, Conversation
from tabrag.data.folder import DataFolder
from tabrag.errors import UserError
from tabrag.evaluation.fastrageval import (
    Judgement,
    JudgementError,
    check_judgement,
    judgement_record,
    parse_judgement,
    settled,
)
from tabrag.evaluation.fastrageval_report import read_answers, reference_answers, summarise
from tabrag.files import encodable, read_jsonl
from tabrag.inference.jobs import rows_or_errors, run_job
from tabrag.inference.retrieve import select_queries
from tabrag.types import Query


@dataclass(frozen=True, slots=True)
class Judged:
    """What is judged.

    Attributes:
        id: Of the query.
        question: What was asked.
        references: Reference answers, at least one that is not blank.
        prediction: The answer; may be empty.
    """

    id: str
    question: str
    references: tuple[str, ...]
    prediction: str


def judge_answers(
    answers: str | Path,
    data: str | Path,
    out: str | Path,
    *,
    split: str,
    chat: LocalChatConfig,
    server: ServerChatConfig | None = None,
    several: Several = "any",
    max_new_tokens: int = 1024,
    batch_size: int = 16,
    force: bool = False,
) -> dict[str, Any]:
    """Judge the answers of an answers file; started again after a kill it continues.

    A judgement belongs to question, references and answer: an answer that has changed is judged anew, the
    others are kept.

    Args:
        answers: Answers file, as ``infer/answer.py`` writes it.
        data: Data set folder with the reference answers.
        out: File of judgements (JSONL) to write, one row an answer: ``query_id``, ``answer``, ``reply``,
            ``ref_facts`` and ``pred_facts`` with their flags, ``precision``, ``recall``, ``f1``, ``mended``
            (``code``, ``model`` or empty); or ``fault`` and ``error`` in place of facts and figures.
        split: Which queries; those without reference answers are left out.
        chat: The judge.
        server: A served judge in its place.
        several: What several reference answers of a query are.
        max_new_tokens: Length of a reply at most.
        batch_size: Answers between two saves.
        force: Start anew where the file was begun with other settings.

    Returns:
        ``answers``, ``new``, ``failed``, ``seconds``, ``answers_per_second``, ``without_answer``
        (queries with a reference whose answer is missing or failed: they are not judged), and what
        :func:`tabrag.evaluation.fastrageval_report.summarise` gives.

    Raises:
        UserError: A setting or a file is not usable, or there is nothing to judge.
    """
    rows = read_answers(answers)
    asked = [
        (query, references)
        for query in select_queries(data=DataFolder(data), split=split)
        if (references := reference_answers(query))
    ]
    given = [
        Judged(query.id, _question(query), references, rows[query.id]["answer"])
        for query, references in asked
        if "answer" in rows.get(query.id, {})
    ]
    if not given:
        raise UserError(
            f"{answers}: no answer to any query of split '{split}' of {data} that has a reference answer"
        )
    figures = judge_all(
        given, out, chat=chat, server=server, several=several, max_new_tokens=max_new_tokens,
        batch_size=batch_size, force=force,
    )  # fmt: skip
    return {**figures, "without_answer": len(asked) - len(given)}


def judge_all(
    given: Sequence[Judged],
    out: str | Path,
    *,
    chat: LocalChatConfig,
    server: ServerChatConfig | None,
    several: Several,
    max_new_tokens: int,
    batch_size: int,
    force: bool,
) -> dict[str, Any]:
    """:func:`judge_answers` for what is ``given``, without ``without_answer`` in its figures."""
    model = open_chat(chat, server)
    by_id = {one.id: _encodable(one) for one in given}

    def process(ids: list[str]) -> list[dict[str, Any]]:
        def judge(some: Sequence[str]) -> list[dict[str, Any]]:
            given = [by_id[one] for one in some]
            return judge_batch(given, model, several=several, max_new_tokens=max_new_tokens)

        return distributed.shared(judge, ids)

    def failed(query_id: str) -> dict[str, Any]:
        return {"query_id": query_id, "answer": by_id[query_id].prediction, "fault": "not_asked"}

    figures = run_job(
        out,
        {one.id: [one.question, list(one.references), one.prediction] for one in by_id.values()},
        lambda ids: rows_or_errors(ids, process, failed),
        settings={
            "chat": (chat if server is None else server).identity(),
            "prompt_version": VERSION,
            "several": several,
            "max_new_tokens": max_new_tokens,
        },
        batch_size=batch_size,
        force=force,
        description="judge",
        unit="answers",
    )
    return {
        "answers": figures["rows"],
        "new": figures["new"],
        "failed": figures["failed"],
        "seconds": figures["seconds"],
        "answers_per_second": figures["rows_per_second"],
        **summarise(list(read_jsonl(out))),
    }


def judge_batch(
    given: Sequence[Judged], model: ChatModel, *, several: Several, max_new_tokens: int
) -> list[dict[str, Any]]:
    """The rows of some answers, in their order; see :func:`judge_answers`.

    Raises:
        ServerUnavailable: The server is dead.
        UserError: The model does not take one of the prompts.
    """
    rows: dict[str, dict[str, Any]] = {}
    ask: list[Judged] = []
    for one in given:
        known = settled(one.references, one.prediction)
        if known is None:
            ask.append(one)
        else:
            rows[one.id] = _row(one, None, known, "")
    prompts = [judge_prompt(one.question, one.references, one.prediction, several=several) for one in ask]
    replies = (
        [one.text for one in model.generate_batch(prompts, max_new_tokens=max_new_tokens)] if prompts else []
    )
    faults: dict[str, JudgementError] = {}
    repairs: dict[str, Conversation] = {}
    for one, prompt, reply in zip(ask, prompts, replies, strict=True):
        found = _read(one, reply)
        if isinstance(found, Judgement):
            rows[one.id] = _row(one, reply, found, "code" if found.mended else "")
        else:
            faults[one.id], repairs[one.id] = found, repair_prompt(prompt, encodable(reply), str(found))
    first = dict(zip([one.id for one in ask], replies, strict=True))
    second = _replies(repairs, model, max_new_tokens)
    for one in ask:
        if one.id not in faults:
            continue
        said = second.get(one.id)
        found = faults[one.id] if said is None else _read(one, said)
        replied = first[one.id] if said is None else said
        if isinstance(found, Judgement):
            rows[one.id] = _row(one, replied, found, "model")
        else:
            rows[one.id] = _failed_row(one, replied, found)
        rows[one.id]["first_reply"] = encodable(first[one.id])
    return [rows[one.id] for one in given]


def _replies(prompts: Mapping[str, Conversation], model: ChatModel, max_new_tokens: int) -> dict[str, str]:
    """Replies by id, without those of prompts that the model does not take: with the first reply in it, a
    prompt may be too long."""
    ids = list(prompts)
    if not ids:
        return {}
    try:
        found = model.generate_batch([prompts[one] for one in ids], max_new_tokens=max_new_tokens)
    except ServerUnavailable:
        raise
    except UserError:
        if len(ids) == 1:
            return {}
        half = len(ids) // 2
        return {
            query_id: text
            for some in (ids[:half], ids[half:])
            for query_id, text in _replies({one: prompts[one] for one in some}, model, max_new_tokens).items()
        }
    return {query_id: reply.text for query_id, reply in zip(ids, found, strict=True)}


def _question(query: Query) -> str:
    """The question, behind the conversation that it belongs to."""
    before = [f"(before) {turn.question} {turn.answer}".rstrip() for turn in query.history]
    return "\n".join([*before, query.text])


def _encodable(one: Judged) -> Judged:
    """With texts that a request and a file can hold."""
    return Judged(
        one.id, encodable(one.question), tuple(map(encodable, one.references)), encodable(one.prediction)
    )


def _read(one: Judged, reply: str) -> Judgement | JudgementError:
    try:
        judgement = parse_judgement(reply)
        check_judgement(judgement, one.references, one.prediction)
    except JudgementError as error:
        return error
    return judgement


def _row(one: Judged, reply: str | None, judgement: Judgement, mended: str) -> dict[str, Any]:
    return {
        "query_id": one.id,
        "answer": one.prediction,
        "reply": None if reply is None else encodable(reply),
        **judgement_record(judgement),
        "mended": mended,
    }


def _failed_row(one: Judged, reply: str, fault: JudgementError) -> dict[str, Any]:
    return {
        "query_id": one.id,
        "answer": one.prediction,
        "reply": encodable(reply),
        "fault": fault.kind,
        "error": f"the judge's reply cannot be read: {fault}",
    }
