"""The faults of one line of ``documents.jsonl``."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from tabrag.data.document_records import KINDS, LAYOUTS
from tabrag.data.validate_table import image_faults, is_box, metadata_faults, shown, source_faults
from tabrag.documents.part import whole_id_fault

_KEYS = {"_id", "title", "pages", "blocks", "layout", "source", "metadata"}
_PAGE_KEYS = {"number", "width", "height", "image"}
_BLOCK_KEYS = {"kind", "text", "level", "table", "image", "page", "box", "decoration"}


def document_faults(
    record: dict[str, Any], *, folder: Path, known: Collection[str], decode_images: bool
) -> list[str]:
    """What is wrong with a document's record. Of its id: whether it is one of a part.

    Args:
        record: The parsed line.
        folder: The data set folder, for the pictures.
        known: Ids of the tables that there are.
        decode_images: Also decode the pictures.
    """
    return list(_document_faults(record, folder=folder, known=known, decode_images=decode_images))


def _document_faults(
    record: dict[str, Any], *, folder: Path, known: Collection[str], decode_images: bool
) -> Iterator[str]:
    if isinstance(document_id := record.get("_id"), str) and (fault := whole_id_fault(document_id)):
        yield fault
    yield from (f"unknown key '{key}'; own values belong in 'metadata'" for key in record if key not in _KEYS)
    if not isinstance(record.get("title") or "", str):
        yield f"'title' must be a text, found {shown(record['title'])}"
    if (record.get("layout") or "") not in LAYOUTS:
        yield f"'layout' must be {' or '.join(filter(None, LAYOUTS))}, found {shown(record['layout'])}"
    numbers: set[int] = set()
    for place, page in enumerate(_objects(record, "pages")):
        yield from (f"'pages'[{place}]: {fault}" for fault in _page_faults(page, numbers))
        if isinstance(page, dict) and page.get("image") is not None:
            yield from image_faults(page["image"], folder=folder, decode=decode_images)
    tables: set[str] = set()
    for place, block in enumerate(_objects(record, "blocks")):
        for fault in _block_faults(block, known=known, pages=numbers, tables=tables):
            yield f"'blocks'[{place}]: {fault}"
        if isinstance(block, dict) and block.get("image") is not None:
            yield from image_faults(block["image"], folder=folder, decode=decode_images)
    for key in ("pages", "blocks"):
        if record.get(key) is not None and not isinstance(record[key], list):
            yield f"'{key}' must be a list, found {shown(record[key])}"
    yield from source_faults(record.get("source"))
    yield from metadata_faults(record.get("metadata"))


def _page_faults(page: Any, numbers: set[int]) -> Iterator[str]:
    if not isinstance(page, dict):
        yield f"must be an object, found {shown(page)}"
        return
    yield from (f"unknown key '{key}'" for key in page if key not in _PAGE_KEYS)
    number = page.get("number")
    if type(number) is not int or number < 1:
        yield f"'number' must be a whole number from 1 up, found {shown(number)}"
    elif number in numbers:
        yield f"page {number} occurs twice"
    else:
        numbers.add(number)
    for key in ("width", "height"):
        value = page.get(key)
        if value is not None and (type(value) not in (int, float) or not value > 0):
            yield f"'{key}' must be a number above 0, found {shown(value)}"


def _block_faults(
    block: Any, *, known: Collection[str], pages: Collection[int], tables: set[str]
) -> Iterator[str]:
    if not isinstance(block, dict):
        yield f"must be an object, found {shown(block)}"
        return
    yield from (f"unknown key '{key}'" for key in block if key not in _BLOCK_KEYS)
    kind, table, page = block.get("kind"), block.get("table"), block.get("page")
    if kind not in KINDS:
        yield f"'kind' must be one of {', '.join(KINDS)}, found {shown(kind)}"
    if not isinstance(block.get("text") or "", str):
        yield f"'text' must be a text, found {shown(block['text'])}"
    if type(block.get("decoration", False)) is not bool:
        yield f"'decoration' must be true or false, found {shown(block['decoration'])}"
    elif block.get("decoration") and kind != "picture":
        yield f"'decoration' of a block of kind {shown(kind)}: only pictures decorate"
    if type(block.get("level", 0)) is not int:
        yield f"'level' must be a whole number, found {shown(block['level'])}"
    if (kind == "table") != (table is not None):
        yield f"kind {shown(kind)} with 'table' {shown(table)}: blocks of tables name one, others none"
    elif table is not None and (not isinstance(table, str) or table not in known):
        yield f"unknown table {shown(table)}: corpus.jsonl does not have it"
    elif table in tables:
        yield f"table {shown(table)} has a block already"
    elif table is not None:
        tables.add(table)
    if page is not None and (type(page) is not int or page < 1):
        yield f"'page' must be a whole number from 1 up, found {shown(page)}"
    elif page is not None and pages and page not in pages:
        yield f"page {page} is none of the document's pages"
    if block.get("box") is not None and not is_box(block["box"]):
        yield f"'box' must be [x0, y0, x1, y1] in 0..1000, found {shown(block['box'])}"


def _objects(record: dict[str, Any], key: str) -> list[Any]:
    values = record.get(key)
    return values if isinstance(values, list) else []
