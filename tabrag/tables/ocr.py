"""Words of a picture: read by OCR, or brought along in a file."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image, ImageOps

from tabrag.errors import UserError, missing_extra
from tabrag.files import read_json
from tabrag.tables.boxes import normalise_box
from tabrag.tables.word_grid import group_rows
from tabrag.types import Word

if TYPE_CHECKING:
    from rapidocr import RapidOCR

PixelBox = tuple[float, float, float, float]

# Lines that the recogniser is less sure of are left out: below it stand scripts that it cannot read.
_MIN_SCORE = 0.7
# Pictures whose middle grey is darker than this have light ink, which is read badly: they are inverted.
_DARK = 100
# Longest to shortest side: rapidocr enlarges the shortest one to 736 pixels, so a strip would become huge.
_MAX_ASPECT = 3
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
    pixels = np.asarray(_pad(_light_ground(image.convert("RGB"))))[:, :, ::-1]
    result = _engine()(np.ascontiguousarray(pixels), return_word_box=True)
    if result.boxes is None or result.txts is None:
        return []
    parts: Sequence[Any] = result.word_results or ()
    lines: list[Word] = []
    words_of_line: dict[int, list[Word]] = {}
    for index, (text, corners) in enumerate(zip(result.txts, result.boxes, strict=True)):
        box = _around([corners])
        line = Word(text=text, box=normalise_box(box, *image.size))
        lines.append(line)
        words_of_line[id(line)] = [
            Word(text=word, box=normalise_box(word_box, *image.size))
            for word, word_box in _line_words(text, box, parts[index] if index < len(parts) else ())
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


@lru_cache(maxsize=1)
def _engine() -> RapidOCR:
    try:
        from rapidocr import RapidOCR
    except ImportError:
        raise missing_extra("rapidocr", "ocr") from None
    threads = int(os.environ.get("OMP_NUM_THREADS") or -1)
    return RapidOCR(
        params={
            "Global.log_level": "critical",
            "Global.text_score": _MIN_SCORE,
            "EngineConfig.onnxruntime.intra_op_num_threads": threads,
        }
    )


def _light_ground(image: Image.Image) -> Image.Image:
    grey = image.convert("L")
    if np.median(np.asarray(grey)) >= _DARK:
        return image
    return ImageOps.autocontrast(ImageOps.invert(grey), cutoff=1).convert("RGB")


def _pad(image: Image.Image) -> Image.Image:
    """Add white at the right or below, so that coordinates stay the same."""
    width, height = image.size
    size = (max(width, -(-height // _MAX_ASPECT)), max(height, -(-width // _MAX_ASPECT)))
    if size == image.size:
        return image
    padded = Image.new("RGB", size, (255, 255, 255))
    padded.paste(image)
    return padded


def _line_words(text: str, line: PixelBox, parts: Any) -> Iterator[tuple[str, PixelBox]]:
    """Split a line at its blanks.

    rapidocr gives a box for each word of a Latin line but for each character of a mixed one, and no blanks:
    the parts are joined to the words of the text. Where they do not add up, the line is shared out by length.
    """
    tokens = text.split()
    found = [(part[0], part[2]) for part in parts if len(part) == 3 and part[2] is not None]
    if "".join(part for part, _ in found).replace(" ", "") == "".join(tokens):
        pieces = iter(found)
        for token in tokens:
            length, corners = 0, []
            while length < len(token):
                part, box = next(pieces)
                length += len(part.replace(" ", ""))
                corners.append(box)
            yield token, _around(corners)
        return
    x0, y0, x1, y1 = line
    step = (x1 - x0) / max(len(text.strip()), 1)
    start = 0
    for token in tokens:
        start = text.strip().index(token, start)
        yield token, (x0 + start * step, y0, x0 + (start + len(token)) * step, y1)
        start += len(token)


def _around(quads: Sequence[Any]) -> PixelBox:
    """The upright box around polygons of (x, y) corners."""
    xs = [float(x) for quad in quads for x, _ in quad]
    ys = [float(y) for quad in quads for _, y in quad]
    return (min(xs), min(ys), max(xs), max(ys))
