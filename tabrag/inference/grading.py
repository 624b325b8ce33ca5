"""Grades from 0 to 1 of candidates by a chat model, and their mean with the score before.

MHier-RAG (Gong et al., arXiv 2508.00579, section 3.3): each page is graded alone, and its final score is
``0.7 x grade + 0.3 x cosine``. Where the score before is a cosine it counts as it is, from 0 on. Scores of
BM25, of fused rankings and of other stages are no cosines: they count by where they lie between the least and
the best score of the query's graded candidates.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Literal

from tabrag.chat.grading import (
    LETTERS,
    expected_grade,
    json_prompt,
    letter_prompt,
    read_grade,
    repair_prompt,
)
from tabrag.chat.protocol import ChatModel
from tabrag.documents.whole import Item
from tabrag.inference.show_items import ItemShower
from tabrag.types import Candidate

logger = logging.getLogger(__name__)

STAGE = "graded"
_COSINE_STAGE = "dense"
_ROUNDING = 1e-3
"""How far a cosine may lie beyond 1 in half precision."""


def grade_pairs(
    pairs: Sequence[tuple[str, Item]],
    chat: ChatModel,
    shower: ItemShower,
    *,
    by: Literal["score", "generate"],
    max_new_tokens: int,
) -> list[float | None]:
    """The grade of each (question, item), 0..1.

    Args:
        pairs: Questions with tables, documents or parts.
        chat: The model.
        shower: What it sees of an item.
        by: ``score``: the mean under the probabilities of the grades, one forward pass; ``generate``: what
            the model says behind its reasons. A reply without a grade is asked for once more.
        max_new_tokens: Length of a reply of ``generate`` at most.

    Returns:
        The grades; None where a model says none.

    Raises:
        UserError: A picture is to be shown and is not there.
    """
    shown = [shower(item, question) for question, item in pairs]
    if not pairs:
        return []
    if by == "score":
        prompts = [letter_prompt(question, one) for (question, _), one in zip(pairs, shown, strict=True)]
        return [expected_grade(scores) for scores in chat.score_batch(prompts, LETTERS)]
    prompts = [json_prompt(question, one) for (question, _), one in zip(pairs, shown, strict=True)]
    said = [reply.text for reply in chat.generate_batch(prompts, max_new_tokens=max_new_tokens)]
    grades = [read_grade(reply) for reply in said]
    rows = [row for row, grade in enumerate(grades) if grade is None]
    if rows:
        again = [repair_prompt(prompts[row], said[row]) for row in rows]
        for row, reply in zip(rows, chat.generate_batch(again, max_new_tokens=max_new_tokens), strict=True):
            grades[row] = read_grade(reply.text)
    missing = sum(grade is None for grade in grades)
    if missing:
        logger.warning("%d of %d replies hold no grade: their score before stays", missing, len(grades))
    return grades


def graded(
    candidates: Sequence[Candidate], grades: Sequence[float | None], *, model_weight: float
) -> list[Candidate]:
    """Candidates by ``model_weight x grade + (1 - model_weight) x score before``, the best first.

    A candidate without a grade has its score before alone. Equal ones keep their order.

    Args:
        candidates: Those of one query that were graded.
        grades: Their grades, 0..1.
        model_weight: What a grade counts, 0..1.
    """
    before = scores_before(candidates)
    scores = [
        score if grade is None else model_weight * grade + (1 - model_weight) * score
        for grade, score in zip(grades, before, strict=True)
    ]
    order = sorted(range(len(candidates)), key=lambda place: (-scores[place], place))
    return [Candidate(item_id=candidates[place].item_id, score=scores[place], stage=STAGE) for place in order]


def scores_before(candidates: Sequence[Candidate]) -> list[float]:
    """The scores of a query's candidates as numbers in 0..1.

    Cosines (stage ``dense``, none beyond 1) are cut at 0. Others become 0 for the least and 1 for the best of
    them; 1 where all are equal.
    """
    scores = [candidate.score for candidate in candidates]
    is_cosine = all(
        candidate.stage == _COSINE_STAGE and abs(candidate.score) <= 1 + _ROUNDING for candidate in candidates
    )
    if is_cosine:
        return [min(max(score, 0.0), 1.0) for score in scores]
    least, best = min(scores), max(scores)
    return [(score - least) / (best - least) if best > least else 1.0 for score in scores]
