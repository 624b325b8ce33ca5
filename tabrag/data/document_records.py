"""Documents as the lines of ``documents.jsonl``."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from tabrag.data.records import box_from_record, source_from_record, source_to_record, text_value
from tabrag.types import Block, Document, Page

KINDS = ("heading", "text", "list", "caption", "note", "table", "picture")
"""What a block can be, see :class:`tabrag.types.Block`."""
_PLAIN = {
    **{"text": "", "level": 0, "table": None, "image": None, "page": None, "box": None},
    "decoration": False,
}
LAYOUTS = ("", "vertical", "horizontal")


def document_to_record(document: Document) -> dict[str, Any]:
    """The line of ``documents.jsonl``; ``_id`` stands first. Of a block only what it has is written."""
    return {
        "_id": document.id,
        "title": document.title,
        "pages": [asdict(page) for page in document.pages],
        "blocks": [_block_to_record(block) for block in document.blocks],
        **({"layout": document.layout} if document.layout else {}),
        "source": source_to_record(document.source),
        "metadata": dict(document.metadata),
    }


def document_from_record(record: dict[str, Any]) -> Document:
    """The document of a line of ``documents.jsonl``; all but ``_id`` may be absent.

    Raises:
        KeyError, TypeError, ValueError: A required key is missing or a value has the wrong kind.
    """
    return Document(
        id=text_value(record["_id"], "_id"),
        title=text_value(record.get("title") or "", "title"),
        blocks=[_block_from_record(block) for block in record.get("blocks") or []],
        pages=[_page_from_record(page) for page in record.get("pages") or []],
        layout=_layout(record.get("layout") or ""),
        source=source_from_record(record.get("source")),
        metadata=dict(record.get("metadata") or {}),
    )


def _block_to_record(block: Block) -> dict[str, Any]:
    values = asdict(block) | {"box": None if block.box is None else list(block.box)}
    return {key: value for key, value in values.items() if key == "kind" or value != _PLAIN[key]}


def _block_from_record(record: dict[str, Any]) -> Block:
    kind = record["kind"]
    if kind not in KINDS:
        raise ValueError(f"a block of kind {kind!r}: kinds are {', '.join(KINDS)}")
    table, image, page, box = (record.get(key) for key in ("table", "image", "page", "box"))
    if kind == "table" and not isinstance(table, str):
        raise ValueError("a block of kind 'table' names its table")
    return Block(
        kind=kind,
        text=text_value(record.get("text") or "", "text"),
        level=int(record.get("level") or 0),
        table=None if table is None else text_value(table, "table"),
        image=None if image is None else text_value(image, "image"),
        page=None if page is None else int(page),
        box=None if box is None else box_from_record(box),
        decoration=bool(record.get("decoration")),
    )


def _page_from_record(record: dict[str, Any]) -> Page:
    width, height, image = (record.get(key) for key in ("width", "height", "image"))
    return Page(
        number=int(record["number"]),
        width=None if width is None else float(width),
        height=None if height is None else float(height),
        image=None if image is None else text_value(image, "image"),
    )


def _layout(value: Any) -> str:
    if value not in LAYOUTS:
        raise ValueError(f"a layout {value!r}: layouts are {', '.join(filter(None, LAYOUTS))}")
    return value
