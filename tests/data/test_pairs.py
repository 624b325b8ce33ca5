"""Training queries of a folder: tables of one content, and several data sets, as the batches see them."""

from __future__ import annotations

import dataclasses
from collections import Counter
from pathlib import Path

import pytest
import torch
from tiny_tables import sales

from tabrag.data.card import Card
from tabrag.data.config import PairsConfig, TrainingDataConfig
from tabrag.data.content import content_digest, table_digest
from tabrag.data.folder import DataFolder, write_folder
from tabrag.data.pairs import TrainingPairs
from tabrag.errors import UserError
from tabrag.files import write_jsonl
from tabrag.models.config import EmbedderConfig, RetrieverConfig
from tabrag.models.retriever import Retriever
from tabrag.representations import RepresentationConfig
from tabrag.tables.grid import make_grid
from tabrag.training.config import DevConfig, LossConfig
from tabrag.training.retriever_task import RetrieverTask
from tabrag.types import Query, Table, Word

HEADERS = RepresentationConfig(name="headers")


def _table(table_id: str, title: str, *cells: str) -> Table:
    grid = make_grid([["a", "b"], *([cell, "1"] for cell in cells)], num_header_rows=1)
    return Table(id=table_id, title=title, grid=grid)


def _write(
    path: Path,
    tables: list[Table],
    relevant: list[str],
    sets: list[str] | None = None,
    texts: list[str] | None = None,
) -> Path:
    """One training query for each id in ``relevant``."""
    queries = [
        Query(id=f"q{n}", text=texts[n] if texts else f"question {n}", data_set=sets[n] if sets else "")
        for n in range(len(relevant))
    ]
    qrels = {"train": {f"q{n}": {table_id: 1} for n, table_id in enumerate(relevant)}}
    write_folder(path, tables=tables, queries=queries, qrels=qrels, card=Card(name="Tiny", licence="mit"))
    return path


def _task(folder: Path, *, batch_size: int = 2, **changes) -> RetrieverTask:
    torch.manual_seed(0)
    text = EmbedderConfig(backbone="offline:tiny-bert", max_length=32)
    return RetrieverTask(
        Retriever.from_config(RetrieverConfig(query=text, item=text), HEADERS),
        data=TrainingDataConfig(folder=str(folder), dev_split="", representation=HEADERS, **changes),
        loss=LossConfig(),
        dev=DevConfig(),
        batch_size=batch_size,
        seed=0,
        settings={},
    )


def test_a_table_that_stands_twice_is_no_negative(tmp_path: Path) -> None:
    same = [_table("t0", "Trade", "x"), _table("t1", " Trade", "x ")]  # blanks do not count
    losses = []
    for name, tables in (("same", same), ("other", [same[0], _table("t1", "Trade", "y")])):
        task = _task(_write(tmp_path / name, tables, ["t0", "t1"]))
        batch = next(iter(task.batches(0, 0)))
        assert sorted(batch["query_ids"]) == ["q0", "q1"] and batch["target"].unique().numel() == 2
        losses.append(task.module(batch).item())
    assert losses[0] == 0.0 and losses[1] > 0.1


def test_what_answers_another_query_of_the_same_text_is_no_negative(tmp_path: Path) -> None:
    tables = [_table(f"t{n}", f"Trade {n}", "x") for n in range(3)]
    folder = _write(tmp_path / "data", tables, ["t0", "t1"], texts=["How much?", "how  much?"])
    candidates = [{"item_id": f"t{n}", "score": 1.0} for n in range(3)]
    write_jsonl(tmp_path / "run.jsonl", [{"query_id": f"q{n}", "candidates": candidates} for n in range(2)])
    assert _task(folder).module(next(iter(_task(folder).batches(0, 0)))).item() == 0.0
    pairs = _task(folder, negatives=str(tmp_path / "run.jsonl"), num_negatives=2).pairs
    assert pairs.positives == [[0], [1]] and pairs.relevant == [[0, 1], [1, 0]]
    assert pairs.negatives == [[2], [2]]


def test_a_copy_of_a_positive_is_no_hard_negative_and_no_neighbour(tmp_path: Path) -> None:
    tables = [
        _table("t0", "Trade", "x"),
        _table("t1", "Trade", "x"),
        _table("t2", "Trade", "y"),
        _table("t3", "z"),
    ]
    folder = _write(tmp_path / "data", tables, ["t0", "t1", "t2"])
    candidates = [{"item_id": f"t{n}", "score": 9.0 - n} for n in range(4)]
    rows = [{"query_id": f"q{n}", "candidates": candidates} for n in range(3)]
    write_jsonl(tmp_path / "run.jsonl", rows)
    config = PairsConfig(
        folder=str(folder),
        dev_split="",
        negatives=str(tmp_path / "run.jsonl"),
        negative_depth=2,
    )
    pairs = TrainingPairs(config, num_neighbours=3)
    assert pairs.negatives == [[2, 3], [2, 3], [0, 1]]
    assert pairs.neighbours == {0: [2], 1: [2], 2: [0, 1]}
    assert [pairs.content_number(item) for item in range(4)] == [0, 0, 2, 3]


def test_what_makes_the_content_of_a_table(tmp_path: Path) -> None:
    def record(table: Table) -> dict:
        _write(tmp_path / "data", [table], [table.id])
        return DataFolder(tmp_path / "data").tables.record(table.id)

    def digest(table: Table, *, titles: bool = True) -> bytes:
        return content_digest(record(table), folder=tmp_path, titles=titles)

    table = sales()
    renamed = dataclasses.replace(table, id="other", metadata={"url": "elsewhere"})
    titled = dataclasses.replace(table, section="Elsewhere")
    assert digest(table) == digest(renamed) and len(digest(table)) == 16
    assert digest(table) != digest(titled) and digest(table, titles=False) == digest(titled, titles=False)
    moved = make_grid([["a", "b"], ["c", ""]]), make_grid([["a", "b"], ["", "c"]])
    assert len({digest(Table(id="t", grid=grid)) for grid in moved}) == 2
    spans = make_grid([["A  b", ""], ["1", "2"]], merged=[(0, 0, 0, 1)], num_header_rows=1)
    spelled = make_grid([["a b", "a B"], ["1", "2"]])
    same = [Table(id="t", title="Spans", grid=spans), Table(id="u", caption=" spans", grid=spelled)]
    assert len(set(map(digest, same))) == 1
    read = Table(id="r", words=[Word(text="Rank", box=(0, 0, 9, 9))])
    for table_ in (table, titled, read, *same):
        assert table_digest(table_) == digest(table_)
    broken = record(same[0])
    broken["grid"]["merged"] += [[1, 9, 1, 9], [7, 8, 0, 0], [0, 1, 6, 7]]
    assert content_digest(broken, folder=tmp_path, titles=True) == digest(same[0])

    (tmp_path / "one.png").write_bytes(b"picture")
    (tmp_path / "two.png").write_bytes(b"picture")
    pictures = [Table(id=name, image=name) for name in ("one.png", "two.png", "gone.png", "lost.png")]
    assert len({digest(picture) for picture in pictures}) == 3


def test_the_epochs_of_a_pooled_folder_are_mixed(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    tables = [_table(f"t{n}", f"title {n}", f"cell {n}") for n in range(40)]
    sets = ["wtq"] * 32 + ["hitab"] * 8
    folder = _write(tmp_path / "data", tables, [table.id for table in tables], sets)
    set_of = {f"q{n}": name for n, name in enumerate(sets)}

    def epoch(**changes) -> list[list[str]]:
        batches = list(_task(folder, batch_size=4, **changes).batches(0, 0))
        return [batch["query_ids"] for batch in batches]

    natural, flat = epoch(), epoch(mix_temperature=1e6)
    apart = epoch(one_set_a_batch=True)
    assert len(natural) == len(flat) == len(apart) == 10
    assert Counter(set_of[query_id] for ids in natural for query_id in ids) == {"wtq": 32, "hitab": 8}
    assert Counter(set_of[query_id] for ids in flat for query_id in ids) == {"wtq": 20, "hitab": 20}
    assert all(len({set_of[query_id] for query_id in ids}) == 1 for ids in apart)
    assert any(len({set_of[query_id] for query_id in ids}) == 2 for ids in natural)
    assert "data sets: hitab 8 queries, 20.0% of an epoch, wtq 32 queries, 80.0% of an epoch" in caplog.text
    assert "hitab 8 queries, 50.0% of an epoch" in caplog.text


@pytest.mark.parametrize("temperature", [0.0, -1.0, float("inf"), float("nan")])
def test_a_temperature_that_is_none_is_refused(temperature: float) -> None:
    with pytest.raises(UserError, match="mix_temperature must be a number greater than 0"):
        TrainingDataConfig(folder="x", mix_temperature=temperature)
