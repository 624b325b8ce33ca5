"""The one place that makes an ``accelerate.Accelerator``: the same run under python, torchrun and accelerate
launch.
"""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel

from tabrag.errors import UserError
from tabrag.training import zero
from tabrag.training.config import TrainConfig


def make_accelerator(precision: str) -> Any:
    """An ``Accelerator`` for this machine: CUDA where there is one, else CPU with gloo between processes.

    Args:
        precision: ``auto``, ``float32``, ``bfloat16`` or ``float16``.

    Raises:
        UserError: float16 without a GPU, which has no kernels for it; a launch file that asks for what is not
            supported.
    """
    from accelerate import Accelerator

    has_cuda = torch.cuda.is_available()
    if not has_cuda:  # DeepSpeed, which accelerate imports where it is installed, would look for devices
        os.environ.setdefault("DS_ACCELERATOR", "cpu")
    if precision == "float16" and not has_cuda:
        raise UserError("train.precision=float16 needs a GPU: on a CPU use float32 or bfloat16")
    if precision == "auto":
        precision = "bfloat16" if has_cuda and torch.cuda.is_bf16_supported() else "float32"
    mixed = {"float32": "no", "bfloat16": "bf16", "float16": "fp16"}[precision]
    if os.environ.get("ACCELERATE_USE_DEEPSPEED", "false").lower() == "true":
        return zero.make_accelerator(mixed)
    accelerator = Accelerator(mixed_precision=mixed, cpu=not has_cuda)
    if accelerator.distributed_type.value in ("FSDP", "MEGATRON_LM"):
        raise UserError(
            f"{accelerator.distributed_type.value} is not supported: for a model that has to be split over "
            "the processes use configs/launch/zero3.yaml"
        )
    return accelerator


def wrap(
    module: nn.Module, optimizer: torch.optim.Optimizer, accelerator: Any, config: TrainConfig
) -> tuple[Any, Any]:
    """Module and optimizer as the launcher wants them: alone, data parallel, or split by DeepSpeed.

    Args:
        module: The model.
        optimizer: Its optimizer, fresh or with the state of a run to go on from.
        accelerator: ``accelerate.Accelerator``.
        config: Settings of the loop.
    """
    if is_partitioned(accelerator):
        return zero.prepare(module, optimizer, accelerator, config)
    return accelerator.prepare(module, optimizer)


def attention(accelerator: Any) -> AbstractContextManager[None]:
    """The kernels of attention for a training step: PyTorch's choice, but plain ones in bfloat16 on a CPU,
    where the fused one's backward pass alone takes as long as all the rest of the step.
    """
    if accelerator.device.type == "cpu" and accelerator.mixed_precision == "bf16":
        return sdpa_kernel(SDPBackend.MATH)
    return nullcontext()


def is_partitioned(accelerator: Any) -> bool:
    """Whether weights, gradients or the optimizer's state are split over the processes, as by DeepSpeed."""
    return accelerator.distributed_type.value in ("DEEPSPEED", "FSDP", "MEGATRON_LM")
