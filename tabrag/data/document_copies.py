"""Documents that hold largely the same text, however their source writes it.

A document is known by its runs of :data:`RUN` words that hold a number: case, punctuation and spaces do not
count, so that a page with split-off punctuation equals the printed one, and text without numbers does not
either, as a company repeats it year after year. Of the runs only those that begin with certain words are
kept, one word in :data:`SAMPLE`, chosen by a hash (the sampling of Broder, "On the resemblance and
containment of documents", 1997). Runs that more than :data:`MAX_HOLDERS` parts hold do not count, such as a
passage that many tables link to.
"""

from __future__ import annotations

import hashlib
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, combinations

import numpy as np

RUN = 8
"""Words in a run."""
SAMPLE = 8
"""One word in so many begins runs that are kept."""
MAX_HOLDERS = 20
"""Runs of more parts than this do not count."""
MIN_SHARED = 4
"""Copies share at least so many of the kept runs."""


class Runs:
    """The runs of parts of documents (pages, or whole ones), added one at a time; 12 bytes a kept run."""

    def __init__(self) -> None:
        self._hashes, self._rows = array("Q"), array("I")
        self._begins: dict[str, bool] = {}

    def add(self, row: int, texts: Iterable[Sequence[str]]) -> None:
        """Add a part.

        Args:
            row: Its number.
            texts: The words of its texts; runs go on from one into the next, so that it does not matter how
                a source cuts a text into paragraphs or cells.
        """
        words = [word for text in texts for word in text]
        numbers = list(accumulate((word[0].isdigit() for word in words), initial=0))
        runs = {
            _hash(" ".join(words[place : place + RUN]))
            for place in range(len(words) - RUN + 1)
            if numbers[place + RUN] > numbers[place] and self._begins_run(words[place])
        }
        self._hashes.extend(runs)
        self._rows.extend([row] * len(runs))

    def copies(self, min_share: float) -> Iterator[tuple[int, int, float]]:
        """Pairs of parts ``(row, later row, share)`` that have much in common, in order.

        Args:
            min_share: They share at least this part of the kept runs of the shorter one, 0..1.
        """
        hashes, rows = np.array(self._hashes), np.array(self._rows)
        order = np.lexsort((rows, hashes))
        hashes, rows = hashes[order], rows[order]
        starts = np.flatnonzero(np.r_[True, hashes[1:] != hashes[:-1]]) if len(hashes) else np.array([], int)
        ends = np.r_[starts[1:], len(hashes)] if len(hashes) else starts
        sizes: Counter[int] = Counter()
        shared: Counter[tuple[int, int]] = Counter()
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            if end - start <= MAX_HOLDERS:
                holders = rows[start:end].tolist()
                sizes.update(holders)
                shared.update(combinations(holders, 2))
        for (first, second), count in sorted(shared.items()):
            share = count / min(sizes[first], sizes[second])
            if count >= MIN_SHARED and share >= min_share:
                yield first, second, share

    def _begins_run(self, word: str) -> bool:
        begins = self._begins.get(word)
        if begins is None:
            begins = self._begins[word] = _hash(word) % SAMPLE == 0
        return begins


class Groups:
    """Sets that are joined by pairs of members (union-find)."""

    def __init__(self) -> None:
        self._parent: dict[str, str] = {}

    def join(self, first: str, second: str) -> None:
        """Put both and their groups into one group."""
        roots = sorted((self.of(first), self.of(second)))
        self._parent[roots[1]] = roots[0]

    def of(self, member: str) -> str:
        """The name of a member's group: the smallest of its members."""
        root = member
        while (parent := self._parent.get(root, root)) != root:
            root = parent
        while (parent := self._parent.get(member, member)) != root:
            self._parent[member] = root
            member = parent
        return root


def _hash(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")
