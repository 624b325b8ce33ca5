"""Memory and time of a large batch with the gradient cache, beside a small plain batch."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Any

import torch

from tabrag.benchmark.train import clock, make_task, steps
from tabrag.errors import UserError
from tabrag.training.config import TrainConfig
from tabrag.training.memory import lower_bound, peak, resident


def compare_gradcache(
    folder: Path,
    *,
    backbone: str = "offline:minilm",
    batch_size: int = 1024,
    plain_batch_size: int = 32,
    chunk_size: int = 32,
    num_steps: int = 1,
    num_plain_steps: int = 8,
    query_length: int = 64,
    item_length: int = 192,
) -> dict[str, Any]:
    """Train two towers with large cached batches, and with small plain ones.

    Each runs in a process of its own, over questions and header texts, in float32 with AdamW. Memory is what
    training adds to the loaded model: on a CPU the growth of the resident memory to its peak, on a GPU the
    peak of what is allocated less what was; the gradients and AdamW's moments, which do not depend on the
    batch, are named as ``fixed_mib``. Time is that of whole steps, making the batches included; a first step
    of several warms up and does not count.

    Args:
        folder: Data set folder with training questions.
        backbone: A text backbone, for both towers.
        batch_size: Pairs of a cached batch.
        plain_batch_size: Pairs of a plain batch.
        chunk_size: Entries that the cached side encodes at once.
        num_steps: Cached steps.
        num_plain_steps: Plain steps that are timed.
        query_length: Most tokens of a question.
        item_length: Most tokens of a header text.

    Returns:
        ``peak_mib``, ``cpu_s_per_example`` and ``wall_s_per_example`` of both; ``memory_ratio``,
        ``activation_ratio`` (memory without ``fixed_mib``), ``cpu_ratio`` and ``wall_ratio`` (cached over
        plain); and the setting.

    Raises:
        UserError: The folder is too small for one batch; or neither a GPU nor Linux.
    """
    if not torch.cuda.is_available() and not Path("/proc/self/clear_refs").exists():
        raise UserError("without a GPU this measurement reads resident memory as Linux tells it")
    settings = {
        "cached": (batch_size, chunk_size, num_steps),
        "plain": (plain_batch_size, 0, 1 + num_plain_steps),
    }
    lengths = (query_length, item_length)
    found = {}
    for name, (size, chunks, count) in settings.items():
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(1, mp_context=context) as pool:
            found[name] = pool.submit(_measure, folder, backbone, lengths, size, chunks, count).result()
    figures = {key: {name: side[key] for name, side in found.items()} for key in found["plain"]}
    fixed = figures.pop("fixed_mib")["plain"]
    peaks, cpu, wall = (figures[key] for key in ("peak_mib", "cpu_s_per_example", "wall_s_per_example"))
    return {
        **{key: {name: round(value, 4) for name, value in side.items()} for key, side in figures.items()},
        "fixed_mib": round(fixed, 1),
        "memory_ratio": round(peaks["cached"] / peaks["plain"], 3),
        "activation_ratio": round((peaks["cached"] - fixed) / (peaks["plain"] - fixed), 3),
        "cpu_ratio": round(cpu["cached"] / cpu["plain"], 3),
        "wall_ratio": round(wall["cached"] / wall["plain"], 3),
        "batch_size": batch_size,
        "plain_batch_size": plain_batch_size,
        "chunk_size": chunk_size,
        "steps": num_steps,
        "plain_steps": num_plain_steps,
        "lengths": lengths,
        "threads": torch.get_num_threads(),
        "device": "cuda" if torch.cuda.is_available() else "cpu",
        "dtype": "float32",
    }


def _measure(
    folder: Path, backbone: str, lengths: tuple[int, int], batch_size: int, chunk_size: int, num_steps: int
) -> dict[str, float]:
    """Train in this process, which must be a new one; with chunks by the cache."""
    task = make_task(folder, backbone=backbone, batch_size=batch_size, chunk_size=chunk_size, lengths=lengths)
    config = TrainConfig(batch_size=batch_size, lr=2e-5, gradcache=chunk_size > 0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    task.module.to(device)
    bound = lower_bound(task.module, processes=1)
    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(device)
        before = torch.cuda.memory_allocated(device)
    else:
        Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew from what is resident
        before = resident()
    clocks = [clock()]
    clocks += islice(steps(task, config), num_steps)
    timed = clocks if num_steps == 1 else clocks[1:]
    examples = batch_size * (len(timed) - 1)
    return {
        "peak_mib": (peak(device) - before) / 2**20,
        "fixed_mib": (bound["gradients"] + bound["optimizer"]) / 2**20,
        "wall_s_per_example": (timed[-1][0] - timed[0][0]) / examples,
        "cpu_s_per_example": (timed[-1][1] - timed[0][1]) / examples,
    }
