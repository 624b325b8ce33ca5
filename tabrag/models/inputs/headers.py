"""A question and the headers of one axis of a table to token ids: ``[CLS] question [SEP] headers [SEP]``.

THoRR (Kim et al., 2024): the refiner reads the row headers and the column headers in one pass each, and a
header is known by one of its tokens. Headers stand apart by ``|``, the levels of a path by ``>``.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from tabrag.models.inputs.kept import KeptIds
from tabrag.models.inputs.tokens import Tokenization, Tokens
from tabrag.tables.axes import Axis, AxisHeader, axis_headers, named_cells
from tabrag.tables.lexical import best, path_scores
from tabrag.types import Grid

logger = logging.getLogger(__name__)

_MAX_NAMED = 3
"""Cells of a header that the question names, at most: more say nothing new."""
NUM_FACTS = 8
"""Facts of a header, see :func:`word_facts`."""


@dataclass(frozen=True, slots=True)
class HeaderWindow:
    """One input: the question with some headers of an axis.

    Attributes:
        ids: int32 [T] token ids.
        starts: int32 [N] the token by which each header is known.
        headers: int32 [N] its number among all headers of the axis; one that is longer than an input stands
            in several windows.
        facts: float32 [N, :data:`NUM_FACTS`], what words and numbers say about it, see :func:`word_facts`.
        owners: int32 [T] which of the window's headers a token belongs to, from 0; -1 for none and for the
            parents, which several headers share.
        question: The first token of the question, and the one after its last.
    """

    ids: np.ndarray
    starts: np.ndarray
    headers: np.ndarray
    facts: np.ndarray
    owners: np.ndarray
    question: tuple[int, int]

    def __len__(self) -> int:
        return len(self.ids)


@dataclass
class HeaderInputs:
    """Inputs of a header classifier.

    Attributes:
        tokenization: The tokenizer with its ``max_length``.
        parents: See :class:`tabrag.models.config.HeaderClassifierConfig`.
        named_cells: See there.
    """

    tokenization: Tokenization
    parents: str = "once"
    named_cells: bool = True
    _reported: bool = field(default=False, repr=False)

    def __post_init__(self) -> None:
        self._ids = KeptIds(self.tokenization, is_never_empty=True)

    @classmethod
    def load(cls, folder: Path, *, max_length: int, parents: str, named_cells: bool) -> HeaderInputs:
        """Read the tokenizer of a model folder."""
        return cls(Tokenization.load(folder, max_length=max_length), parents, named_cells)

    def windows(self, question: str, grid: Grid, axis: Axis) -> tuple[list[AxisHeader], list[HeaderWindow]]:
        """The headers of an axis and the inputs that hold them, in order.

        Nothing of a header is cut: headers that do not fit together come in several windows, one that does
        not fit alone in several pieces. A question that is longer than half an input is cut to that.

        Returns:
            The headers, and at least one window for an axis that has any.
        """
        headers = axis_headers(grid, axis)
        return headers, self.windows_of(question, grid, {axis: headers})[axis]

    def windows_of(
        self, question: str, grid: Grid, headers: Mapping[Axis, Sequence[AxisHeader]]
    ) -> dict[Axis, list[HeaderWindow]]:
        """The inputs of one or both axes, see :meth:`windows`.

        Args:
            question: The question.
            grid: The table.
            headers: Of each axis, by :func:`tabrag.tables.axes.axis_headers`.
        """
        named: dict[Axis, dict[int, list[str]]] = {"row": {}, "col": {}}
        for row, col in named_cells(grid, question):
            text = grid.cells[row][col]
            named["row"].setdefault(row, []).append(text)
            named["col"].setdefault(col, []).append(text)
        asked = self._question(question)
        return {axis: self._windows(question, asked, some, named[axis]) for axis, some in headers.items()}

    def _windows(
        self,
        question: str,
        asked: Sequence[int],
        headers: Sequence[AxisHeader],
        named: Mapping[int, Sequence[str]],
    ) -> list[HeaderWindow]:
        facts = word_facts(headers, question, named)
        before, after = self.tokenization.frame
        start = [*before, *asked, *after]
        room = self.tokenization.max_length - len(start) - len(after)
        notes = [
            list(dict.fromkeys(named.get(header.position, ())))[:_MAX_NAMED] if self.named_cells else []
            for header in headers
        ]
        outside, last = [-1] * len(start), [-1] * len(after)
        return [
            HeaderWindow(
                np.array([*start, *ids, *after], dtype=np.int32),
                np.array(starts, dtype=np.int32) + len(start),
                np.array(numbers, dtype=np.int32),
                facts[numbers],
                np.array([*outside, *owners, *last], dtype=np.int32),
                (len(before), len(before) + len(asked)),
            )
            for ids, starts, numbers, owners in self._packed(headers, notes, max(room, 4))
        ]

    def _question(self, question: str) -> list[int]:
        """Token ids of the question, at most half an input; a cut is said once."""
        ids, most = self.tokenization.pieces([question])[0], self.tokenization.max_length // 2
        if len(ids) > most and not self._reported:
            self._reported = True
            logger.warning("a question of %d tokens is cut to %d; said once", len(ids), most)
        return ids[:most]

    def _packed(
        self, headers: Sequence[AxisHeader], notes: Sequence[Sequence[str]], room: int
    ) -> Iterator[tuple[list[int], list[int], list[int], list[int]]]:
        """Of each window, ``room`` tokens at most: ids, tokens of the headers, their numbers, owners of the
        tokens.
        """
        ids: list[int] = []
        starts: list[int] = []
        numbers: list[int] = []
        owners: list[int] = []
        previous: AxisHeader | None = None
        for number, header in enumerate(headers):
            piece, known_by = self._piece(header, notes[number], previous)
            if ids and len(ids) + 1 + len(piece) > room:
                yield ids, starts, numbers, owners
                ids, starts, numbers, owners = [], [], [], []
                piece, known_by = self._piece(header, notes[number], None)
            while len(piece) > room:
                yield piece[:room], [min(known_by, room - 1)], [number], [0] * room
                piece, known_by = piece[room:], max(0, known_by - room)
            if ids:
                ids.extend(self._ids(["|"])[0])
                owners.extend([-1] * (len(ids) - len(owners)))
            starts.append(len(ids) + known_by)
            ids.extend(piece)
            owners.extend([-1] * known_by + [len(numbers)] * (len(piece) - known_by))
            numbers.append(number)
            previous = header
        if numbers:
            yield ids, starts, numbers, owners

    def _piece(
        self, header: AxisHeader, note: Sequence[str], previous: AxisHeader | None
    ) -> tuple[list[int], int]:
        """Token ids of a header, and which of them it is known by: its first, or its own level's first."""
        texts, first = header.texts, 0
        if self.parents == "once" and previous is not None:
            first = _shared(header, previous)
        levels = self._ids([text or "-" for text in texts[first:]] or ["-"])
        ids: list[int] = []
        known_by = 0
        for number, level in enumerate(levels):
            if number:
                ids.extend(self._ids([">"])[0])
            if self.parents == "once" and header.path:
                known_by = len(ids)
            ids.extend(level)
        for number, text in enumerate(self._ids(note)):
            ids.extend(self._ids([":" if number == 0 else ","])[0])
            ids.extend(text)
        return ids, known_by

    def collate(self, windows: Sequence[HeaderWindow]) -> dict[str, Tensor]:
        """One batch.

        Returns:
            ``input_ids`` and ``attention_mask``, int64 Tensor[B, T]; ``window`` and ``start``, int64
            Tensor[N], row and position of each header's token; ``facts``, float32 Tensor[N, F]; ``question``,
            bool Tensor[B, T]; ``owner``, int64 Tensor[B, T], the header that a token belongs to, -1 for none.
        """
        counts = [len(window.starts) for window in windows]
        padded = self.tokenization.pad([Tokens(window.ids) for window in windows])
        question_BT = np.zeros(padded["input_ids"].shape, dtype=bool)
        owner_BT = np.full(question_BT.shape, -1, dtype=np.int64)
        first = np.cumsum([0, *counts])
        for row, window in enumerate(windows):
            question_BT[row, slice(*window.question)] = True
            owner_BT[row, : len(window)] = np.where(window.owners >= 0, window.owners + first[row], -1)
        return {
            **padded,
            "window": torch.repeat_interleave(torch.arange(len(windows)), torch.tensor(counts)),
            "start": torch.from_numpy(np.concatenate([w.starts for w in windows]).astype(np.int64)),
            "facts": torch.from_numpy(np.concatenate([w.facts for w in windows])),
            "question": torch.from_numpy(question_BT),
            "owner": torch.from_numpy(owner_BT),
        }

    def save(self, folder: Path) -> None:
        """Write the tokenizer's files."""
        self.tokenization.save(folder)

    def state(self) -> str:
        """The tokenizer's whole definition as text, for fingerprints."""
        return self.tokenization.state()


def word_facts(
    headers: Sequence[AxisHeader], question: str, named: Mapping[int, Sequence[str]]
) -> np.ndarray:
    """What the words of a question say about each header of an axis, float32 [N, :data:`NUM_FACTS`].

    By the scores of :func:`tabrag.tables.lexical.path_scores`: the score, bounded; the score over the best of
    the axis; whether it is the best, shared or alone; whether any header of the axis has one; whether cells
    of it are named; whether it is known by its own cells; its share of the axis.

    Args:
        headers: The headers of an axis.
        question: The question.
        named: Position -> texts of its cells that the question names.
    """
    scores = path_scores({header.position: list(header.texts) for header in headers}, question)
    top = max(scores.values(), default=0.0)
    leaders = best(scores)
    facts = np.zeros((len(headers), NUM_FACTS), dtype=np.float32)
    for number, header in enumerate(headers):
        score = scores[header.position]
        is_best = header.position in leaders
        facts[number] = (
            min(score / 5, 2.0),
            score / top if top > 0 else 0.0,
            is_best,
            is_best and len(leaders) == 1,
            top > 0,
            header.position in named,
            not header.path,
            1 / len(headers),
        )
    return facts


def _shared(header: AxisHeader, previous: AxisHeader) -> int:
    """Leading levels of a path that the header before has already shown; its own level is always shown."""
    count = 0
    for one, other in zip(header.path[:-1], previous.path[:-1], strict=False):
        if one != other:
            break
        count += 1
    return count
