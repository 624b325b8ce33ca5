"""Which questions are asked of a publication, and which of them are the last turn of a conversation."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from tabrag.data.synthetic_documents.draft import Draft
from tabrag.data.synthetic_documents.material import Material
from tabrag.data.synthetic_documents.pages_questions import pages_questions
from tabrag.data.synthetic_documents.table_questions import table_questions
from tabrag.data.synthetic_documents.text_questions import (
    both_questions,
    chart_questions,
    none_questions,
    text_questions,
)
from tabrag.types import GoldEvidence, Query, Turn

REPORT_QUOTA = {"text": 3, "table": 3, "both": 2, "pages": 2, "chart": 2, "none": 1}
DECK_QUOTA = {"text": 2, "table": 2, "both": 2, "pages": 2, "chart": 2, "none": 1}
"""Kind -> questions a publication."""
_TALK_SHARE = 0.12
_MAX_TRIES = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question.

    Attributes:
        query: The question, perhaps the last turn of a conversation.
        document: The publication that it asks about.
        evidence: What it rests on.
        alone: Of the last turn of a conversation: its wording by itself.
    """

    query: Query
    document: str
    evidence: GoldEvidence
    alone: str = ""


def ask(material: Material, others: Sequence[Material], seed: int, asked: set[str]) -> list[Asked]:
    """The questions of a publication.

    Args:
        material: The publication.
        others: All publications of its group.
        seed: The same one gives the same questions.
        asked: Texts of questions, which are not asked again; grows.
    """
    rng = random.Random(f"tabrag synthetic documents questions/{seed}/{material.id}")
    quota = DECK_QUOTA if material.story.is_deck else REPORT_QUOTA
    makers: Mapping[str, Iterator[Draft]] = {
        "text": text_questions(material, rng),
        "table": table_questions(material, rng),
        "both": both_questions(material, rng),
        "pages": pages_questions(material, rng),
        "chart": chart_questions(material, rng),
        "none": none_questions(material, others, rng),
    }
    drafts: list[Draft] = []
    templates: set[str] = set()
    for kind, count in quota.items():
        wanted = len(drafts) + count
        for draft in islice(makers[kind], _MAX_TRIES):
            if draft.template not in templates and not _repeats(draft, drafts):
                templates.add(draft.template)
                drafts.append(draft)
            if len(drafts) == wanted:
                break
    found: list[Asked] = []
    for draft in drafts:
        text = draft.text(material, rng)
        if text not in asked:
            asked.add(text)
            found.append(_asked(draft, text, drafts, material, len(found) + 1, rng))
    return found


def _repeats(draft: Draft, drafts: Sequence[Draft]) -> bool:
    """Whether a question on the same facts is there."""
    return bool(draft.facts) and any(other.facts == draft.facts for other in drafts)


def _asked(
    draft: Draft, text: str, drafts: Sequence[Draft], material: Material, number: int, rng: random.Random
) -> Asked:
    stem = material.id.rpartition(".")[0]
    query = Query(
        id=f"{stem}-{material.id.rpartition('.')[2]}-q{number:02d}", text=text, answers=[draft.answer]
    )
    query.evidence = draft.kind
    facts = [replace(fact, document=material.id) for fact in draft.facts]
    evidence = GoldEvidence(query_id=query.id, facts=facts)
    openers = [
        one
        for one in drafts
        if one is not draft and one.kind in ("text", "table") and "{when}" in one.template
    ]
    if rng.random() < _TALK_SHARE and openers and "{when}" in draft.template:
        opener = rng.choice(openers)
        query.history = [Turn(question=opener.text(material, rng), answer=opener.answer)]
        query.text = draft.follow_up(rng)
        return Asked(query=query, document=material.id, evidence=evidence, alone=text)
    return Asked(query=query, document=material.id, evidence=evidence)
