"""The run folder: ``run.yaml``, ``metrics.jsonl``, ``state/``, ``export/``, ``metrics.json``."""

from __future__ import annotations

import logging
import platform
import subprocess
import sys
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

import yaml

from tabrag import distributed
from tabrag.config import RUN_RECORD
from tabrag.errors import UserError
from tabrag.files import atomic_write, remove_leftovers
from tabrag.training.state import newest_complete

logger = logging.getLogger(__name__)

_CHANGE_NOTHING = ("out", "resume", "train.estimate")
"""Settings that may differ when a run goes on, beside those of the trackers."""
_PACKAGES = ("tabrag", "torch", "transformers", "accelerate", "safetensors", "numpy", "pillow")


def open_run(folder: Path, *, settings: dict[str, Any], resume: str) -> Path | None:
    """Prepare the run folder; every process calls this.

    Args:
        folder: The run folder, made where it does not exist.
        settings: The resolved configuration, kept in ``run.yaml``.
        resume: ``none``, ``auto`` (the newest complete state; a fresh start where there is none) or a state
            folder.

    Returns:
        The state to go on from, or None for a fresh start.

    Raises:
        UserError: The folder holds a run and ``resume`` is ``none``, or its settings differ from
        ``settings``.
    """
    record = folder / RUN_RECORD
    state: Path | None = None
    if resume == "none":
        if record.exists():
            raise UserError(f"{folder} holds a run already: go on with --resume auto, or give another --out")
    elif resume == "auto":
        state = newest_complete(folder / "state")
        logger.info("resume: %s", state or f"no complete state in {folder / 'state'}, starting fresh")
    else:
        state = Path(resume)
        if not (state / "complete.json").is_file():
            raise UserError(f"--resume {resume}: no state there: use none, auto or RUN/state/step-NUMBER")
    if state is not None and record.exists():
        _same_settings(record, settings)
    distributed.barrier()  # everyone has looked before process 0 writes
    if distributed.is_main():
        for place in (folder, folder / "state"):
            remove_leftovers(place)
        with atomic_write(record) as file:
            yaml.safe_dump({"settings": settings, "environment": environment()}, file, sort_keys=False)
    distributed.barrier()
    return state


def environment() -> dict[str, Any]:
    """Versions, machine, commit and time, for the records of a run."""
    import torch

    versions = {}
    for package in _PACKAGES:
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    device = (
        torch.cuda.get_device_name()
        if torch.cuda.is_available()
        else (platform.processor() or platform.machine())
    )
    return {
        "python": sys.version.split()[0],
        "versions": versions,
        "device": device,
        "threads": torch.get_num_threads(),
        "processes": distributed.world_size(),
        "git_commit": _commit(),
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _commit() -> str | None:
    """The commit of the code that runs, marked where the tree has changes; None outside a repository."""
    try:
        described = subprocess.run(
            ["git", "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"],
            cwd=Path(__file__).parent,
            capture_output=True,
            text=True,
            timeout=10,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return described.stdout.strip()


def _same_settings(record: Path, settings: dict[str, Any]) -> None:
    saved = yaml.safe_load(record.read_text(encoding="utf-8"))["settings"]
    changed = sorted(
        key
        for key in _flat(saved).keys() | _flat(settings).keys()
        if _flat(saved).get(key) != _flat(settings).get(key)
        and key not in _CHANGE_NOTHING
        and not key.startswith("tracking.")
    )
    if changed:
        raise UserError(f"{record}: these settings differ from the run to resume: {', '.join(changed)}")


def _flat(settings: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    result = {}
    for key, value in settings.items():
        if isinstance(value, dict):
            result.update(_flat(value, f"{prefix}{key}."))
        else:
            result[prefix + key] = value
    return result
