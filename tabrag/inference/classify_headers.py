"""Scores of rows and columns for (question, table) pairs, many at once, by a header classifier."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from tabrag.inference.batching import token_batches
from tabrag.models.header_classifier import HeaderClassifier
from tabrag.models.inputs.headers import HeaderWindow
from tabrag.tables.axes import AXES
from tabrag.tables.header_scores import HeaderScores
from tabrag.types import Grid

Pair = tuple[str, Grid]


class HeaderScorer:
    """Calls a header classifier in batches of inputs of like length.

    Args:
        model: The classifier; it is put into evaluation mode.
        batch_tokens: Positions of a batch, padding included.
    """

    def __init__(self, model: HeaderClassifier, *, batch_tokens: int = 4096) -> None:
        self.model = model.eval()
        self.batch_tokens = batch_tokens

    @property
    def threshold(self) -> float | None:
        """The bound of the refine stage's ``gain`` that goes with its scores."""
        return self.model.threshold

    def fingerprint(self) -> str:
        """See :meth:`tabrag.models.header_classifier.HeaderClassifier.fingerprint`."""
        return self.model.fingerprint()

    def __call__(self, pairs: Sequence[Pair]) -> list[HeaderScores]:
        """Probabilities, 0..1, of the rows and columns of each pair, in the order of ``pairs``.

        ``sigmoid``: each row and column by itself. ``softmax``: the rows sum to 1, and so do the columns.
        """
        inputs = self.model.inputs
        windows: list[HeaderWindow] = []
        places: list[tuple[int, int]] = []
        positions: list[tuple[list[int], list[int]]] = []
        for number, (question, grid) in enumerate(pairs):
            axes = []
            for axis in AXES:
                headers, parts = inputs.windows(question, grid, axis)
                axes.append([header.position for header in headers])
                places.extend((number, AXES.index(axis)) for _ in parts)
                windows.extend(parts)
            positions.append((axes[0], axes[1]))
        logits = [tuple(torch.full((len(axis),), -torch.inf) for axis in both) for both in positions]
        for window, place, scores in zip(windows, places, self._logits(windows), strict=True):
            of_axis = logits[place[0]][place[1]]
            rows = torch.from_numpy(window.headers).long()
            of_axis[rows] = torch.maximum(of_axis[rows], scores)
        return [
            HeaderScores(
                *(self._probabilities(axis, of_axis) for axis, of_axis in zip(both, found, strict=True))
            )
            for both, found in zip(positions, logits, strict=True)
        ]

    @torch.inference_mode()
    def _logits(self, windows: Sequence[HeaderWindow]) -> list[Tensor]:
        """Scores of each window's headers, float32 on the CPU."""
        found: list[Tensor] = [torch.empty(0)] * len(windows)
        device = next(self.model.parameters()).device
        for rows in token_batches([len(window) for window in windows], batch_tokens=self.batch_tokens):
            batch = self.model.inputs.collate([windows[row] for row in rows])
            logits_BT = self.model(**{name: value.to(device) for name, value in batch.items()}).cpu()
            window_N, start_N = batch["window"], batch["start"]
            counts = [len(windows[row].starts) for row in rows]
            for row, scores in zip(rows, logits_BT[window_N, start_N].split(counts), strict=True):
                found[row] = scores
        return found

    def _probabilities(self, positions: Sequence[int], logits_N: Tensor) -> dict[int, float]:
        if self.model.config.scoring == "sigmoid":
            chances = logits_N.sigmoid()
        else:
            chances = logits_N.softmax(dim=0)
        return dict(zip(positions, chances.tolist(), strict=True))
