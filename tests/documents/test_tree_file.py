"""One tree at a time from a file of trees."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tabrag.documents.tree import DocumentTree, TreeNode, tree_to_record
from tabrag.documents.tree_file import check_trees, read_tree
from tabrag.errors import UserError
from tabrag.files import write_jsonl


def tree(document_id: str, text: str = "Fruit sold well.") -> DocumentTree:
    leaves = (
        TreeNode(number=1, layer=0, text=text, units=(1, 2)),
        TreeNode(number=2, layer=0, text="Lemons did not.", units=(3, 3)),
    )
    above = TreeNode(number=3, layer=1, text="Fruit, and lemons.", children=(1, 2))
    return DocumentTree(id=document_id, nodes=(*leaves, above))


def test_trees_are_read_by_id_and_anew_when_the_file_changes(tmp_path: Path) -> None:
    file = tmp_path / "trees.jsonl"
    trees = [tree("a"), tree("bé", "Ünicode 文."), tree("c", "x" * 5000)]
    write_jsonl(file, map(tree_to_record, trees))
    assert [read_tree(file, one.id) for one in reversed(trees)] == trees[::-1]
    write_jsonl(file, [tree_to_record(tree("c", "Longer or shorter."))])
    os.utime(file, ns=(1, 1))
    assert read_tree(file, "c").nodes[0].text == "Longer or shorter."
    with pytest.raises(UserError, match="no tree of the document 'a'"):
        read_tree(file, "a")


def test_faults_are_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"infer/tree\.py"):
        read_tree(tmp_path / "none.jsonl", "a")
    file = tmp_path / "trees.jsonl"
    write_jsonl(
        file, [{"_id": "a", "error": "no server"}, {"_id": "b"}, {"_id": "c", "nodes": [{"text": "x"}]}]
    )
    with pytest.raises(UserError, match="failed .no server."):
        read_tree(file, "a")
    for broken in ("b", "c"):
        with pytest.raises(UserError, match=f"the line of '{broken}' is no tree"):
            read_tree(file, broken)
    for line, said in (
        ('{"_id": ', r"trees\.jsonl:2: not a JSON object"),
        ("[" * 10**5, r"trees\.jsonl:2: not a JSON object"),
        ("[1]", r"trees\.jsonl:2: expected a JSON object"),
        ('{"_id": 7, "nodes": []}', r"trees\.jsonl:2: no tree"),
        ('{"_id": "a", "nodes": []}', r"trees\.jsonl:2: the tree of 'a' stands in line 1 already"),
    ):
        file.write_text(f'{{"_id": "a", "nodes": []}}\n{line}\n')
        with pytest.raises(UserError, match=said):
            read_tree(file, "a")
        with pytest.raises(UserError, match=said):
            check_trees(file)


def test_nodes_stand_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    file = tmp_path / "trees.jsonl"
    record = tree_to_record(tree("a"))
    record["nodes"] = record["nodes"][::-1]
    write_jsonl(file, [record])
    check_trees(file)
    with pytest.raises(UserError, match=r"trees\.jsonl:1: the line of 'a' is no tree .*node 3"):
        read_tree(file, "a")
