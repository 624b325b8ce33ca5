"""Plain text: paragraphs and points of lists; a text whose lines all have the same fields is a table."""

from __future__ import annotations

import csv
import re
from pathlib import Path

from tabrag.documents.parsed import Parsed, ParseOptions, Pictures
from tabrag.errors import UserError
from tabrag.tables.decode import decode
from tabrag.types import Block, Document, Source

_MAX_BYTES = 1 << 26
_SAMPLE_BYTES = 1 << 16
_MIN_LINES = 3
_POINT = re.compile(r"\s*(?:[-*•‣▪–]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s+(?=\S)")
_MAX_FIELD = 60
"""Characters of a field on average: longer ones are clauses of sentences."""


def is_delimited(path: Path) -> bool:
    """Whether the first lines of a text all split into the same number of two or more short fields."""
    with path.open("rb") as file:
        data = file.read(_SAMPLE_BYTES)
    lines = [line for line in decode(data)[0].splitlines() if line.strip()]
    if len(data) == _SAMPLE_BYTES:
        lines = lines[:-1]  # cut off
    if len(lines) < _MIN_LINES:
        return False
    for delimiter in ("\t", ";", "|", ","):
        try:
            records = list(csv.reader(lines, delimiter=delimiter, strict=True))
        except csv.Error:
            continue
        counts = {len(record) for record in records}
        if len(counts) == 1 and min(counts) > 1:
            fields = [field for record in records for field in record]
            return sum(map(len, fields)) <= _MAX_FIELD * len(fields)
    return False


def parse_text(path: Path, document_id: str, *, pictures: Pictures, options: ParseOptions) -> Parsed:
    """Read a text file: blank lines part paragraphs, lines of one paragraph are joined.

    Args:
        path: The file.
        document_id: Id of the document.
        pictures: Not used: a text has none.
        options: Not used.

    Raises:
        UserError: Too large, or no text in it.
    """
    if path.stat().st_size > _MAX_BYTES:
        raise UserError(f"{path}: over {_MAX_BYTES >> 20} MB of text; split it")
    text, encoding = decode(path.read_bytes())
    notes = []
    if "\x00" in text:
        notes = [f"{text.count(chr(0))} NUL bytes dropped"]
        text = text.replace("\x00", "")
    blocks = [
        block
        for paragraph in re.split(r"(?:\r\n|\r|\n|\f)\s*(?:\r\n|\r|\n)|\f", text)
        for block in _blocks(paragraph)
    ]
    if not blocks:
        raise UserError(f"{path}: holds no text; drop it")
    document = Document(
        id=document_id,
        blocks=blocks,
        source=Source(file=document_id),
        metadata={"encoding": encoding},
    )
    return Parsed(document=document, notes=notes)


def _blocks(paragraph: str) -> list[Block]:
    blocks: list[Block] = []
    for line in paragraph.splitlines():
        point = _POINT.match(line)
        if point:
            mark = point[0].strip()
            text = line[point.end() :].strip()
            blocks.append(Block(kind="list", text=f"{mark} {text}" if mark[-1] in ".)" else text))
        elif blocks and line.strip():
            blocks[-1].text += f" {line.strip()}"
        elif line.strip():
            blocks.append(Block(kind="text", text=line.strip()))
    return blocks
