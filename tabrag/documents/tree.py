"""The summary tree of a document: its chunks, and summaries of groups of them, layer by layer.

MHier-RAG's cross-page index (Gong et al., arXiv 2508.00579), after RAPTOR (Sarthi et al., ICLR 2024).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from tabrag.documents.part import PartId


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeNode:
    """One node.

    Attributes:
        number: From 1, unique in the document: leaves first, in reading order.
        layer: 0 for a leaf, 1 for a summary of leaves, and so on.
        text: The chunk's text, or the summary.
        children: Numbers of the nodes that it summarises; a node may have several parents.
        units: Of a leaf: its first and last unit.
    """

    number: int
    layer: int
    text: str
    children: tuple[int, ...] = ()
    units: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentTree:
    """All nodes of one document.

    Attributes:
        id: The document's id.
        nodes: In the order of their numbers.
    """

    id: str
    nodes: tuple[TreeNode, ...]

    def part_id(self, node: TreeNode) -> PartId:
        """What is found with a node: a leaf is a chunk of the document."""
        if node.units is not None:
            return PartId(self.id, units=node.units)
        return PartId(self.id, node=node.number)


def tree_to_record(tree: DocumentTree) -> dict[str, Any]:
    """The line of a file of trees; ``_id`` stands first."""
    return {"_id": tree.id, "nodes": [asdict(node) for node in tree.nodes]}


def tree_from_record(record: dict[str, Any]) -> DocumentTree:
    """The tree of a line of a file of trees.

    Raises:
        KeyError, TypeError, ValueError: A required key is missing, a value has the wrong kind, or the nodes
            are not numbered 1, 2, 3 and so on.
    """
    nodes = tuple(map(_node, record["nodes"]))
    for place, node in enumerate(nodes, start=1):
        if node.number != place:
            raise ValueError(f"node {node.number} stands at place {place}")
    return DocumentTree(id=str(record["_id"]), nodes=nodes)


def _node(record: dict[str, Any]) -> TreeNode:
    units = record.get("units")
    return TreeNode(
        number=int(record["number"]),
        layer=int(record["layer"]),
        text=str(record["text"]),
        children=tuple(int(child) for child in record.get("children") or ()),
        units=None if units is None else (int(units[0]), int(units[1])),
    )
