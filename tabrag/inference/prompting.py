"""Ways to ask a chat model for a value: directly, in steps, by a program, by RECAP, or as reasoned JSON.

=========  ================================================================================================
prompting  what the model writes; what its answer is
=========  ================================================================================================
direct     the value
cot        steps in words; the value behind "Answer:"
pot        a program (:mod:`tabrag.chat.arithmetic_program`); its number or text
recap      five parts, a formula in them (:mod:`tabrag.chat.recap`); its value, or the model's answer
reasoned   JSON (:mod:`tabrag.chat.reasoned`): steps, the pages that the answer rests on, the answer
=========  ================================================================================================

RECAP's rule (Zhang et al., "Mixture-of-RAG", arXiv 2504.09554, has one by question type; this one is ours): a
question that asks for no number has the model's answer. One that asks for a number has the calculator's
value where a formula of the reply has one, and else the model's answer. What a question asks for is told by
its words (:mod:`tabrag.inference.number_cues`), else by the model's part Restate, else by whether its answer
is a number.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from tabrag.chat.arithmetic_program import run_program, without_program
from tabrag.chat.formula import Formula
from tabrag.chat.page_claims import PageClaim
from tabrag.chat.prompts import NOT_ANSWERABLE, Shown, answer_prompt
from tabrag.chat.prompts_reasoned import AnswerForm, reasoned_prompt
from tabrag.chat.prompts_reasoning import STOP, cot_prompt, pot_prompt, recap_prompt
from tabrag.chat.protocol import Message
from tabrag.chat.reasoned import ReasonedReply, answer_text, parse_reasoned
from tabrag.chat.recap import parse_recap
from tabrag.evaluation.answer_refusals import is_refusal
from tabrag.evaluation.answer_replies import final_answer
from tabrag.evaluation.answer_values import number
from tabrag.inference.answer_form import answer_form
from tabrag.inference.instructions import split_instructions
from tabrag.inference.number_cues import cues_of

_NO_NUMBER = frozenset({"n/a", "na", "none", "null", "nan", "unknown", "-", "–", "?"})
_YES_NO = re.compile(r"\W*(?:(yes|true)|(no|false))\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Said:
    """What a reply says.

    Attributes:
        answer: The model's own answer, in the form that was asked for, if any.
        value: The value in it.
        formula: What the calculator computes in place of the value; None where the model's answer counts.
        pages: The pages that it claims; None where it was not asked for any.
        notes: What people should know of it.
    """

    answer: str
    value: str
    formula: Formula | None = None
    pages: tuple[PageClaim, ...] | None = None
    notes: tuple[str, ...] = ()


class Prompting(Protocol):
    """One way to ask."""

    is_short: bool
    """Whether the reply is the value alone."""

    def stop(self, *, instruction: str) -> tuple[str, ...]:
        """Where a reply ends at the latest."""
        ...

    def prompt(
        self, question: str, shown: Sequence[Shown], *, instruction: str, has_pages: bool = False
    ) -> list[Message]:
        """What the model is asked.

        Args:
            question: The question without its instructions.
            shown: What is shown.
            instruction: These, or empty.
            has_pages: Whether pages are marked in what is shown.
        """
        ...

    def read(self, reply: str, question: str, *, instruction: str) -> Said:
        """What it said.

        Args:
            reply: The reply.
            question: The question, its instructions included: they may ask for decimals.
            instruction: These alone.
        """
        ...


class Direct:
    """The value, or the form that the question asks for, without steps before it."""

    is_short = True

    def stop(self, *, instruction: str) -> tuple[str, ...]:
        return () if instruction else ("\n",)

    def prompt(
        self, question: str, shown: Sequence[Shown], *, instruction: str, has_pages: bool = False
    ) -> list[Message]:
        return answer_prompt(question, shown, instruction=instruction)

    def read(self, reply: str, question: str, *, instruction: str) -> Said:
        return Said(reply, final_answer(reply) if instruction else reply)


class ChainOfThought:
    """Steps in words, then ``Answer: value``."""

    is_short = False

    def stop(self, *, instruction: str) -> tuple[str, ...]:
        return STOP

    def prompt(
        self, question: str, shown: Sequence[Shown], *, instruction: str, has_pages: bool = False
    ) -> list[Message]:
        return cot_prompt(question, shown, instruction=instruction)

    def read(self, reply: str, question: str, *, instruction: str) -> Said:
        return _said(final_answer(reply), instruction)


class ProgramOfThought:
    """Assignments that are computed here; a form that the question asks for is left out."""

    is_short = False

    def stop(self, *, instruction: str) -> tuple[str, ...]:
        return STOP

    def prompt(
        self, question: str, shown: Sequence[Shown], *, instruction: str, has_pages: bool = False
    ) -> list[Message]:
        return pot_prompt(question, shown)

    def read(self, reply: str, question: str, *, instruction: str) -> Said:
        result = run_program(reply)
        if result is None:
            return _said(final_answer(without_program(reply)), "")
        if result.text is not None:
            return _said(result.text, "")
        return Said("", "", result.formula)


class Recap:
    """Five parts; the module says when the calculator's value takes the place of the model's answer."""

    is_short = False

    def stop(self, *, instruction: str) -> tuple[str, ...]:
        return STOP

    def prompt(
        self, question: str, shown: Sequence[Shown], *, instruction: str, has_pages: bool = False
    ) -> list[Message]:
        return recap_prompt(question, shown, instruction=instruction)

    def read(self, reply: str, question: str, *, instruction: str) -> Said:
        found = parse_recap(reply)
        own = found.parts["answer"] or found.parts["present"] or final_answer(reply)
        said = _said(own, "")
        if instruction and found.parts["present"]:
            said = Said(found.parts["present"], said.value)
        asks = cues_of(question).is_numeric
        if asks is None:
            asks = found.is_numeric
        if asks is None:
            asks = number(said.value) is not None
        if not asks or is_refusal(said.value):
            return said
        return Said(said.answer, said.value, found.formula)


class Reasoned:
    """JSON with the answer in the form that fits the question, and the pages that it rests on."""

    is_short = False

    def stop(self, *, instruction: str) -> tuple[str, ...]:
        return STOP[:1]

    def prompt(
        self, question: str, shown: Sequence[Shown], *, instruction: str, has_pages: bool = False
    ) -> list[Message]:
        return reasoned_prompt(
            question, shown, form=answer_form(question), has_pages=has_pages, instruction=instruction
        )

    def read(self, reply: str, question: str, *, instruction: str) -> Said:
        found = parse_reasoned(reply)
        if found.has_answer:
            said = _answered(found, answer_form(split_instructions(question)[0]), instruction)
            notes = ("the reply was cut off",) if found.is_cut else ()
        elif found.is_cut:
            said, notes = Said("", ""), ("the reply was cut off before its answer",)
        else:
            said, notes = _said(final_answer(reply), instruction), ("the reply was not in the asked form",)
        return replace(said, pages=found.pages, notes=notes)


PROMPTINGS: dict[str, Prompting] = {
    "direct": Direct(),
    "cot": ChainOfThought(),
    "pot": ProgramOfThought(),
    "recap": Recap(),
    "reasoned": Reasoned(),
}


def _said(text: str, instruction: str) -> Said:
    """An answer of one line, or of several where it has a form of its own."""
    text = text.strip()
    value = final_answer(text).strip().partition("\n")[0].strip(" *_`")
    return Said(text if instruction else value, value)


def _answered(found: ReasonedReply, form: AnswerForm, instruction: str) -> Said:
    """The answer of a reply in JSON: nothing, or no number where one is due, says that there is none."""
    text = answer_text(found.answer)
    if not text or (form in ("integer", "number") and text.casefold() in _NO_NUMBER):
        text = NOT_ANSWERABLE
    if instruction:
        asked = json.dumps(found.answer, ensure_ascii=False) if isinstance(found.answer, dict) else text
        return Said(asked, final_answer(text))
    decided = _YES_NO.match(text) if form == "yes_no" else None
    if decided is not None:
        text = "Yes" if decided[1] else "No"
    return Said(text, text)
