"""Training batches of a reranker: groups of one query, windows, order and processes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from run_files import write_run
from tiny_tables import write_tiny

from tabrag.data.config import RankingDataConfig
from tabrag.data.pairs import TrainingPairs
from tabrag.data.prepare import prepare
from tabrag.data.ranking_batches import RankingBatches
from tabrag.data.synthetic import corpus
from tabrag.models import tiny
from tabrag.models.config import CrossEncoderConfig
from tabrag.models.inputs.pairs import PairInputs
from tabrag.representations import RepresentationConfig
from tabrag.types import Candidate


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twenty tables, each query with the five next ones as candidates."""
    folder = tmp_path_factory.mktemp("corpus") / "data"
    prepare(corpus.make(num_tables=20, seed=0), folder)
    tiny.bert(folder.parent / "bert")
    pairs = TrainingPairs(RankingDataConfig(folder=str(folder)))
    run = {
        query_id: [
            Candidate(item_id=pairs.item_ids[(own[0] + n) % 20], score=-float(n), stage="bm25")
            for n in range(6)
        ]
        for query_id, own in zip(pairs.query_ids, pairs.positives, strict=True)
    }
    write_run(folder.parent / "run.jsonl", run)
    return folder


def _inputs(data: Path, *, table_length: int = 160) -> PairInputs:
    config = CrossEncoderConfig(
        backbone=str(data.parent / "bert"),
        table_length=table_length,
        representation=RepresentationConfig(options={"windows": True}),
    )
    return PairInputs.load(data.parent / "bert", config)


def _batches(
    data: Path, *, num_negatives: int = 3, table_length: int = 160, **changes: Any
) -> RankingBatches:
    config = RankingDataConfig(
        folder=str(data),
        negatives=str(data.parent / "run.jsonl"),
        num_negatives=num_negatives,
        chunk_size=4,
    )
    options = {"batch_size": 4, "num_processes": 1, "rank": 0, "seed": 0, "epoch": 0, **changes}
    inputs = _inputs(data, table_length=table_length)
    return RankingBatches(TrainingPairs(config), config=config, inputs=inputs, **options)


def test_a_batch_is_groups_of_one_relevant_table_and_others(data: Path) -> None:
    batches = _batches(data)
    assert len(batches) > 5
    batch = batches[0]
    assert batch["group"].bincount().tolist() == [4, 4, 4, 4]
    assert batch["group"][batch["positive"]].sort().values.tolist() == [0, 1, 2, 3]
    assert [len(chunk["input_ids"]) for chunk in batch["chunks"]] == [4, 4, 4, 4]
    lengths = [int(row.sum()) for chunk in batch["chunks"] for row in chunk["attention_mask"]]
    assert lengths == sorted(lengths) and len(set(lengths)) > 1
    texts = [
        batches.inputs.tokenization.tokenizer.decode(row, skip_special_tokens=True)
        for chunk in batch["chunks"]
        for row in chunk["input_ids"]
    ]
    assert len(set(texts)) == 16  # sixteen different pairs


def test_the_order_is_a_function_of_seed_and_epoch(data: Path) -> None:
    def ids(**changes: Any) -> list[str]:
        batches = _batches(data, **changes)
        return [query_id for step in range(3) for query_id in batches[step]["query_ids"]]

    assert ids() == ids() != ids(epoch=1) != ids(seed=1)
    one, two = (_batches(data)[0], _batches(data)[0])
    assert all(
        (a["input_ids"] == b["input_ids"]).all() for a, b in zip(one["chunks"], two["chunks"], strict=True)
    )


def test_processes_share_the_global_batch(data: Path) -> None:
    whole = _batches(data, batch_size=8)
    parts = [_batches(data, batch_size=4, num_processes=2, rank=rank) for rank in (0, 1)]
    assert len(parts[0]) == len(parts[1]) == len(whole)
    for step in range(3):
        joint = [query_id for part in parts for query_id in part[step]["query_ids"]]
        assert sorted(joint) == sorted(whole[step]["query_ids"]) and len(set(joint)) == 8


def test_the_relevant_table_shows_the_window_with_the_gold_headers(tmp_path: Path) -> None:
    folder = write_tiny(tmp_path / "data")
    tiny.bert(tmp_path / "bert")
    write_run(tmp_path / "run.jsonl", {"q1": [Candidate(item_id="plain", score=1.0, stage="bm25")]})
    shown = set()
    for epoch in range(8):
        batch = _batches(folder, num_negatives=1, table_length=40, batch_size=2, epoch=epoch)[0]
        place = batch["query_ids"].index("q1")
        rows = [row for chunk in batch["chunks"] for row in chunk["input_ids"]]
        (row,) = [
            ids
            for ids, group, is_positive in zip(rows, batch["group"], batch["positive"], strict=True)
            if group == place and is_positive
        ]
        shown.add(_inputs(folder).tokenization.tokenizer.decode(row, skip_special_tokens=True))
    assert len(_inputs(folder, table_length=40).windows(TrainingPairs(
        RankingDataConfig(folder=str(folder))).folder.tables["csv/200-csv/0.csv"])) > 1  # fmt: skip
    assert len(shown) == 1 and "north" in shown.pop().replace(" ", "")
