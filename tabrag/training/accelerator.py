"""The one place that makes an ``accelerate.Accelerator``: the same run under python, torchrun and accelerate
launch.
"""

from __future__ import annotations

import os
from typing import Any

import torch

from tabrag.errors import UserError


def make_accelerator(precision: str) -> Any:
    """An ``Accelerator`` for this machine: CUDA where there is one, else CPU with gloo between processes.

    Args:
        precision: ``auto``, ``float32``, ``bfloat16`` or ``float16``.

    Raises:
        UserError: float16 without a GPU, which has no kernels for it.
    """
    from accelerate import Accelerator

    has_cuda = torch.cuda.is_available()
    if precision == "float16" and not has_cuda:
        raise UserError("train.precision=float16 needs a GPU: on a CPU use float32 or bfloat16")
    if precision == "auto":
        precision = "bfloat16" if has_cuda and torch.cuda.is_bf16_supported() else "float32"
    mixed = {"float32": "no", "bfloat16": "bf16", "float16": "fp16"}[precision]
    # With DeepSpeed, cpu=True would silently turn it off.
    deepspeed = os.environ.get("ACCELERATE_USE_DEEPSPEED", "false").lower() == "true"
    return Accelerator(mixed_precision=mixed, cpu=not has_cuda and not deepspeed)


def is_partitioned(accelerator: Any) -> bool:
    """Whether weights, gradients or the optimizer's state are split over the processes, as by DeepSpeed."""
    return accelerator.distributed_type.value in ("DEEPSPEED", "FSDP", "MEGATRON_LM")
