"""A chat model decides the layouts that the rule leaves open, in a folder of files that was read before."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from entry_points import call, refuse
from reportlab.pdfgen.canvas import Canvas
from tiny_chat import save
from tiny_pictures import save_idefics3

from tabrag.chat.config import LocalChatConfig
from tabrag.chat.layout import LAYOUT_LABELS, layout_prompt
from tabrag.chat.local import LocalChat
from tabrag.chat.protocol import Picture, Text, probabilities
from tabrag.data.folder import DataFolder
from tabrag.data.ingest import ingest
from tabrag.data.validate import validate
from tabrag.inference.route import DECIDED_BY, route_folder


def draw(path: Path, size: tuple[float, float], pages: int, lines: int) -> None:
    canvas = Canvas(str(path), pagesize=size)
    for page in range(1, pages + 1):
        canvas.setFont("Helvetica", 24)
        canvas.drawString(40, size[1] - 60, f"Trade in lemons {page}")
        canvas.setFont("Helvetica", 18)
        for line in range(lines):
            canvas.drawString(60, size[1] - 110 - 26 * line, f"Point {line} of page {page} on fruit")
        canvas.showPage()
    canvas.save()


@pytest.fixture
def own(tmp_path: Path) -> Path:
    folder = tmp_path / "own"
    folder.mkdir()
    draw(folder / "slides.pdf", (720, 405), pages=4, lines=4)
    draw(folder / "one-page.pdf", (720, 405), pages=1, lines=3)
    draw(folder / "another.pdf", (720, 540), pages=1, lines=5)
    (folder / "note.txt").write_text("First line.\nSecond line.\n")
    return folder


def layouts(data: Path) -> dict[str, str]:
    return {document.id: document.layout for document in DataFolder(data).documents}


def test_the_open_ones_are_decided_once_and_the_others_stay(
    own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    data, out = tmp_path / "d", tmp_path / "d.layouts.jsonl"
    ingest(own, data, num_workers=1)
    before = layouts(data)
    assert before == {
        "another.pdf": "",
        "note.txt": "vertical",
        "one-page.pdf": "",
        "slides.pdf": "horizontal",
    }
    lines = (data / "documents.jsonl").read_bytes().splitlines()
    model = save(tmp_path / "m", "llama", positions=2048)
    arguments = [f"--data={data}", f"--out={out}", f"--chat.model={model}"]
    figures = call("infer/route.py", *arguments, capsys=capsys)
    assert (figures["documents"], figures["new"], figures["failed"]) == (2, 2, 0)
    assert figures["horizontal"] + figures["vertical"] == 2
    rows = {row["_id"]: row for row in map(json.loads, out.read_text().splitlines())}
    assert set(rows) == {"another.pdf", "one-page.pdf"}
    after = layouts(data)
    assert after == before | {name: row["layout"] for name, row in rows.items()} and "" not in after.values()
    chat = LocalChat(LocalChatConfig(model=str(model)))
    document = DataFolder(data).documents["one-page.pdf"]
    assert document.metadata[DECIDED_BY] == "chat"
    text = "\n".join(block.text for block in document.blocks)
    prompt = layout_prompt([Text(f"Page 1:\n{text}\n", item_id=document.id)])
    likely = dict(zip(LAYOUT_LABELS, probabilities(chat.score(prompt, list(LAYOUT_LABELS))), strict=True))
    assert 0 < likely["slides"] < 1
    assert rows["one-page.pdf"]["probability"] == pytest.approx(likely["slides"], abs=1e-4)
    assert rows["one-page.pdf"]["layout"] == LAYOUT_LABELS[max(likely, key=likely.__getitem__)]
    kept = (data / "documents.jsonl").read_bytes().splitlines()
    assert kept[1] == lines[1] and kept[3] == lines[3] and kept[0] != lines[0]
    assert validate(data) == []
    again = call("infer/route.py", *arguments, capsys=capsys)
    assert (again["documents"], again["new"]) == (2, 0)
    assert (data / "documents.jsonl").read_bytes().splitlines() == kept
    ingest(own, data, num_workers=1)
    assert layouts(data) == after, "an ingestion keeps what was decided of files that stay the same"
    draw(own / "another.pdf", (720, 540), pages=1, lines=2)
    ingest(own, data, num_workers=1)
    assert layouts(data)["another.pdf"] == ""
    third = call("infer/route.py", *arguments, capsys=capsys)
    assert (third["documents"], third["new"]) == (2, 1)


def test_a_model_that_sees_looks_at_the_pages(own: Path, tmp_path: Path):
    data, out = tmp_path / "d", tmp_path / "out.jsonl"
    ingest(own, data, num_workers=1)
    model = save_idefics3(tmp_path / "m")
    chat = LocalChatConfig(model=str(model))
    figures = route_folder(data, out, chat=chat, show="pictures")
    assert (figures["documents"], figures["failed"]) == (2, 0)
    rows = {row["_id"]: row for row in map(json.loads, out.read_text().splitlines())}
    page = DataFolder(data).documents["one-page.pdf"].pages[0]
    prompt = layout_prompt([Picture(str(data / str(page.image)))])
    likely = probabilities(LocalChat(chat).score(prompt, list(LAYOUT_LABELS)))
    assert rows["one-page.pdf"]["probability"] == pytest.approx(likely[0], abs=1e-4)
    assert rows["one-page.pdf"]["probability"] != rows["another.pdf"]["probability"]


def test_a_model_that_reads_no_pictures_and_a_picture_that_is_gone_are_told(
    own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    data = tmp_path / "d"
    ingest(own, data, num_workers=1)
    model = save(tmp_path / "m", "llama", positions=1024)
    arguments = [f"--data={data}", f"--out={tmp_path / 'o'}", f"--chat.model={model}", "--show=pictures"]
    assert "reads text alone" in refuse("infer/route.py", *arguments, capsys=capsys)
    (data / str(DataFolder(data).documents["one-page.pdf"].pages[0].image)).unlink()
    arguments[2] = f"--chat.model={save_idefics3(tmp_path / 'seeing')}"
    assert "the picture cannot be read" in refuse("infer/route.py", *arguments, capsys=capsys)
    assert layouts(data)["one-page.pdf"] == ""


def test_faults_are_told(own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    data = tmp_path / "d"
    for name in ("one-page.pdf", "another.pdf"):
        (own / name).unlink()
    ingest(own, data, num_workers=1)
    model = save(tmp_path / "m", "llama", positions=1024)
    arguments = [f"--data={data}", f"--out={tmp_path / 'o'}", f"--chat.model={model}"]
    assert "nothing to ask" in refuse("infer/route.py", *arguments, capsys=capsys)
