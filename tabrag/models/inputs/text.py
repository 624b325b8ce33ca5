"""Plain text: prefix + entry text to token ids."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from torch import Tensor

from tabrag.models.inputs.tokens import Tokenization, Tokens
from tabrag.types import Entry


@dataclass
class TextInputs:
    """Inputs of a text encoder.

    Attributes:
        tokenization: The tokenizer with its ``max_length``; counts the tokens that it cuts.
        prefix: Put before each text as it is (``"query: "``).
    """

    tokenization: Tokenization
    prefix: str = ""

    @classmethod
    def load(
        cls, folder: Path, *, max_length: int, prefix: str = "", trust_remote_code: bool = False
    ) -> TextInputs:
        """Read the tokenizer of a model folder."""
        return cls(
            Tokenization.load(folder, max_length=max_length, trust_remote_code=trust_remote_code), prefix
        )

    @property
    def limit(self) -> int:
        """Most tokens of an entry."""
        return self.tokenization.max_length

    @property
    def num_cut(self) -> int:
        """Tokens left out so far."""
        return self.tokenization.num_cut

    @property
    def num_tokens(self) -> int:
        """Tokens seen so far, those left out included."""
        return self.tokenization.num_tokens

    def count(self, entries: Sequence[Entry]) -> list[int]:
        """Tokens that each entry would take if nothing were cut; prefix and special tokens included."""
        return self.tokenization.count_texts([self.prefix + entry.text for entry in entries])

    def __call__(self, entries: Sequence[Entry]) -> dict[str, Tensor]:
        """``input_ids`` and ``attention_mask``, Tensor[B, T]."""
        return self.collate(self.features(entries))

    def features(self, entries: Sequence[Entry]) -> list[Tokens]:
        """Token ids of each entry."""
        return self.tokenization.texts([self.prefix + entry.text for entry in entries])

    def collate(self, features: Sequence[Tokens]) -> dict[str, Tensor]:
        """Pad to one batch."""
        return self.tokenization.pad(features)

    def length(self, entry: Entry) -> int:
        """About a token every four letters."""
        return min(self.tokenization.max_length, 2 + (len(self.prefix) + len(entry.text)) // 4)

    def save(self, folder: Path) -> None:
        """Write the tokenizer's files."""
        self.tokenization.save(folder)

    def state(self) -> str:
        """All that decides what a text becomes."""
        return self.tokenization.state()
