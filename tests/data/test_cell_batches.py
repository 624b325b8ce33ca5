"""Training batches of the cell reader: what is needed stays, and the same numbers give the same batches."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tabrag.data.cell_batches import CellBatches, Target, sample_table, target_of, targets_of
from tabrag.data.cell_examples import CellExample, cell_examples, grid_of
from tabrag.data.folder import DataFolder, write_folder
from tabrag.data.synthetic.corpus import make
from tabrag.errors import UserError
from tabrag.models.cell_reader import CHOICES
from tabrag.models.inputs.cell_table import CellTable, CellTableInputs
from tabrag.models.io import resolve
from tabrag.tables.grid import make_grid
from tabrag.tables.header_scores import HeaderScores
from tabrag.tables.programs import CellProgram

GRID = make_grid(
    [["", *(f"year {n}" for n in range(8))], *([f"place {row}", *map(str, range(8))] for row in range(20))],
    num_header_rows=1,
    num_header_cols=1,
)


@pytest.fixture(scope="module")
def inputs() -> CellTableInputs:
    return CellTableInputs.load(resolve("offline:tiny-bert"), max_length=192, header_length=16)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> DataFolder:
    path = tmp_path_factory.mktemp("cells") / "data"
    data = make(num_tables=20, seed=3)
    write_folder(
        path,
        tables=data.tables,
        queries=data.queries,
        qrels=data.qrels,
        gold_headers=data.gold_headers,
        card=data.card,
    )
    return DataFolder(path)


def _whole(inputs: CellTableInputs) -> CellTable:
    table = inputs.table("place 3 in year 2?", GRID)
    assert table is not None and len(table) > 110
    return table


@given(st.integers(0, 10_000), st.sampled_from(["cell", "ratio", "sum", "header"]))
@settings(max_examples=60, deadline=None)
def test_what_the_program_needs_stays(inputs: CellTableInputs, seed: int, kind: str) -> None:
    rng = random.Random(seed)
    col = rng.randint(1, 8)
    programs = {
        "cell": CellProgram("cell", ((rng.randint(1, 20), col),)),
        "ratio": CellProgram("ratio", ((3, col), (17, col))),
        "sum": CellProgram("sum", tuple((row, col) for row in range(1, 21))),
        "header": CellProgram("cell", ((rng.randint(1, 20), 0),)),
    }
    table = sample_table(inputs, _whole(inputs), programs[kind], None, rng, max_tokens=80)
    assert len(table) <= (80 if kind != "sum" else 192) and len(table.rows.positions) < 20
    target = target_of(table, programs[kind])
    assert target is not None and target.choice == CHOICES.index(
        "header" if kind == "header" else programs[kind].operator
    )
    if kind == "sum":
        assert len(target.cells) >= 8
        return
    if kind == "header":
        nodes = (*table.cols.nodes, *table.rows.nodes)
        assert nodes[target.header].cell == programs[kind].cells[0]
        return
    shown = [(table.rows.positions[row], table.cols.positions[col]) for row, col in target.cells]
    assert tuple(shown) == programs[kind].cells  # in their order


def test_scores_say_what_stays_besides(inputs: CellTableInputs) -> None:
    program = CellProgram("cell", ((4, 3),))
    scores = HeaderScores(
        {row: 5.0 if row in (11, 12) else 0.0 for row in range(1, 21)}, dict.fromkeys(range(1, 9), 0.5)
    )
    counts: dict[int, int] = {}
    for seed in range(30):
        table = sample_table(inputs, _whole(inputs), program, scores, random.Random(seed), max_tokens=90)
        for row in table.rows.positions:
            counts[row] = counts.get(row, 0) + 1
    assert counts[4] == counts[11] == counts[12] == 30
    others = [counts.get(row, 0) for row in range(1, 21) if row not in (4, 11, 12)]
    assert max(others) < 30 and sum(map(bool, others)) > 10


def test_targets() -> None:
    valid = torch.ones(3, 2, 4, dtype=torch.bool)
    change, cell, sum_ = (CHOICES.index(name) for name in ("change", "cell", "sum"))
    found = targets_of(
        [Target(change, ((1, 2), (0, 3))), Target(sum_, ((0, 0), (1, 0))), Target(0, (), 4)], valid_BRC=valid
    )
    assert found["target_B"].tolist() == [change, sum_, 0] and cell != change
    assert found["first_B"].tolist() == [6, -1, -1] and found["second_B"].tolist() == [3, -1, -1]
    assert found["header_B"].tolist() == [-1, -1, 4]
    assert (
        found["members_BRC"][1].nonzero().tolist() == [[0, 0], [1, 0]] and not found["members_BRC"][0].any()
    )


def _batches(folder: DataFolder, inputs: CellTableInputs, **settings: Any) -> CellBatches:
    values = {
        "batch_size": 4,
        "chunk_size": 2,
        "num_processes": 1,
        "rank": 0,
        "seed": 5,
        "epoch": 0,
        **settings,
    }
    examples = [
        example
        for example in cell_examples(folder, "train")
        if (table := inputs.table(example.text, grid_of(folder, example))) is not None
        and example.program is not None
        and target_of(table, example.program) is not None
    ]
    return CellBatches(folder, examples, inputs=inputs, scores=None, max_tokens=96, **values)


def _ids(batch: dict[str, Any]) -> list[list[int]]:
    return [chunk["inputs"]["input_ids"].flatten().tolist() for chunk in batch["chunks"]]


def test_batches_are_a_function_of_seed_and_epoch(folder: DataFolder, inputs: CellTableInputs) -> None:
    first, again = _batches(folder, inputs), _batches(folder, inputs)
    assert len(first) > 5
    assert _ids(first[3]) == _ids(again[3]) == _ids(first[3])  # the third time from the cache
    other = _batches(folder, inputs, epoch=1)
    assert other.plan != first.plan
    number = first.plan[0][0]
    assert (
        first._example(number)[0].cells.shape != () and first._example(number)[1] == again._example(number)[1]
    )


def test_processes_share_the_batches_of_one(folder: DataFolder, inputs: CellTableInputs) -> None:
    one = _batches(folder, inputs)
    two = [_batches(folder, inputs, batch_size=2, num_processes=2, rank=rank) for rank in range(2)]
    for step in range(3):
        parts = [set(part[step]["query_ids"]) for part in two]
        assert not parts[0] & parts[1] and parts[0] | parts[1] == set(one[step]["query_ids"])


def test_examples(folder: DataFolder) -> None:
    train = cell_examples(folder, "train")
    assert all(example.program is not None and example.answers for example in train)
    every = cell_examples(folder, "train", programs=False)
    assert len(every) > len(train) > 20 and all(isinstance(one, CellExample) for one in every)
    assert len(cell_examples(folder, "train", max_examples=10, programs=False)) <= 10


def test_a_folder_without_gold_cells_is_refused(folder: DataFolder, tmp_path: Path) -> None:
    write_folder(
        tmp_path / "bare",
        tables=[folder.tables[item] for item in folder.tables.ids],
        queries=folder.queries.values(),
        qrels={"train": folder.qrels("train")},
        card=make(num_tables=20, seed=3).card,
    )
    with pytest.raises(UserError, match=r"headers\.jsonl"):
        cell_examples(DataFolder(tmp_path / "bare"), "train")
