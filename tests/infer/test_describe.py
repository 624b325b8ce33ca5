"""Descriptions by a language model: written once for each content, then searched in place of the template."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from entry_points import call, refuse
from small_report import write
from tiny_chat import save, save_llava
from tiny_tables import write_tiny

from tabrag.chat.describe import PICTURE_KINDS
from tabrag.data.folder import DataFolder
from tabrag.representations import RepresentationConfig, build, entries_of


def test_descriptions_are_written_once_and_take_the_place_of_the_templates(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    data, model = write_tiny(tmp_path / "data"), save(tmp_path / "m", "llama", positions=1024)
    out = tmp_path / "hrcl.jsonl"
    arguments = [f"--data={data}", f"--out={out}", f"--chat.model={model}", "--max_new_tokens=6"]
    figures = call("infer/describe.py", *arguments, capsys=capsys)
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert figures["entries"] == figures["new"] == len(rows) > 5
    assert any(row["text"] for row in rows)
    empty = [row for row in rows if not row["text"]]
    assert figures["failed"] == len(empty) == sum("error" in row for row in rows)
    assert call("infer/describe.py", *arguments, capsys=capsys)["new"] == len(empty)
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


def test_pictures_of_documents_are_described_from_the_picture(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    data, model = write(tmp_path / "data"), save_llava(tmp_path / "llava")
    out = tmp_path / "chunks.jsonl"
    arguments = [f"--data={data}", f"--out={out}", f"--chat.model={model}", "--max_new_tokens=6"]
    arguments += ["--representation.name=chunks", "--chat.device=cpu"]
    figures = call("infer/describe.py", *arguments, capsys=capsys)
    assert (figures["entries"], figures["new"], figures["failed"]) == (2, 2, 0), "one table, one picture"
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [row.get("kind") in PICTURE_KINDS for row in rows] == [True, False]
    assert call("infer/describe.py", *arguments, capsys=capsys)["new"] == 0
    (data / "images/chart.png").write_bytes((data / "pages/3.png").read_bytes())
    assert call("infer/describe.py", *arguments, capsys=capsys)["new"] == 1, "another picture"
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    rows[1]["text"], rows[0]["text"] = "Sales of lemons by year.", "A line that falls."
    out.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for name, options, told in (
        ("chunks", {}, ["Sales of lemons by year.", "Figure 1: Price of lemons\nA line that falls."]),
        ("chunks", {"artefacts": "interleaved"}, ["A line that falls."]),
        ("pages", {}, ["A line that falls."]),
    ):
        config = RepresentationConfig(name=name, options=options, written=str(out))
        folder = DataFolder(data)
        item = folder.items["r.pdf"]
        texts = "\n\n".join(entry.text for entry in entries_of(build(config), item, folder=data))
        assert all(one in texts for one in told) and "EUR 4" not in texts, name


def test_a_model_that_reads_no_pictures_leaves_them_to_the_template(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    data, model = write(tmp_path / "data"), save(tmp_path / "m", "llama", positions=1024)
    out = tmp_path / "chunks.jsonl"
    arguments = [f"--data={data}", f"--out={out}", f"--chat.model={model}", "--max_new_tokens=6"]
    figures = call("infer/describe.py", *arguments, "--representation.name=chunks", capsys=capsys)
    assert (figures["entries"], figures["failed"]) == (2, 1)
    config = RepresentationConfig(name="chunks", written=str(out))
    folder = DataFolder(data)
    texts = [entry.text for entry in entries_of(build(config), folder.items["r.pdf"], folder=data)]
    assert any("EUR 4" in text for text in texts)
