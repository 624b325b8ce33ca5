"""Where inference runs and with which number format."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Literal

import torch

from tabrag.errors import UserError

Precision = Literal["auto", "float32", "bfloat16", "float16"]


def device(name: str | torch.device | None = None) -> torch.device:
    """The device of that name; the first GPU, or else the CPU, where None or ``auto``.

    Raises:
        UserError: The name is unknown or the device is not there.
    """
    if name is None or name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        chosen = torch.device(name)
    except RuntimeError as error:
        raise UserError(f"unknown device '{name}': use cpu, cuda or cuda:N") from error
    if chosen.type == "cuda" and (chosen.index or 0) >= torch.cuda.device_count():
        raise UserError(
            f"device '{name}' is not there ({torch.cuda.device_count()} GPUs found): use device: cpu"
        )
    return chosen


def precision(name: str, where: torch.device) -> torch.dtype:
    """The number format of matrix products on a device.

    Args:
        name: ``auto`` (float32 on a CPU; bfloat16 on a GPU that has it, else float32), ``float32``,
            ``bfloat16`` or ``float16``.
        where: The device.

    Raises:
        UserError: The name is unknown, or it is float16 on a CPU.
    """
    if name == "auto":
        has_bfloat16 = where.type == "cuda" and torch.cuda.is_bf16_supported()
        return torch.bfloat16 if has_bfloat16 else torch.float32
    kinds = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
    if name not in kinds:
        raise UserError(f"unknown dtype '{name}': use auto, {', '.join(kinds)}")
    if name == "float16" and where.type == "cpu":
        raise UserError("dtype float16 does not work on a CPU: use float32 or bfloat16")
    return kinds[name]


def autocast(where: torch.device, kind: torch.dtype) -> AbstractContextManager[object]:
    """Matrix products in ``kind``, the rest in float32; float32 switches an outer autocast off."""
    if kind == torch.float32:
        return torch.autocast(where.type, enabled=False)
    return torch.autocast(where.type, dtype=kind)
