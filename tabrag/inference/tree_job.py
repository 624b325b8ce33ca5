"""Summary trees of all documents of a data set folder, into a file that indexes and pipelines then use."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from tabrag import distributed
from tabrag.chat.config import LocalChatConfig, ServerChatConfig
from tabrag.chat.open import open_chat
from tabrag.chat.protocol import ChatModel
from tabrag.chat.summarise import SUMMARISE_VERSION, read_summary, summarise_prompt
from tabrag.data.folder import DataFolder
from tabrag.documents.descriptions import Descriptions
from tabrag.documents.growing import Embed, GrowConfig, grow, leaves_of
from tabrag.documents.summaries import CentralSentences, Group, Summarise
from tabrag.documents.tree import DocumentTree, tree_to_record
from tabrag.documents.whole import WholeDocument, table_ids
from tabrag.errors import UserError
from tabrag.files import read_jsonl, sha256_file, sha256_json
from tabrag.index.config import EncodeConfig
from tabrag.index.fingerprint import fingerprint
from tabrag.inference import runtime
from tabrag.inference.encode import encode
from tabrag.inference.jobs import rows_or_errors, run_job
from tabrag.models.retriever import Retriever
from tabrag.types import Entry

logger = logging.getLogger(__name__)

TREE_VERSION = 2
"""Raised when the same settings give other trees: files that were begun before are not continued."""

_CPU_BATCH_TOKENS = 1024
"""Positions of a batch on a CPU with any number of threads: other batches round vectors otherwise, and a
tree follows from its vectors."""


def grow_trees(
    data: str | Path,
    out: str | Path,
    *,
    checkpoint: str,
    config: GrowConfig | None = None,
    summary_tokens: int = 100,
    chat: LocalChatConfig | None = None,
    server: ServerChatConfig | None = None,
    written: str | None = None,
    seed: int = 224,
    encoding: EncodeConfig | None = None,
    batch_size: int = 8,
    force: bool = False,
) -> dict[str, Any]:
    """Grow one tree a document; started again after a kill, or with changed documents, it continues.

    Several processes share the documents of a batch; each tree is grown by one, so that it does not depend on
    their number.

    Args:
        data: Data set folder with documents.
        out: File of trees to write, one row a document, see :func:`tabrag.documents.tree.tree_to_record`.
        checkpoint: Retriever or sentence encoder whose item tower embeds nodes.
        config: The shape of the trees.
        summary_tokens: Length of a summary at most: estimated tokens of the most central sentences, or tokens
            of a chat model.
        chat: The model that writes the summaries; the most central sentences where neither this nor
            ``server`` is given.
        server: A served model.
        written: File of descriptions of tables and pictures (``infer/describe.py``).
        seed: Of the grouping.
        encoding: How nodes are embedded.
        batch_size: Documents between two saves; with several processes at least as many as these.
        force: Start anew where the file was begun with other settings.

    Returns:
        ``trees``, ``new``, ``failed``, ``leaves``, ``summaries``, ``layers`` (those of the highest tree,
        leaves not counted), ``seconds``, ``trees_per_second``.

    Raises:
        UserError: A setting or the folder is not usable.
    """
    if summary_tokens < 1:
        raise UserError(f"summaries of {summary_tokens} tokens: set 1 or more")
    folder = DataFolder(data)
    documents = folder.documents
    config, encoding = config or GrowConfig(), encoding or EncodeConfig()
    retriever = Retriever.from_pretrained(checkpoint)
    embed = text_embedder(retriever, encoding)
    descriptions = None if written is None else Descriptions(written)
    model = None if chat is None and server is None else open_chat(chat or LocalChatConfig(), server)

    def grown(document_id: str) -> dict[str, Any]:
        whole = folder.items[document_id]
        assert isinstance(whole, WholeDocument)
        leaves = leaves_of(whole, size=config.leaf_tokens, folder=folder.path, written=descriptions)
        central = CentralSentences([leaf.text for leaf in leaves], max_tokens=summary_tokens)
        writes = central if model is None else _ByModel(model, document_id, summary_tokens, central)
        nodes = grow(leaves, embed=embed, summarise=writes, config=config, seed=seed)
        return tree_to_record(DocumentTree(id=document_id, nodes=nodes))

    def process(ids: list[str]) -> list[dict[str, Any]]:
        return distributed.shared(lambda some: list(map(grown, some)), ids)

    figures = run_job(
        out,
        {document_id: _content(folder, document_id) for document_id in documents.ids},
        lambda ids: rows_or_errors(ids, process, lambda document_id: {"_id": document_id}),
        settings={
            "version": TREE_VERSION,
            "encoder": fingerprint(retriever),
            "config": asdict(config),
            "summary_tokens": summary_tokens,
            "summaries": _identity(chat, server),
            "written": None if written is None else sha256_file(written),
            "seed": seed,
            "dtype": encoding.dtype,
        },
        batch_size=batch_size,
        force=force,
        description="grow",
        unit="documents",
    )
    return {
        "trees": figures["rows"],
        "new": figures["new"],
        "failed": figures["failed"],
        **_counts(out),
        "seconds": figures["seconds"],
        "trees_per_second": figures["rows_per_second"],
    }


def text_embedder(retriever: Retriever, encoding: EncodeConfig) -> Embed:
    """The item tower of a retriever as a function of texts.

    Args:
        retriever: Its item tower must read text.
        encoding: How it runs; the batches do not depend on the number of threads or processes.

    Raises:
        UserError: Its item tower reads pictures.
    """
    if retriever.item.config.inputs != "text":
        raise UserError(
            f"trees are grown with an encoder of text; this one reads {retriever.item.config.inputs}: name "
            "another checkpoint, for example offline:minilm"
        )
    where = runtime.device(encoding.device)
    batch_tokens = encoding.batch_tokens or (_CPU_BATCH_TOKENS if where.type == "cpu" else None)

    def embed(texts: Sequence[str]) -> np.ndarray:
        entries = [Entry(id=str(row), item_id=str(row), text=text) for row, text in enumerate(texts)]
        return encode(
            retriever.item,
            entries,
            batch_tokens=batch_tokens,
            device=where,
            dtype=encoding.dtype,
            progress=len(entries) > 1000,
            alone=True,
        )

    return embed


class _ByModel:
    """Summaries by a chat model; central sentences where a reply has none."""

    def __init__(self, model: ChatModel, document_id: str, max_tokens: int, otherwise: Summarise) -> None:
        self._model = model
        self._document_id = document_id
        self._max_tokens = max_tokens
        self._otherwise = otherwise

    def __call__(self, groups: Sequence[Group]) -> list[str]:
        prompts = [
            summarise_prompt(group.texts, item_id=self._document_id, max_tokens=self._max_tokens)
            for group in groups
        ]
        replies = self._model.generate_batch(prompts, max_new_tokens=self._max_tokens)
        texts = [read_summary(reply.text) for reply in replies]
        silent = [place for place, text in enumerate(texts) if not text]
        if silent:
            logger.warning("%s: %d replies without a summary", self._document_id, len(silent))
            for place, text in zip(silent, self._otherwise([groups[place] for place in silent]), strict=True):
                texts[place] = text
        return texts


def _content(folder: DataFolder, document_id: str) -> str:
    """What a tree depends on besides the settings: the document's line and those of its tables."""
    record = folder.items.record(document_id)
    tables = table_ids(folder.documents[document_id])
    return sha256_json([record, [folder.tables.record(table) for table in tables if table in folder.tables]])


def _identity(chat: LocalChatConfig | None, server: ServerChatConfig | None) -> dict[str, Any] | None:
    if chat is None and server is None:
        return None
    chosen = server if server is not None else chat
    assert chosen is not None
    return {**chosen.identity(), "prompt_version": SUMMARISE_VERSION}


def _counts(out: str | Path) -> dict[str, int]:
    """Nodes by layer in a file of trees."""
    layers = Counter(node["layer"] for row in read_jsonl(out) for node in row.get("nodes", ()))
    return {
        "leaves": layers[0],
        "summaries": layers.total() - layers[0],
        "layers": max(layers, default=0),
    }
