"""The answering stage with a trained cell reader: loaded once, in batches, evidence in the whole table."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from tabrag.chat.prompts import NOT_ENOUGH_INFO
from tabrag.data.card import Card
from tabrag.data.folder import DataFolder, write_folder
from tabrag.errors import UserError
from tabrag.inference.answer import Reader
from tabrag.inference.config import ReaderConfig
from tabrag.models.cell_reader import CHOICES, CellReader
from tabrag.models.config import CellReaderConfig
from tabrag.tables.grid import make_grid
from tabrag.tables.subtable import subtable
from tabrag.types import Candidate, Query, Table

GRID = make_grid(
    [
        ["", "2019", "2020", "2021"],
        ["north", "1", "2", "3"],
        ["south", "4", "5", "6"],
        ["east", "7", "8", "9"],
    ],
    num_header_rows=1,
    num_header_cols=1,
)


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    """A reader that always takes a difference."""
    torch.manual_seed(0)
    model = CellReader.from_config(CellReaderConfig(backbone="offline:tiny-bert", width=16, max_length=96))
    bias = model.heads.choice[-1].bias
    assert isinstance(bias, torch.Tensor)
    with torch.no_grad():
        bias[CHOICES.index("difference")] = 20.0
    model.save_pretrained(tmp_path / "reader")
    return tmp_path / "reader"


@pytest.fixture
def folder(tmp_path: Path) -> DataFolder:
    tables = [Table(id="t", title="Crops", grid=GRID), Table(id="bare", title="a picture")]
    write_folder(
        tmp_path / "data", tables=tables, queries=[], qrels={}, card=Card(name="x", licence="x", citation="x")
    )
    return DataFolder(tmp_path / "data")


def test_answers_with_formula_and_evidence(checkpoint: Path, folder: DataFolder) -> None:
    reader = Reader(ReaderConfig(checkpoint=str(checkpoint), device="cpu"))
    queries = [
        Query(id="a", text="how much more in the south than in the north in 2020?"),
        Query(id="b", text="the south has more", task="verify"),
        Query(id="c", text="and here?"),
        Query(id="d", text="nothing was found"),
    ]
    run = {
        query.id: [Candidate(item_id=item, score=1.0, stage="x")]
        for query, item in zip(queries, ("t", "t", "bare"), strict=False)
    }
    computed, verified, bare, without = reader(queries, run, folder)
    first, second = computed.evidence[0].cells
    values = [GRID.cells[row][col] for row, col in (first, second)]
    assert computed.formula == f"{values[0]} - {values[1]}"
    assert computed.answer == str(int(values[0]) - int(values[1])) != "0"
    assert first[0] == second[0] or first[1] == second[1]
    assert computed.confidence is not None and 0 < computed.confidence < 1
    assert (verified.answer, bare.answer, without.answer) == (NOT_ENOUGH_INFO, "", "")
    assert bare.evidence[0].item_id == "bare" and not without.evidence

    # Of a part the numbers are those of the part, the cells those of the whole table.
    parts = {("a", "t"): subtable(GRID, rows=[2, 3], cols=[2, 3])}
    part = reader(queries[:1], run, folder, parts=parts)[0]
    assert part.formula is not None and part.evidence[0].cells
    assert {cell[0] for cell in part.evidence[0].cells} <= {2, 3}
    values = [GRID.cells[row][col] for row, col in part.evidence[0].cells]
    assert part.formula == f"{values[0]} - {values[1]}"


def test_settings_follow_the_weights(checkpoint: Path) -> None:
    with_model = Reader(ReaderConfig(checkpoint=str(checkpoint))).settings()
    assert with_model["model"] == CellReader.from_pretrained(checkpoint).fingerprint()
    assert Reader(ReaderConfig()).settings() != with_model


def test_a_folder_without_a_reader_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cell_reader"):
        Reader(ReaderConfig(checkpoint=str(tmp_path))).open()
