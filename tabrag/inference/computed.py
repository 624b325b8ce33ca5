"""An answer that the calculator gives: its text, the cells of its numbers, and what to know of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tabrag.chat.formula import Formula
from tabrag.chat.formula_shape import shape_of
from tabrag.evaluation.answer_values import number, numbers_in
from tabrag.inference.number_cues import cues_of, present
from tabrag.inference.prompting import Said
from tabrag.inference.units import unit_at
from tabrag.inference.view import View
from tabrag.types import Cell, Evidence

_MAX_NAMED = 3


@dataclass(frozen=True, slots=True)
class ComputedAnswer:
    """What a formula gives.

    Attributes:
        answer: The answer, in the form that was asked for where the model had written one.
        formula: The formula; None where it is a single number, so that nothing was computed.
        evidence: The cells of its numbers, one entry a table that has some; without cells where none has.
        notes: For people: numbers that stand nowhere, another number that the model had said.
        all_found: Whether each of its numbers stands in a table.
    """

    answer: str
    formula: str | None
    evidence: list[Evidence]
    notes: list[str]
    all_found: bool


def computed_answer(
    said: Said, formula: Formula, question: str, views: Sequence[tuple[View, str | None]]
) -> ComputedAnswer:
    """The answer of a formula.

    Args:
        said: What the model said.
        formula: The formula that counts.
        question: The question, its instructions included.
        views: The tables, each with the path of its picture.
    """
    shape, cues = shape_of(formula), cues_of(question)
    cells: list[list[Cell]] = [[] for _ in views]
    missing = []
    for written in shape.operands:
        found = (view.locate(written, question, image=image).cells for view, image in views)
        place, first = next(((at, some[0]) for at, some in enumerate(found) if some), (-1, (0, 0)))
        if place < 0:
            missing.append(written)
        elif first not in cells[place]:
            cells[place].append(first)
    scale = "" if shape.is_share or missing else _scale(views, cells)
    text = present(formula, shape, cues, table_scale=scale)
    notes = [f"number not in the table: {written}" for written in missing[:_MAX_NAMED]]
    if scale and not cues.scale and not shape.rescaled:
        notes.append(f"unit left out: the table says {scale}")
    answer = _in_form(said, text)
    if said.value and not _same(said.value, text):
        notes.append(f"computed {text} by the formula, where the model said {said.value[:60]}")
    elif shape.is_number and said.value:
        answer = said.answer  # nothing was computed: the model's writing has the unit, too
    return ComputedAnswer(
        answer,
        None if shape.is_number else formula.text,
        _evidence(views, cells, question),
        notes,
        not missing,
    )


def _evidence(
    views: Sequence[tuple[View, str | None]], cells: Sequence[list[Cell]], question: str
) -> list[Evidence]:
    guesses = [view.locate("", question, image=image) for view, image in views]
    found = [
        view.evidence_of(some, image=image) for (view, image), some in zip(views, cells, strict=True) if some
    ]
    return found or guesses


def _scale(views: Sequence[tuple[View, str | None]], cells: Sequence[list[Cell]]) -> str:
    """The scale word that the table gives for all of the cells, or empty."""
    scales = {
        unit_at(view.table, cell).scale for (view, _), some in zip(views, cells, strict=True) for cell in some
    }
    return scales.pop() if len(scales) == 1 else ""


def _same(said: str, text: str) -> bool:
    """Whether the model's number is the computed one at as many decimals as it wrote; percent signs aside."""
    one, other = number(said), number(text)
    if one is None or other is None:
        return False
    decimals = re.search(r"\.(\d+)", said)
    half = 0.501 * 10.0 ** -(len(decimals[1]) if decimals else 0)
    shown = one.number / one.scale
    return any(abs(shown - value) <= half for value in (other.number, other.number / one.scale))


def _in_form(said: Said, text: str) -> str:
    """The computed number in place of the model's own in the form that was asked for."""
    if said.answer == said.value or not said.value:
        return text
    own = said.value if said.answer.count(said.value) == 1 else ""
    if not own:
        written = [one for one, _ in numbers_in(said.answer)]
        own = written[0] if len(written) == 1 else ""
    return said.answer.replace(own, text) if own else text
