"""Trees of all documents: the same for the same seed, continued after a kill, searched with their leaves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from chat_server import serve
from entry_points import call, refuse
from indexes import retriever
from small_report import report, write
from tiny_chat import save

from tabrag.chat.config import LocalChatConfig
from tabrag.chat.local import LocalChat
from tabrag.data.folder import DataFolder, write_documents
from tabrag.documents.part import DocumentPart
from tabrag.documents.tree_file import read_tree
from tabrag.types import Block, Document

TREE = "infer/tree.py"
pytest.importorskip("sklearn")


def _long(number: int = 40) -> Document:
    topics = ("bread is cheap", "wine is dear", "trains are late")
    blocks = [
        Block(
            kind="text",
            text=f"In {1980 + place} {topics[place % 3]} in Lund. People said so.",
            page=1,
        )
        for place in range(number)
    ]
    return Document(id="b.docx", title="Lund", blocks=blocks)


def _arguments(tmp_path: Path, document: Document) -> list[str]:
    data = write(tmp_path / "data")
    write_documents(data, [report(), document])
    retriever().save_pretrained(tmp_path / "checkpoint")
    return [f"--data={data}", f"--checkpoint={tmp_path / 'checkpoint'}", "--tree.leaf_tokens=20"]


def test_the_same_trees_for_the_same_seed_and_only_new_ones_when_continued(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = _arguments(tmp_path, _long())
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    figures = call(TREE, *arguments, f"--out={first}", capsys=capsys)
    assert figures["trees"] == figures["new"] == 2 and figures["failed"] == 0
    assert figures["summaries"] > 0 and figures["leaves"] > 20 and figures["layers"] > 0
    assert [json.loads(line)["_id"] for line in first.read_text().splitlines()] == ["r.pdf", "b.docx"]
    call(TREE, *arguments, f"--out={second}", "--batch_size=1", capsys=capsys)
    assert second.read_bytes() == first.read_bytes()
    assert call(TREE, *arguments, f"--out={first}", capsys=capsys)["new"] == 0
    write_documents(tmp_path / "data", [report(), _long(30)])
    assert call(TREE, *arguments, f"--out={first}", capsys=capsys)["new"] == 1
    assert "seed changed" in refuse(TREE, *arguments, f"--out={first}", "--seed=3", capsys=capsys)


def test_nodes_are_indexed_and_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments, file, index = _arguments(tmp_path, _long()), tmp_path / "trees.jsonl", tmp_path / "index"
    figures = call(TREE, *arguments, f"--out={file}", capsys=capsys)
    made = [
        arguments[0],
        "--kind=bm25",
        f"--out={index}",
        "--representation.name=tree",
        f"--representation.options={{file: {file}}}",
    ]
    counts = call("infer/index.py", *made, capsys=capsys)
    assert counts["items"] == counts["entries"] == figures["leaves"] + figures["summaries"]
    items = DataFolder(tmp_path / "data", trees=file).items
    entries = [json.loads(line) for line in (index / "entries.jsonl").read_text().splitlines()]
    assert all(isinstance(items[entry["item_id"]], DocumentPart) for entry in entries)
    assert any("#n" in entry["item_id"] for entry in entries)


def test_a_chat_model_writes_the_summaries_local_or_served(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments, model = _arguments(tmp_path, _long()), save(tmp_path / "m", "llama", positions=2048)
    plain, local, served = (tmp_path / f"{name}.jsonl" for name in ("plain", "local", "served"))
    call(TREE, *arguments, f"--out={plain}", "--tree.max_layers=1", capsys=capsys)
    asked = [*arguments, "--tree.max_layers=1", "--summaries.max_tokens=12"]
    call(TREE, *asked, f"--out={local}", f"--summaries.chat.model={model}", capsys=capsys)
    with serve(LocalChat(LocalChatConfig(model=str(model), device="cpu"))) as server:
        call(
            TREE,
            *asked,
            f"--out={served}",
            f"--summaries.server={{url: {server.url}, model: tiny}}",
            capsys=capsys,
        )
        assert server.chats
    trees = [read_tree(file, "b.docx") for file in (plain, local, served)]
    assert len({tuple(node.children for node in tree.nodes) for tree in trees}) == 1
    assert trees[1] == trees[2] != trees[0]


def test_faults_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = _arguments(tmp_path, _long(3))
    out = f"--out={tmp_path / 'o.jsonl'}"
    assert "summaries of 0 tokens" in refuse(TREE, *arguments, out, "--summaries.max_tokens=0", capsys=capsys)
    assert "leaf_tokens" in refuse(TREE, *arguments, out, "--tree.leaf_tokens=0", capsys=capsys)
    (tmp_path / "data" / "documents.jsonl").unlink()
    assert "documents" in refuse(TREE, *arguments, out, capsys=capsys)
