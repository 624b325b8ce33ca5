from __future__ import annotations

import builtins
from pathlib import Path
from typing import Any

import pytest
from entry_points import call, refuse
from PIL import Image

from tabrag.data.card import Card
from tabrag.data.folder import write_folder
from tabrag.tables.grid import make_grid
from tabrag.types import GoldHeaders, Query, Table

SCRIPT = "scripts/evaluate_refinement.py"
NAMES = ("north", "south", "west", "east", "centre", "coast")
YEARS = ("2017", "2018", "2019", "2020")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Six questions that name row and column of one table, one that names neither, one without cells."""
    cells = [["", *YEARS], *([name, *(f"{i}{j}" for j in range(4))] for i, name in enumerate(NAMES))]
    grid = make_grid(cells, num_header_rows=1, num_header_cols=1)
    queries = [
        Query(id=f"q{i}", text=f"how much in the {name} in {YEARS[i % 4]}?") for i, name in enumerate(NAMES)
    ]
    gold = [
        GoldHeaders(query_id=f"q{i}", table_id="t", answer_cells=[(i + 1, i % 4 + 1)])
        for i in range(len(NAMES))
    ]
    queries += [Query(id="open", text="how much?"), Query(id="nowhere", text="how much?")]
    gold += [
        GoldHeaders(query_id="open", table_id="t", answer_cells=[(6, 4)]),
        GoldHeaders(query_id="nowhere", table_id="t", left=[(1, 0)]),
    ]
    write_folder(
        tmp_path / "data",
        tables=[Table(id="t", title="sales", grid=grid)],
        queries=queries,
        qrels={"dev": {query.id: {"t": 1} for query in queries}},
        gold_headers=gold,
        card=Card(name="x", licence="x", citation="x"),
    )
    return tmp_path / "data"


def test_tables_curve_and_figures(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table, plot = tmp_path / "refine.md", tmp_path / "curve.png"
    figures = call(SCRIPT, f"--data={data}", f"--table={table}", f"--plot={plot}", capsys=capsys)
    assert (figures["questions"], figures["cells"]) == (7, 24.0)
    words = figures["systems"]["header words"]
    assert set(words) > {"gain", "relative", "budget", "top_k", "gain, no rules"}
    # Six tables of one cell; where the question names nothing, all 24 cells stay.
    assert words["relative"]["removed@97"] == pytest.approx(1 - 30 / (7 * 24))
    assert words["relative"]["kept@75"] == 1.0
    assert words["relative"]["kept@90"] == pytest.approx(6 / 7)  # one cell of each table
    assert 0 < figures["systems"]["random order"]["relative"]["kept@75"] < 0.6
    assert figures["top_k"]["header words"]["10 x 7"]["kept"] == 1.0
    assert figures["bounds"]["header words"]["kept"] == 1.0
    assert figures["top_k"]["header words"]["10 x 7"]["removed"] == 0.0
    text = table.read_text(encoding="utf-8")
    assert "7 questions, 24.00 body cells a table" in text
    assert "| header words | relative | 100.0 |" in text
    with Image.open(plot) as picture:
        assert min(picture.size) > 500 and len(set(picture.convert("RGB").resize((90, 60)).getdata())) > 20


def test_the_limit_and_what_cannot_be_evaluated(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert call(SCRIPT, f"--data={data}", "--max_examples=4", capsys=capsys)["questions"] == 4
    assert "no split 'test'" in refuse(SCRIPT, f"--data={data}", "--split=test", capsys=capsys)
    missing = f"--checkpoints={{a: {tmp_path}}}"
    assert str(tmp_path) in refuse(SCRIPT, f"--data={data}", missing, capsys=capsys)
    taken = f"--checkpoints={{random order: {tmp_path}}}"
    assert "'random order' is taken" in refuse(SCRIPT, f"--data={data}", taken, capsys=capsys)
    assert "must be 0 or more" in refuse(SCRIPT, f"--data={data}", "--max_examples=-4", capsys=capsys)
    found = builtins.__import__

    def without_matplotlib(name: str, *args: Any, **options: Any) -> Any:
        if name.split(".")[0] == "matplotlib":
            raise ImportError(name)
        return found(name, *args, **options)

    monkeypatch.setattr(builtins, "__import__", without_matplotlib)
    plot = f"--plot={tmp_path / 'curve.png'}"
    assert "tabrag[plot]" in refuse(SCRIPT, f"--data={data}", plot, capsys=capsys)
