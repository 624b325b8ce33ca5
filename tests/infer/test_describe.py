"""Descriptions by a language model: written once for each content, then searched in place of the template."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from entry_points import call, refuse
from tiny_chat import save
from tiny_tables import write_tiny

from tabrag.data.folder import DataFolder
from tabrag.representations import RepresentationConfig, build


def test_descriptions_are_written_once_and_take_the_place_of_the_templates(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    data, model = write_tiny(tmp_path / "data"), save(tmp_path / "m", "llama", positions=1024)
    out = tmp_path / "hrcl.jsonl"
    arguments = [f"--data={data}", f"--out={out}", f"--chat.model={model}", "--max_new_tokens=6"]
    figures = call("infer/describe.py", *arguments, capsys=capsys)
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert figures["entries"] == figures["new"] == len(rows) > 5 and figures["failed"] == 0
    assert any(row["text"] for row in rows)
    assert call("infer/describe.py", *arguments, capsys=capsys)["new"] == 0
    rows[0]["text"], rows[1]["text"] = "Lemons by year.", "  "
    out.write_text("".join(json.dumps(row) + "\n" for row in rows[:2]))
    plain = build(RepresentationConfig(name="hrcl"))
    written = build(RepresentationConfig(name="hrcl", written=str(out)))
    before = [entry for table in DataFolder(data).tables for entry in plain(table)]
    after = [entry for table in DataFolder(data).tables for entry in written(table)]
    assert after[0].text == "Lemons by year." != before[0].text and after[0].id == before[0].id
    assert after[1:] == before[1:]


def test_faults_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    data = write_tiny(tmp_path / "data")
    missing = [
        f"--data={data}",
        "--kind=bm25",
        f"--out={tmp_path / 'i'}",
        "--representation.written=none.jsonl",
    ]
    assert "infer/describe.py" in refuse("infer/index.py", *missing, capsys=capsys)
    (tmp_path / "bad.jsonl").write_text('{"text": "x"}\n')
    broken = [*missing[:3], f"--representation.written={tmp_path / 'bad.jsonl'}"]
    assert "record 1 is no description" in refuse("infer/index.py", *broken, capsys=capsys)
    again = [f"--data={data}", f"--out={tmp_path / 'o'}", "--representation.written=x.jsonl"]
    assert "leave it out here" in refuse("infer/describe.py", *again, capsys=capsys)
    whole = [f"--data={data}", f"--out={tmp_path / 'o'}", "--representation.name=document"]
    assert "describe that of its tables" in refuse("infer/describe.py", *whole, capsys=capsys)
