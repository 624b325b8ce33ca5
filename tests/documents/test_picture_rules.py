"""Lines of pictures: tables drawn with known lines in many styles, and what must not be taken for a line."""

from __future__ import annotations

import io
import random
from dataclasses import dataclass, field

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from tabrag.documents.page_content import PageBox, Rule
from tabrag.documents.picture_rules import find_rules

pytest.importorskip("cv2")

_INKS = ("black", "#444444", "#777777", "#2255aa", "#33883b", "#c02020", "#b0b0b0")
_GROUNDS = ("white", "#fafaf0", "#eef4ff", "#f0f0f0")


@dataclass
class _Drawn:
    """A drawn table and what is known of it, in pixels."""

    picture: Image.Image
    across: list[tuple[float, float, float]] = field(default_factory=list)
    """``(y, x0, x1)`` of each line from left to right."""
    down: list[tuple[float, float, float]] = field(default_factory=list)
    texts: list[PageBox] = field(default_factory=list)
    text_height: float = 0.0


def _draw(seed: int, *, dotted: bool = False) -> _Drawn:
    rng = random.Random(seed)
    size = rng.choice((12, 14, 16, 20))
    pad = rng.randint(5, 14)
    rows, cols = rng.randint(3, 9), rng.randint(2, 6)
    widths = [rng.randint(4, 9) * size for _ in range(cols)]
    high = size + 2 * pad
    left, top = rng.randint(10, 60), rng.randint(10, 80)
    xs = [left + sum(widths[:col]) for col in range(cols + 1)]
    ys = [top + row * high for row in range(rows + 1)]
    ground, ink, thick = rng.choice(_GROUNDS), rng.choice(_INKS), rng.choice((1, 1, 2, 2, 3, 5))
    picture = Image.new("RGB", (xs[-1] + 40, ys[-1] + 90), ground)
    draw, font = ImageDraw.Draw(picture), ImageFont.load_default(size)
    drawn = _Drawn(picture, text_height=1.4 * size)
    style = rng.choice(("grid", "across", "frame"))
    dark = style == "grid" and not dotted and rng.random() < 0.4
    if dark:
        draw.rectangle((xs[0], ys[0], xs[-1], ys[1]), fill="#202830")
    for place, y in enumerate(ys):
        if style != "frame" or place in (0, 1, rows):
            if not (dark and place in (0, 1)):
                _line(draw, (xs[0], y, xs[-1], y), ink, thick, dotted)
                drawn.across.append((y, xs[0], xs[-1]))
    for place, x in enumerate(xs):
        if style == "grid" or (style == "frame" and place in (0, cols)):
            first = ys[1] if dark else ys[0]
            if dark and 0 < place < cols:
                draw.line((x, ys[0], x, ys[1] - thick), fill="white", width=max(thick, 2))
                drawn.down.append((x, ys[0], ys[-1]))
            else:
                drawn.down.append((x, first, ys[-1]))
            _line(draw, (x, first, x, ys[-1]), ink, thick, dotted)
    words = ("Total", "1,234.5", "EHT", "ill", "12%", "Net -- income", "|1|", "=")
    places = [(xs[c] + 6, ys[r] + pad, widths[c]) for r in range(rows) for c in range(cols)]
    for x, y, room in [*places, (left, ys[-1] + 25, 10_000)]:
        text = rng.choice(words) if room < 10_000 else "A line of text under the table, as notes are set."
        x0, y0, x1, y1 = draw.textbbox((x, y), text, font=font)
        if x1 - x0 < room - 10:
            white = dark and y < ys[1]
            draw.text((x, y), text, font=font, fill="white" if white else "#111111")
            drawn.texts.append((x0 - 3, y0 - 0.2 * size, x1 + 3, y1 + 0.2 * size))
    return drawn


def _line(
    draw: ImageDraw.ImageDraw, ends: tuple[int, int, int, int], ink: str, thick: int, dotted: bool
) -> None:
    if not dotted:
        draw.line(ends, fill=ink, width=thick)
        return
    x0, y0, x1, y1 = ends
    for at in range(0, max(x1 - x0, y1 - y0), 4):
        x, y = (x0 + at, y0) if x1 > x0 else (x0, y0 + at)
        draw.rectangle((x, y, x + 1, y + 1), fill="black")


def _found(drawn: _Drawn) -> tuple[list[Rule], list[Rule]]:
    rules = find_rules(np.asarray(drawn.picture), drawn.text_height, drawn.texts)
    return [rule for rule in rules if rule.y0 == rule.y1], [rule for rule in rules if rule.x0 == rule.x1]


def _misses(drawn: _Drawn) -> tuple[int, int, int]:
    """How many lines were not found whole, were found and never drawn, and were drawn."""
    across, down = _found(drawn)
    missed = wrong = 0
    for known, found in (
        (drawn.across, [(rule.y0, rule.x0, rule.x1) for rule in across]),
        (drawn.down, [(rule.x0, rule.y0, rule.y1) for rule in down]),
    ):
        for at, start, end in known:
            near = [other for other in found if abs(other[0] - at) <= 3.5]
            covered = sum(max(min(end, other[2]) - max(start, other[1]), 0) for other in near)
            missed += not 0.93 * (end - start) <= covered <= 1.05 * (end - start) + 8
        wrong += sum(all(abs(other[0] - line[0]) > 3.5 for line in known) for other in found)
    return missed, wrong, len(drawn.across) + len(drawn.down)


def _degraded(picture: Image.Image, how: str) -> Image.Image:
    if how == "jpeg":
        buffer = io.BytesIO()
        picture.save(buffer, "JPEG", quality=55)
        return Image.open(buffer).convert("RGB")
    if how == "blurred":
        return picture.filter(ImageFilter.GaussianBlur(0.8))
    if how == "noisy":
        noise = np.random.default_rng(0).normal(0, 6, (picture.height, picture.width, 1))
        return Image.fromarray((np.asarray(picture) + noise).clip(0, 255).astype(np.uint8))
    return picture


def _rates(*, how: str = "clean", dotted: bool = False, count: int) -> tuple[float, float, int]:
    missed = wrong = total = 0
    for seed in range(count):
        drawn = _draw(seed, dotted=dotted)
        drawn.picture = _degraded(drawn.picture, how)
        counts = _misses(drawn)
        missed, wrong, total = missed + counts[0], wrong + counts[1], total + counts[2]
    return missed / total, wrong / total, total


@pytest.mark.parametrize(
    ("how", "most", "count"),
    [("clean", 0.005, 50), ("noisy", 0.005, 20), ("blurred", 0.01, 20), ("jpeg", 0.04, 30)],
)
def test_drawn_tables(how: str, most: float, count: int) -> None:
    """Over 50 styles nearly every line is found whole, and hardly anything else."""
    missed, wrong, total = _rates(how=how, count=count)
    assert total > 7 * count, "the tables have lines"
    assert missed <= most and wrong <= most, (missed, wrong)


def test_dotted_tables() -> None:
    missed, wrong, total = _rates(dotted=True, count=15)
    assert total > 100 and missed <= 0.1 and wrong <= 0.01, (missed, wrong)


class TestSingleLines:
    @staticmethod
    def _rules(picture: Image.Image, texts: list[PageBox] | None = None) -> list[Rule]:
        return find_rules(np.asarray(picture), 20.0, texts or [])

    def test_text_has_no_lines(self) -> None:
        picture = Image.new("RGB", (600, 300), "white")
        draw, boxes = ImageDraw.Draw(picture), []
        for y, size in ((10, 64), (110, 14), (132, 14), (154, 14), (190, 30)):
            text, font = "THE TITLE, ETC. -- HILT | EFL", ImageFont.load_default(size)
            draw.text((10, y), text, font=font, fill="black")
            x0, y0, x1, y1 = draw.textbbox((10, y), text, font=font)
            boxes.append((x0 - 3, y0 - 3, x1 + 3, y1 + 3))
        assert np.asarray(picture).min() == 0, "there is ink"
        assert self._rules(picture, boxes) == []

    def test_lines_under_two_headers_stay_apart(self) -> None:
        picture = Image.new("RGB", (400, 60), "white")
        draw = ImageDraw.Draw(picture)
        draw.line((20, 30, 190, 30), fill="black")
        draw.line((205, 30, 380, 30), fill="black")
        assert [(rule.x0, rule.x1) for rule in self._rules(picture)] == [(20, 191), (205, 381)]

    def test_broken_line_is_joined(self) -> None:
        picture = Image.new("RGB", (400, 60), "white")
        draw = ImageDraw.Draw(picture)
        for x in range(20, 380, 60):
            draw.line((x, 30, x + 55, 30), fill="black", width=2)
        (rule,) = self._rules(picture)
        assert (rule.x0, rule.x1) == (20, 376)

    def test_double_line_is_one(self) -> None:
        picture = Image.new("RGB", (400, 60), "white")
        draw = ImageDraw.Draw(picture)
        for y in (30, 33):
            draw.line((20, y, 380, y), fill="black")
        assert len(self._rules(picture)) == 1

    def test_underline_of_a_text_is_none(self) -> None:
        picture = Image.new("RGB", (400, 60), "white")
        ImageDraw.Draw(picture).line((20, 30, 150, 30), fill="blue")
        assert len(self._rules(picture)) == 1
        assert self._rules(picture, [(18, 10, 152, 32)]) == []

    def test_sloping_line_is_found(self) -> None:
        picture = Image.new("RGB", (800, 60), "white")
        ImageDraw.Draw(picture).line((20, 28, 780, 32), fill="black")
        (rule,) = self._rules(picture)
        assert rule.x0 == 20 and rule.x1 == 781 and abs(rule.y0 - 30) < 1.5

    @pytest.mark.parametrize("size", [(1, 1), (3, 200), (200, 5), (40, 40)])
    def test_pictures_without_lines(self, size: tuple[int, int]) -> None:
        assert find_rules(np.asarray(Image.new("RGB", size, "white")), 0.0, []) == []
