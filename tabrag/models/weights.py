"""Tensors by name: the part of a module, and what they add to a fingerprint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor


def part_of(state: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    """The tensors whose name begins with ``prefix``, without it."""
    return {name.removeprefix(prefix): tensor for name, tensor in state.items() if name.startswith(prefix)}


def add_weights(digest: Any, state: Mapping[str, Tensor]) -> None:
    """Put names, shapes and values (float32, on the CPU) of all tensors into a hash of :mod:`hashlib`."""
    for name, tensor in sorted(state.items()):
        digest.update(f"{name} {tuple(tensor.shape)}".encode())
        digest.update(tensor.detach().float().cpu().contiguous().numpy().data)
