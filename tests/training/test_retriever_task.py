"""A real retriever in the loop: one process and two agree, every backbone trains, batches hold what they
say.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from processes import run_distributed

from tabrag import distributed
from tabrag.data.config import TrainingDataConfig
from tabrag.data.prepare import prepare
from tabrag.data.synthetic import make
from tabrag.errors import UserError
from tabrag.files import read_jsonl, write_jsonl
from tabrag.inference.encode import encode
from tabrag.models.config import EmbedderConfig, RetrieverConfig
from tabrag.models.retriever import Retriever
from tabrag.representations import RepresentationConfig
from tabrag.training.accelerator import make_accelerator
from tabrag.training.config import DevConfig, LossConfig, TrainConfig
from tabrag.training.loop import train
from tabrag.training.retriever_task import RetrieverTask
from tabrag.types import Entry


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus") / "data"
    prepare(make(20, 0), folder, render=True, num_workers=1)
    return folder


TEXT = EmbedderConfig(backbone="offline:tiny-bert", max_length=48)
TOWERS = {
    "text": (TEXT, "headers"),
    "words, boxes and pixels": (
        EmbedderConfig(backbone="offline:tiny-layoutlmv3", inputs="layoutlmv3", max_length=48),
        "image",
    ),
    "pixels": (
        EmbedderConfig(backbone="offline:tiny-layoutlmv3", inputs="layoutlmv3", max_length=0),
        "image",
    ),
    "vision": (EmbedderConfig(backbone="offline:tiny-vit", inputs="image"), "image"),
}


def _task(data: Path, *, tower: str = "text", batch_size: int = 4, **changes: Any) -> RetrieverTask:
    item, name = TOWERS[tower]
    torch.manual_seed(0)
    representation = RepresentationConfig(name=name)
    return RetrieverTask(
        Retriever.from_config(RetrieverConfig(query=TEXT, item=item), representation),
        data=TrainingDataConfig(folder=str(data), representation=representation, **changes),
        loss=LossConfig(),
        dev=DevConfig(pool="judged", max_queries=5),
        batch_size=batch_size,
        seed=0,
        settings={"train": {"seed": 0}},
    )


def _gradient(task: RetrieverTask) -> torch.Tensor:
    accelerator = make_accelerator("float32")
    module = accelerator.prepare(task.module)
    accelerator.backward(module(next(iter(task.batches(0, 0)))))
    return torch.cat([p.grad.flatten() for p in task.module.parameters() if p.grad is not None])


def test_two_processes_give_the_gradient_of_one(data: Path) -> None:
    expected = _gradient(_task(data, batch_size=8))
    assert expected.norm() > 0.01
    for found in run_distributed(lambda rank: _gradient(_task(data, batch_size=4)), 2):
        assert (found - expected).norm() / expected.norm() < 1e-5


@pytest.mark.parametrize("tower", sorted(TOWERS))
def test_every_tower_trains_on_two_processes(data: Path, tmp_path: Path, tower: str) -> None:
    def work(rank: int) -> tuple[dict[str, float], list[str]]:
        task = _task(data, tower=tower, batch_size=2)
        before = {name: value.clone() for name, value in task.module.named_parameters()}
        config = TrainConfig(batch_size=2, max_steps=3, lr=1e-2, warmup=0.0)
        figures = train(
            task, config, accelerator=make_accelerator("float32"), out=tmp_path / "run", settings={}
        )
        still = [
            name
            for name, value in task.module.named_parameters()
            if value.requires_grad and torch.equal(value, before[name])
        ]
        return figures, still

    (figures, still), (other, _) = run_distributed(work, 2)
    assert figures == other and figures["steps"] == 3
    assert not still, f"trainable but never moved: {still}"
    exported = Retriever.from_pretrained(tmp_path / "run" / "export")
    assert exported.representation.name == TOWERS[tower][1]
    card = (tmp_path / "run" / "export" / "README.md").read_text()
    assert "MRR@10" in card and "cc0" in card.lower()


def test_encoding_gives_each_id_once_in_order(data: Path) -> None:
    retriever = _task(data).retriever
    entries = [Entry(id=str(n), item_id=str(n), text="word " * (n % 7 + 1)) for n in range(7)]
    expected = encode(retriever.item, entries, progress=False)
    assert len({tuple(row) for row in expected.tolist()}) > 3
    for found in run_distributed(lambda rank: encode(retriever.item, entries, progress=False), 2):
        assert found.shape == expected.shape and abs(found - expected).max() < 1e-5


def _negatives(task: RetrieverTask, path: Path, depth: int = 3) -> None:
    """A run that ranks the relevant item first and the items after it next; the last query has no
    candidates.
    """
    pairs = task.pairs
    rows = []
    for query_id, relevant in zip(pairs.query_ids[:-1], pairs.positives[:-1], strict=True):
        order = [(relevant[0] + n) % len(pairs.item_ids) for n in range(depth + 1)]
        candidates = [{"item_id": pairs.item_ids[n], "score": 1.0} for n in order]
        rows.append({"query_id": query_id, "candidates": candidates})
    write_jsonl(path, rows)


def _batches(task: RetrieverTask) -> Iterator[dict[str, Any]]:
    yield from task.batches(0, 0)


def test_batches_hold_ragged_hard_negatives_and_no_known_positive(data: Path, tmp_path: Path) -> None:
    _negatives(_task(data), tmp_path / "run.jsonl")
    task = _task(data, negatives=str(tmp_path / "run.jsonl"), num_negatives=2, chunk_size=2)
    plain = _task(data)
    sizes = []
    for batch, bare in zip(_batches(task), _batches(plain), strict=True):
        items, target, positives = batch["items"], batch["target"], batch["positives"]
        assert sorted(batch["query_ids"]) == sorted(bare["query_ids"])
        assert torch.equal(items[target], positives[:, 0])
        assert len(set(items.tolist())) == len(items)
        assert sum(chunk["input_ids"].shape[0] for chunk in batch["item"]) == len(items)
        assert all(chunk["input_ids"].shape[0] <= 2 for chunk in batch["item"])
        sizes.append(len(items) - len(set(target.tolist())))
        assert torch.allclose(task.module(batch), task.module({**batch}), atol=1e-6)
    assert 0 < min(sizes) <= max(sizes) <= 8
    assert len(task.pairs.negatives[-1]) == 0 < len(task.pairs.negatives[0])


def test_chunks_do_not_change_the_loss(data: Path) -> None:
    whole, chunked = _task(data), _task(data, chunk_size=1)
    for a, b in zip(_batches(whole), _batches(chunked), strict=True):
        assert len(a["item"]) == 1 < len(b["item"])
        assert torch.allclose(whole.module(a), chunked.module(b), atol=1e-5)


def test_settings_that_need_a_run_say_so(data: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"need a run in data\.negatives"):
        _task(data, num_negatives=1)
    write_jsonl(tmp_path / "other.jsonl", [])
    with pytest.raises(UserError, match="no candidates"):
        _task(data, negatives=str(tmp_path / "other.jsonl"), num_negatives=1)
    query_id = _task(data).pairs.query_ids[0]
    candidate = {"item_id": "nowhere", "score": 1.0}
    write_jsonl(tmp_path / "bad.jsonl", [{"query_id": query_id, "candidates": [candidate]}])
    with pytest.raises(UserError, match="'nowhere'"):
        _task(data, negatives=str(tmp_path / "bad.jsonl"), num_negatives=1)
    with pytest.raises(UserError, match="no split 'tran'"):
        _task(data, split="tran")
    write_jsonl(tmp_path / "torn.jsonl", [{"query_id": query_id}])
    with pytest.raises(UserError, match=r"torn\.jsonl:1"):
        _task(data, negatives=str(tmp_path / "torn.jsonl"), num_negatives=1)


def test_a_candidate_that_a_run_names_twice_counts_once(data: Path, tmp_path: Path) -> None:
    pairs = _task(data).pairs
    others = [item for item in range(len(pairs.item_ids)) if item not in pairs.positives[0]][:2]
    candidates = [{"item_id": pairs.item_ids[n], "score": 1.0} for n in (others[0], *others, others[1])]
    write_jsonl(tmp_path / "run.jsonl", [{"query_id": pairs.query_ids[0], "candidates": candidates}])
    task = _task(data, negatives=str(tmp_path / "run.jsonl"), num_negatives=2)
    assert task.pairs.negatives[0] == others


def test_a_folder_that_cannot_be_judged_or_read_is_refused_before_training(
    data: Path, tmp_path: Path
) -> None:
    unjudged = tmp_path / "unjudged"
    shutil.copytree(data, unjudged)
    lines = (unjudged / "qrels" / "dev.tsv").read_text().splitlines()
    (unjudged / "qrels" / "dev.tsv").write_text("\n".join([lines[0], lines[1][:-1] + "0"]) + "\n")
    with pytest.raises(UserError, match="split 'dev' has no query with a relevant item"):
        _task(unjudged)
    assert len(_task(unjudged, dev_split="").pairs) > 0
    silent = tmp_path / "silent"
    shutil.copytree(data, silent)
    query_id = _task(data).pairs.query_ids[0]
    rows = [
        {**row, "text": " "} if row["_id"] == query_id else row for row in read_jsonl(data / "queries.jsonl")
    ]
    write_jsonl(silent / "queries.jsonl", rows)
    with pytest.raises(UserError, match=f"no text, the first is '{query_id}'"):
        _task(silent)


def test_qrels_that_name_an_unknown_item_are_refused_before_training(data: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(data, copy)
    with (copy / "qrels" / "dev.tsv").open("a") as file:
        file.write("q-unknown\ttable-unknown\t1\n")
    with pytest.raises(UserError, match="unknown"):
        _task(copy)


def test_describe_counts_the_candidates_of_all_processes(data: Path) -> None:
    one = _task(data, batch_size=4).describe()["candidates per query"]
    two = run_distributed(lambda rank: _task(data, batch_size=2).describe()["candidates per query"], 2)
    assert two == [one, one] and one.startswith("4 (in batch)")
    shared = _task(data, batch_size=4, queries_per_item=3).describe()["candidates per query"]
    assert shared.startswith("2 to 4 (in batch)")
    assert distributed.world_size() == 1


def test_the_description_follows_the_data(data: Path, tmp_path: Path) -> None:
    _negatives(_task(data), tmp_path / "run.jsonl")
    found = {
        _task(data, **changes).describe()["training data"]
        for changes in ({}, {}, {"split": "test"}, {"negatives": str(tmp_path / "run.jsonl")})
    }
    assert len(found) == 3


def test_one_table_on_two_processes_is_no_negative(data: Path) -> None:
    def work(rank: int) -> list[float]:
        task = _task(data, batch_size=2)
        batch = next(_batches(task))
        own = {
            "query": [{name: value[rank : rank + 1] for name, value in batch["query"][0].items()}],
            "item": [{name: value[:1] for name, value in batch["item"][0].items()}],
            "target": torch.tensor([0]),
        }
        losses = []
        for number in (7, rank):  # the same table by its number, then another that only looks the same
            numbers = {"items": torch.tensor([number]), "positives": torch.tensor([[number, -1]])}
            losses.append(task.module({**own, **numbers}).item())
        return losses

    same, other = zip(*run_distributed(work, 2), strict=True)
    assert same == (0.0, 0.0)
    assert all(loss > 0.5 for loss in other)
