"""The texts around a table: its caption above or below, a line that leads to it, notes under it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tabrag.tables.headers import is_note
from tabrag.types import Block, Box, Table

_CAPTION = re.compile(
    r"(?i:table|tab\.|tableau|tabelle|tabla|tabella|tabela|tabel|tabell|exhibit|schedule|таблица|表|표"
    r"|figure|figura|fig\.|abbildung|abb\.|chart|graph|graphique|diagram|рис\.|рисунок|图|圖|그림)"
    r"\s*(?i:no\.?|nr\.?|n°)?\s*(?>[A-Z]{0,2}[.-]?\d+(?:[.\-–]\d+)*|[IVXL]+\b)(?:[a-z]\b)?"
    r"(?:\s*$|\s*[:.)|–—-]|\s+[^\sa-zà-ÿа-я])"
)
_FIGURE = re.compile(r"(?:fig|abb|chart|graph|diagram|рис|图|圖|그림)", re.IGNORECASE)
_MAX_LEAD = 120
_MAX_CAPTION = 300
_MAX_NOTE = 500
_MAX_NOTES = 6


def is_caption(text: str) -> bool:
    """Whether a paragraph begins as captions do ("Table 3: ...", "Figure 2. ..."), and is no sentence."""
    text = text.strip()
    return len(text) <= _MAX_CAPTION and _CAPTION.match(text) is not None


def claim_texts(blocks: Sequence[Block], tables: Sequence[Table]) -> None:
    """Give tables the captions and notes beside them, and a title: the caption, a short line right above
    them, or their section.

    Captions stand above their tables, or below them where more of a document's captions do; a chart takes the
    caption of a figure. Paragraphs that turn out to be captions and notes get this kind.
    """
    by_id = {table.id: table for table in tables}
    for block in blocks:
        if block.kind == "text" and is_caption(block.text):
            block.kind = "caption"
    places = [place for place, block in enumerate(blocks) if block.table in by_id]
    outer = [place for place in places if "outer_table" not in by_id[blocks[place].table or ""].metadata]
    above = sum(_is_table_caption(blocks, place - 1) for place in outer)
    below = sum(_is_table_caption(blocks, _after(blocks, place, by_id)) for place in outer)
    for place in places:
        table = by_id[blocks[place].table or ""]
        is_outer = "outer_table" not in table.metadata
        is_chart = table.metadata.get("kind") == "chart"
        if is_chart and not table.caption:
            table.caption = _figure_caption(blocks, (place + 1, place - 1))
        beside = place - 1 if above >= below else _after(blocks, place, by_id)
        if is_outer and not is_chart and _is_table_caption(blocks, beside):
            printed = " ".join(blocks[beside].text.split())
            if printed not in table.caption:  # which a row over the full width may have given
                table.title = table.title or printed
                table.caption = f"{printed} {table.caption}".rstrip()
        if is_outer and not is_chart:
            _claim_notes(blocks, _after(blocks, place, by_id), table)
        lead = _lead(blocks, place - 1) if is_outer else ""
        table.title = table.title or table.caption or lead or table.section


def _after(blocks: Sequence[Block], place: int, tables: dict[str, Table]) -> int:
    """The place behind a table and the tables and pictures that stand in its cells."""
    table = tables[blocks[place].table or ""]
    inside = {table.id}
    place += 1
    while place < len(blocks):
        inner = tables.get(blocks[place].table or "")
        if inner is None or inner.metadata.get("outer_table") not in inside:
            return place
        inside.add(inner.id)
        place += 1
    return place


def _is_table_caption(blocks: Sequence[Block], place: int) -> bool:
    if not 0 <= place < len(blocks):
        return False
    block = blocks[place]
    return block.kind == "caption" and not _FIGURE.match(block.text)


def _figure_caption(blocks: Sequence[Block], places: Sequence[int]) -> str:
    """The caption of a chart, below it or above it."""
    beside = (blocks[place] for place in places if 0 <= place < len(blocks))
    found = (block for block in beside if block.kind == "caption" and _FIGURE.match(block.text))
    return next((" ".join(block.text.split()) for block in found), "")


def _claim_notes(blocks: Sequence[Block], place: int, table: Table) -> None:
    found: list[str] = []
    last: Box | None = None  # paragraphs of one text box belong together
    if _is_table_caption(blocks, place):
        place += 1
    for block in blocks[place : place + _MAX_NOTES]:
        is_beside = block.kind == "text" and block.page == table.source.page and len(block.text) <= _MAX_NOTE
        goes_on = found and block.box is not None and block.box == last
        if not is_beside or not (goes_on or is_note(block.text)):
            break
        block.kind, last = "note", block.box
        found.append(" ".join(block.text.split()))
    if found:
        table.metadata["notes"] = "\n".join(filter(None, [table.metadata.get("notes", ""), *found]))


def _lead(blocks: Sequence[Block], place: int) -> str:
    """A short line right above a table that is no sentence and no unit in brackets."""
    if place < 0 or blocks[place].kind != "text":
        return ""
    text = blocks[place].text
    is_short = len(text) <= _MAX_LEAD and "\n" not in text and any(char.isalpha() for char in text)
    return "" if not is_short or text.startswith("(") or text.endswith((".", ";", "!")) else text.rstrip(": ")
