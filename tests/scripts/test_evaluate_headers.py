from __future__ import annotations

import json
from pathlib import Path

import pytest
from entry_points import call, refuse
from tiny_tables import write_tiny

from tabrag.data.folder import DataFolder

SCRIPT = "scripts/evaluate_headers.py"


def test_figures_and_misses_of_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = write_tiny(tmp_path / "data")
    misses = tmp_path / "misses.jsonl"
    figures = call(SCRIPT, f"--data={data}", f"--misses={misses}", capsys=capsys)
    num_tables = sum(table.grid is not None for table in DataFolder(data).tables)
    assert figures["num_tables"] == num_tables > 0
    assert figures["spans"] and not figures["fill_right"]
    records = [json.loads(line) for line in misses.read_text().splitlines()]
    assert len(records) == num_tables - round(figures["both"] * num_tables / 100)
    assert all(record["annotated"] != record["found"] for record in records)


def test_parts_share_out_the_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = write_tiny(tmp_path / "data")
    num_tables = call(SCRIPT, f"--data={data}", capsys=capsys)["num_tables"]
    counts = 0
    for part in ("develop", "report"):
        try:
            counts += call(SCRIPT, f"--data={data}", f"--part={part}", capsys=capsys)["num_tables"]
        except SystemExit:
            assert "choose others" in capsys.readouterr().err
    assert counts == num_tables


def test_faults_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = write_tiny(tmp_path / "data")
    assert "part 'half'" in refuse(SCRIPT, f"--data={data}", "--part=half", capsys=capsys)
    assert "no split 'x'" in refuse(SCRIPT, f"--data={data}", "--split=x", capsys=capsys)
