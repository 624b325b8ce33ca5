"""Things that happened: one sentence of a text says them, a question asks for one word or number of it."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

from tabrag.data.synthetic_documents.company import Company
from tabrag.data.synthetic_documents.drawing import draw_slots


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """A kind of event.

    Attributes:
        key: Its name.
        place: Which chapter tells it: ``operations``, ``people``, ``finance``, ``market``, ``technology``,
            ``sustainability`` or ``governance``.
        signs: Words without which nobody can tell it; a document without them does not say it.
        slots: Name -> what is drawn for it, see :mod:`tabrag.data.synthetic_documents.drawing`.
        sentences: Ways to tell it.
        questions: Ways to ask for ``answer``; ``{c}`` is the company, ``{when}`` the publication.
        answer: The slot that is asked for.
        about: ``segment`` or ``country`` where it happened to one, which ``{s}`` of a sentence names.
        names: Ways to speak of that segment or country without naming it.
    """

    key: str
    place: str
    signs: tuple[str, ...]
    slots: dict[str, object]
    sentences: tuple[str, ...]
    questions: tuple[str, ...] = ()
    answer: str = ""
    about: str = ""
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One event of a company in a year.

    Attributes:
        family: Its kind.
        slots: What was drawn.
        sentence: As the text tells it.
        subject: Label of the segment or country that it is about, or "".
    """

    family: Family
    slots: dict[str, str]
    sentence: str
    subject: str = ""

    @property
    def answer(self) -> str:
        return self.slots[self.family.answer]

    def names(self) -> list[str]:
        """Ways to speak of its subject without naming it."""
        return [name.format_map(self.slots) for name in self.family.names]


def make_events(
    company: Company,
    year: int,
    families: Sequence[Family],
    rng: random.Random,
    *,
    subjects: dict[str, Sequence[str]],
) -> list[Event]:
    """One event of each family; no two are about the same segment or country, as far as there are enough.

    Args:
        company: Whose events.
        year: Their year.
        families: Their kinds.
        rng: Source of choices.
        subjects: ``segment`` and ``country`` -> labels that events may be about.
    """
    free = {about: rng.sample(list(labels), len(labels)) for about, labels in subjects.items()}
    used: set[str] = set()
    events = []
    for family in families:
        slots = draw_slots(family.slots, company, year, rng, used)
        subject = ""
        if family.about:
            if not free[family.about]:
                continue
            subject = free[family.about].pop()
        sentence = rng.choice(family.sentences).format_map({**slots, "s": subject})
        events.append(Event(family=family, slots=slots, sentence=_tidy(sentence), subject=subject))
    return events


def tells(text: str, family: Family) -> bool:
    """Whether a text may tell an event of the family: one of its signs stands in it."""
    lowered = text.lower()
    signs = [sign.lower() for sign in family.signs]
    # Most stand nowhere, which a plain search tells many times faster than a pattern.
    return any(sign in lowered and re.search(rf"\b{re.escape(sign)}", lowered) for sign in signs)


def _tidy(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
