"""Inputs: entries to tensors. The same code in training and in inference, chosen by the checkpoint's own
config.

An ``Inputs`` is picklable (it works in the processes of a data loader) and splits its work in two:
``features`` does what is cheap and tells how long each entry is; ``collate`` pads and opens the pictures.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from torch import Tensor

from tabrag.types import Entry


class Inputs(Protocol):
    """What turns entries into the keyword arguments of :meth:`tabrag.models.embedder.Embedder.forward`.

    Attributes:
        num_cut: Tokens left out so far because an entry was too long.
        num_tokens: Tokens seen so far, those left out included.
    """

    num_cut: int
    num_tokens: int

    @property
    def limit(self) -> int | None:
        """Most tokens of an entry; None where its text and words are not looked at."""

    def count(self, entries: Sequence[Entry]) -> list[int]:
        """Tokens that each entry would take if nothing were cut."""

    def __call__(self, entries: Sequence[Entry]) -> dict[str, Tensor]:
        """A padded batch."""

    def features(self, entries: Sequence[Entry]) -> list[Any]:
        """One feature an entry; ``len(feature)`` is the number of positions that the model sees."""

    def collate(self, features: Sequence[Any]) -> dict[str, Tensor]:
        """Pad features to one batch; pictures are opened here."""

    def length(self, entry: Entry) -> int:
        """A cheap estimate of the number of positions, for sorting."""

    def save(self, folder: Path) -> None:
        """Write tokenizer and image processor files."""


def load_inputs(
    kind: str, folder: Path, *, prefix: str, max_length: int, pixels: bool, trust_remote_code: bool = False
) -> Inputs:
    """The inputs of ``kind`` with the tokenizer and image processor of a model folder."""
    if kind == "text":
        from tabrag.models.inputs.text import TextInputs

        return TextInputs.load(
            folder, prefix=prefix, max_length=max_length, trust_remote_code=trust_remote_code
        )
    if kind == "layoutlmv3":
        from tabrag.models.inputs.layoutlmv3 import LayoutLMv3Inputs

        return LayoutLMv3Inputs.load(folder, prefix=prefix, max_length=max_length, pixels=pixels)
    from tabrag.models.inputs.image import ImageInputs

    return ImageInputs.load(folder, trust_remote_code=trust_remote_code)
