"""Indexes whose items are parts of documents: made, fused, and brought up to date."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from entry_points import call
from indexes import retriever
from small_report import report, table, write

from tabrag.data.folder import DataFolder, write_documents
from tabrag.documents.part import DocumentPart, document_of
from tabrag.types import Block, Document

INDEX, RETRIEVE = "infer/index.py", "infer/retrieve.py"
SMALL = "{name: chunks, options: {size: 45, overlap: 0}}"


def other() -> Document:
    blocks = [Block(kind="text", text=f"Bread {number} is cheap.", page=1) for number in range(20)]
    return Document(id="b.docx", blocks=[*blocks, Block(kind="text", text="Wine is dear.", page=2)])


def write_two(path: Path) -> Path:
    write(path)
    write_documents(path, [report(), other()])
    return path


def items(index: Path) -> set[str]:
    return {json.loads(line)["item_id"] for line in (index / "entries.jsonl").read_text().splitlines()}


@pytest.mark.parametrize("kind", ["bm25", "exact"])
@pytest.mark.parametrize(
    "representation", [SMALL, "{name: pages, options: {chunk: 60, overlap: 10}}"], ids=["chunks", "pages"]
)
def test_sync_drops_the_parts_of_a_document_that_has_changed(
    kind: str, representation: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    data, index = write_two(tmp_path / "data"), tmp_path / "index"
    arguments = [f"--data={data}", f"--kind={kind}", f"--out={index}", f"--representation={representation}"]
    if kind == "exact":
        retriever().save_pretrained(tmp_path / "checkpoint")
        arguments.append(f"--checkpoint={tmp_path / 'checkpoint'}")
    figures = call(INDEX, *arguments, capsys=capsys)
    before = items(index)
    assert figures["items"] == len(before) < figures["entries"]
    assert {document_of(item) for item in before} == {"r.pdf", "b.docx"}
    changed = other()
    del changed.blocks[3:]
    write_documents(data, [report(), changed])
    figures = call(INDEX, *arguments, "--sync=true", capsys=capsys)
    after = items(index)
    of_report = {item for item in before if document_of(item) == "r.pdf"}
    assert of_report < before - after | of_report and of_report < after
    assert {item for item in after if document_of(item) == "b.docx"} <= {"b.docx#u1-3", "b.docx#p1"}
    assert figures["unchanged"] == len(of_report) and figures["removed"] == len(before - after) > 0
    folder = DataFolder(data)
    assert all(isinstance(folder.items[item], DocumentPart) for item in after)
    fresh = tmp_path / "fresh"
    call(INDEX, *[one.replace(f"--out={index}", f"--out={fresh}") for one in arguments], capsys=capsys)
    assert (fresh / "entries.jsonl").read_bytes() == (index / "entries.jsonl").read_bytes()


def test_only_names_documents(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    data, index = write_two(tmp_path / "data"), tmp_path / "index"
    (tmp_path / "ids.txt").write_text("b.docx\n")
    arguments = [f"--data={data}", "--kind=bm25", f"--out={index}", f"--representation={SMALL}"]
    call(INDEX, *arguments, f"--only={tmp_path / 'ids.txt'}", capsys=capsys)
    assert {document_of(item) for item in items(index)} == {"b.docx"}


def test_rankings_of_words_and_vectors_are_of_the_same_chunks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    data, words, dense = write_two(tmp_path / "data"), tmp_path / "words", tmp_path / "dense"
    retriever().save_pretrained(tmp_path / "checkpoint")
    common = [f"--data={data}", f"--representation={SMALL}"]
    call(INDEX, *common, "--kind=bm25", f"--out={words}", capsys=capsys)
    call(INDEX, *common, f"--checkpoint={tmp_path / 'checkpoint'}", f"--out={dense}", capsys=capsys)
    assert items(words) == items(dense)
    found = call(
        RETRIEVE,
        f"--indexes=[{words}, {dense}]",
        "--question=price of lemons in figure 1",
        "--k=3",
        capsys=capsys,
    )["candidates"]
    assert len(found) == 3 and found[0]["stage"] == "rrf(k=60)"
    folder = DataFolder(data)
    parts = [folder.items[one["item_id"]] for one in found]
    assert any("Figure 1: Price of lemons" in block.text for part in parts for block in part.document.blocks)  # type: ignore[union-attr]
    found = call(RETRIEVE, f"--indexes=[{words}]", "--question=lemon 2 sales", "--k=1", capsys=capsys)
    assert found["candidates"][0]["item_id"] == "r.pdf#u1-5", "its table's description leads to the chunk"
    assert table().id in folder.items["r.pdf#u1-5"].tables  # type: ignore[union-attr]
