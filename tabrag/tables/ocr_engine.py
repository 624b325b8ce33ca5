"""The OCR engine: finds lines of text in pixels, tells which way up they stand, and reads them.

rapidocr with its packaged models for Latin and Chinese (no network), loaded once a process. Its flags stay
set from call to call, so that each call here states all of them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image

from tabrag.errors import missing_extra

if TYPE_CHECKING:
    from rapidocr import RapidOCR

PixelBox = tuple[float, float, float, float]
Quad = tuple[tuple[float, float], ...]

# Longest to shortest side: rapidocr enlarges the shortest one to 736 pixels, so a strip would become huge.
_MAX_ASPECT = 3


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line of text in a picture.

    Attributes:
        text: What it says.
        score: How sure the recogniser is, 0..1.
        quad: Its four corners in pixels, clockwise from the upper left one.
        words: Its words at their places in pixels; their texts joined by blanks are the text.
        middles: Where the middle of each character of its words stands, in pixels from the left.
    """

    text: str
    score: float
    quad: Quad
    words: tuple[tuple[str, PixelBox], ...]
    middles: tuple[float, ...]

    @property
    def box(self) -> PixelBox:
        """The upright box around it, in pixels."""
        return around([self.quad])

    def moved(self, right: float, down: float) -> TextLine:
        """The line so many pixels farther to the right and farther down."""
        return TextLine(
            self.text,
            self.score,
            tuple((x + right, y + down) for x, y in self.quad),
            tuple(
                (text, (x0 + right, y0 + down, x1 + right, y1 + down))
                for text, (x0, y0, x1, y1) in self.words
            ),
            tuple(x + right for x in self.middles),
        )


def read_lines(image: Image.Image, *, upright: bool = False) -> list[TextLine]:
    """Find and read all lines of an RGB picture, also those that the recogniser is unsure of.

    Args:
        image: The picture.
        upright: Whether all of its lines stand upright; otherwise each is asked which way up it stands, and
            single signs may be turned wrongly (6 and 9).
    """
    result = _call(image, use_det=True, use_cls=not upright, use_rec=True)
    if result.boxes is None or result.txts is None:
        return []
    parts: Sequence[Any] = result.word_results or ()
    return [
        text_line(text, float(result.scores[i]), _quad(corners), parts[i] if i < len(parts) else ())
        for i, (text, corners) in enumerate(zip(result.txts, result.boxes, strict=True))
    ]


def text_line(text: str, score: float, quad: Quad, parts: Any = ()) -> TextLine:
    """A line with its words and characters.

    rapidocr gives a box for each character and none for blanks. Where they do not add up to the text, or
    are missing, the line is shared out by length.

    Args:
        text: What the line says.
        score: How sure the recogniser is.
        quad: Corners of the line.
        parts: ``(text, score, corners)`` of its characters or words, or nothing.
    """
    words = tuple(line_words(text, around([quad]), parts))
    found = [(part[0], around([part[2]])) for part in parts if len(part) == 3 and part[2] is not None]
    if "".join(part for part, _ in found) != "".join(word for word, _ in words):
        found = list(words)
    middles = tuple(
        x0 + (x1 - x0) * (place + 0.5) / len(part)
        for part, (x0, _, x1, _) in found
        for place in range(len(part))
    )
    return TextLine(text, score, quad, words, middles)


def find_lines(image: Image.Image) -> list[Quad]:
    """Find the lines of an RGB picture without reading them: their corners in pixels."""
    result = _call(image, use_det=True, use_cls=False, use_rec=False)
    return [] if getattr(result, "boxes", None) is None else [_quad(corners) for corners in result.boxes]


def read_line(image: Image.Image) -> tuple[str, float]:
    """Read a picture that is one line: its text, and how sure the recogniser is, 0..1."""
    if min(image.size) < 1:
        return "", 0.0
    result = _call(image, pad=False, use_det=False, use_cls=False, use_rec=True)
    texts, scores = getattr(result, "txts", None), getattr(result, "scores", None)
    return (texts[0], float(scores[0])) if texts and scores else ("", 0.0)


def is_upside_down(image: Image.Image) -> bool:
    """Whether a picture that is one line of text stands on its head."""
    result = _call(image, pad=False, use_det=False, use_cls=True, use_rec=False)
    found = getattr(result, "cls_res", None)
    return bool(found) and "180" in str(found[0][0])


def line_words(text: str, line: PixelBox, parts: Any) -> Iterator[tuple[str, PixelBox]]:
    """Split a line at its blanks.

    The parts, characters or words without blanks, are joined to the words of the text. Where they do not add
    up, the line is shared out by length.
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
            yield token, around(corners)
        return
    x0, y0, x1, y1 = line
    step = (x1 - x0) / max(len(text.strip()), 1)
    start = 0
    for token in tokens:
        start = text.strip().index(token, start)
        yield token, (x0 + start * step, y0, x0 + (start + len(token)) * step, y1)
        start += len(token)


def around(quads: Sequence[Any]) -> PixelBox:
    """The upright box around polygons of (x, y) corners."""
    xs = [float(x) for quad in quads for x, _ in quad]
    ys = [float(y) for quad in quads for _, y in quad]
    return (min(xs), min(ys), max(xs), max(ys))


def _call(image: Image.Image, *, pad: bool = True, **flags: bool) -> Any:
    pixels = np.asarray(_pad(image) if pad else image)[:, :, ::-1]
    engine = _engine()
    return engine(np.ascontiguousarray(pixels), return_word_box=True, return_single_char_box=True, **flags)


def _quad(corners: Any) -> Quad:
    return tuple((float(x), float(y)) for x, y in corners)


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
            "Global.text_score": 0.0,
            "EngineConfig.onnxruntime.intra_op_num_threads": threads,
        }
    )


def _pad(image: Image.Image) -> Image.Image:
    """Add white at the right or below, so that coordinates stay the same."""
    width, height = image.size
    size = (max(width, -(-height // _MAX_ASPECT)), max(height, -(-width // _MAX_ASPECT)))
    if size == image.size:
        return image
    padded = Image.new("RGB", size, (255, 255, 255))
    padded.paste(image)
    return padded
