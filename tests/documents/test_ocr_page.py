"""Pages from pictures: one real reading, and pages of given words."""

from __future__ import annotations

import pytest
from PIL import Image, ImageDraw, ImageFont

from tabrag.documents.ocr_page import page_of_words, read_page
from tabrag.types import Word

_ROWS = [["Region", "2020", "2021"], ["North", "1,234", "6"], ["South", "987", "-10"]]


def _picture() -> Image.Image:
    """A small ruled table with a dark header, a shaded row and a title."""
    picture = Image.new("RGB", (330, 170), "white")
    draw, font = ImageDraw.Draw(picture), ImageFont.load_default(15)
    draw.text((20, 8), "Sales by region", font=font, fill="black")
    draw.rectangle((20, 40, 310, 75), fill="#1c3a5e")
    draw.rectangle((20, 110, 310, 145), fill="#f6dcdc")
    for row, texts in enumerate(_ROWS):
        for col, text in enumerate(texts):
            draw.text((30 + 100 * col, 49 + 35 * row), text, font=font, fill="black" if row else "white")
    for y in (75, 110, 145):
        draw.line((20, y, 310, y), fill="black")
    for x in (20, 115, 215, 310):
        draw.line((x, 75, x, 145), fill="black")
    return picture


def test_page_is_read_with_lines_and_shades() -> None:
    pytest.importorskip("rapidocr")
    page = read_page(_picture(), number=3, dpi=None)
    content = page.content
    assert content.scanned and content.number == 3 and page.notes == []
    texts = [word.text for word in content.words]
    assert texts[:3] == ["Sales", "by", "region"] and set(sum(_ROWS, [])) <= set(texts)
    scale = content.width / 330
    assert abs(content.height / 170 - scale) < 0.02
    across = {round(rule.y0 / scale) for rule in content.rules if rule.y0 == rule.y1}
    down = {round(rule.x0 / scale) for rule in content.rules if rule.x0 == rule.x1}
    for wanted, found in (((40, 75, 110, 145), across), ((20, 115, 215, 310), down)):
        assert all(any(abs(place - line) <= 2 for line in found) for place in wanted), (wanted, found)
    assert [round(fill.grey, 1) for fill in content.fills] == [0.2, 0.9]
    (cell,) = [word for word in content.words if word.text == "1,234"]
    assert 128 <= cell.box[0] / scale <= 134 and 80 <= cell.box[1] / scale <= cell.box[3] / scale <= 106


def test_words_of_others() -> None:
    picture = Image.new("RGB", (400, 200), "white")
    words = [Word(text="one", box=(100, 100, 200, 180)), Word(text=" ", box=(0, 0, 1, 1))]
    content = page_of_words(picture, words, number=1, dpi=144)
    assert (content.width, content.height) == (200, 100)
    assert [(word.text, word.box, word.size) for word in content.words] == [("one", (20, 10, 40, 18), 8)]
    assert content.rules == [] and content.fills == []


def test_lines_of_a_picture_whose_words_are_given() -> None:
    pytest.importorskip("cv2")
    words = [Word(text="North", box=(90, 500, 210, 590))]
    content = page_of_words(_picture(), words, number=1, dpi=72)
    across = [rule.y0 for rule in content.rules if rule.y0 == rule.y1 and rule.x1 - rule.x0 > 280]
    assert all(any(abs(place - line) <= 1.5 for line in across) for place in (75, 110, 145))
