"""A tiny retriever and entries that the tests of indexes share."""

from __future__ import annotations

import os
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import torch

from tabrag.index.folder import Index
from tabrag.types import Entry, Query

WORDS = "apple bread cider dates eggs flour grape honey iris jam kale lemon".split()


@cache
def retriever(seed: int = 0):  # noqa: ANN201
    """A random retriever of some ten thousand weights."""
    os.environ.setdefault("TABRAG_CACHE", str(Path(tempfile.gettempdir()) / "tabrag-tests"))
    from tabrag.models.embedder import EmbedderConfig
    from tabrag.models.retriever import Retriever, RetrieverConfig
    from tabrag.representations import RepresentationConfig

    config = EmbedderConfig(backbone="offline:tiny-bert", inputs="text", pooling="mean", max_length=32)
    made = Retriever.from_config(
        RetrieverConfig(query=config, item=config, share_towers=True), RepresentationConfig(name="headers")
    )
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in made.query.parameters():
            parameter.add_(torch.randn(parameter.shape, generator=generator) * 0.02)
    return made.eval()


def text(number: int) -> str:
    """A text that differs for each number."""
    return f"{WORDS[number % 12]} and {WORDS[number // 12 % 12]} {number}"


def entry(number: int, *, item: str | None = None, content: str | None = None) -> Entry:
    name = item or f"t{number:03d}"
    return Entry(id=name, item_id=name, text=text(number) if content is None else content)


def entries(*numbers: int) -> list[Entry]:
    return [entry(number) for number in numbers]


def queries(*numbers: int) -> list[Query]:
    return [Query(id=f"q{number}", text=text(number)) for number in numbers]


def make(path: Path, kind: str, what: list[Entry] | None = None, **settings: Any) -> Index:
    """An index of thirty items, or of what is given."""
    made_by = None if kind == "bm25" else retriever()
    return Index.build(
        path, entries(*range(30)) if what is None else what, kind=kind, retriever=made_by, **settings
    )


def found(index: Index, asked: list[Query], k: int = 5) -> dict[str, list[tuple[str, float]]]:
    """Items and scores by query."""
    run = index.search(asked, k, None if index.manifest.kind == "bm25" else retriever())
    return {
        query_id: [(candidate.item_id, round(candidate.score, 5)) for candidate in candidates]
        for query_id, candidates in run.items()
    }


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}
