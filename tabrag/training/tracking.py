"""Where figures go while a run trains: always a local JSONL file, and Weights & Biases when asked.

Nothing here ever ends a run: a tracker that fails is dropped with a warning.
"""

from __future__ import annotations

import json
import logging
import os
import secrets
from pathlib import Path
from typing import Any

from tabrag import distributed
from tabrag.files import atomic_write, read_json, write_json
from tabrag.training.config import TrackingConfig

logger = logging.getLogger(__name__)


class Tracker:
    """Writes ``metrics.jsonl`` in the run folder, from process 0 only."""

    def __init__(self, config: TrackingConfig, folder: Path, *, settings: dict[str, Any], step: int) -> None:
        self._wandb: Any = None
        self._file: Any = None
        if not distributed.is_main():
            return
        path = folder / "metrics.jsonl"
        _cut(path, step)
        self._file = path.open("a", encoding="utf-8")
        if config.wandb != "off":
            self._start_wandb(config, folder, settings)

    def _start_wandb(self, config: TrackingConfig, folder: Path, settings: dict[str, Any]) -> None:
        try:
            import wandb

            identity = folder / "wandb.json"
            run_id = read_json(identity)["id"] if identity.is_file() else secrets.token_hex(4)
            self._wandb = wandb.init(
                project=config.project,
                name=config.name or folder.name,
                id=run_id,
                resume="allow",
                dir=str(folder),
                mode=os.environ.get("WANDB_MODE") or config.wandb,  # an argument would outdo the variable
                config=settings,
            )
            write_json(identity, {"id": run_id})
        except Exception as error:  # whatever a tracker throws must not cost a training run
            logger.warning(
                "wandb is off for this run (%s: %s); metrics.jsonl goes on", type(error).__name__, error
            )

    def log(self, figures: dict[str, Any], *, step: int) -> None:
        """Append one line and pass it on."""
        if self._file is None:
            return
        self._file.write(json.dumps({"step": step, **figures}) + "\n")
        self._file.flush()
        if self._wandb is not None:
            try:
                self._wandb.log(figures, step=step)
            except Exception as error:  # as above
                logger.warning("wandb failed and is off now (%s: %s)", type(error).__name__, error)
                self._wandb = None

    def close(self) -> None:
        """End the run in the trackers."""
        if self._file is not None:
            self._file.close()
        if self._wandb is not None:
            try:
                self._wandb.finish()
            except Exception as error:  # as above
                logger.warning("wandb did not finish cleanly (%s: %s)", type(error).__name__, error)


def _cut(path: Path, step: int) -> None:
    """Drop the lines after ``step`` (and a torn last one): a resumed run writes them again."""
    if not path.is_file():
        return
    kept = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            row = json.loads(line)
        except json.JSONDecodeError:
            continue
        if row["step"] <= step:
            kept.append(line + "\n")
    with atomic_write(path) as file:
        file.writelines(kept)
