"""The layout of documents of which the rule is not sure, by a chat model that looks at their first pages.

The rule (:mod:`tabrag.documents.routing`) decides when files are read; what it leaves open is decided here,
in the data set folder that is there. What a model has decided is told by ``layout_by`` in the document's
metadata.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from tabrag import distributed
from tabrag.chat.config import LocalChatConfig, ServerChatConfig
from tabrag.chat.layout import LAYOUT_LABELS, LAYOUT_VERSION, layout_prompt
from tabrag.chat.open import open_chat, refuse_text_alone
from tabrag.chat.protocol import Picture, Text, probabilities
from tabrag.data.document_records import document_to_record
from tabrag.data.folder import DataFolder
from tabrag.errors import UserError
from tabrag.files import atomic_write, json_bytes, read_jsonl, sha256_file
from tabrag.inference.jobs import rows_or_errors, run_job
from tabrag.types import Document

DECIDED_BY = "layout_by"
"""Key of a document's metadata that names what has decided its layout, where that is no rule."""
_CHAT = "chat"
_NUM_PAGES = 2
_MAX_CHARACTERS = 1500
"""Of a page's text that is shown."""


def route_folder(
    data: str | Path,
    out: str | Path,
    *,
    chat: LocalChatConfig,
    server: ServerChatConfig | None = None,
    show: Literal["text", "pictures"] = "text",
    batch_size: int = 16,
    force: bool = False,
) -> dict[str, Any]:
    """Decide the open layouts of a folder and set them in its ``documents.jsonl``.

    Killed and started again, it continues; documents that were read anew are decided anew.

    Args:
        data: Data set folder.
        out: File of decisions (JSONL) to write: ``_id``, ``layout``, ``probability`` of slides.
        chat: The model.
        server: A served model in its place.
        show: What it sees of the first two pages: their ``text`` or their ``pictures``; of pages without a
            picture, their text.
        batch_size: Documents between two saves.
        force: Start anew where the file was begun with other settings.

    Returns:
        ``documents`` (asked for), ``new``, ``failed``, ``horizontal``, ``vertical``, ``seconds``.

    Raises:
        UserError: A setting or the folder is not usable, or no layout is open.
    """
    folder = DataFolder(data)
    asked = {
        document.id: document
        for document in folder.documents
        if not document.layout or document.metadata.get(DECIDED_BY) == _CHAT
    }
    if not asked:
        raise UserError(f"{data}: the layout of every document is known: there is nothing to ask")
    shown = {name: _shown(document, folder.path, show) for name, document in asked.items()}
    model = open_chat(chat, server)
    if any(isinstance(part, Picture) for parts in shown.values() for part in parts):
        refuse_text_alone(model, chat.model)
    labels = list(LAYOUT_LABELS)

    def decide(names: Sequence[str]) -> list[dict[str, Any]]:
        scores = model.score_batch([layout_prompt(shown[name]) for name in names], labels)
        rows = []
        for name, one in zip(names, scores, strict=True):
            likely = dict(zip(labels, probabilities(one), strict=True))
            best = max(labels, key=likely.__getitem__)
            row = {"_id": name, "layout": LAYOUT_LABELS[best], "probability": round(likely["slides"], 6)}
            rows.append(row)
        return rows

    def process(names: list[str]) -> list[dict[str, Any]]:
        return distributed.shared(decide, names)

    contents = {name: [_content(part) for part in parts] for name, parts in shown.items()}
    figures = run_job(
        out,
        contents,
        lambda names: rows_or_errors(names, process, lambda name: {"_id": name}),
        settings={
            "chat": (chat if server is None else server).identity(),
            "prompt_version": LAYOUT_VERSION,
            "show": show,
        },
        batch_size=batch_size,
        force=force,
        description="layouts",
        unit="documents",
    )
    decided = {row["_id"]: row["layout"] for row in read_jsonl(out) if "layout" in row}
    if distributed.is_main():
        _set(folder, decided)
    distributed.barrier()
    return {
        "documents": figures["rows"],
        "new": figures["new"],
        "failed": figures["failed"],
        **{layout: sum(one == layout for one in decided.values()) for layout in LAYOUT_LABELS.values()},
        "seconds": figures["seconds"],
    }


def _shown(document: Document, folder: Path, show: str) -> list[Picture | Text]:
    """What is shown of the first pages."""
    parts: list[Picture | Text] = []
    for page in document.pages[:_NUM_PAGES]:
        if show == "pictures" and page.image is not None:
            parts.append(Picture(str(folder / page.image)))
            continue
        lines = [block.text for block in document.blocks if block.page == page.number and block.text]
        text = "\n".join(lines)[:_MAX_CHARACTERS] or "(no text)"
        parts.append(Text(f"Page {page.number}:\n{text}\n", item_id=document.id))
    if not parts:
        text = "\n".join(block.text for block in document.blocks)[:_MAX_CHARACTERS]
        parts.append(Text(text, item_id=document.id))
    return parts


def _content(part: Picture | Text) -> str:
    if isinstance(part, Text):
        return part.text
    try:
        return sha256_file(part.path)
    except OSError as error:
        raise UserError(f"{part.path}: the picture cannot be read ({error.strerror})") from error


def _set(folder: DataFolder, decided: Mapping[str, str]) -> None:
    """Write the documents with their layouts; the lines of the others stay as they are."""
    path = folder.path / "documents.jsonl"
    with atomic_write(path, binary=True) as out, path.open("rb") as lines:
        for line in lines:
            if not line.strip():
                continue
            name = json.loads(line)["_id"]
            if name not in decided:
                out.write(line)
                continue
            document = folder.documents[name]
            metadata = document.metadata | {DECIDED_BY: _CHAT}
            record = document_to_record(replace(document, layout=decided[name], metadata=metadata))
            out.write(json_bytes(record) + b"\n")
