"""What was made of items and texts, kept while there is room: a few long tables take that of thousands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from tabrag.documents.whole import Item
from tabrag.models.inputs.tokens import Tokenization
from tabrag.types import Table

T = TypeVar("T")

MAX_BYTES = 128 << 20
"""Of all values of one :class:`Kept` together, by their own estimate."""
_CELL = 300
"""Bytes of a cell: its text, its place in windows and headers, and its words (measured)."""
_BLOCK = 500
_ID = 32
"""Bytes of a token id."""
_ENTRY = 4
"""What the place of a text takes, in token ids."""


@dataclass
class Kept(Generic[T]):
    """Values by key; where one finds no room, all others go.

    Attributes:
        max_bytes: Of all values together. A single one may be larger: it stands alone then.
    """

    max_bytes: int = MAX_BYTES
    _values: dict[str, tuple[T, int]] = field(default_factory=dict, repr=False)
    _size: int = 0

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: str) -> T | None:
        """The value; None where there is none (any more)."""
        known = self._values.get(key)
        return None if known is None else known[0]

    def put(self, key: str, value: T, *, size: int) -> None:
        """Keep a value, in place of an earlier one of this key.

        Args:
            key: Its key.
            value: The value.
            size: Its size in bytes, about.
        """
        before = self._values.pop(key, None)
        self._size -= 0 if before is None else before[1]
        if self._size + size > self.max_bytes:
            self._values.clear()
            self._size = 0
        self._values[key] = value, size
        self._size += size


def item_size(item: Item) -> int:
    """About how many bytes a table or document takes with what is made of it to be read."""
    if isinstance(item, Table):
        cells = 0 if item.grid is None else sum(map(len, item.grid.cells))
        return _BLOCK + _CELL * (cells + len(item.words or ()))
    texts = sum(_BLOCK + 2 * len(block.text) for block in item.document.blocks)
    return texts + sum(map(item_size, item.tables.values()))


@dataclass
class KeptIds:
    """Token ids of texts that become parts of longer inputs: called with texts it gives those of each.

    Attributes:
        tokenization: The tokenizer.
        is_never_empty: A text that gives no token gets the padding token, so that it has a place.
    """

    tokenization: Tokenization
    is_never_empty: bool = False
    _kept: Kept[tuple[int, ...]] = field(default_factory=Kept, repr=False)

    def __call__(self, texts: Sequence[str]) -> list[tuple[int, ...]]:
        kept = {text: self._kept.get(text) for text in texts}
        found = {text: ids for text, ids in kept.items() if ids is not None}
        missing = [text for text in kept if text not in found]
        for text, ids in zip(missing, self.tokenization.pieces(missing) if missing else [], strict=True):
            made = tuple(ids) or ((self.tokenization.pad_id,) if self.is_never_empty else ())
            self._kept.put(text, made, size=2 * len(text) + _ID * (_ENTRY + len(made)))
            found[text] = made
        return [found[text] for text in texts]
