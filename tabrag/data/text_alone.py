"""A data set folder as text extraction alone would give it: tables as the text of their cells, no pictures.

The baseline that MM-BizRAG (Bhathena et al., arXiv 2606.04231) calls text only. A table becomes running text
like any other, so that a chunk may end within it.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from tabrag.data.card import Card
from tabrag.data.folder import DataFolder, new_folder, write_documents, write_judgements, write_tables
from tabrag.documents.whole import WholeDocument
from tabrag.errors import UserError
from tabrag.tables.text import running_rows
from tabrag.types import Block, Document

_COPIED = ("standalone.jsonl", "layouts.jsonl")


def text_alone(folder: str | Path, out: str | Path) -> dict[str, Any]:
    """Write the folder's documents as running text, with the same questions, judgements and evidence.

    Args:
        folder: A data set folder with documents.
        out: The data set folder to write.

    Returns:
        ``out`` and counts of what was written.

    Raises:
        UserError: The folder has no documents, or ``out`` holds something else.
    """
    data = DataFolder(folder)
    if not data.has_documents:
        raise UserError(f"{folder} has no documents.jsonl: text alone is made of documents")
    items = (data.items[document_id] for document_id in data.documents.ids)
    documents = (as_text(item) for item in items if isinstance(item, WholeDocument))
    card = Card(name=f"{Path(folder).resolve().name} as text alone", note=__doc__ or "")
    with new_folder(out) as target:
        write_tables(target, [])
        count = write_documents(target, documents)
        counts = write_judgements(
            target,
            0,
            num_documents=count,
            queries=data.queries.values(),
            qrels={split: data.qrels(split) for split in data.splits},
            evidence=data.evidence.values(),
            card=card,
        )
        for name in _COPIED:
            if (data.path / name).is_file():
                shutil.copyfile(data.path / name, target / name)
    return {"out": str(out), **counts}


def as_text(whole: WholeDocument) -> Document:
    """The document without tables and pictures: the cells of a table, and what is printed on a picture or
    stands in its place, are paragraphs of text."""
    pages = [replace(page, image=None) for page in whole.document.pages]
    return replace(whole.document, blocks=list(_blocks(whole)), pages=pages)


def _blocks(whole: WholeDocument) -> Iterator[Block]:
    for block in whole.document.blocks:
        table = whole.tables.get(block.table) if block.table is not None else None
        text = block.text if table is None else " ".join(filter(None, running_rows(table)))
        if table is None and block.kind not in ("table", "picture"):
            yield block
        elif text.strip():
            yield Block(kind="text", text=text, page=block.page, box=block.box)
