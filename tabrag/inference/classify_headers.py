"""Scores of rows and columns for (question, table) pairs, many at once, by a header classifier."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch

from tabrag.inference import runtime
from tabrag.inference.batching import token_batches
from tabrag.inference.encode import default_batch_tokens
from tabrag.models.header_classifier import HeaderClassifier
from tabrag.models.inputs.headers import HeaderWindow
from tabrag.tables.axes import AXES, Axis, AxisHeader, axis_headers
from tabrag.tables.header_scores import HeaderScores
from tabrag.types import Grid

Pair = tuple[str, Grid]


class HeaderScorer:
    """Calls a header classifier in batches of inputs of like length, row and column headers together.

    Args:
        model: The classifier; it is put into evaluation mode.
        batch_tokens: Positions of a batch, padding included; None for what suits the device
            (:func:`tabrag.inference.encode.default_batch_tokens`).
        dtype: See :func:`tabrag.inference.runtime.precision`.

    Raises:
        UserError: The dtype is unknown, or the device cannot compute in it.
    """

    def __init__(
        self, model: HeaderClassifier, *, batch_tokens: int | None = None, dtype: str = "auto"
    ) -> None:
        self.model = model.eval()
        self.batch_tokens = batch_tokens
        self.dtype = runtime.precision(dtype, next(model.parameters()).device)

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
        heads: dict[int, dict[Axis, list[AxisHeader]]] = {}  # of each grid once, by its id
        windows: list[HeaderWindow] = []
        places: list[np.ndarray] = []  # of each window's headers among those of all pairs
        positions: list[list[int]] = []  # of each axis, rows and columns of a pair in turn
        first = 0
        for question, grid in pairs:
            if id(grid) not in heads:
                heads[id(grid)] = {axis: axis_headers(grid, axis) for axis in AXES}
            headers = heads[id(grid)]
            parts = self.model.inputs.windows_of(question, grid, headers)
            for axis in AXES:
                windows.extend(parts[axis])
                places.extend(window.headers + first for window in parts[axis])
                positions.append([header.position for header in headers[axis]])
                first += len(headers[axis])
        logits_N = np.full(first, -np.inf, dtype=np.float32)
        if windows:
            # A header in several pieces has the best of them.
            np.maximum.at(logits_N, np.concatenate(places), np.concatenate(self._logits(windows)))
        axes = [
            dict(zip(of_axis, chances, strict=True))
            for of_axis, chances in zip(positions, self._chances(logits_N, positions), strict=True)
        ]
        return [HeaderScores(rows, cols) for rows, cols in zip(axes[::2], axes[1::2], strict=True)]

    @torch.inference_mode()
    def _logits(self, windows: Sequence[HeaderWindow]) -> list[np.ndarray]:
        """Scores of each window's headers, float32."""
        found: list[np.ndarray] = [np.empty(0)] * len(windows)
        where = next(self.model.parameters()).device
        batch_tokens = self.batch_tokens or default_batch_tokens(where, self.dtype)
        with runtime.autocast(where, self.dtype):
            for rows in token_batches([len(window) for window in windows], batch_tokens=batch_tokens):
                batch = self.model.inputs.collate([windows[row] for row in rows])
                logits_BT = self.model(**{name: value.to(where) for name, value in batch.items()}).cpu()
                scores_N = logits_BT[batch["window"], batch["start"]].numpy()
                ends = np.cumsum([len(windows[row].starts) for row in rows])
                for row, scores in zip(rows, np.split(scores_N, ends[:-1]), strict=True):
                    found[row] = scores
        return found

    def _chances(self, logits_N: np.ndarray, positions: Sequence[Sequence[int]]) -> Iterator[list[float]]:
        """Probabilities of each axis's headers."""
        logits = torch.from_numpy(logits_N)
        if self.model.config.scoring == "sigmoid":
            logits = logits.sigmoid()
        for of_axis in logits.split([len(some) for some in positions]):
            yield (of_axis if self.model.config.scoring == "sigmoid" else of_axis.softmax(dim=0)).tolist()
