"""Memory of a training: what it takes at least, what it took, and what to change when it is not enough."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import torch
from torch import Tensor, nn

from tabrag.errors import UserError
from tabrag.training.config import TrainConfig

_STATUS = Path("/proc/self/status")
_MARKS = ("out of memory", "can't allocate memory", "not enough memory", "ALLOC_FAILED")
"""In messages of CUDA and its libraries, and of the CPU's allocator, whose errors have no class."""


def lower_bound(module: nn.Module, *, processes: int) -> dict[str, int]:
    """Bytes that training with AdamW holds on each process throughout, whatever the batch.

    Args:
        module: The model.
        processes: Processes of plain data parallelism, which copies the gradients to reduce them.

    Returns:
        ``weights``, ``gradients``, ``optimizer`` (two moments and a float32 counter a parameter) and
        ``reduction``.
    """
    trainable = [parameter for parameter in module.parameters() if parameter.requires_grad]
    gradients = _size(trainable)
    return {
        "weights": _size(module.parameters()) + _size(module.buffers()),
        "gradients": gradients,
        "optimizer": 2 * gradients + 4 * len(trainable),
        "reduction": gradients if processes > 1 else 0,
    }


def describe(parts: dict[str, int]) -> str:
    """One line about :func:`lower_bound`."""
    shown = ", ".join(f"{name} {gibibytes(size)}" for name, size in parts.items() if size)
    return f"memory: at least {gibibytes(sum(parts.values()))} ({shown}), and what a batch takes"


def forecast(*, seconds: float, steps: int, device: torch.device) -> str:
    """One line about a step that was measured.

    Args:
        seconds: What it took.
        steps: How many are left.
        device: Where it ran.
    """
    hours, minutes = divmod(round(seconds * steps / 60), 60)
    where = "on the GPU" if device.type == "cuda" else "of the process"
    return (
        f"peak memory {where} so far: {gibibytes(peak(device))}; {seconds:.2f} s a step: "
        f"about {hours} h {minutes:02d} min for the {steps} steps left, evaluations apart"
    )


def peak(device: torch.device) -> int:
    """Most bytes so far: allocated on a GPU, or resident in this process."""
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device)
    if _STATUS.exists():  # resource's figure would include what a parent process once held
        return resident("VmHWM")
    import resource
    import sys

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def resident(field: str = "VmRSS") -> int:
    """Bytes of this process that Linux counts under ``field``: ``VmRSS`` now, ``VmHWM`` at most so far."""
    line = next(line for line in _STATUS.read_text().splitlines() if line.startswith(f"{field}:"))
    return int(line.split()[1]) * 1024


def gibibytes(size: int) -> str:
    """``size`` bytes for people."""
    return f"{size / 2**30:.2f} GiB"


@contextmanager
def explain_out_of_memory(config: TrainConfig) -> Iterator[None]:
    """Name the settings to change where the block runs out of memory; other errors pass.

    Raises:
        UserError: An allocation failed, on a GPU or a CPU.
    """
    try:
        yield
    except (RuntimeError, MemoryError) as error:
        if not _is_out_of_memory(error):
            raise
        cached = (
            "lower data.chunk_size"
            if config.gradcache
            else "keep the batch by train.gradcache=true with a small data.chunk_size"
        )
        reason = str(error).strip().splitlines()[:1] or [type(error).__name__]
        raise UserError(
            f"out of memory with train.batch_size={config.batch_size}: {reason[0]} -- lower "
            f"train.batch_size (train.accumulate makes up for it in part), or {cached}; lower "
            "model.query.max_length and model.item.max_length; on a GPU set train.precision=bfloat16"
        ) from error


def _is_out_of_memory(error: BaseException) -> bool:
    return isinstance(error, torch.OutOfMemoryError | MemoryError) or any(
        mark in str(error) for mark in _MARKS
    )


def _size(tensors: Iterable[Tensor]) -> int:
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors)
