"""The cell reader: padding and order of a batch change nothing; what is saved is what is loaded."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from tabrag.errors import UserError
from tabrag.models.cell_reader import CHOICES, CellReader
from tabrag.models.config import CellReaderConfig
from tabrag.models.inputs.cell_batch import collate
from tabrag.models.inputs.cell_table import CellTable
from tabrag.tables.grid import make_grid

GRID = make_grid(
    [
        ["", "men", "", "women"],
        ["", "2010", "2011", "2010"],
        ["east", "1", "2", "3"],
        ["west", "4", "5", "x"],
    ],
    merged=[(0, 0, 1, 2)],
    num_header_rows=2,
    num_header_cols=1,
)
LONG = make_grid(
    [["", *(f"year {n}" for n in range(5))], *([f"place {row}", *"12345"] for row in range(7))],
    num_header_rows=1,
    num_header_cols=1,
)


def _config(**settings: object) -> CellReaderConfig:
    return CellReaderConfig(backbone="offline:tiny-bert", width=16, max_length=128, **settings)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def model() -> CellReader:
    torch.manual_seed(1)
    model = CellReader.from_config(_config()).eval()
    torch.nn.init.normal_(model.heads.kinds.weight, std=0.1)
    return model


def _tables(model: CellReader) -> list[CellTable]:
    pairs = [("women in the west in 2010?", GRID), ("place 3 in year 4?", LONG)]
    tables = [model.inputs.table(question, grid) for question, grid in pairs]
    return [table for table in tables if table is not None]


def test_a_table_gets_the_same_scores_alone_and_in_a_batch(model: CellReader) -> None:
    tables = _tables(model)
    with torch.inference_mode():
        together = model(**collate(model.inputs, tables))
        for n, table in enumerate(tables):
            alone = model(**collate(model.inputs, [table]))
            rows, cols = table.numbers.shape
            headers = len(table.rows.nodes) + len(table.cols.nodes)
            torch.testing.assert_close(together.choice[n], alone.choice[0], atol=1e-5, rtol=1e-4)
            torch.testing.assert_close(
                together.cells[n, :, :rows, :cols], alone.cells[0], atol=1e-5, rtol=1e-4
            )
            torch.testing.assert_close(together.headers[n, :headers], alone.headers[0], atol=1e-5, rtol=1e-4)
            assert len(alone.cells[0].unique()) > rows * cols  # roles, rows and columns differ
    lowest = torch.finfo(torch.float32).min
    assert (together.cells[0, :, 2:] == lowest).all() and (together.cells[0, :, :, 3:] == lowest).all()
    assert together.choice.shape == (2, len(CHOICES))


def test_every_weight_learns(model: CellReader) -> None:
    model.zero_grad()
    logits = model(**collate(model.inputs, _tables(model)))
    seen = logits.cells > torch.finfo(torch.float32).min
    (
        logits.choice.sum() + logits.cells[seen].square().sum() + logits.headers[:, :4].square().sum()
    ).backward()
    without = [name for name, p in model.named_parameters() if p.requires_grad and p.grad is None]
    assert not without
    model.zero_grad()


def test_saved_and_loaded_again(model: CellReader, tmp_path: Path) -> None:
    model.save_pretrained(tmp_path / "reader")
    again = CellReader.from_pretrained(tmp_path / "reader")
    assert again.fingerprint() == model.fingerprint() and again.config == model.config
    with torch.inference_mode():
        batch = collate(model.inputs, _tables(model))
        for one, other in zip(model(**batch), again(**batch), strict=True):
            assert torch.equal(one, other)
    torch.manual_seed(2)
    assert CellReader.from_config(_config()).fingerprint() != model.fingerprint()


def test_a_folder_that_is_not_exactly_a_reader_is_refused(model: CellReader, tmp_path: Path) -> None:
    folder = tmp_path / "reader"
    model.save_pretrained(folder)
    with pytest.raises(UserError, match=r"no cell_reader\.json"):
        CellReader.from_pretrained(tmp_path)
    for fault, change, message in (
        ("version", {"format_version": 99}, "format version 99"),
        ("choices", {"choices": ["cell"]}, "train it anew"),
        ("key", {"colour": 1}, "colour"),
    ):
        broken = tmp_path / fault
        shutil.copytree(folder, broken)
        values = json.loads((broken / "cell_reader.json").read_text())
        (broken / "cell_reader.json").write_text(json.dumps({**values, **change}))
        with pytest.raises(UserError, match=message):
            CellReader.from_pretrained(broken)
    tensors = load_file(folder / "heads.safetensors")
    tensors.pop("cell.bias")
    save_file(tensors, folder / "heads.safetensors")
    with pytest.raises(UserError, match=r"cell\.bias"):
        CellReader.from_pretrained(folder)


def test_the_first_layers_alone(model: CellReader, tmp_path: Path) -> None:
    short = CellReader.from_config(_config(num_layers=1))
    assert len(short.backbone.encoder.layer) == 1 and len(model.backbone.encoder.layer) == 2
    short.save_pretrained(tmp_path / "short")
    assert CellReader.from_pretrained(tmp_path / "short").fingerprint() == short.fingerprint()
    with pytest.raises(UserError, match="num_layers is 9"):
        CellReader.from_config(_config(num_layers=9))
    with pytest.raises(UserError, match="width 0"):
        CellReaderConfig(backbone="offline:tiny-bert", width=0)
