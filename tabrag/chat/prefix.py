"""Prompts that begin with the same tables: the keys and values of that beginning are computed once and kept.

In a causal model the keys and values of a token depend on the tokens before it alone. The beginning of a
prompt up to the end of its last table (the *prefix*) therefore gives the same ones under every question, and
any part of them from the start fits every prompt that has the same first tokens.

Shapes: H key-value heads, P tokens of a prefix, D width of a head.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from torch import Tensor

from tabrag.chat.protocol import Conversation, Message, Picture, Text

Layers = tuple[tuple[Tensor, Tensor], ...]
"""Keys and values ``Tensor[1, H, P, D]`` of each layer."""


@dataclass(frozen=True, slots=True)
class Prefix:
    """The beginning of a prompt, run through the model.

    Attributes:
        ids: Its tokens; a picture counts as the one token that stands for it.
        num_positions: P, its length in the model, where a picture takes many positions.
        num_fixed: Tokens that a prompt must share at least: up to the last picture's.
        layers: Its keys and values; never written to.
    """

    ids: tuple[int, ...]
    num_positions: int
    num_fixed: int
    layers: Layers

    @property
    def num_bytes(self) -> int:
        """Memory of the keys and values."""
        return sum(tensor.nbytes for layer in self.layers for tensor in layer)

    def shared(self, ids: Sequence[int], *, num_wanted: int) -> int:
        """How many tokens of a prompt this prefix spares it; 0 where it is of no use to it.

        Args:
            ids: The prompt's tokens.
            num_wanted: Last tokens of the prompt that must run, for what the model says at them.
        """
        shared = min(common(self.ids, ids), len(ids) - num_wanted)
        enough = max(self.num_fixed, len(self.ids) // 2, 1)  # less would run most of a table again
        return shared if shared >= enough else 0

    def positions(self, shared: int) -> int:
        """Positions in the model of the first ``shared`` tokens."""
        return self.num_positions - (len(self.ids) - shared)


class PrefixCache:
    """Prefixes by their tables, the least recently used dropped first; safe to use from several threads.

    Args:
        max_bytes: Of all keys and values together. A prefix that is larger by itself is not kept.
    """

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes = max_bytes
        self._entries: OrderedDict[bytes, Prefix] = OrderedDict()
        self._num_bytes = 0
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, key: bytes) -> bool:
        return key in self._entries

    @property
    def num_bytes(self) -> int:
        """Memory of what is kept."""
        return self._num_bytes

    def get(self, key: bytes) -> Prefix | None:
        """The prefix of some tables, now the most recently used; None where it is not kept."""
        with self._lock:
            if key in self._entries:
                self._entries.move_to_end(key)
            return self._entries.get(key)

    def put(self, key: bytes, prefix: Prefix) -> None:
        """Keep a prefix, in the place of an older one of the same tables."""
        with self._lock:
            old = self._entries.pop(key, None)
            self._num_bytes -= old.num_bytes if old else 0
            if prefix.num_bytes > self.max_bytes:
                return
            self._entries[key] = prefix
            self._num_bytes += prefix.num_bytes
            while self._num_bytes > self.max_bytes:
                self._num_bytes -= self._entries.popitem(last=False)[1].num_bytes

    def clear(self) -> None:
        """Forget all."""
        with self._lock:
            self._entries.clear()
            self._num_bytes = 0


@dataclass(slots=True)
class TokenCounts:
    """Positions of prompts that went through the model, padding and generated tokens left out.

    Attributes:
        prefix: Of shared beginnings, once each time they were run.
        suffix: Of what follows a shared beginning.
        plain: Of prompts that were run whole.
        asked: Of all prompts, as many as would have run had each been run whole.
    """

    prefix: int = 0
    suffix: int = 0
    plain: int = 0
    asked: int = 0

    @property
    def total(self) -> int:
        """All that were run."""
        return self.prefix + self.suffix + self.plain


def tables_of(messages: Conversation) -> list[Message]:
    """The messages up to the end of the last table (text with an ``item_id``, or picture); empty without."""
    for row in range(len(messages) - 1, -1, -1):
        parts = messages[row].parts
        for end in range(len(parts), 0, -1):
            part = parts[end - 1]
            if isinstance(part, Picture) or part.item_id is not None:
                return [*messages[:row], replace(messages[row], parts=parts[:end])]
    return []


def before_last_text(messages: Conversation) -> list[Message]:
    """The messages without their last text, which is the question where a task stands before it."""
    if not messages or len(messages[-1].parts) < 2 or not isinstance(messages[-1].parts[-1], Text):
        return list(messages[:-1])
    return [*messages[:-1], replace(messages[-1], parts=messages[-1].parts[:-1])]


def tables_key(messages: Conversation) -> bytes | None:
    """A digest of all that :func:`tables_of` gives, the pictures' times and sizes included; None without."""
    some = tables_of(messages)
    if not some:
        return None
    digest = hashlib.blake2b(digest_size=20)
    for message in some:
        digest.update(repr(("role", message.role)).encode())
        for part in message.parts:
            value = ("text", part.text) if isinstance(part, Text) else picture_key(part.path)
            digest.update(repr(value).encode())
    return digest.digest()


def picture_key(path: str) -> tuple[str, int, int]:
    """What tells a picture file from another, and from itself after a change."""
    try:
        status = os.stat(path)
    except OSError:  # opening it says what is wrong
        return path, 0, 0
    return path, status.st_mtime_ns, status.st_size


def common(left: Sequence[int], right: Sequence[int]) -> int:
    """How many items two sequences have in common from their beginning."""
    pairs = zip(left, right, strict=False)
    return next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(left), len(right)))
