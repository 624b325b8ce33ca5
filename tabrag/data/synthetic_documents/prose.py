"""Running text of reports and decks: what every company says, with what happened in this one among it."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

from tabrag.data.synthetic_documents.prose_words import CHAPTERS
from tabrag.data.synthetic_documents.story import Paragraph


class Prose:
    """Gives sentences of a chapter; none twice in one document.

    Args:
        rng: Source of choices.
        slots: What stands in the gaps of the sentences.
    """

    def __init__(self, rng: random.Random, slots: dict[str, str]) -> None:
        self.rng = rng
        self.slots = slots
        self._left = {name: rng.sample(sentences, len(sentences)) for name, sentences in CHAPTERS.items()}

    def sentences(self, chapter: str, count: int) -> list[str]:
        """Up to ``count`` sentences of a chapter that were not given yet."""
        left = self._left[chapter]
        given, self._left[chapter] = left[:count], left[count:]
        return [sentence.format_map(self.slots) for sentence in given]

    def paragraphs(self, chapter: str, count: int, told: Iterable[str] = ()) -> list[Paragraph]:
        """Paragraphs of a chapter with the sentences ``told`` spread over them, one or two in each."""
        waiting = list(told)
        found: list[Paragraph] = []
        for number in range(count):
            texts = self.sentences(chapter, self.rng.randint(3, 5))
            share = -(-len(waiting) // (count - number))
            for sentence in waiting[:share]:
                texts.insert(self.rng.randint(min(1, len(texts)), len(texts)), sentence)
            waiting = waiting[share:]
            if texts:
                found.append(Paragraph(" ".join(texts)))
        if waiting:
            found.append(Paragraph(" ".join(waiting)))
        return found

    def points(self, chapter: str, count: int, told: Sequence[str] = ()) -> tuple[str, ...]:
        """Points of a slide: those told, and sentences of the chapter, in any order."""
        texts = [*told, *self.sentences(chapter, count)]
        self.rng.shuffle(texts)
        return tuple(texts)


def change(now: int, before: int) -> str:
    """How a number developed, in words: "rose by 4.2 per cent"."""
    percent = 100 * (now - before) / before
    if abs(percent) < 0.05:
        return "stayed where it was"
    return f"{'rose' if percent > 0 else 'fell'} by {abs(percent):.1f} per cent"
