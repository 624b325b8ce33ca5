"""Make a clean picture look scanned: turned a little, blurred, stained, and saved as a small JPEG."""

from __future__ import annotations

import io
import math
import random
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from PIL import Image, ImageChops

PixelBox = tuple[float, float, float, float]

_DEGREES = (0.3, 1.6)
# Share of the neighbouring row and column in each pixel.
_BLUR = (0.2, 0.5)
_NOISE = (4, 6, 8, 10)
_SHADE = (-14, 14)
_JPEG_QUALITY = (35, 75)
_TINTS = ((255, 255, 255), (255, 253, 244), (250, 252, 255), (255, 249, 235))
_TILE = 512


def scan(image: Image.Image, boxes: Sequence[PixelBox], *, key: str) -> tuple[Image.Image, list[PixelBox]]:
    """Degrade a picture; the boxes follow its rotation and enclose the turned ink.

    Args:
        image: RGB picture of dark ink on light paper; its colours become the tint of old paper.
        boxes: Word boxes in pixels.
        key: Text that decides angle, blur, noise and quality.
    """
    choice = random.Random(f"scan/{key}")
    degrees = choice.uniform(*_DEGREES) * choice.choice((-1, 1))
    grey = image.convert("L")
    # Turned by nearest pixels and then blurred: together three times as fast as turning by interpolation.
    turned = grey.rotate(degrees, expand=True, fillcolor=grey.getpixel((0, 0)))
    turned = _blur(turned, choice.uniform(*_BLUR))
    stained = ImageChops.add(turned, _noise(turned.size, choice), 1, -128)
    stained = ImageChops.add(stained, _shade(turned.size, choice.randint(*_SHADE)), 1, -128)
    stream = io.BytesIO()
    stained.save(stream, "JPEG", quality=choice.randint(*_JPEG_QUALITY))
    with Image.open(stream) as compressed:
        compressed.load()
        tint = choice.choice(_TINTS)
        bands = [compressed.point([value * strength // 255 for value in range(256)]) for strength in tint]
    return Image.merge("RGB", bands), [_turn(box, degrees, image.size, turned.size) for box in boxes]


def _blur(image: Image.Image, share: float) -> Image.Image:
    """Mix each pixel with its neighbours below and at the right."""
    for dx, dy in ((1, 0), (0, 1)):
        image = Image.blend(image, ImageChops.offset(image, dx, dy), share)
    return image


def _noise(size: tuple[int, int], choice: random.Random) -> Image.Image:
    """Grey noise around 128, tiled from a fixed tile at a random offset: fresh noise is ten times slower."""
    tile = _noise_tile(choice.choice(_NOISE))
    dx, dy = choice.randrange(_TILE), choice.randrange(_TILE)
    noise = Image.new("L", size)
    for x in range(-dx, size[0], _TILE):
        for y in range(-dy, size[1], _TILE):
            noise.paste(tile, (x, y))
    return noise


@lru_cache(maxsize=len(_NOISE))
def _noise_tile(strength: int) -> Image.Image:
    values = np.random.default_rng(strength).standard_normal((_TILE, _TILE)) * strength + 128
    return Image.fromarray(values.clip(0, 255).astype(np.uint8))


def _shade(size: tuple[int, int], change: int) -> Image.Image:
    """One side of the page lies deeper in the light than the other."""
    ramp = np.linspace(128, 128 + change, size[0]).astype(np.uint8)
    return Image.fromarray(np.broadcast_to(ramp, (size[1], size[0])).copy())


def _turn(box: PixelBox, degrees: float, size: tuple[int, int], turned: tuple[int, int]) -> PixelBox:
    """The upright box around a box that was turned counter-clockwise about the middle of the picture."""
    cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    x0, y0, x1, y1 = box
    corners = [(x - size[0] / 2, y - size[1] / 2) for x in (x0, x1) for y in (y0, y1)]
    xs = [x * cosine + y * sine + turned[0] / 2 for x, y in corners]
    ys = [-x * sine + y * cosine + turned[1] / 2 for x, y in corners]
    return (min(xs), min(ys), max(xs), max(ys))
