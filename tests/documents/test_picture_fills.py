"""Shaded areas of pictures, and pictures without them."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from tabrag.documents.picture_fills import find_fills, without_fills

pytest.importorskip("cv2")

_SIZE = 16
_UNIT = 1.4 * _SIZE


def _table(shades: list[tuple[str, str]], *, noise: float = 0.0) -> tuple[np.ndarray, list[tuple[int, ...]]]:
    """Rows of text, each on its shade in its ink; and the boxes of the rows."""
    picture = Image.new("RGB", (500, 60 + 40 * len(shades)), "white")
    draw, font = ImageDraw.Draw(picture), ImageFont.load_default(_SIZE)
    draw.text((20, 6), "A title above the table", font=font, fill="black")
    boxes = []
    for row, (shade, ink) in enumerate(shades):
        y = 40 + 40 * row
        draw.rectangle((30, y, 469, y + 39), fill=shade)
        for x in (40, 180, 330):
            draw.text((x, y + 10), "Total 1,234", font=font, fill=ink)
        boxes.append((30, y, 470, y + 40))
    pixels = np.asarray(picture).astype(float)
    pixels += np.random.default_rng(1).normal(0, noise, (*pixels.shape[:2], 1)) if noise else 0
    return pixels.clip(0, 255).astype(np.uint8), boxes


@pytest.mark.parametrize("noise", [0.0, 4.0])
def test_shaded_rows(noise: float) -> None:
    shades = [("#203040", "white"), ("white", "black"), ("#dde8f4", "black"), ("white", "black")]
    pixels, boxes = _table(shades, noise=noise)
    fills = find_fills(pixels, _UNIT)
    assert len(fills) == 2
    for fill, (box, grey) in zip(fills, ((boxes[0], 0.18), (boxes[2], 0.9)), strict=True):
        assert max(abs(a - b) for a, b in zip(fill.box, box, strict=True)) <= 2
        assert abs(fill.grey - grey) < 0.03


def test_text_alone_has_no_shade() -> None:
    pixels, _ = _table([("white", "black")] * 5)
    assert pixels.min() == 0, "there is ink"
    assert find_fills(pixels, _UNIT) == []


@pytest.mark.parametrize(("shade", "ink"), [("#203040", "white"), ("#4a90e2", "white"), ("#ffdddd", "black")])
def test_ink_is_dark_on_white_afterwards(shade: str, ink: str) -> None:
    pixels, boxes = _table([(shade, ink), ("white", "black")])
    clean = without_fills(pixels, find_fills(pixels, _UNIT))
    x0, y0, x1, y1 = boxes[0]
    row = clean[y0 + 3 : y1 - 3, x0 + 3 : x1 - 3]
    assert np.median(row) == 255 and row.min() < 40
    assert (clean[y1 + 2 :] == pixels[y1 + 2 :]).all(), "the rest stays as it is"


def test_no_picture_to_speak_of() -> None:
    assert find_fills(np.zeros((2, 2, 3), np.uint8), 0.0) == []
