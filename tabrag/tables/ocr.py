"""Words of a picture: read by OCR, or brought along in a file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image, ImageOps

from tabrag.errors import UserError
from tabrag.files import read_json
from tabrag.tables.boxes import normalise_box
from tabrag.tables.ocr_engine import read_lines
from tabrag.tables.word_rows import group_rows
from tabrag.types import Word

MIN_SCORE = 0.7
"""Lines that the recogniser is less sure of are left out: below it stand scripts that it cannot read."""
# Pictures whose middle grey is darker than this have light ink, which is read badly: they are inverted.
_DARK = 100
# What `load_words` takes as "unit": how many of them a side of the picture has (None: its pixels).
_UNITS: dict[str, int | None] = {"pixel": None, "thousandths": 1000}


def read_words(image: Image.Image) -> list[Word]:
    """Read the words of a picture with rapidocr's packaged models for Latin and Chinese (no network).

    Args:
        image: RGB picture, upright.

    Returns:
        Words with boxes 0..1000 and no cell, in rows from above; an empty list where there is no text. A
        sentence in a script without blanks is one word.
    """
    lines: list[Word] = []
    words_of_line: dict[int, list[Word]] = {}
    for found in read_lines(light_ground(image.convert("RGB"))):
        if found.score < MIN_SCORE:
            continue
        line = Word(text=found.text, box=normalise_box(found.box, *image.size))
        lines.append(line)
        words_of_line[id(line)] = [
            Word(text=text, box=normalise_box(box, *image.size)) for text, box in found.words
        ]
    return [word for row in group_rows(lines) for line in row for word in words_of_line[id(line)]]


def load_words(path: str | Path, size: tuple[int, int]) -> list[Word]:
    """Load the words that somebody's own OCR found.

    The file is JSON: ``{"words": [...], "boxes": [[x0, y0, x1, y1], ...], "unit": "pixel" | "thousandths"}``;
    the unit is ``pixel`` when it is not given.

    Args:
        path: The file.
        size: Width and height of its picture in pixels.

    Raises:
        UserError: Not such a file, or a box that is not four finite numbers; names file and index.
    """
    record = read_json(path)
    if not isinstance(record, dict) or not isinstance(record.get("words"), list):
        raise UserError(f"{path}: expected an object with the lists 'words' and 'boxes'")
    texts, boxes, unit = record["words"], record.get("boxes"), record.get("unit", "pixel")
    if not isinstance(boxes, list) or len(boxes) != len(texts):
        count = len(boxes) if isinstance(boxes, list) else 0
        raise UserError(f"{path}: {len(texts)} words but {count} boxes: each word needs one box")
    if unit not in _UNITS:
        raise UserError(f"{path}: unknown unit {unit!r}: use one of {', '.join(_UNITS)}")
    width, height = (side if _UNITS[unit] is None else _UNITS[unit] for side in size)
    words: list[Word] = []
    for index, (text, box) in enumerate(zip(texts, boxes, strict=True)):
        if not isinstance(text, str):
            raise UserError(f"{path}: word {index} is no text but {text!r}")
        try:
            words.append(Word(text=text, box=normalise_box(box, width, height)))
        except UserError as error:
            raise UserError(f"{path}: word {index} ({text!r}): {error}") from None
    return words


def light_ground(image: Image.Image) -> Image.Image:
    """The picture itself, or its negative with full contrast where its ground is dark."""
    grey = image.convert("L")
    if np.median(np.asarray(grey)) >= _DARK:
        return image
    return ImageOps.autocontrast(ImageOps.invert(grey), cutoff=1).convert("RGB")
