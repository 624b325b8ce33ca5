"""The nodes of a document's summary tree, all layers in one index.

MHier-RAG's collapsed search (Gong et al., arXiv 2508.00579), after RAPTOR (Sarthi et al., ICLR 2024). The
trees are made before (``infer/tree.py``).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tabrag.documents.tree_file import read_tree
from tabrag.errors import UserError
from tabrag.types import Document, Entry, Table


def entries(
    document: Document,
    *,
    tables: Mapping[str, Table] | None = None,
    folder: Path | None = None,
    file: str = "",
) -> list[Entry]:
    """One text entry a node: a leaf's item is a chunk, ``DOCUMENT#u7-19``, a summary's the node,
    ``DOCUMENT#n5``.

    Args:
        document: The document.
        tables: Not needed.
        folder: Not needed: a text stands for itself.
        file: The file of trees; relative to the working folder.

    Raises:
        UserError: No file is named, it is missing or broken, or it has no tree of the document.
    """
    if not file:
        raise UserError("representation 'tree' needs a file of trees: set the option file (infer/tree.py)")
    tree = read_tree(file, document.id)
    return [
        Entry(id=str(tree.part_id(node)), item_id=str(tree.part_id(node)), text=node.text)
        for node in tree.nodes
    ]
