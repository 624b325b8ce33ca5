"""Run a function in several processes that form a gloo group, and get what each returned."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist


def run_distributed(function: Callable[[int], Any], world_size: int, *, timeout: float = 120) -> list[Any]:
    """The return values of ``function(rank)`` by rank; a failing process fails the test with its traceback.

    The processes are forked, so ``function`` may be a closure.
    """
    context = multiprocessing.get_context("fork")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        processes = [
            context.Process(target=_work, args=(function, rank, world_size, folder))
            for rank in range(world_size)
        ]
        for process in processes:
            process.start()
        for process in processes:
            process.join(timeout)
        hung = [process for process in processes if process.is_alive()]
        for process in hung:
            process.kill()
        errors = [
            (folder / f"{rank}.error").read_text()
            for rank in range(world_size)
            if (folder / f"{rank}.error").exists()
        ]
        assert not errors, "\n".join(errors)
        assert not hung, f"{len(hung)} of {world_size} processes hang"
        return [pickle.loads((folder / f"{rank}.value").read_bytes()) for rank in range(world_size)]


def forget_accelerator() -> None:
    """Drop accelerate's process-wide state, as in a new process."""
    if "accelerate.state" in sys.modules:
        from accelerate.state import AcceleratorState

        AcceleratorState._reset_state(reset_partial_state=True)


def _work(function: Callable[[int], Any], rank: int, world_size: int, folder: Path) -> None:
    os.environ.update(RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(world_size))
    # accelerate asks for these although the group stands already.
    os.environ.update(LOCAL_WORLD_SIZE=str(world_size), MASTER_ADDR="127.0.0.1", MASTER_PORT="29500")
    torch.set_num_threads(1)
    forget_accelerator()
    try:
        dist.init_process_group("gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=world_size)
        value = function(rank)
        dist.barrier()
        dist.destroy_process_group()
        (folder / f"{rank}.value").write_bytes(pickle.dumps(value))
    except BaseException:
        (folder / f"{rank}.error").write_text(f"process {rank} failed:\n{traceback.format_exc()}")
