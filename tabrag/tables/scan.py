"""Make a clean picture look scanned: turned a little, blurred, stained, and saved as a small JPEG."""

from __future__ import annotations

import io
import math
import random
from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageFilter

PixelBox = tuple[float, float, float, float]

_MAX_DEGREES = 1.6
_BLUR = (0.3, 0.8)
_NOISE = (4.0, 11.0)
_JPEG_QUALITY = (35, 75)


def scan(image: Image.Image, boxes: Sequence[PixelBox], *, key: str) -> tuple[Image.Image, list[PixelBox]]:
    """Degrade a picture; the boxes (pixels) follow its rotation and enclose the turned ink.

    Args:
        image: RGB picture.
        boxes: Word boxes in pixels.
        key: Text that decides angle, blur, noise and quality.
    """
    choice = random.Random(f"scan/{key}")
    degrees = choice.uniform(0.3, _MAX_DEGREES) * choice.choice((-1, 1))
    paper = image.getpixel((0, 0))
    turned = image.rotate(degrees, resample=Image.Resampling.BILINEAR, expand=True, fillcolor=paper)
    turned = turned.filter(ImageFilter.GaussianBlur(choice.uniform(*_BLUR)))
    pixels = np.asarray(turned, dtype=np.float32)
    random_numbers = np.random.default_rng(choice.getrandbits(64))
    noise = random_numbers.standard_normal(pixels.shape[:2], dtype=np.float32) * choice.uniform(*_NOISE)
    shade = np.linspace(0, choice.uniform(-14, 14), pixels.shape[1], dtype=np.float32)
    noisy = (pixels + noise[:, :, None] + shade[None, :, None]).clip(0, 255).astype(np.uint8)
    stream = io.BytesIO()
    Image.fromarray(noisy).save(stream, "JPEG", quality=choice.randint(*_JPEG_QUALITY))
    return Image.open(stream).convert("RGB"), [_turn(box, degrees, image.size, turned.size) for box in boxes]


def _turn(box: PixelBox, degrees: float, size: tuple[int, int], turned: tuple[int, int]) -> PixelBox:
    """The upright box around a box that was turned counter-clockwise about the middle of the picture."""
    cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    x0, y0, x1, y1 = box
    corners = [(x - size[0] / 2, y - size[1] / 2) for x in (x0, x1) for y in (y0, y1)]
    xs = [x * cosine + y * sine + turned[0] / 2 for x, y in corners]
    ys = [-x * sine + y * cosine + turned[1] / 2 for x, y in corners]
    return (min(xs), min(ys), max(xs), max(ys))
