"""Pictures alone, for any vision backbone of transformers (DINOv2, ViT, CLIP and SigLIP towers)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from tabrag.models.inputs.pixels import load_processor, open_entry, processor_state
from tabrag.types import Entry


@dataclass(slots=True)
class ImageFeature:
    """One entry; its picture is opened late."""

    entry: Entry
    num_patches: int

    def __len__(self) -> int:
        return self.num_patches


@dataclass
class ImageInputs:
    """Inputs of a vision encoder.

    Attributes:
        processor: The checkpoint's own image processor (resizing, cropping, normalisation).
        num_patches: Positions that a picture takes in the model, about; for batch sizes only.
    """

    processor: Any
    num_patches: int = 256
    limit = None
    num_cut = 0
    num_tokens = 0

    @classmethod
    def load(cls, folder: Path, *, trust_remote_code: bool = False) -> ImageInputs:
        """Read the image processor of a model folder."""
        return cls(load_processor(folder, trust_remote_code=trust_remote_code))

    def __call__(self, entries: Sequence[Entry]) -> dict[str, Tensor]:
        """``pixel_values`` Tensor[B, 3, H, W]."""
        return self.collate(self.features(entries))

    def features(self, entries: Sequence[Entry]) -> list[ImageFeature]:
        """The entries with their cost."""
        return [ImageFeature(entry, self.num_patches) for entry in entries]

    def count(self, entries: Sequence[Entry]) -> list[int]:
        """No tokens: words are not looked at."""
        return [0] * len(entries)

    def collate(self, features: Sequence[ImageFeature]) -> dict[str, Tensor]:
        """Open the pictures.

        Raises:
            UserError: An entry without a picture, or a broken picture.
        """
        pixels = [
            self.processor(images=open_entry(f.entry), return_tensors="pt")["pixel_values"] for f in features
        ]
        return {"pixel_values": torch.cat(pixels)}

    def length(self, entry: Entry) -> int:
        """Every picture costs the same."""
        return self.num_patches

    def save(self, folder: Path) -> None:
        """Write the image processor's file."""
        self.processor.save_pretrained(folder)

    def state(self) -> str:
        """All that decides what a picture becomes."""
        return processor_state(self.processor)
