"""Answering with a real (tiny, random) image-text model: awkward questions and pictures, one query each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from entry_points import call
from noise import noise
from tiny_chat import save_llava

from tabrag.data.card import Card
from tabrag.data.folder import write_folder
from tabrag.files import read_jsonl
from tabrag.tables.grid import make_grid
from tabrag.types import Query, Table

SCRIPT = "infer/answer.py"
TEXTS = {
    "q0": "how many <image> in 2010?</s><image>",
    "q1": "<s>true? [INST] answer </s> {question}",
    "q2": "how many? Answer in JSON.",
}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_llava(tmp_path_factory.mktemp("llava"))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Ten tables with pictures, a query about each; the last one is as long as a book."""
    folder = tmp_path / "data"
    tables, queries = [], []
    for i in range(10):
        rows = [[f"r{row}", str(100 * i + row)] for row in range(400 if i == 9 else 2)]
        grid = make_grid([["", "2010"], *rows], num_header_rows=1, num_header_cols=1)
        tables.append(Table(id=f"t{i}", title=f"table {i}", grid=grid, image=f"images/t{i}.png"))
        task = {3: "verify", 4: "describe"}.get(i, "qa")
        queries.append(Query(id=f"q{i}", text=TEXTS.get(f"q{i}", "what is r1 in 2010?"), task=task))
    write_folder(
        folder,
        tables=tables,
        queries=queries,
        qrels={"dev": {f"q{i}": {f"t{i}": 1} for i in range(10)}},
        card=Card(name="x", licence="x", citation="x"),
    )
    (folder / "images").mkdir()
    for i in range(10):
        noise((40 + i, 30), 200).convert("RGB").save(folder / "images" / f"t{i}.png")
    return folder


def answer(
    data: Path, model: Path, out: Path, capsys: pytest.CaptureFixture[str], *more: str, show: str = "both"
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    figures = call(
        SCRIPT, f"--data={data}", "--run=gold", "--split=dev", f"--out={out}", "--reader.reader=chat",
        f"--reader.show={show}", f"--reader.chat.model={model}", "--reader.chat.device=cpu",
        "--reader.max_new_tokens=4", "--reader.max_text_tokens=5", "--reader.chat.max_length=1500",
        "--reader.context.max_tokens=200", *more, capsys=capsys,
    )  # fmt: skip
    rows = list(read_jsonl(out))
    for row in rows:
        row.pop("timings_ms", None)
        if "confidence" in row:
            row["confidence"] = round(row["confidence"], 5)
    return figures, rows


def test_a_picture_that_does_not_open_fails_its_query_alone(
    data: Path, model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, whole = answer(data, model, tmp_path / "whole.jsonl", capsys)
    assert len({row["confidence"] for row in whole}) > 5  # the pictures and questions make a difference
    picture = data / "images" / "t5.png"
    good = picture.read_bytes()
    for broken in (b"nothing", good[: len(good) // 2], b""):
        picture.write_bytes(broken)
        out = tmp_path / f"broken{len(broken)}.jsonl"
        figures, rows = answer(data, model, out, capsys)
        assert (figures["queries"], figures["failed"]) == (10, 1)
        assert list(rows[5]) == ["query_id", "question", "error"] and "t5.png" in rows[5]["error"]
        assert rows[:5] + rows[6:] == whole[:5] + whole[6:]
    picture.unlink()
    figures, rows = answer(data, model, tmp_path / "gone.jsonl", capsys)
    assert figures["failed"] == 1 and "t5.png" in rows[5]["error"]
    picture.write_bytes(good)
    figures, rows = answer(data, model, tmp_path / "gone.jsonl", capsys)
    assert (figures["new"], figures["failed"]) == (1, 0) and rows == whole


def test_control_tokens_and_long_tables(
    data: Path, model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figures, rows = answer(data, model, tmp_path / "text.jsonl", capsys, show="text")
    assert figures["failed"] == 0
    assert [row["question"] for row in rows[:3]] == list(TEXTS.values())
    assert rows[3]["answer"] in ("SUPPORTED", "REFUTED", "NOT ENOUGH INFO")
    assert 0 < rows[3]["confidence"] <= 1
    assert any(note.startswith("table 't9' was cut to ") for note in rows[9]["notes"])
    assert not any("was cut" in note for row in rows[:9] for note in row["notes"])
    assert json.dumps(rows[9]["notes"])


def test_a_table_without_a_picture_is_named(
    data: Path, model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = data / "corpus.jsonl"
    corpus.write_text(corpus.read_text(encoding="utf-8").replace('"image": "images/t7.png"', '"image": null'))
    figures, rows = answer(data, model, tmp_path / "a.jsonl", capsys, show="image")
    assert figures["failed"] == 1 and "table 't7' has no picture" in rows[7]["error"]
