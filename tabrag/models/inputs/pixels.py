"""Pictures to pixel values, through Pillow."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tabrag.errors import UserError
from tabrag.types import Entry


def load_processor(folder: Path, *, trust_remote_code: bool = False) -> Any:
    """The image processor of a model folder, in its Pillow form (torchvision is never needed).

    Raises:
        UserError: The folder has none.
    """
    from transformers import AutoImageProcessor

    try:
        return AutoImageProcessor.from_pretrained(
            folder, backend="pil", local_files_only=True, trust_remote_code=trust_remote_code
        )
    except (OSError, ValueError, KeyError) as error:
        raise UserError(f"{folder}: no usable image processor ({str(error).splitlines()[0]})") from error


class Pixels:
    """Square pixel values: resized to ``size`` without keeping the shape, rescaled, normalised.

    LayoutLMv3 has no positional interpolation, so every picture gets the resolution of the checkpoint.
    """

    def __init__(self, processor: Any, *, size: int) -> None:
        self.processor = processor
        self.size = size
        self._mean = np.array(processor.image_mean, dtype=np.float32)
        self._std = np.array(processor.image_std, dtype=np.float32)
        self._factor = np.float32(processor.rescale_factor)

    @classmethod
    def load(cls, folder: Path, *, size: int) -> Pixels:
        """Read the image processor of a model folder."""
        return cls(load_processor(folder), size=size)

    def __call__(self, entries: Sequence[Entry]) -> Tensor:
        """Open the entries' pictures: Tensor[B, 3, size, size] float32.

        Raises:
            UserError: An entry without a picture, or a broken picture.
        """
        batch = np.empty((len(entries), self.size, self.size, 3), dtype=np.float32)
        for row, entry in zip(batch, entries, strict=True):
            image = open_entry(entry).resize((self.size, self.size), resample=self.processor.resample)
            np.multiply(np.asarray(image), self._factor, out=row)
        batch -= self._mean
        batch /= self._std
        return torch.from_numpy(batch).permute(0, 3, 1, 2).contiguous()

    def save(self, folder: Path) -> None:
        """Write the image processor's file."""
        self.processor.save_pretrained(folder)

    def state(self) -> str:
        """All that decides what a picture becomes."""
        return f"{self.size} {processor_state(self.processor)}"


def processor_state(processor: Any) -> str:
    """An image processor's settings as canonical text."""
    settings = {key: value for key, value in processor.to_dict().items() if "version" not in key}
    return json.dumps(settings, sort_keys=True, default=str)


def open_entry(entry: Entry) -> Any:
    """What the entry shows of its picture as an RGB Pillow image.

    Raises:
        UserError: It has none, or it is broken.
    """
    from tabrag.tables.image import open_image
    from tabrag.tables.strips import paste

    if entry.image is None:
        raise UserError(
            f"entry {entry.id} has no picture, but the model looks at pictures: render the tables "
            "(representation image), or train with pixels: false"
        )
    image = open_image(entry.image)
    return image if entry.strips is None else paste(image, entry.strips)
