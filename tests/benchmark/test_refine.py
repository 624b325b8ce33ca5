"""The speed of refining is measured on real calls of the stage."""

from __future__ import annotations

from pathlib import Path

import pytest

from tabrag.benchmark.refine import measure_refining
from tabrag.errors import UserError
from tabrag.models import tiny
from tabrag.models.config import HeaderClassifierConfig
from tabrag.models.header_classifier import HeaderClassifier
from tabrag.tables.grid import make_grid
from tabrag.types import Table


def _table(num_rows: int, num_cols: int) -> Table:
    cells = [[f"{row} {col}" for col in range(num_cols)] for row in range(num_rows)]
    return Table(id=f"{num_rows}", grid=make_grid(cells, num_header_rows=1, num_header_cols=1))


def test_refining(tmp_path: Path) -> None:
    tiny.bert(tmp_path / "bert")
    config = HeaderClassifierConfig(backbone=str(tmp_path / "bert"))
    model = HeaderClassifier.from_config(config)
    model.threshold = 0.01
    model.save_pretrained(tmp_path / "model")
    arguments = {"checkpoint": str(tmp_path / "model"), "num_pairs": 4, "repeats": 1}
    found = measure_refining([_table(9, 9), _table(40, 12), _table(30, 10)], ["q", "which"], **arguments)
    assert found["different_tables"] == 2 and found["num_pairs"] == 4
    assert found["tables_per_s"] > 0 and found["cpu_ms_a_table"] > 0 and 0 <= found["body_cells_removed"] < 1
    assert 100 < found["tokens_a_table"] < 1000
    short = measure_refining([_table(30, 10)], ["q"], **arguments, dtype="bfloat16")
    assert (found["dtype"], short["dtype"]) == ("auto", "bfloat16")
    with pytest.raises(UserError, match="1 questions and 0 tables of 30 x 10"):
        measure_refining([_table(9, 9)], ["q"], **arguments)
    with pytest.raises(UserError, match="num_pairs=0"):
        measure_refining([_table(30, 10)], ["q"], **{**arguments, "num_pairs": 0})
