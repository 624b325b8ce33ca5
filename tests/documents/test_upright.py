"""The direction of text, and pictures set upright by it."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageFont

from tabrag.documents.upright import set_upright, text_angle
from tabrag.tables.ocr_engine import Quad


def _quad(x: float, y: float, long: float, high: float, degrees: float) -> Quad:
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    corners = ((0, 0), (long, 0), (long, high), (0, high))
    return tuple((x + cos * a - sin * b, y + sin * a + cos * b) for a, b in corners)


@given(st.floats(-89, 90), st.lists(st.tuples(st.floats(80, 600), st.floats(-1, 1)), min_size=3, max_size=20))
def test_angle_of_lines(degrees: float, lines: list[tuple[float, float]]) -> None:
    quads = [_quad(50, 30 * row, long, 20, degrees + off) for row, (long, off) in enumerate(lines)]
    found = text_angle(quads)
    assert -90 < found <= 90
    assert abs((found - degrees + 90) % 180 - 90) <= 1.001


def test_lines_that_do_not_agree_have_no_direction() -> None:
    assert text_angle([_quad(0, 0, 200, 20, 36 * step) for step in range(5)]) == 0
    assert text_angle([]) == 0
    assert text_angle([_quad(0, 0, 20, 20, 30)]) == 0, "a single sign shows no direction"


def test_pictures_are_set_upright() -> None:
    pytest.importorskip("rapidocr")
    page = Image.new("RGB", (420, 240), "white")
    draw = ImageDraw.Draw(page)
    for row, text in enumerate(
        ("Revenue by region and year", "Northern provinces 1,234", "Coastal towns 5,678")
    ):
        draw.text((20, 30 + 60 * row), text, font=ImageFont.load_default(24), fill="black")
    assert set_upright(page).turned == 0
    for degrees in (180, 90, -4):
        turned = page.rotate(degrees, expand=True, fillcolor="white")
        upright = set_upright(turned)
        off = (upright.turned + degrees + 180) % 360 - 180
        assert abs(off) < 0.35, (degrees, upright.turned)
        assert len(upright.lines) == 3 and abs(text_angle(upright.lines)) < 1
