"""Training of a language model: what it learns, the loss on replies alone, exact resume, processes agree."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest
import torch
from processes import forget_accelerator, run_distributed
from rerank_data import write_data
from tiny_chat import TEMPLATE, save, save_llava

from tabrag import distributed
from tabrag.chat.config import LocalChatConfig
from tabrag.data.config import RankingDataConfig, RankingTasksConfig
from tabrag.errors import UserError
from tabrag.inference.chat_scorer import ChatPairScorer
from tabrag.inference.config import ContextConfig
from tabrag.models.chat_reranker import ChatReranker
from tabrag.models.config import ChatRerankerConfig, LoraConfig
from tabrag.training.accelerator import make_accelerator
from tabrag.training.chat_reranker_task import ChatRerankerTask
from tabrag.training.config import TrainConfig
from tabrag.training.loop import train
from tabrag.training.task import move

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = write_data(tmp_path_factory.mktemp("work"), render=True)
    save(path / "qwen", "qwen", template=TEMPLATE, positions=1024)
    save_llava(path / "llava")
    return path


def _task(
    work: Path,
    *,
    batch_size: int = 4,
    tasks: dict[str, Any] | None = None,
    chat: dict[str, Any] | None = None,
    **changes: Any,
) -> ChatRerankerTask:
    torch.manual_seed(0)
    settings: dict[str, Any] = {
        "model": str(work / "qwen"),
        "lora": LoraConfig(rank=4, alpha=8, dropout=0.0),
        "context": ContextConfig(max_tokens=60),
        **(chat or {}),
    }
    data = {
        "negatives": str(work / "train.jsonl"),
        "num_negatives": 1,
        "dev_run": str(work / "dev.jsonl"),
        "max_dev": 8,
        "chunk_size": 2,
        **changes,
    }
    return ChatRerankerTask(
        ChatReranker.from_config(ChatRerankerConfig(**settings)),
        data=RankingDataConfig(folder=str(work / "data"), **data),
        tasks=RankingTasksConfig(**(tasks or {})),
        batch_size=batch_size,
        seed=0,
        settings={},
    )


def _config(**changes: Any) -> TrainConfig:
    return TrainConfig(**{"batch_size": 4, "lr": 3e-3, "log_every": 1, "precision": "float32", **changes})


PICTURES = {"show": "image", "vision": "lora"}


def test_it_learns_and_the_checkpoint_scores_alike(work: Path, tmp_path: Path) -> None:
    task = _task(work, tasks={"answer": 0, "choose": 0}, chat={"language": "full"})
    before = task.evaluate()
    assert before["before/Hit@1"] == 0 and 0 <= before["ECE"] <= 1 and before["loss"] > 0
    figures = train(
        task, _config(max_steps=30), accelerator=make_accelerator("float32"), out=tmp_path, settings={}
    )
    assert figures["loss"] < before["loss"] / 2 and figures["MRR"] >= figures["before/MRR"]
    scorer = ChatPairScorer.from_pretrained(
        tmp_path / "export", local=LocalChatConfig(device="cpu", dtype="float32")
    )
    pairs = task.judge.pairs()
    assert scorer(pairs) == pytest.approx(task._scorer()(pairs), abs=1e-4)
    assert len({round(score, 3) for score in scorer(pairs)}) > 5
    assert scorer.blend == task.model.blend
    assert (tmp_path / "export/README.md").is_file()


@pytest.mark.parametrize("model", ["qwen", "llava"])
@pytest.mark.parametrize("checkpointing", [False, True])
def test_every_adapter_learns(work: Path, tmp_path: Path, model: str, checkpointing: bool) -> None:
    chat = {"model": str(work / model), "gradient_checkpointing": checkpointing}
    task = _task(work, chat={**chat, **(PICTURES if model == "llava" else {})}, dev_run="")
    start = {name: tensor.detach().clone() for name, tensor in task.model.trained().items()}
    frozen = {n: p.detach().clone() for n, p in task.module.named_parameters() if not p.requires_grad}
    accelerator = make_accelerator("float32")
    train(task, _config(max_steps=2), accelerator=accelerator, out=tmp_path, settings={})
    trained = task.model.trained()
    towers = ("vision_tower", "language_model", "projector") if model == "llava" else ("layers.1",)
    assert all(any(tower in name for name in trained) for tower in towers)
    for name, tensor in trained.items():
        assert tensor.abs().max() > 0, name
        assert not tensor.equal(start[name]), name
    assert frozen and all(p.equal(frozen[n]) for n, p in task.module.named_parameters() if n in frozen)


def test_checkpointing_changes_no_gradient(work: Path) -> None:
    found = []
    for checkpointing in (False, True):
        chat = {"model": str(work / "llava"), **PICTURES, "gradient_checkpointing": checkpointing}
        task = _task(work, chat=chat)
        with torch.no_grad():
            for name, tensor in task.model.trained().items():
                if "lora_B" in name:
                    tensor.add_(0.1)
        task.module.train()
        found.append(_gradient(task))
    assert found[0].norm() > 1e-3 and (found[0] - found[1]).norm() < 1e-4 * found[0].norm()


def test_a_weight_without_gradient_stops_the_training(work: Path, tmp_path: Path) -> None:
    task = _task(work, chat={"model": str(work / "llava"), **PICTURES}, dev_run="")
    tower = task.model.model.model.vision_tower
    forward = tower.forward

    def cut(*arguments: Any, **named: Any) -> Any:
        with torch.no_grad():
            return forward(*arguments, **named)

    tower.forward = cut
    with pytest.raises(UserError, match=r"no gradient reaches them in the first step: .*vision_tower"):
        train(task, _config(max_steps=1), accelerator=make_accelerator("float32"), out=tmp_path, settings={})


def test_the_loss_is_that_of_the_reply_alone(work: Path) -> None:
    task = _task(work, chunk_size=0)
    batch = next(iter(task.batches(0, 0)))
    loss = task.module(batch).item()
    assert loss > 0.1
    (chunk,) = batch["chunks"]
    logits = task.model.model(
        **{name: chunk[name] for name in ("input_ids", "attention_mask", "position_ids")}
    ).logits.log_softmax(-1)
    expected = []
    for row, labels in enumerate(chunk["labels"]):
        places = [place for place, label in enumerate(labels.tolist()) if label != -100]
        assert 2 <= len(places) < 40 and places[-1] == len(labels) - 1
        taken = [-logits[row, place - 1, labels[place]].item() for place in places]
        expected.append(sum(taken) / len(taken))
    assert loss == pytest.approx(sum(expected) / len(expected), abs=1e-5)
    question = (chunk["labels"] == -100) & (chunk["attention_mask"] == 1)
    assert question.sum() > 100
    assert _task(work, chunk_size=1).module(
        next(iter(_task(work, chunk_size=1).batches(0, 0)))
    ).item() == pytest.approx(loss, abs=1e-5)


def test_resumed_in_the_middle_of_an_epoch_gives_the_same_weights(work: Path, tmp_path: Path) -> None:
    def run(out: Path, steps: int, resume: str) -> str:
        forget_accelerator()
        task = _task(work, chat={"lora": LoraConfig(rank=4, alpha=8, dropout=0.2)}, dev_run="")
        if steps < 6:
            batches = task.batches

            def some(epoch: int, start: int) -> Any:
                for number, batch in enumerate(batches(epoch, start)):
                    if number == steps:
                        raise KeyboardInterrupt
                    yield batch

            task.batches = some  # type: ignore[method-assign]
        config = _config(max_steps=6, save_every=3)
        train(task, config, accelerator=make_accelerator("float32"), out=out, settings={}, resume=resume)
        return task.model.fingerprint()

    whole = run(tmp_path / "whole", 6, "none")
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "cut", 4, "none")
    assert run(tmp_path / "cut", 6, "auto") == whole
    state = max((tmp_path / "whole/state").iterdir()) / "model.safetensors"
    assert state.stat().st_size < (work / "qwen/model.safetensors").stat().st_size / 2  # no frozen weights


def _gradient(task: ChatRerankerTask) -> torch.Tensor:
    """The gradient of the first batch, averaged over the processes."""
    task.module(move(next(iter(task.batches(0, 0))), "cpu")).backward()
    flat = torch.cat([p.grad.flatten() for p in task.module.parameters() if p.grad is not None])
    parts, _ = distributed.gather(flat[None])
    return parts.mean(dim=0)


def test_two_processes_give_the_gradient_and_the_figures_of_one(work: Path) -> None:
    one = _task(work, batch_size=4)
    gradient, figures = _gradient(one), one.evaluate()
    assert gradient.abs().max() > 1e-3

    def work_on(rank: int) -> Any:
        task = _task(work, batch_size=2)
        return _gradient(task), task.evaluate()

    for found, judged in run_distributed(work_on, 2):
        assert (gradient - found).norm() < 1e-5 * gradient.norm()
        assert judged == pytest.approx(figures, abs=1e-5)


def test_equal_scores_and_data_without_contrast_are_told(
    work: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        task = _task(work, num_negatives=0, negatives="")
    assert "learns to say True" in caplog.text and task.describe()["positives"] == 1
    with torch.no_grad():
        for parameter in task.module.parameters():
            parameter.zero_()
    with caplog.at_level(logging.WARNING):
        figures = task.evaluate()
    assert "scores of the dev split are equal" in caplog.text
    assert figures["alone/Hit@1"] == 0  # ties count against the relevant table
    assert figures["loss"] == pytest.approx(torch.log(torch.tensor(330.0)).item(), abs=0.1)


def test_the_description_tells_mix_and_data(work: Path) -> None:
    described = _task(work, tasks={"judge": 3.0}).describe()
    assert described["mix"]["judge"] == 3 and described["mix"]["negatives_per_positive"] == 1
    assert described["positives"] == pytest.approx(0.5, abs=0.05) and 0 < described["cut tables"] <= 1
    assert _task(work, dev_run="").evaluate() == {}
