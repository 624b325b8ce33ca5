"""A summary tree grown from a document: chunks as leaves, then layer by layer summaries of groups.

The cross-page index of MHier-RAG (Gong et al., arXiv 2508.00579), after RAPTOR (Sarthi et al., ICLR 2024).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from tabrag.documents.chunking import chunks_of
from tabrag.documents.clusters import ClusterConfig, find_groups
from tabrag.documents.descriptions import Written
from tabrag.documents.picture_text import picture_texts
from tabrag.documents.summaries import Group, Summarise
from tabrag.documents.tree import TreeNode
from tabrag.documents.units import Unit, units_of
from tabrag.documents.whole import WholeDocument
from tabrag.errors import UserError
from tabrag.files import inside
from tabrag.tables.text import one_line
from tabrag.tables.token_estimate import estimate_tokens
from tabrag.tables.verbalise import summary
from tabrag.types import Document

Embed = Callable[[Sequence[str]], np.ndarray]
"""From texts to their vectors, [N, E]."""


@dataclass(kw_only=True)
class GrowConfig:
    """The shape of summary trees. The defaults are those of MHier-RAG's code.

    Attributes:
        leaf_tokens: Estimated tokens of a leaf at most; a single longer sentence or description stays whole.
        max_layers: Most layers of summaries.
        enough: A layer of so many nodes, or fewer, is not summarised.
        clusters: How the nodes of a layer are grouped.
    """

    leaf_tokens: int = 100
    max_layers: int = 5
    enough: int = 11
    clusters: ClusterConfig = field(default_factory=ClusterConfig)

    def __post_init__(self) -> None:
        if self.leaf_tokens < 1 or self.max_layers < 0 or self.enough < 1:
            raise UserError(
                f"trees need leaf_tokens and enough of 1 or more and max_layers of 0 or more, found "
                f"{self.leaf_tokens}, {self.enough} and {self.max_layers}"
            )


def leaves_of(
    whole: WholeDocument, *, size: int = 100, folder: Path | None = None, written: Written | None = None
) -> list[TreeNode]:
    """A document's leaves: chunks of whole sentences that share none, numbered from 1.

    A table enters as its description (:func:`tabrag.tables.verbalise.summary`), a picture as what stands in
    its place or is printed on it: its caption and the sentences around it have places of their own. Chunks
    without any text are left out.

    Args:
        whole: The document and its tables.
        size: Estimated tokens of a chunk at most.
        folder: The data set folder, for pictures that a model has described.
        written: Descriptions by a model, in place of the templates.
    """
    document = whole.document
    units = units_of(document)
    pictures = _pictures(document, folder, written)
    texts = [_text(whole, unit, pictures, written) for unit in units]
    spans = chunks_of(
        document,
        units,
        size=size,
        overlap=0,
        slides=False,
        num_tokens=lambda unit: estimate_tokens(texts[unit.number - 1]),
    )
    leaves: list[TreeNode] = []
    for first, last in spans:
        if text := _joined(units[first - 1 : last], texts[first - 1 : last]):
            leaves.append(TreeNode(number=len(leaves) + 1, layer=0, text=text, units=(first, last)))
    return leaves


def grow(
    leaves: Sequence[TreeNode],
    *,
    embed: Embed,
    summarise: Summarise,
    config: GrowConfig | None = None,
    seed: int = 224,
) -> tuple[TreeNode, ...]:
    """The leaves and all layers of summaries above them.

    Args:
        leaves: From :func:`leaves_of`.
        embed: Gives the vectors that nodes are grouped by; summaries are embedded as leaves are.
        summarise: Writes the nodes of a layer; a group without a summary has no node.
        config: The shape of the tree.
        seed: Of the grouping.

    Returns:
        All nodes in the order of their numbers. Each layer has fewer nodes than the one below it.

    Raises:
        UserError: NaN or infinity in the vectors, or scikit-learn is not installed.
    """
    config = config or GrowConfig()
    nodes = list(leaves)
    below = list(leaves)
    for layer in range(1, config.max_layers + 1):
        if len(below) <= config.enough:
            break
        vectors_NE = embed([node.text for node in below])
        sizes = [estimate_tokens(node.text) for node in below]
        found = find_groups(vectors_NE, sizes, config=config.clusters, seed=seed)
        if len(found) >= len(below):
            break
        texts = summarise(
            [Group(tuple(below[row].text for row in rows), vectors_NE[list(rows)]) for rows in found]
        )
        above = [
            TreeNode(
                number=len(nodes) + place,
                layer=layer,
                text=text,
                children=tuple(below[row].number for row in rows),
            )
            for place, (rows, text) in enumerate(
                [(rows, text) for rows, text in zip(found, texts, strict=True) if text.strip()], start=1
            )
        ]
        nodes += above
        below = above
    return tuple(nodes)


def _pictures(document: Document, folder: Path | None, written: Written | None) -> dict[int, str]:
    """What each picture that tells something shows, by the number of its block."""
    shown: dict[int, str] = {}
    for place, said in picture_texts(document).items():
        image = document.blocks[place].image
        told = None
        if written is not None and folder is not None and image is not None:
            told = written.of(said.text, inside(folder, image))
        shown[place] = one_line(told) if told else said.said
    return shown


def _text(whole: WholeDocument, unit: Unit, pictures: dict[int, str], written: Written | None) -> str:
    block = whole.document.blocks[unit.block]
    if block.kind == "picture":
        return pictures.get(unit.block, "")
    if block.kind != "table" or block.table is None:
        return one_line(unit.text)
    described = summary(whole.tables[block.table]).text
    told = None if written is None else written.of(described)
    return described if told is None else told


def _joined(units: Sequence[Unit], texts: Sequence[str]) -> str:
    """Sentences of one block in a line, blocks in lines of their own."""
    lines: dict[int, list[str]] = {}
    for unit, text in zip(units, texts, strict=True):
        if text:
            lines.setdefault(unit.block, []).append(text)
    return "\n".join(" ".join(line) for line in lines.values())
