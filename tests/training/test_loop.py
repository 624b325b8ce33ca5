"""The loop's invariants: exact resume, the schedule, accumulation, the best checkpoint, early stop, several
processes.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from processes import run_distributed
from toy import ToyTask, damage

from tabrag.errors import UserError
from tabrag.training.accelerator import make_accelerator
from tabrag.training.config import TrainConfig
from tabrag.training.loop import learning_rate_factor, train
from tabrag.training.task import decay_groups


def _train(task: ToyTask, out: Path, *, resume: str = "none", **changes: Any) -> dict[str, float]:
    values = {"batch_size": 4, "max_steps": 4, "lr": 0.1, "log_every": 1, "warmup": 0.0, **changes}
    config = TrainConfig(**values)
    return train(
        task,
        config,
        accelerator=make_accelerator("float32"),
        out=out,
        settings={"train": values},
        resume=resume,
    )


def _losses(out: Path) -> list[float]:
    rows = [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]
    return [row["loss"] for row in rows if "loss" in row]


class _KilledError(Exception):
    pass


def _kill_after(task: ToyTask, steps: int) -> None:
    """Make the batch after ``steps`` raise, as a kill between steps would."""
    original = task.batches

    def batches(epoch: int, start: int) -> Any:
        for batch in original(epoch, start):
            if len(task.seen) > steps:
                raise _KilledError
            yield batch

    task.batches = batches  # type: ignore[method-assign]


@pytest.mark.parametrize("killed_after", [1, 3, 5])
def test_stopped_and_resumed_equals_uninterrupted_bit_for_bit(tmp_path: Path, killed_after: int) -> None:
    whole = ToyTask()
    before = whole.module.query.weight.detach().clone()
    _train(whole, tmp_path / "whole", max_steps=8, save_every=1)
    assert not torch.equal(before, whole.module.query.weight)

    first = ToyTask()
    _kill_after(first, killed_after)
    with pytest.raises(_KilledError):
        _train(first, tmp_path / "parts", max_steps=8, save_every=1)
    second = ToyTask()
    torch.manual_seed(12345)  # whatever a new process has drawn before it resumes
    _train(second, tmp_path / "parts", max_steps=8, save_every=1, resume="auto")

    assert second.seen == whole.seen[killed_after:]
    for (name, a), b in zip(
        whole.module.state_dict().items(), second.module.state_dict().values(), strict=True
    ):
        assert torch.equal(a, b), name
    assert _losses(tmp_path / "parts") == _losses(tmp_path / "whole")
    assert len(set(_losses(tmp_path / "whole"))) == 8


def test_a_resumed_run_scales_losses_as_an_uninterrupted_one(tmp_path: Path) -> None:
    def scaled(out: Path, task: ToyTask, *, resume: str = "none") -> None:
        accelerator = make_accelerator("float32")
        # What float16 brings along on a GPU; it doubles every third step.
        accelerator.scaler = torch.amp.GradScaler("cpu", init_scale=2.0, growth_interval=3)
        config = TrainConfig(batch_size=4, max_steps=8, lr=0.1, save_every=1, clip=0.0)
        train(task, config, accelerator=accelerator, out=out, settings={}, resume=resume)

    scaled(tmp_path / "whole", ToyTask())
    first = ToyTask()
    _kill_after(first, 4)
    with pytest.raises(_KilledError):
        scaled(tmp_path / "parts", first)
    scaled(tmp_path / "parts", ToyTask(), resume="auto")
    states = [
        json.loads((tmp_path / run / "state/step-00000008/progress.json").read_text())
        for run in ("whole", "parts")
    ]
    assert states[0] == states[1]
    assert states[0]["scaler"]["scale"] == 8.0 and states[0]["scaler"]["_growth_tracker"] == 2


def test_two_processes_train_as_one(tmp_path: Path) -> None:
    one = ToyTask(batch_size=4, dropout=0.0)
    _train(one, tmp_path / "one", max_steps=6)

    def work(rank: int) -> list[torch.Tensor]:
        task = ToyTask(batch_size=2, dropout=0.0)
        _train(task, tmp_path / "two", batch_size=2, max_steps=6)
        return [value.detach() for value in task.module.state_dict().values()]

    weights = run_distributed(work, 2)
    for single, first, second in zip(one.module.state_dict().values(), *weights, strict=True):
        assert torch.equal(first, second)
        assert torch.allclose(single, first, rtol=1e-4, atol=1e-6)
    losses = _losses(tmp_path / "one")
    assert losses[0] != losses[-1]
    assert _losses(tmp_path / "two") == pytest.approx(losses, rel=1e-5)


@pytest.mark.parametrize("world_size", [2, 4])
def test_gradient_of_several_processes_is_that_of_one(world_size: int) -> None:
    def gradient(task: ToyTask) -> torch.Tensor:
        accelerator = make_accelerator("float32")
        module = accelerator.prepare(task.module)
        accelerator.backward(module(next(iter(task.batches(0, 0)))))
        return torch.cat([p.grad.flatten() for p in task.module.parameters()])

    expected = gradient(ToyTask(batch_size=8, dropout=0.0))
    assert expected.norm() > 0.1 and (expected != 0).all()
    for found in run_distributed(
        lambda rank: gradient(ToyTask(batch_size=8 // world_size, dropout=0.0)), world_size
    ):
        assert ((found - expected).norm() / expected.norm()) < 1e-5


def test_accumulation_averages_micro_batches(tmp_path: Path) -> None:
    task = ToyTask(dropout=0.0)
    seen: list[torch.Tensor] = []
    task.module.query.weight.register_hook(seen.append)
    _train(task, tmp_path / "run", accumulate=2, max_steps=1, clip=0.0, estimate=False)
    reference = ToyTask(dropout=0.0)
    for batch in list(reference.batches(0, 0))[:2]:
        (reference.module(batch) / 2).backward()
    assert len(seen) == 2 and not torch.equal(seen[0], seen[1])
    assert torch.allclose(sum(seen), reference.module.query.weight.grad)


def test_an_epoch_ends_with_its_last_whole_step_and_orders_differ(tmp_path: Path) -> None:
    task = ToyTask(num_queries=20)  # five batches an epoch, two steps of two
    _train(task, tmp_path / "run", accumulate=2, epochs=2, max_steps=0)
    first, second = task.seen[:4], task.seen[-4:]
    assert sorted(sum(first, [])) != sorted(set(sum(first, []))) or len(set(sum(first, []))) == 16
    assert first != second


def test_learning_rate_rises_then_follows_a_cosine() -> None:
    factors = [learning_rate_factor(step, total=100, warmup=0.1) for step in range(101)]
    assert factors[0] == pytest.approx(0.1) and factors[9] == 1.0 and factors[10] == 1.0
    assert factors[55] == pytest.approx(0.5) and factors[100] == pytest.approx(0.0)
    assert all(a >= b for a, b in zip(factors[10:], factors[11:], strict=False))


def test_the_best_checkpoint_is_exported_and_patience_ends_the_run(tmp_path: Path) -> None:
    task = ToyTask()
    task.dev_figures = [0.1, 0.5, 0.4, 0.3, 0.9]
    figures = _train(task, tmp_path / "run", max_steps=5, eval_every=1, patience=2)
    assert figures == {"score": 0.5, "best_step": 2, "steps": 4}
    assert json.loads((tmp_path / "run" / "metrics.json").read_text()) == figures
    exported = (tmp_path / "run" / "export" / "weights.txt").read_text()
    assert exported != str(task.module.query.weight.tolist())


def test_a_run_that_stopped_early_resumes_to_nothing(tmp_path: Path) -> None:
    settings = {"max_steps": 8, "eval_every": 1, "patience": 2}
    task = ToyTask()
    task.dev_figures = [0.5, 0.4, 0.3]
    figures = _train(task, tmp_path / "run", **settings)
    exported = (tmp_path / "run" / "export" / "weights.txt").read_text()
    again = ToyTask()
    assert _train(again, tmp_path / "run", resume="auto", **settings) == figures
    assert figures["steps"] == 3 and again.seen == []
    assert (tmp_path / "run" / "export" / "weights.txt").read_text() == exported


def test_the_best_of_before_a_kill_stays_the_export(tmp_path: Path) -> None:
    settings = {"max_steps": 4, "eval_every": 1}
    first = ToyTask()
    first.dev_figures = [0.9, 0.2, 0.2, 0.2]
    _kill_after(first, 2)
    with pytest.raises(_KilledError):
        _train(first, tmp_path / "run", **settings)
    exported = (tmp_path / "run" / "export" / "weights.txt").read_text()
    second = ToyTask()
    second.dev_figures = [0.3, 0.4]
    figures = _train(second, tmp_path / "run", resume="auto", **settings)
    assert figures == {"score": 0.9, "best_step": 1, "steps": 4}
    assert json.loads((tmp_path / "run" / "metrics.json").read_text()) == figures
    assert (tmp_path / "run" / "export" / "weights.txt").read_text() == exported


@pytest.mark.parametrize("step", [2, 4])
def test_a_state_of_another_run_gives_an_export_of_its_own(tmp_path: Path, step: int) -> None:
    settings = {"max_steps": 4, "eval_every": 2}
    first = ToyTask()
    first.dev_figures = [0.9, 0.8]
    _train(first, tmp_path / "first", **settings)
    second = ToyTask()
    second.dev_figures = [0.1]
    state = str(tmp_path / "first" / "state" / f"step-{step:08d}")
    figures = _train(second, tmp_path / "second", resume=state, **settings)
    assert figures == {"score": 0.1, "best_step": 4, "steps": 4}
    assert (tmp_path / "second" / "export" / "weights.txt").exists()
    assert len(second.seen) == 4 - step


def test_other_data_is_refused_on_resume(tmp_path: Path) -> None:
    _train(ToyTask(), tmp_path / "run", max_steps=4)
    changed = ToyTask()
    changed.describe = lambda: {"candidates per query": 4, "data": "other"}  # type: ignore[method-assign]
    with pytest.raises(UserError, match=r"step-00000004: the data .*\(data changed\)"):
        _train(changed, tmp_path / "run", max_steps=4, resume="auto")


def test_a_damaged_place_in_the_data_is_named(tmp_path: Path) -> None:
    _train(ToyTask(), tmp_path / "run", max_steps=4)
    state = tmp_path / "run/state/step-00000004"
    for change, without, said in (
        ({"epoch": 0.5}, "", r"'epoch' is 0\.5, expected a whole number"),
        ({"epoch": 0}, "batch", "'batch' is missing"),
        ({"batch": 0, "figures": {"score": "x"}}, "", r"'figures\.score' is 'x', expected a finite number"),
        ({"figures": {}, "task": []}, "", r"'task' is \[\], expected names with values"),
    ):
        damage(state, change, without=without)
        with pytest.raises(UserError, match=rf"step-00000004/progress\.json: {said}"):
            _train(ToyTask(), tmp_path / "run", max_steps=4, resume="auto")


def test_a_run_goes_on_with_or_without_an_estimate(tmp_path: Path) -> None:
    _train(ToyTask(), tmp_path / "run", max_steps=2, save_every=1)
    _train(ToyTask(), tmp_path / "run", max_steps=2, save_every=1, estimate=False, resume="auto")


def test_losses_between_two_log_lines_survive_a_kill(tmp_path: Path) -> None:
    settings = {"max_steps": 8, "save_every": 2, "log_every": 3}
    _train(ToyTask(), tmp_path / "whole", **settings)
    first = ToyTask()
    _kill_after(first, 5)
    with pytest.raises(_KilledError):
        _train(first, tmp_path / "parts", **settings)
    _train(ToyTask(), tmp_path / "parts", resume="auto", **settings)
    assert _losses(tmp_path / "parts") == _losses(tmp_path / "whole")
    assert len(_losses(tmp_path / "whole")) == 5


def test_a_folder_too_small_for_a_batch_can_be_exported_untrained(tmp_path: Path) -> None:
    small = {"num_queries": 3, "batch_size": 4}
    assert _train(ToyTask(**small), tmp_path / "export", max_steps=0, epochs=0)["steps"] == 0
    with pytest.raises(UserError, match=r"0 whole batches of 4 queries.*lower train\.batch_size"):
        _train(ToyTask(**small), tmp_path / "run")


def test_a_run_that_has_ended_resumes_to_nothing(tmp_path: Path) -> None:
    _train(ToyTask(), tmp_path / "run")
    again = ToyTask()
    figures = _train(again, tmp_path / "run", resume="auto")
    assert again.seen == [] and figures["steps"] == 4


def test_an_existing_run_is_not_overwritten(tmp_path: Path) -> None:
    _train(ToyTask(), tmp_path / "run")
    before = (tmp_path / "run" / "metrics.jsonl").read_text()
    with pytest.raises(UserError, match="--resume auto"):
        _train(ToyTask(), tmp_path / "run")
    with pytest.raises(UserError, match=r"differ.*train\.lr"):
        _train(ToyTask(), tmp_path / "run", resume="auto", lr=0.2)
    assert (tmp_path / "run" / "metrics.jsonl").read_text() == before


def test_a_loss_that_is_not_finite_names_its_batch(tmp_path: Path) -> None:
    task = ToyTask()
    task.x[:] = float("nan")
    with pytest.raises(UserError, match="the loss is nan; batch: "):
        _train(task, tmp_path / "run")


def test_a_gradient_that_is_not_finite_stops_before_it_reaches_the_weights(tmp_path: Path) -> None:
    task = ToyTask()
    before = task.module.item.weight.detach().clone()
    task.module.item.weight.register_hook(lambda gradient: gradient / 0)
    with pytest.raises(UserError, match=r"the gradient is (nan|inf); batch: .*Lower train\.lr"):
        _train(task, tmp_path / "run")
    assert torch.equal(task.module.item.weight, before)


def test_float16_on_a_cpu_is_one_clear_message() -> None:
    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU")
    with pytest.raises(UserError, match="float16 needs a GPU"):
        make_accelerator("float16")


@pytest.mark.parametrize("precision", ["auto", "float32", "bfloat16"])
def test_each_precision_trains_on_a_cpu(tmp_path: Path, precision: str) -> None:
    task = ToyTask()
    config = TrainConfig(batch_size=4, max_steps=2, precision=precision)
    figures = train(task, config, accelerator=make_accelerator(precision), out=tmp_path / "run", settings={})
    assert figures["steps"] == 2


def test_decay_and_learning_rates_by_parameter() -> None:
    module = ToyTask().module
    groups = decay_groups(module, lr=1.0, weight_decay=0.1, lr_factors={"item": 5.0})
    assert [(g["lr"], g["weight_decay"], len(g["params"])) for g in groups] == [
        (1.0, 0.0, 1),
        (1.0, 0.1, 1),
        (5.0, 0.0, 1),
        (5.0, 0.1, 1),
    ]
    with pytest.raises(UserError, match="no parameter has itme"):
        decay_groups(module, lr=1.0, weight_decay=0.1, lr_factors={"itme": 5.0})


def test_one_reduction_a_step_with_accumulation(tmp_path: Path) -> None:
    def work(rank: int) -> int:
        calls = []
        task = ToyTask(batch_size=2, dropout=0.0)
        accelerator = make_accelerator("float32")
        prepare = accelerator.prepare

        def counting(*args: Any) -> Any:
            module, optimizer = prepare(*args)

            def hook(state, bucket):  # torch checks the annotations, and takes none better than strings
                calls.append(1)
                future = torch.distributed.all_reduce(bucket.buffer(), async_op=True).get_future()
                return future.then(lambda done: done.value()[0] / torch.distributed.get_world_size())

            module.register_comm_hook(None, hook)
            return module, optimizer

        accelerator.prepare = counting
        config = TrainConfig(batch_size=2, accumulate=2, max_steps=2)
        train(task, config, accelerator=accelerator, out=tmp_path / "run", settings={})
        return len(calls)

    assert run_distributed(work, 2) == [2, 2]
    assert (tmp_path / "run" / "metrics.json").exists()


def test_dropout_of_the_settings_replaces_the_models_own(tmp_path: Path) -> None:
    losses = {}
    for name, changes in {"own": {}, "none": {"dropout": 0.0}, "as_built": {"dropout": 0.5}}.items():
        _train(ToyTask(dropout=0.5), tmp_path / name, **changes)
        losses[name] = _losses(tmp_path / name)
    _train(ToyTask(dropout=0.0), tmp_path / "built_without")
    assert losses["own"] == losses["as_built"] != losses["none"]
    assert losses["none"] == _losses(tmp_path / "built_without")
