"""The nodes of summary trees as entries: leaves lead to chunks, summaries to nodes."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from small_report import report, write

from tabrag.data.folder import DataFolder
from tabrag.documents.part import DocumentPart
from tabrag.documents.tree import DocumentTree, TreeNode, tree_to_record
from tabrag.errors import UserError
from tabrag.files import write_jsonl
from tabrag.representations import RepresentationConfig, build, entries_of, item_kind


def _trees(file: Path) -> Path:
    nodes = (
        TreeNode(number=1, layer=0, text="Trade\nFruit sold well.", units=(1, 2)),
        TreeNode(number=2, layer=0, text="Lemons did not.", units=(3, 3)),
        TreeNode(number=3, layer=1, text="Fruit, and lemons.", children=(1, 2)),
    )
    write_jsonl(file, [tree_to_record(DocumentTree(id="r.pdf", nodes=nodes))])
    return file


def test_all_layers_are_entries_whose_items_can_be_read(tmp_path: Path) -> None:
    data, file = write(tmp_path / "data"), _trees(tmp_path / "trees.jsonl")
    config = RepresentationConfig(name="tree", options={"file": str(file)})
    assert item_kind(config) == "document"
    represent = pickle.loads(pickle.dumps(build(config)))
    found = entries_of(represent, DataFolder(data).items["r.pdf"])
    assert [(entry.id, entry.item_id, entry.text) for entry in found] == [
        ("r.pdf#u1-2", "r.pdf#u1-2", "Trade\nFruit sold well."),
        ("r.pdf#u3-3", "r.pdf#u3-3", "Lemons did not."),
        ("r.pdf#n3", "r.pdf#n3", "Fruit, and lemons."),
    ]
    items = DataFolder(data, trees=file).items
    parts = [items[entry.item_id] for entry in found]
    assert all(isinstance(part, DocumentPart) for part in parts)
    assert [part.document.blocks[0].text for part in parts] == [
        "Trade",
        "Lemons did not.",
        "Fruit, and lemons.",
    ]


def test_faults_are_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="set the option file"):
        build(RepresentationConfig(name="tree"))(report(), tables={})
    missing = RepresentationConfig(name="tree", options={"file": str(tmp_path / "none.jsonl")})
    with pytest.raises(UserError, match="no file of trees"):
        build(missing)(report(), tables={})
