"""What a run needs to go on as if it had never stopped: weights, optimizer, random numbers, position.

Frozen weights are not kept: whoever builds the model again has them.

A state is a folder ``step-00000120`` of safetensors and JSON, written under a temporary name and renamed. Its
``complete.json`` lists the sizes of its files; a folder whose files differ from it is passed over.
"""

from __future__ import annotations

import logging
import re
import shutil
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from tabrag import distributed
from tabrag.errors import UserError
from tabrag.files import atomic_folder, read_json, write_json
from tabrag.from_json import from_json, value_from_json
from tabrag.training.zero import ZeroOptimizer

logger = logging.getLogger(__name__)

PROGRESS = "progress.json"
_NAME = re.compile(r"step-(\d+)")


@dataclass(frozen=True, kw_only=True)
class _Saved:
    """What ``progress.json`` says of the state itself; beside it stands what the caller kept.

    Attributes:
        step: Optimizer steps done.
        processes: How many wrote it.
        groups: The optimizer's groups of parameters, without the tensors.
        scaler: That of losses in float16; None where there is none.
    """

    step: int
    processes: int
    groups: list[dict[str, str | bool | int | float | list[float] | None]]
    scaler: dict[str, float] | None


def save_state(
    root: Path,
    *,
    step: int,
    module: nn.Module,
    optimizer: torch.optim.Optimizer | ZeroOptimizer,
    progress: dict[str, Any],
    scaler: torch.amp.GradScaler | None = None,
    keep: int = 2,
) -> None:
    """Write the state of ``step`` under ``root``, the newest of ``keep`` that stay; every process calls this.

    Later states go too: they belong to a course that was left by going back to an earlier state. ``scaler``
    is what scales losses in float16; it is the same on every process.
    """
    random_states = distributed.gather_objects([random_state()])
    optimizer_state = optimizer.state_dict()
    if distributed.is_main():
        with atomic_folder(root / f"step-{step:08d}") as folder:
            kept = _kept(module)
            weights = {
                name: value.detach().cpu().contiguous()
                for name, value in module.state_dict().items()
                if name in kept
            }
            save_file(_own_storage(weights), folder / "model.safetensors")
            tensors, groups = _flatten_optimizer(optimizer_state)
            save_file(tensors, folder / "optimizer.safetensors")
            flat = {
                f"{rank}.{name}": value
                for rank, state in enumerate(random_states)
                for name, value in state.items()
            }
            save_file(flat, folder / "random.safetensors")
            saved = _Saved(
                step=step,
                processes=len(random_states),
                groups=groups,
                scaler=None if scaler is None else scaler.state_dict(),
            )
            write_json(folder / PROGRESS, {**vars(saved), **progress})
            write_json(
                folder / "complete.json", {path.name: path.stat().st_size for path in folder.iterdir()}
            )
        numbered = _numbered(root)
        earlier = [path for number, path in numbered if number < step]
        later = [path for number, path in numbered if number > step]
        for path in [*earlier[: max(0, len(earlier) + 1 - keep)], *later]:
            shutil.rmtree(path)
    distributed.barrier()


def load_state(
    folder: Path,
    *,
    module: nn.Module,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler | None = None,
) -> dict[str, Any]:
    """Restore what :func:`save_state` wrote and return its ``progress``; every process calls this.

    Raises:
        UserError: The state is not whole or damaged, belongs to another model, or to another number of
            processes.
    """
    if (fault := _fault(folder)) is not None:
        raise UserError(f"{folder}: not a complete state ({fault})")
    path = folder / PROGRESS
    progress = value_from_json(dict[str, Any], read_json(path), where=path, key="")
    own = {field.name: progress.pop(field.name) for field in fields(_Saved) if field.name in progress}
    saved = from_json(_Saved, own, where=path)
    if saved.processes != distributed.world_size():
        raise UserError(
            f"{folder}: written by {saved.processes} processes, now {distributed.world_size()} run, "
            "which would change the batches: resume with the same number"
        )
    try:
        _load_kept(module, load_file(folder / "model.safetensors"))
        _restore_optimizer(optimizer, load_file(folder / "optimizer.safetensors"), saved.groups)
    except (RuntimeError, ValueError) as error:
        raise UserError(f"{folder}: the state of another model: {error}") from error
    if scaler is not None and saved.scaler:
        scaler.load_state_dict(saved.scaler)
    states = load_file(folder / "random.safetensors")
    prefix = f"{distributed.rank()}."
    set_random_state(
        {name.removeprefix(prefix): value for name, value in states.items() if name.startswith(prefix)}
    )
    return {"step": saved.step, **progress}


def _kept(module: nn.Module) -> set[str]:
    """Names of the tensors that training can change: all but frozen weights and what belongs to them."""
    trained = {name for name, p in module.named_parameters(remove_duplicate=False) if p.requires_grad}
    return trained | {name for name, _ in module.named_buffers(remove_duplicate=False)}


def _load_kept(module: nn.Module, weights: dict[str, Tensor]) -> None:
    """Load what :func:`save_state` kept, and nothing that the module does not have.

    Raises:
        RuntimeError: Names or shapes do not fit.
    """
    names = module.state_dict().keys()
    missing = (_kept(module) & names) - weights.keys()
    if faults := sorted(missing | (weights.keys() - names)):
        raise RuntimeError(f"missing or unexpected: {', '.join(faults[:8])}")
    module.load_state_dict(weights, strict=False)


def newest_complete(root: Path) -> Path | None:
    """The newest state whose files are all there in full; incomplete ones are named in the log and passed
    over.
    """
    for _, folder in reversed(_numbered(root)):
        fault = _fault(folder)
        if fault is None:
            return folder
        logger.warning("passing over %s: %s", folder, fault)
    return None


def _numbered(root: Path) -> list[tuple[int, Path]]:
    """State folders with their step, by step number (not by the order of their names)."""
    return sorted(
        (int(match[1]), path) for path in root.glob("step-*") if (match := _NAME.fullmatch(path.name))
    )


def _fault(folder: Path) -> str | None:
    if not (folder / "complete.json").is_file():
        return "complete.json is missing"
    try:
        path = folder / "complete.json"
        sizes = value_from_json(dict[str, int], read_json(path), where=path, key="")
    except UserError as error:
        return str(error)
    for name, size in sizes.items():
        path = folder / name
        if not path.is_file() or path.stat().st_size != size:
            return f"{name} is missing or cut off"
    return None


def _own_storage(weights: dict[str, Tensor]) -> dict[str, Tensor]:
    """Tensors that share memory (a shared tower) copied apart, as safetensors wants; loading ties them
    again.
    """
    seen: set[int] = set()
    result = {}
    for name, value in weights.items():
        pointer = value.data_ptr()
        result[name] = value.clone() if pointer in seen else value
        seen.add(pointer)
    return result


def _flatten_optimizer(state: dict[str, Any]) -> tuple[dict[str, Tensor], list[dict[str, Any]]]:
    tensors = {
        f"{index}.{name}": torch.as_tensor(value).detach().cpu().clone()
        for index, values in state["state"].items()
        for name, value in values.items()
    }
    groups = [
        {key: value for key, value in group.items() if _is_plain(value)} for group in state["param_groups"]
    ]
    return tensors, groups


def _is_plain(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return all(isinstance(element, int | float) for element in value)
    return value is None or isinstance(value, bool | int | float | str)


def _restore_optimizer(
    optimizer: torch.optim.Optimizer, tensors: dict[str, Tensor], groups: list[dict[str, Any]]
) -> None:
    state: dict[int, dict[str, Tensor]] = {}
    for key, value in tensors.items():
        index, name = key.split(".", 1)
        state.setdefault(int(index), {})[name] = value
    current = optimizer.state_dict()["param_groups"]
    merged = [{**now, **_tuples(saved)} for now, saved in zip(current, groups, strict=True)]
    optimizer.load_state_dict({"state": state, "param_groups": merged})


def _tuples(group: dict[str, Any]) -> dict[str, Any]:
    """JSON has no tuples: betas come back as a list."""
    return {key: tuple(value) if key == "betas" else value for key, value in group.items()}


def random_state() -> dict[str, Tensor]:
    """State of the generators that dropout draws from: the CPU's, and the current GPU's."""
    state = {"cpu": torch.get_rng_state()}
    if torch.cuda.is_available():
        state["cuda"] = torch.cuda.get_rng_state()
    return state


def set_random_state(state: dict[str, Tensor]) -> None:
    """Go back to what :func:`random_state` gave."""
    torch.set_rng_state(state["cpu"])
    if "cuda" in state and torch.cuda.is_available():
        torch.cuda.set_rng_state(state["cuda"])
