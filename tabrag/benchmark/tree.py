"""How fast the summary tree of a very long document grows, and in how much memory."""

from __future__ import annotations

import resource
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from tabrag.data.folder import DataFolder
from tabrag.documents.growing import GrowConfig, grow, leaves_of
from tabrag.documents.summaries import CentralSentences
from tabrag.documents.whole import WholeDocument
from tabrag.errors import UserError
from tabrag.index.config import EncodeConfig
from tabrag.tables.token_estimate import estimate_tokens
from tabrag.tables.verbalise import summary
from tabrag.types import Block, Document, Table

_SPARE = 1.2
"""Chunks are not quite full, but some sentences and descriptions are longer than a chunk."""


def measure_tree(
    data: str,
    *,
    checkpoint: str = "offline:minilm",
    num_chunks: int = 10_000,
    dtype: str = "float32",
    seed: int = 224,
) -> dict[str, Any]:
    """Grow one tree over the texts of a folder's documents, put behind each other.

    Blocks that say what an earlier one said are left out.

    Args:
        data: Data set folder with documents.
        checkpoint: Retriever or sentence encoder; reading it does not count.
        num_chunks: Leaves of the tree.
        dtype: Number format of the encoder.
        seed: Of the grouping.

    Returns:
        ``chunks``, ``different_chunks`` and ``mean_tokens`` (estimated) of the leaves; ``nodes`` of each
        layer; ``seconds`` and ``cpu_seconds`` (process time, all threads) of everything from the document to
        the tree, and of these ``embedding`` and ``without_embedding``; ``peak_rss_mb`` of the whole process,
        data and weights included; and the setting.

    Raises:
        UserError: The folder has too little text, or an extra is not installed.
    """
    import torch

    from tabrag.inference.tree_job import text_embedder
    from tabrag.models.retriever import Retriever

    config = GrowConfig()
    whole = _long_document(DataFolder(data), num_tokens=round(_SPARE * num_chunks * config.leaf_tokens))
    embed = text_embedder(Retriever.from_pretrained(checkpoint), EncodeConfig(dtype=dtype))
    embed(["A text that warms the encoder up."] * 8)
    of_embedding = np.zeros(2)

    def timed(texts: Sequence[str]) -> np.ndarray:
        nonlocal of_embedding
        since = _clocks()
        vectors_NE = embed(texts)
        of_embedding += _clocks() - since
        return vectors_NE

    since = _clocks()
    leaves = leaves_of(whole, size=config.leaf_tokens)[:num_chunks]
    if len(leaves) < num_chunks:
        raise UserError(
            f"{data}: the text of its documents makes {len(leaves)} chunks, not {num_chunks}: name a larger "
            "folder or fewer chunks"
        )
    central = CentralSentences([leaf.text for leaf in leaves])
    nodes = grow(leaves, embed=timed, summarise=central, config=config, seed=seed)
    of_all = _clocks() - since
    layers = Counter(node.layer for node in nodes)
    shares = {"all": of_all, "embedding": of_embedding, "without_embedding": of_all - of_embedding}
    return {
        "chunks": len(leaves),
        "different_chunks": len({leaf.text for leaf in leaves}),
        "mean_tokens": round(sum(estimate_tokens(leaf.text) for leaf in leaves) / len(leaves), 1),
        "nodes": [layers[layer] for layer in sorted(layers)],
        "seconds": {name: round(float(clocks[0]), 1) for name, clocks in shares.items()},
        "cpu_seconds": {name: round(float(clocks[1]), 1) for name, clocks in shares.items()},
        "peak_rss_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "checkpoint": checkpoint,
        "dtype": dtype,
        "seed": seed,
        "threads": torch.get_num_threads(),
    }


def _clocks() -> np.ndarray:
    """Wall clock and process time."""
    return np.array([time.perf_counter(), time.process_time()])


def _long_document(folder: DataFolder, *, num_tokens: int) -> WholeDocument:
    """Documents behind each other, up to so many estimated tokens; each text once."""
    blocks: list[Block] = []
    tables: dict[str, Table] = {}
    seen: set[str] = set()
    total = 0
    for document in folder.documents:
        for block in document.blocks:
            text = block.text
            if block.table is not None:
                text = summary(folder.tables[block.table]).text
            if text in seen or not text.strip():
                continue
            seen.add(text)
            blocks.append(block)
            if block.table is not None:
                tables[block.table] = folder.tables[block.table]
            total += estimate_tokens(text)
        if total >= num_tokens:
            break
    return WholeDocument(Document(id="long", title="Long", blocks=blocks), tables)
