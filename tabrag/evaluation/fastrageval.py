"""FastRAGEval: one reply of a judge gives the facts of the reference and of the answer, each with a flag.

Bhathena et al., "MM-BizRAG" (arXiv 2606.04231, ACL 2026 Industry). The judge lists the facts of the
reference, each ``covered`` by the answer or not, and those of the answer, each ``supported`` by the reference
or not:

    {"ref_facts": [{"fact": "...", "covered": true}], "pred_facts": [{"fact": "...", "supported": false}]}

Figures are computed here, never by the judge:

==========  ==========================================================================================
recall      covered facts / facts of the reference; 1 where the reference has none
precision   supported facts / facts of the answer; 0 where the answer has none
F1          2 x precision x recall / (precision + recall); 0 where both are 0
==========  ==========================================================================================

A reply is read strictly. What is only written badly is mended by one fixed rule
(:mod:`tabrag.evaluation.loose_json`); what may mean something else is a fault: a flag that is no boolean, a
missing list, a reply that is cut off, a fact with both flags. A fault is no score: it is told, and counted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tabrag.chat.judge import EXAMPLE_REPLY
from tabrag.chat.thoughts import without_thoughts
from tabrag.evaluation.answer_refusals import is_refusal
from tabrag.evaluation.answer_replies import final_answer
from tabrag.evaluation.loose_json import LooseJsonError, find_objects, read_strict
from tabrag.files import encodable

REF_FACTS, PRED_FACTS = "ref_facts", "pred_facts"
FLAGS = {REF_FACTS: "covered", PRED_FACTS: "supported"}
MAX_CHARACTERS = 200_000
"""Of a reply; a longer one is not read."""
_LISTS = re.compile(f"{REF_FACTS}|{PRED_FACTS}")
_MAX_INSIDE = 64
_RUNS_ON = re.compile(r"[\"'“”‘’](?:covered|supported)[\"'“”‘’]\s*:")


@dataclass(frozen=True, slots=True)
class JudgedFact:
    """A fact, and whether it is covered (one of the reference) or supported (one of the answer)."""

    text: str
    holds: bool


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a judge said of one answer.

    Attributes:
        ref_facts: Facts of the reference, each once.
        pred_facts: Facts of the answer, each once.
        mended: Whether the reply was not the JSON object alone, strictly written.
    """

    ref_facts: tuple[JudgedFact, ...]
    pred_facts: tuple[JudgedFact, ...]
    mended: bool = False


@dataclass(frozen=True, slots=True)
class FactScores:
    """Exact shares, 0..1."""

    precision: Fraction
    recall: Fraction
    f1: Fraction


class JudgementError(ValueError):
    """Why a reply is no judgement.

    Attributes:
        kind: ``empty``, ``too_long``, ``no_object``, ``several``, ``syntax``, ``cut_off``, ``repeated_key``,
            ``missing_list``, ``no_list``, ``fact``, ``flag``, ``contradiction``; of a reply that does not fit
            what was judged: ``no_ref_facts``, ``not_empty``, ``copied``.
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def score(judgement: Judgement) -> FactScores:
    """Precision, recall and F1; the table of this module says what they are."""
    recall = _share(judgement.ref_facts, of_none=1)
    precision = _share(judgement.pred_facts, of_none=0)
    both = precision + recall
    return FactScores(precision, recall, 2 * precision * recall / both if both else Fraction(0))


def _share(facts: Sequence[JudgedFact], *, of_none: int) -> Fraction:
    return Fraction(sum(fact.holds for fact in facts), len(facts)) if facts else Fraction(of_none)


def parse_judgement(reply: str) -> Judgement:
    """Read a judge's reply.

    Thoughts, a code fence and other text around the object go. Keys besides the known
    ones are passed over. A fact that stands twice in a list counts once.

    Raises:
        JudgementError: It says nothing, or nothing certain.
    """
    if not reply.strip():
        raise JudgementError("empty", "the reply is empty")
    if len(reply) > MAX_CHARACTERS:
        raise JudgementError("too_long", f"the reply has {len(reply)} characters, {MAX_CHARACTERS} at most")
    try:
        value = read_strict(reply)
    except LooseJsonError as error:
        raise JudgementError(error.kind, str(error)) from error
    except ValueError:
        value = None
    if isinstance(value, dict):
        return _judgement(value, mended=False)
    return _judgement(_object_in(reply), mended=True)


def check_judgement(judgement: Judgement, references: Sequence[str], prediction: str) -> None:
    """Raise where a judgement cannot be one of this reference and this answer.

    A judge that lists nothing would give full recall to anything; one that repeats an object that stands in
    the answer lets the answer judge itself; one that repeats the prompt's example judges that.

    Args:
        judgement: What was read.
        references: Reference answers.
        prediction: The answer.

    Raises:
        JudgementError: See :class:`JudgementError`.
    """
    if not judgement.ref_facts and any(one.strip() for one in references):
        raise JudgementError("no_ref_facts", f'"{REF_FACTS}" is empty, but the reference says something')
    if not prediction.strip() and (judgement.pred_facts or any(fact.holds for fact in judgement.ref_facts)):
        raise JudgementError(
            "not_empty", f'the answer is empty, so "{PRED_FACTS}" must be empty and no fact is covered'
        )
    example = {fact.text for fact in parse_judgement(EXAMPLE_REPLY).ref_facts}
    if any(fact.text in example for fact in judgement.ref_facts):
        raise JudgementError("copied", "the reply repeats the example: judge the reference and the answer")
    said = set(judgement.ref_facts), set(judgement.pred_facts)
    if any((set(one.ref_facts), set(one.pred_facts)) == said for one in _judgements_in(prediction)):
        raise JudgementError("copied", "the reply repeats what stands inside the answer: judge the answer")


def _judgements_in(text: str) -> list[Judgement]:
    """All judgements that a text holds, inside of other objects too."""
    starts = {text.rfind("{", 0, found.start()) for found in _LISTS.finditer(text)} - {-1}
    judgements: list[Judgement] = []
    for start in sorted(starts)[:_MAX_INSIDE]:
        for value in find_objects(text[start:]).objects:
            with suppress(JudgementError):
                judgements.append(_judgement(value, mended=True))
    return judgements


def settled(references: Sequence[str], prediction: str) -> Judgement | None:
    """The judgement of an answer that needs no judge: both sides say that there is no answer, in words of
    :func:`tabrag.evaluation.answer_refusals.is_refusal`. None for all others.

    The one fact of either side is that there is none, so that precision, recall and F1 are 1.
    """
    if not (references and all(map(is_refusal, references)) and is_refusal(final_answer(prediction))):
        return None
    fact = (JudgedFact("The question cannot be answered.", True),)
    return Judgement(fact, fact)


def judgement_record(judgement: Judgement) -> dict[str, Any]:
    """The lists of facts in the form that the judge is asked for, and the figures as numbers."""
    figures = score(judgement)
    return {
        **{
            name: [{"fact": fact.text, FLAGS[name]: fact.holds} for fact in getattr(judgement, name)]
            for name in FLAGS
        },
        "precision": float(figures.precision),
        "recall": float(figures.recall),
        "f1": float(figures.f1),
    }


def judgement_from_record(record: Mapping[str, Any]) -> Judgement:
    """The judgement of an object with both lists.

    Raises:
        JudgementError: It is not of that form.
    """
    return _judgement(record, mended=False)


def _object_in(reply: str) -> dict[str, Any]:
    """The one object of a reply that holds lists of facts."""
    text = without_thoughts(reply)
    if not text.strip():
        raise JudgementError("cut_off", "the reply ends before it comes to an object")
    found = find_objects(text)
    named = [one for one in found.objects if any(name in one for name in FLAGS)]
    if found.fault is not None and (not named or any(name in found.rest for name in FLAGS)):
        raise JudgementError(found.fault.kind, str(found.fault)) from found.fault
    if any(one != named[0] for one in named):
        raise JudgementError("several", "there are several objects that differ")
    if named:
        return named[0]
    if found.objects:
        raise _missing(found.objects[0], REF_FACTS)
    raise JudgementError("no_object", "there is no JSON object in the reply")


def _judgement(value: Mapping[str, Any], *, mended: bool) -> Judgement:
    lists = {}
    for name, flag in FLAGS.items():
        if name not in value:
            raise _missing(value, name)
        if not isinstance(value[name], list):
            raise JudgementError("no_list", f'"{name}" must be a list, not {_kind(value[name])}')
        lists[name] = _facts(value[name], name, flag)
    if mended and any(_RUNS_ON.search(fact.text) for facts in lists.values() for fact in facts):
        raise JudgementError("syntax", "the quotes are such that one fact runs into the next")
    return Judgement(lists[REF_FACTS], lists[PRED_FACTS], mended)


def _facts(rows: Sequence[Any], name: str, flag: str) -> tuple[JudgedFact, ...]:
    facts: dict[str, JudgedFact] = {}
    for number, row in enumerate(rows, start=1):
        where = f'entry {number} of "{name}"'
        text = row.get("fact") if isinstance(row, dict) else None
        if not isinstance(text, str) or not text.strip():
            raise JudgementError("fact", f'{where} must be an object with a text that is not blank as "fact"')
        holds = row.get(flag)
        if not isinstance(holds, bool):
            raise JudgementError("flag", f'{where}: "{flag}" must be true or false, not {_kind(holds)}')
        fact = JudgedFact(encodable(" ".join(text.split())), holds)
        known = facts.setdefault(fact.text.casefold().rstrip(" ."), fact)
        if known.holds != holds:
            raise JudgementError("contradiction", f'{where} stands twice, with "{flag}" true and false')
    return tuple(facts.values())


def _missing(value: Mapping[str, Any], name: str) -> JudgementError:
    keys = ", ".join(f'"{str(key)[:40]}"' for key in list(value)[:6])
    return JudgementError("missing_list", f'the list "{name}" is missing; the keys are {keys or "none"}')


def _kind(value: Any) -> str:
    if value is None:
        return "absent or null"
    names = {bool: "a boolean", str: f"the text {str(value)[:20]!r}", list: "a list", dict: "an object"}
    return names.get(type(value), "a number")
