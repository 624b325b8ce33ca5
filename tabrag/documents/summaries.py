"""Summaries of groups of texts without a model: their most central sentences.

Sentences are chosen as in maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998): near to the whole
group, and unlike those chosen before.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tabrag.documents.sentences import split_sentences
from tabrag.tables.lexical import words
from tabrag.tables.token_estimate import estimate_tokens

_ENDS = re.compile(r"[.!?。！？][\"'”’»」』）)\]]*$")
_FIGURE = re.compile(r"\d")
_NOVELTY = 0.6
"""Weight of being unlike the chosen sentences, against being near to the group."""
_DETAIL = 3.0
"""How much more a sentence with a figure counts: a summary is to hold key details."""
_HEADING = 0.3
"""How much of its nearness a heading keeps: it tells the subject, but nothing of it."""


@dataclass(frozen=True, slots=True)
class Group:
    """Texts that belong together.

    Attributes:
        texts: In reading order.
        vectors: Their vectors, [N, E].
    """

    texts: tuple[str, ...]
    vectors: np.ndarray


Summarise = Callable[[Sequence[Group]], list[str]]
"""From the groups of one layer to their summaries, in the same order."""


class CentralSentences:
    """Summaries of the groups of one document.

    A sentence counts by its words: its cosine to the sum of the group's sentences, words weighted by how few
    of the document's texts have them; by its text: the cosine of that to the middle of the group; and by
    whether it has a figure and is no heading.

    Args:
        texts: All texts of the document, which tell how rare a word is.
        max_tokens: Estimated tokens of a summary at most; a single sentence that is longer is cut.
    """

    def __init__(self, texts: Iterable[str], *, max_tokens: int = 100) -> None:
        counts: Counter[str] = Counter()
        number = 0
        for text in texts:
            counts.update(set(words(text)))
            number += 1
        self._rarity = {word: math.log1p(number / count) for word, count in counts.items()}
        self._max_tokens = max_tokens
        self._known: dict[str, list[_Sentence]] = {}

    def __call__(self, groups: Sequence[Group]) -> list[str]:
        """One summary a group; empty where its texts are."""
        return [self._summary(group) for group in groups]

    def _summary(self, group: Group) -> str:
        sentences = self._sentences(group)
        if not sentences:
            return ""
        weights_SW, near_S = self._weigh(sentences, group)
        chosen: list[int] = []
        room = self._max_tokens
        likeness_S = np.zeros(len(sentences))
        open_S = np.array([sentence.size <= room for sentence in sentences])
        if not open_S.any():
            return _cut(sentences[int(near_S.argmax())].text, room)
        while open_S.any():
            worth_S = (1 - _NOVELTY) * near_S - _NOVELTY * likeness_S
            best = int(np.where(open_S, worth_S, -np.inf).argmax())
            chosen.append(best)
            room -= sentences[best].size
            likeness_S = np.maximum(likeness_S, weights_SW @ weights_SW[best])
            open_S &= np.array([sentence.size <= room for sentence in sentences])
            open_S[best] = False
        return _joined([sentences[place].text for place in sorted(chosen)])

    def _sentences(self, group: Group) -> list[_Sentence]:
        """The sentences of a group in reading order, each once."""
        found: dict[str, _Sentence] = {}
        for place, text in enumerate(group.texts):
            if text not in self._known:
                self._known[text] = [
                    _Sentence(sentence, 0, estimate_tokens(sentence), words(sentence))
                    for line in text.splitlines()
                    for sentence in split_sentences(line)
                ]
            for sentence in self._known[text]:
                found.setdefault(sentence.text, replace(sentence, place=place))
        return list(found.values())

    def _weigh(self, sentences: Sequence[_Sentence], group: Group) -> tuple[np.ndarray, np.ndarray]:
        """Word weights of each sentence, [S, W] of length 1, and how near each is to the group, [S]."""
        columns = {word: at for at, word in enumerate({w: None for s in sentences for w in s.words})}
        weights_SW = np.zeros((len(sentences), max(1, len(columns))))
        for row, sentence in enumerate(sentences):
            for word in sentence.words:
                weights_SW[row, columns[word]] += self._rarity.get(word, 1.0)
        weights_SW /= _lengths(weights_SW)
        by_words_S = weights_SW @ _unit(weights_SW.sum(axis=0))
        by_text_N = (group.vectors / _lengths(group.vectors)) @ _unit(group.vectors.sum(axis=0))
        places_S = np.array([sentence.place for sentence in sentences])
        told_S = np.array([_tells(sentence.text) for sentence in sentences])
        return weights_SW, told_S * by_words_S * np.maximum(by_text_N[places_S], 0.0)


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence with its words and the place of its text in the group."""

    text: str
    place: int
    size: int
    words: list[str]


def _tells(sentence: str) -> float:
    return (_DETAIL if _FIGURE.search(sentence) else 1.0) * (1.0 if _ENDS.search(sentence) else _HEADING)


def _lengths(vectors_NE: np.ndarray) -> np.ndarray:
    """Lengths [N, 1]; 1 for zeros."""
    lengths_N = np.linalg.norm(vectors_NE, axis=1, keepdims=True)
    return np.where(lengths_N == 0, 1.0, lengths_N)


def _unit(vector_E: np.ndarray) -> np.ndarray:
    return vector_E / (np.linalg.norm(vector_E) or 1.0)


def _joined(sentences: Iterable[str]) -> str:
    """Sentences in one line; what ends without a sign, as a heading does, ends its line."""
    ended = [text if _ENDS.search(text) else f"{text}\n" for text in sentences]
    return " ".join(ended).replace("\n ", "\n").strip()


def _cut(sentence: str, max_tokens: int) -> str:
    """The first words of a sentence that is too long."""
    kept: list[str] = []
    for word in sentence.split():
        if estimate_tokens(" ".join([*kept, word])) > max_tokens and kept:
            break
        kept.append(word)
    return " ".join(kept)
