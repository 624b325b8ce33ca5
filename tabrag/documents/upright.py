"""Pictures that lie on their side, stand on their head or slope are set upright by their lines of text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np
from PIL import Image

from tabrag.tables.ocr import MIN_SCORE
from tabrag.tables.ocr_engine import Quad, find_lines, is_upside_down, read_line

# Only lines at least this many times as long as they are high show a direction.
_LONG = 2.5
# Directions within this many degrees of the most frequent one are the text's.
_SPREAD = 5
# The share of the lengths of all lines that must run in that direction.
_MIN_SHARE = 0.5
# A slope below this many degrees is left: half a line's height over the width of a page.
_MIN_SLOPE = 0.2
# The number of lines, longest first, that are asked which way up they stand.
_ASKED = 9
# The number of them that are read both ways where the answer is "upside down", and how much surer the
# recogniser must be of the turned ones.
_READ = 5
_MIN_GAIN = 0.1
_QUARTERS = {
    1: Image.Transpose.ROTATE_90,
    2: Image.Transpose.ROTATE_180,
    3: Image.Transpose.ROTATE_270,
}
# Steps in which the last degree is searched, and the width of the picture for it.
_STEPS = np.arange(-0.8, 0.81, 0.1)
_SEARCH_WIDTH = 1200


@dataclass(frozen=True, slots=True)
class Upright:
    """A picture whose lines of text run from left to right.

    Attributes:
        picture: The picture, turned.
        reading: The same picture as it is read, turned alike.
        lines: Corners of its lines of text, in pixels of the turned picture.
        turned: Degrees by which it was turned anticlockwise.
    """

    picture: Image.Image
    reading: Image.Image
    lines: list[Quad]
    turned: float

    @property
    def line_height(self) -> float:
        """Height of the middle line of text in pixels, with the margin that OCR leaves; 0 without any."""
        return median(min(_sides(quad)) for quad in self.lines) if self.lines else 0.0


def set_upright(picture: Image.Image, reading: Image.Image | None = None) -> Upright:
    """Turn a picture so that most of its text stands upright.

    Args:
        picture: RGB.
        reading: What OCR sees of it, of the same size: a negative, for example.
    """
    reading = picture if reading is None else reading
    lines = find_lines(reading)
    angle = text_angle(lines)
    quarters = round(angle / 90) % 4
    slope = angle - 90 * round(angle / 90)
    if quarters:
        picture, reading, lines = _turn_quarters(picture, reading, lines, quarters)
    slope = _sharpest(reading, slope) if lines else 0.0
    if abs(slope) >= _MIN_SLOPE:
        size = reading.size
        picture, reading = (_rotate(image, slope) for image in (picture, reading))
        lines = [_turn_quad(quad, slope, size, picture.size) for quad in lines]
    else:
        slope = 0.0
    if _stands_on_its_head(reading, lines):
        quarters += 2
        picture, reading, lines = _turn_quarters(picture, reading, lines, 2)
    return Upright(picture, reading, lines, (90 * quarters + slope) % 360)


def text_angle(lines: Sequence[Quad]) -> float:
    """The direction of most of the text: degrees clockwise from the horizontal, above -90 and up to 90.

    Args:
        lines: Corners of lines of text. Where they do not agree, the answer is 0.
    """
    angles, weights = [], []
    for quad in lines:
        long, short = max(_sides(quad)), min(_sides(quad))
        if long >= _LONG * max(short, 1.0):
            angles.append(_direction(quad))
            weights.append(long)
    if not angles:
        return 0.0
    found, weight = np.array(angles), np.array(weights)
    distance = np.abs((found[:, None] - found[None, :] + 90) % 180 - 90)
    near = (distance <= _SPREAD) @ weight
    best = int(near.argmax())
    if near[best] < _MIN_SHARE * weight.sum():
        return 0.0
    chosen = distance[best] <= _SPREAD
    offsets = (found[chosen] - found[best] + 90) % 180 - 90
    order = np.argsort(offsets)
    middle = np.searchsorted(np.cumsum(weight[chosen][order]), weight[chosen].sum() / 2)
    angle = float(found[best] + offsets[order][middle])
    return 90 - (90 - angle) % 180


def upright_box(quad: Quad) -> tuple[int, int, int, int]:
    """The upright box around a quad in whole pixels."""
    xs, ys = [x for x, _ in quad], [y for _, y in quad]
    return (max(math.floor(min(xs)), 0), max(math.floor(min(ys)), 0), math.ceil(max(xs)), math.ceil(max(ys)))


def _sides(quad: Quad) -> tuple[float, float]:
    return (math.dist(quad[0], quad[1]), math.dist(quad[1], quad[2]))


def _direction(quad: Quad) -> float:
    first, second = _sides(quad)
    (x0, y0), (x1, y1) = (quad[0], quad[1]) if first >= second else (quad[1], quad[2])
    return math.degrees(math.atan2(y1 - y0, x1 - x0)) % 180


def _turn_quarters(
    picture: Image.Image, reading: Image.Image, lines: list[Quad], quarters: int
) -> tuple[Image.Image, Image.Image, list[Quad]]:
    size = picture.size
    turned = picture.transpose(_QUARTERS[quarters])
    read = turned if reading is picture else reading.transpose(_QUARTERS[quarters])
    return turned, read, [_turn_quad(quad, 90 * quarters, size, turned.size) for quad in lines]


def _turn_quad(quad: Quad, degrees: float, old: tuple[int, int], new: tuple[int, int]) -> Quad:
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return tuple(
        (
            cos * (x - old[0] / 2) + sin * (y - old[1] / 2) + new[0] / 2,
            -sin * (x - old[0] / 2) + cos * (y - old[1] / 2) + new[1] / 2,
        )
        for x, y in quad
    )


def _rotate(image: Image.Image, degrees: float) -> Image.Image:
    """Turn by a few degrees; the corners that open take the ground's colour."""
    ground = tuple(int(value) for value in np.median(np.asarray(image).reshape(-1, 3), axis=0))
    return image.rotate(degrees, Image.Resampling.BICUBIC, expand=True, fillcolor=ground)


def _sharpest(image: Image.Image, slope: float) -> float:
    """The slope near the given one at which rows of ink and paper stand out most."""
    import cv2

    grey = image.convert("L")
    grey.thumbnail((_SEARCH_WIDTH, 4 * _SEARCH_WIDTH))
    edges = np.abs(np.diff(np.asarray(grey, dtype=np.float32), axis=0))
    height, width = edges.shape
    if height < 8 or width < 8:
        return 0.0
    scores = []
    for step in slope + _STEPS:
        turn = cv2.getRotationMatrix2D((width / 2, height / 2), float(step), 1.0)
        rows = cv2.warpAffine(edges, turn, (width, height), flags=cv2.INTER_LINEAR).sum(axis=1)
        scores.append(float((rows**2).sum()) * (1.01 if abs(step) < 0.05 else 1.0))
    return float(slope + _STEPS[int(np.argmax(scores))])


def _stands_on_its_head(image: Image.Image, lines: Sequence[Quad]) -> bool:
    """Whether most of the longest lines that run from side to side are upside down, and read better turned.

    The classifier alone also says so of blurred text and of scripts that it does not know.
    """
    level = [quad for quad in lines if 0.5 * _width(quad) > _height(quad)]
    asked = [image.crop(upright_box(quad)) for quad in sorted(level, key=_width, reverse=True)[:_ASKED]]
    if sum(map(is_upside_down, asked)) <= len(asked) / 2:
        return False
    upright = [read_line(line)[1] for line in asked[:_READ]]
    turned = [read_line(line.transpose(Image.Transpose.ROTATE_180))[1] for line in asked[:_READ]]
    return median(turned) >= MIN_SCORE and median(turned) - median(upright) >= _MIN_GAIN


def _width(quad: Quad) -> float:
    return max(x for x, _ in quad) - min(x for x, _ in quad)


def _height(quad: Quad) -> float:
    return max(y for _, y in quad) - min(y for _, y in quad)
