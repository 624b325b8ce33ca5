"""Exact places of words: by their ink, parted at lines, glued words apart."""

from __future__ import annotations

from PIL import Image, ImageDraw, ImageFont

from tabrag.documents.ocr_words import page_words
from tabrag.documents.page_content import PageWord, Rule
from tabrag.tables.ocr_engine import TextLine, text_line

_SIZE = 20


def _line(draw: ImageDraw.ImageDraw, x: float, y: float, text: str, *, said: str | None = None) -> TextLine:
    """A text drawn, and the line that OCR makes of it: a wide box, words where they are by length."""
    font = ImageFont.load_default(_SIZE)
    draw.text((x, y), text, font=font, fill="black")
    x0, y0, x1, y1 = draw.textbbox((x, y), text, font=font)
    box = (x0 - 4, y0 - 5, x1 + 4, y1 + 5)
    corners = ((box[0], box[1]), (box[2], box[1]), (box[2], box[3]), (box[0], box[3]))
    parts, at = [], float(x0)
    for char in text:
        wide = draw.textlength(char, font=font)
        if char != " ":
            parts.append((char, 0.99, ((at, y0), (at + wide, y0), (at + wide, y1), (at, y1))))
        at += wide
    return text_line(said or text, 0.99, corners, parts)


def _page() -> tuple[Image.Image, ImageDraw.ImageDraw]:
    picture = Image.new("RGB", (600, 120), "white")
    return picture, ImageDraw.Draw(picture)


def _ink(picture: Image.Image, word: PageWord) -> tuple[float, float]:
    """Left and right side of the ink around a word's middle, apart from it by blanks."""
    x0, _, x1, _ = word.box
    box = (
        picture.convert("L")
        .point(lambda value: 255 if value < 128 else 0)
        .crop((int(x0) - 3, 0, int(x1) + 4, picture.height))
        .getbbox()
    )
    assert box is not None
    return int(x0) - 3 + box[0], int(x0) - 3 + box[2]


def test_words_end_where_their_ink_does() -> None:
    picture, draw = _page()
    line = _line(draw, 20, 40, "Illinois 1,234 wwww mm")
    words = page_words([line], picture, [])
    assert [word.text for word in words] == ["Illinois", "1,234", "wwww", "mm"]
    for word in words:
        left, right = _ink(picture, word)
        assert abs(word.box[0] - left) <= 1.5 and abs(word.box[2] - right) <= 1.5
        assert abs(word.size - _SIZE) < 0.2 * _SIZE


def test_words_of_one_line_stand_at_one_height() -> None:
    picture, draw = _page()
    words = page_words([_line(draw, 20, 40, "gap Total aces")], picture, [])
    assert len({(word.box[1], word.box[3]) for word in words}) == 1


def test_a_line_that_is_drawn_parts_a_word() -> None:
    picture, draw = _page()
    line = _line(draw, 20, 40, "1,127 4,560", said="1,127|4,560")
    x = 20 + draw.textlength("1,127 ", font=ImageFont.load_default(_SIZE)) - 3
    line = text_line(
        "1,1274,560",
        line.score,
        line.quad,
        [
            (char, 0.9, ((at - 3, 40), (at + 3, 40), (at + 3, 60), (at - 3, 60)))
            for char, at in zip(
                "1,1274,560",
                line.middles[:5] + line.middles[6:] if len(line.middles) == 11 else line.middles,
                strict=True,
            )
        ],
    )
    whole = page_words([line], picture, [])
    parted = page_words([line], picture, [Rule(x, 0, x, 120)])
    assert "".join(word.text for word in whole) == "1,1274,560"
    assert [word.text for word in parted] == ["1,127", "4,560"]
    assert parted[0].box[2] <= x <= parted[1].box[0]


def test_glued_words_are_parted_at_their_blank() -> None:
    picture, draw = _page()
    drawn = _line(draw, 20, 40, "net income")
    glued = TextLine("netincome", 0.9, drawn.quad, (("netincome", drawn.box),), drawn.middles)
    assert [word.text for word in page_words([glued], picture, [])] == ["net", "income"]


def test_figures_keep_their_blanks() -> None:
    picture, draw = _page()
    drawn = _line(draw, 20, 40, "1 234")
    read = TextLine("1234", 0.9, drawn.quad, (("1234", drawn.box),), drawn.middles)
    assert [word.text for word in page_words([read], picture, [])] == ["1234"]
