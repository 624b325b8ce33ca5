"""A question on one publication before it has an id, with what it rests on."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

from tabrag.data.synthetic_documents.material import Material
from tabrag.types import Fact

NOT_ANSWERABLE = "Not answerable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """One question.

    Attributes:
        kind: Where its answer stands, see :attr:`tabrag.types.Query.evidence`.
        template: Its text; ``{c}`` is the company and ``{when}`` the publication.
        answer: What is true.
        facts: What it rests on; their documents are still empty.
    """

    kind: str
    template: str
    answer: str
    facts: tuple[Fact, ...] = ()

    def text(self, material: Material, rng: random.Random) -> str:
        """The question by itself: it names the company and the publication."""
        company = material.story.company
        names = (
            (company.name, company.alias) if company.is_arm else (company.name, f"the {company.alias} group")
        )
        return self._filled(rng.choice(names), rng.choice(material.when))

    def follow_up(self, rng: random.Random) -> str:
        """The question after another one on the same publication."""
        return self._filled(rng.choice(("the company", "the group")), "")

    def _filled(self, company: str, when: str) -> str:
        text = self.template.replace("{c}", company).replace("{when}", when)
        return text[:1].upper() + text[1:]


def says(text: str, answer: str) -> bool:
    """Whether a text holds an answer as words of its own."""
    return re.search(rf"(?<![\w.,]){re.escape(answer)}(?![\w%]|[.,]\d)", text) is not None
