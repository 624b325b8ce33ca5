"""LayoutLMv3: words with boxes and the picture, or the words alone, or the picture alone.

Huang et al., "LayoutLMv3: Pre-training for Document AI with Unified Text and Image Masking", 2022.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from tabrag.models.inputs.pixels import Pixels
from tabrag.models.inputs.tokens import Tokenization, Tokens
from tabrag.types import Box, Entry

logger = logging.getLogger(__name__)

BOX_LIMIT = 1000
"""Boxes are whole numbers 0..1000 of the picture's width and height."""


@dataclass(slots=True)
class LayoutFeature:
    """One entry: its tokens, its boxes (int64 [T, 4], one a token), its picture."""

    entry: Entry
    tokens: Tokens | None
    boxes: np.ndarray | None
    num_patches: int

    def __len__(self) -> int:
        return (len(self.tokens) if self.tokens is not None else 0) + self.num_patches


@dataclass
class LayoutLMv3Inputs:
    """Inputs of a LayoutLMv3 encoder.

    Attributes:
        tokenization: The tokenizer with its ``max_length``; None for the picture alone (``max_length`` 0).
        pixels: What makes pixel values of a picture; None for the words alone.
        num_patches: Positions that a picture takes in the model.
        prefix: Its words stand before the entry's, with an empty box.
    """

    tokenization: Tokenization | None
    pixels: Pixels | None
    num_patches: int = 0
    prefix: str = ""
    _reported: bool = field(default=False, repr=False)

    @classmethod
    def load(
        cls, folder: Path, *, max_length: int, pixels: bool = True, prefix: str = ""
    ) -> LayoutLMv3Inputs:
        """Read tokenizer and image processor of a model folder."""
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        size, patch = config.get("input_size", 224), config.get("patch_size", 16)
        return cls(
            Tokenization.load(folder, max_length=max_length) if max_length else None,
            Pixels.load(folder, size=size) if pixels else None,
            (size // patch) ** 2 + 1 if pixels else 0,
            prefix,
        )

    @property
    def limit(self) -> int | None:
        """Most tokens of an entry's words; None where they are not looked at."""
        return self.tokenization.max_length if self.tokenization else None

    @property
    def num_cut(self) -> int:
        """Tokens left out so far."""
        return self.tokenization.num_cut if self.tokenization else 0

    @property
    def num_tokens(self) -> int:
        """Tokens seen so far, those left out included."""
        return self.tokenization.num_tokens if self.tokenization else 0

    def count(self, entries: Sequence[Entry]) -> list[int]:
        """Tokens that the words of each entry would take if nothing were cut; special tokens included."""
        if self.tokenization is None:
            return [0] * len(entries)
        return self.tokenization.count_words([self._texts(entry) for entry in entries])

    def __call__(self, entries: Sequence[Entry]) -> dict[str, Tensor]:
        """What the mode asks for of the model's arguments.

        Returns:
            ``input_ids`` and ``attention_mask`` Tensor[B, T], ``bbox`` Tensor[B, T, 4]; ``pixel_values``
            Tensor[B, 3, S, S].
        """
        return self.collate(self.features(entries))

    def features(self, entries: Sequence[Entry]) -> list[LayoutFeature]:
        """Tokens and boxes of each entry; an entry without words has its special tokens only."""
        if self.tokenization is None:
            return [LayoutFeature(entry, None, None, self.num_patches) for entry in entries]
        num_prefix = len(self.prefix.split())
        batch = [self._texts(entry) for entry in entries]
        return [
            LayoutFeature(entry, tokens, self._boxes(entry, tokens, num_prefix), self.num_patches)
            for entry, tokens in zip(entries, self.tokenization.words(batch), strict=True)
        ]

    def _texts(self, entry: Entry) -> list[str]:
        return [*self.prefix.split(), *(word.text for word in entry.words or ())]

    def _boxes(self, entry: Entry, tokens: Tokens, num_prefix: int) -> np.ndarray:
        """One box a token: that of its word, zeros for special tokens and the prefix."""
        boxes_W4 = np.zeros((num_prefix + len(entry.words or ()) + 1, 4), dtype=np.int64)
        if entry.words:
            boxes_W4[num_prefix:-1] = self._sound(entry, [word.box for word in entry.words])
        return boxes_W4[tokens.words]  # the index -1 of special tokens is the last row, which is zero

    def _sound(self, entry: Entry, boxes: list[Box]) -> np.ndarray:
        """Boxes as whole numbers 0..1000, smaller corner first; the first entry with other ones is named."""
        given_W4 = np.nan_to_num(np.array(boxes, dtype=np.float64), posinf=BOX_LIMIT)
        clamped_W4 = given_W4.astype(np.int64).clip(0, BOX_LIMIT)
        boxes_W4 = np.concatenate(
            [
                np.minimum(clamped_W4[:, :2], clamped_W4[:, 2:]),
                np.maximum(clamped_W4[:, :2], clamped_W4[:, 2:]),
            ],
            axis=1,
        )
        if not self._reported and (boxes_W4 != given_W4).any():
            self._reported = True
            logger.warning(
                "entry %s: %d of %d boxes were not whole numbers 0..1000 with the smaller corner first; they "
                "are clamped and ordered, here and in later entries",
                entry.id,
                int((boxes_W4 != given_W4).any(axis=1).sum()),
                len(boxes_W4),
            )
        return boxes_W4

    def collate(self, features: Sequence[LayoutFeature]) -> dict[str, Tensor]:
        """Pad words and boxes, open the pictures.

        Raises:
            UserError: An entry has no picture although the model looks at pictures, or a picture is broken.
        """
        batch: dict[str, Tensor] = {}
        if self.tokenization is not None:
            batch = self.tokenization.pad(
                [feature.tokens for feature in features if feature.tokens is not None]
            )
            boxes_BT4 = np.zeros((*batch["input_ids"].shape, 4), dtype=np.int64)
            for row, feature in zip(boxes_BT4, features, strict=True):
                assert feature.boxes is not None
                row[: len(feature.boxes)] = feature.boxes
            batch["bbox"] = torch.from_numpy(boxes_BT4)
        if self.pixels is not None:
            batch["pixel_values"] = self.pixels([feature.entry for feature in features])
        return batch

    def length(self, entry: Entry) -> int:
        """About two tokens a word."""
        if self.tokenization is None:
            return self.num_patches
        return min(self.tokenization.max_length, 2 + 2 * len(entry.words or ())) + self.num_patches

    def save(self, folder: Path) -> None:
        """Write the files of tokenizer and image processor."""
        if self.tokenization is not None:
            self.tokenization.save(folder)
        if self.pixels is not None:
            self.pixels.save(folder)

    def state(self) -> str:
        """All that decides what an entry becomes."""
        tokens = self.tokenization.state() if self.tokenization is not None else ""
        return tokens + (self.pixels.state() if self.pixels is not None else "")
