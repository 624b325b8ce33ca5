"""The one training loop: accumulate, clip, schedule, evaluate, keep the best, stop early, resume exactly."""

from __future__ import annotations

import itertools
import logging
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from tqdm import tqdm

from tabrag import distributed
from tabrag.errors import UserError
from tabrag.files import write_json
from tabrag.from_json import from_json, value_from_json
from tabrag.training import rehearsal
from tabrag.training.accelerator import attention, is_partitioned, wrap
from tabrag.training.config import TrackingConfig, TrainConfig
from tabrag.training.dropout import set_dropout
from tabrag.training.gradcache import check_cacheable
from tabrag.training.memory import describe, explain_out_of_memory, forecast, lower_bound
from tabrag.training.run_dir import open_run
from tabrag.training.state import PROGRESS, load_state, save_state
from tabrag.training.step import step
from tabrag.training.task import Task, decay_groups
from tabrag.training.tracking import Tracker
from tabrag.training.zero import whole

logger = logging.getLogger(__name__)


@dataclass(kw_only=True)
class Progress:
    """Where a run stands; saved with each state."""

    step: int
    epoch: int
    batch: int
    best: float | None
    best_step: int
    stale: int
    figures: dict[str, float]


def learning_rate_factor(step: int, *, total: int, warmup: float) -> float:
    """Linear rise over the first ``warmup`` share of ``total`` optimizer steps, then half a cosine to zero.

    The schedule counts optimizer steps, so it does not depend on the number of processes.
    """
    rising = max(1, round(total * warmup))
    if step < rising:
        return (step + 1) / rising
    return 0.5 * (1.0 + math.cos(math.pi * (step - rising) / max(1, total - rising)))


def train(
    task: Task,
    config: TrainConfig,
    *,
    accelerator: Any,
    out: Path,
    settings: dict[str, Any],
    resume: str = "none",
    tracking: TrackingConfig | None = None,
) -> dict[str, float]:
    """Train ``task`` and leave a run folder; return the figures of the exported checkpoint.

    Args:
        task: The model with its data; its module already sits in ``accelerator``'s world.
        config: Settings of the loop.
        accelerator: ``accelerate.Accelerator``, see :func:`tabrag.training.accelerator.make_accelerator`.
        out: Run folder.
        settings: The whole resolved configuration, for the records.
        resume: See :func:`tabrag.training.run_dir.open_run`.
        tracking: Where figures go beside ``metrics.jsonl``.
    """
    if config.gradcache:
        check_cacheable(task.module, accelerator)
    if config.dropout is not None:
        set_dropout(task.module, config.dropout)
    state = open_run(out, settings=settings, resume=resume)
    steps_an_epoch = task.num_batches() // config.accumulate
    total = config.max_steps or config.epochs * steps_an_epoch
    if steps_an_epoch == 0 and (config.max_steps or config.epochs):
        raise UserError(
            f"an epoch has {task.num_batches()} whole batches of {config.batch_size} queries x "
            f"{distributed.world_size()} processes, fewer than train.accumulate={config.accumulate}: lower "
            "train.batch_size or train.accumulate, or add data"
        )

    groups = decay_groups(
        task.module, lr=config.lr, weight_decay=config.weight_decay, lr_factors=config.lr_factors
    )
    optimizer = torch.optim.AdamW(groups, lr=config.lr, betas=config.betas)
    peaks = [group["lr"] for group in optimizer.param_groups]
    progress = Progress(step=0, epoch=0, batch=0, best=None, best_step=0, stale=0, figures={})
    description = task.describe()
    if state is not None:
        saved = load_state(state, module=task.module, optimizer=optimizer, scaler=accelerator.scaler)
        _same_task(state, saved.pop("task", None), description)
        progress = from_json(Progress, saved, where=state / PROGRESS)
    batches = _endless(task, progress, steps_an_epoch * config.accumulate)
    estimate = None
    if config.estimate and progress.step < total and not _is_stale(progress, config):
        first = next(batches)
        with explain_out_of_memory(config), attention(accelerator):
            estimate = rehearsal.step_seconds(task.module, first, accelerator, config)
        batches = itertools.chain([first], batches)
    module, optimizer = wrap(task.module, optimizer, accelerator, config)
    facts = {
        "queries per process": config.batch_size,
        "processes": distributed.world_size(),
        "accumulation": config.accumulate,
        **description,
        "steps": total,
        "from step": progress.step,
    }
    if distributed.is_main():
        logger.info("%s", "; ".join(f"{name}: {value}" for name, value in facts.items()))
        if not is_partitioned(accelerator):
            logger.info("%s", describe(lower_bound(task.module, processes=distributed.world_size())))
        if estimate is not None:
            logger.info("%s", rehearsal.describe(estimate, steps=total - progress.step))
    tracker = Tracker(
        tracking or TrackingConfig(), out, settings={**settings, "facts": facts}, step=progress.step
    )

    has_export = distributed.broadcast_object((out / "export").is_dir())
    if progress.best is not None and not has_export:  # of a state from elsewhere
        logger.warning("%s: no export of the best step so far: the next evaluation makes one", out)
        progress.best, progress.stale = None, 0
    if total == 0 or (progress.step >= total and not has_export):
        _judge(task, module, progress, out=out, tracker=tracker)
    module.train()
    bar = tqdm(total=total, initial=progress.step, desc="train", disable=not distributed.is_main())
    running, since = [], time.perf_counter()
    measured = progress.step + 1  # the optimizer's state is first there in the second step
    while progress.step < total and not _is_stale(progress, config):
        factor = learning_rate_factor(progress.step, total=total, warmup=config.warmup)
        for group, peak in zip(optimizer.param_groups, peaks, strict=True):
            group["lr"] = peak * factor
        begun = time.perf_counter()
        with explain_out_of_memory(config), attention(accelerator):
            running.append(step(task, module, optimizer, batches, accelerator, config))
        if progress.step == measured and distributed.is_main():
            seconds, left = time.perf_counter() - begun, total - progress.step - 1
            logger.info("%s", forecast(seconds=seconds, steps=left, device=accelerator.device))
        progress.step += 1
        bar.update()
        judging = bool(config.eval_every and progress.step % config.eval_every == 0) or progress.step == total
        saving = judging or bool(config.save_every and progress.step % config.save_every == 0)
        if progress.step % config.log_every == 0 or saving:  # a saved state has no losses left to tell
            losses = distributed.gather_objects(running)
            loss = sum(losses) / len(losses)
            rate = len(running) / (time.perf_counter() - since)
            bar.set_postfix(loss=f"{loss:.4f}")
            tracker.log(
                {"loss": loss, "lr": peaks[0] * factor, "steps_per_second": rate, **task.metrics()},
                step=progress.step,
            )
            running, since = [], time.perf_counter()
        if judging:
            _judge(task, module, progress, out=out, tracker=tracker)
            since = time.perf_counter()
        if saving:
            with whole(module):
                save_state(
                    out / "state",
                    step=progress.step,
                    module=task.module,
                    optimizer=optimizer,
                    progress={**vars(progress), "task": description},
                    scaler=accelerator.scaler,
                )
    if _is_stale(progress, config) and distributed.is_main():
        logger.info("no better figure in %d evaluations: stopped at step %d", progress.stale, progress.step)
    bar.close()
    tracker.close()
    figures = {**progress.figures, "best_step": progress.best_step, "steps": progress.step}
    if distributed.is_main():
        write_json(out / "metrics.json", figures)
    distributed.barrier()
    return figures


def _same_task(state: Path, saved: Any, now: dict[str, Any]) -> None:
    """Refuse to go on with other data than before: the batches would not be those that are left."""
    saved = value_from_json(dict[str, Any], saved, where=state / PROGRESS, key="task")
    changed = sorted(name for name in saved.keys() | now.keys() if saved.get(name) != now.get(name))
    if changed:
        raise UserError(
            f"{state}: the data is not that of the run to resume ({', '.join(changed)} changed): restore it, "
            "or start a new run"
        )


def _is_stale(progress: Progress, config: TrainConfig) -> bool:
    """Whether the last ``patience`` evaluations brought nothing better."""
    return bool(config.patience) and progress.stale >= config.patience


def _endless(task: Task, progress: Progress, batches_an_epoch: int) -> Iterator[dict[str, Any]]:
    """Batch after batch, epoch after epoch, from where ``progress`` stands; keeps ``progress`` up to date.

    Each epoch starts a loader of its own at the batch to go on from, so nothing is skipped twice. An epoch
    ends with the last batch that fills a whole optimizer step.
    """
    while True:
        for batch in task.batches(progress.epoch, progress.batch):
            if progress.batch == batches_an_epoch:
                break
            progress.batch += 1
            if progress.batch == batches_an_epoch:
                progress.epoch, progress.batch = progress.epoch + 1, 0
                yield batch
                break
            yield batch


def _judge(task: Task, module: Any, progress: Progress, *, out: Path, tracker: Tracker) -> None:
    """Evaluate; export the model when it is the best so far (or when there is nothing to judge it by)."""
    with whole(module):
        _judge_whole(task, module, progress, out=out, tracker=tracker)


def _judge_whole(task: Task, module: Any, progress: Progress, *, out: Path, tracker: Tracker) -> None:
    module.eval()
    with torch.no_grad():
        figures = task.evaluate()
    module.train()
    if figures:
        tracker.log(figures, step=progress.step)
        value = figures[task.selection_metric()]
        if distributed.is_main():
            shown = ", ".join(f"{key} {value:.4f}" for key, value in figures.items())
            logger.info("step %d: %s", progress.step, shown)
        if progress.best is not None and value <= progress.best:
            progress.stale += 1
            return
        progress.best, progress.stale, progress.figures = value, 0, figures
    progress.best_step = progress.step
    if distributed.is_main():
        task.export(out / "export", metrics=figures)
    distributed.barrier()
