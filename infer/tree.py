"""Grow the summary tree of each document: chunks, and summaries of groups of them, layer by layer.

python infer/tree.py --data=DIR --checkpoint=offline:minilm --out=DIR/trees.jsonl
python infer/index.py --data=DIR --checkpoint=offline:minilm --representation.name=tree \
    --representation.options='{file: DIR/trees.jsonl}' --out=INDEX

Summaries are the most central sentences, or what a language model writes: --summaries.chat.model=MODEL, or
--summaries.server='{url: URL, model: MODEL}'.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tabrag.chat.config import LocalChatConfig, ServerChatConfig
from tabrag.config import main
from tabrag.documents.growing import GrowConfig
from tabrag.index.config import EncodeConfig


@dataclass(kw_only=True)
class Summaries:
    """Who writes the summaries; the most central sentences of a group where nobody is named.

    Attributes:
        max_tokens: Length of a summary at most: estimated tokens of sentences, or tokens of a language model.
        chat: A language model, and how it runs.
        server: A served language model.
    """

    max_tokens: int = 100
    chat: LocalChatConfig | None = None
    server: ServerChatConfig | None = None


@dataclass(kw_only=True)
class Config:
    """Settings of the trees. Killed and started again, it continues.

    Attributes:
        data: Data set folder with documents.
        out: File of trees (JSONL) to write.
        checkpoint: Retriever or sentence encoder (folder, hub id or ``offline:minilm``) that embeds nodes.
        tree: The shape of the trees.
        summaries: Who writes the summaries.
        written: File of descriptions of tables and pictures by a model (``infer/describe.py``).
        seed: Of the grouping: the same seed and vectors give the same trees.
        encoding: How nodes are embedded.
        batch_size: Documents between two saves.
        force: Start anew where the file was begun with other settings.
    """

    data: str
    out: str
    checkpoint: str
    tree: GrowConfig = field(default_factory=GrowConfig)
    summaries: Summaries = field(default_factory=Summaries)
    written: str | None = None
    seed: int = 224
    encoding: EncodeConfig = field(default_factory=EncodeConfig)
    batch_size: int = 8
    force: bool = False


def run(config: Config) -> dict[str, Any]:
    """Grow the trees; return figures."""
    from tabrag import distributed
    from tabrag.inference.tree_job import grow_trees

    with distributed.group():
        return grow_trees(
            config.data,
            config.out,
            checkpoint=config.checkpoint,
            config=config.tree,
            summary_tokens=config.summaries.max_tokens,
            chat=config.summaries.chat,
            server=config.summaries.server,
            written=config.written,
            seed=config.seed,
            encoding=config.encoding,
            batch_size=config.batch_size,
            force=config.force,
        )


if __name__ == "__main__":
    main(run, Config, description="Grow the summary tree of each document.")
