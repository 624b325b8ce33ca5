"""Pictures that tell nothing are marked; what may tell something never is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw

from tabrag.documents.decoration import mark_decorations
from tabrag.types import Block, Box, Document, Page

MIDDLE: Box = (200, 300, 700, 700)
CORNER: Box = (860, 20, 960, 90)
FOOT: Box = (60, 930, 200, 980)


def logo() -> Image.Image:
    image = Image.new("RGB", (120, 60), "navy")
    ImageDraw.Draw(image).ellipse((20, 10, 60, 50), fill="orange")
    return image


def chart() -> Image.Image:
    image = Image.new("RGB", (400, 300), "white")
    draw = ImageDraw.Draw(image)
    for place, height in enumerate((120, 200, 90, 260)):
        draw.rectangle((40 + 90 * place, 280 - height, 100 + 90 * place, 280), fill="steelblue")
    return image


def drawn_line() -> Image.Image:
    """A curve one pixel wide on white: almost all of it is of one colour."""
    image = Image.new("RGB", (1200, 900), "white")
    ImageDraw.Draw(image).line([(x, 450 + int(300 * np.sin(x / 90))) for x in range(1200)], fill="black")
    return image


def signature() -> Image.Image:
    image = Image.new("RGB", (200, 70), "white")
    ImageDraw.Draw(image).line(
        [(10 + x, 35 + int(25 * np.sin(x / 6))) for x in range(170)], fill="navy", width=2
    )
    return image


def photo() -> Image.Image:
    noise = np.random.default_rng(0).integers(0, 255, (30, 40, 3), dtype=np.uint8)
    return Image.fromarray(noise).resize((400, 300), Image.Resampling.BICUBIC)


def gradient(width: int = 600, height: int = 400) -> Image.Image:
    ramp = np.linspace(40, 220, width, dtype=np.uint8)
    return Image.fromarray(np.tile(ramp, (height, 1))).convert("RGB")


def rule() -> Image.Image:
    image = Image.new("RGB", (900, 20), "white")
    ImageDraw.Draw(image).rectangle((0, 6, 900, 13), fill="darkred")
    return image


def timeline() -> Image.Image:
    image = Image.new("RGB", (900, 60), "white")
    draw = ImageDraw.Draw(image)
    for place in range(9):
        draw.rectangle((20 + 100 * place, 10, 70 + 60 * (place % 2) + 100 * place, 50), fill="teal")
    return image


def marks(
    tmp_path: Path,
    *shown: tuple[Image.Image | None, Block],
    pages: int = 1,
    others: tuple[Block, ...] = (),
    title: str = "",
) -> list[bool]:
    """Which of some pictures are marked; a picture that is given twice is one file, as parsers write it."""
    names: dict[int, str] = {}
    blocks = []
    for image, block in shown:
        if image is not None:
            names.setdefault(id(image), f"images/{len(names)}.png")
            block.image = names[id(image)]
            (tmp_path / "images").mkdir(exist_ok=True)
            image.save(tmp_path / block.image)
        blocks.append(block)
    document = Document(
        id="d",
        title=title,
        blocks=[*blocks, *others],
        pages=[Page(number=number, width=600.0, height=800.0) for number in range(1, pages + 1)],
    )
    marked = mark_decorations(document, tmp_path)
    assert [block.kind for block in marked.blocks] == [block.kind for block in document.blocks]
    assert not any(block.decoration for block in document.blocks), "what was given stays as it is"
    return [block.decoration for block in marked.blocks if block.kind == "picture"]


def picture(box: Box | None = MIDDLE, text: str = "", page: int | None = 1) -> Block:
    return Block(kind="picture", text=text, box=box, page=page)


@pytest.mark.parametrize(
    ("image", "box", "text"),
    [
        (Image.new("RGB", (300, 200), "white"), MIDDLE, ""),
        (Image.new("RGBA", (300, 200), (0, 0, 0, 0)), MIDDLE, ""),
        (Image.new("L", (300, 200), 40), None, "Figure"),
        (gradient(), MIDDLE, ""),
        (rule(), (50, 500, 950, 520), ""),
        (logo(), CORNER, ""),
        (logo(), CORNER, "ACME"),
        (logo(), FOOT, ""),
        (logo().resize((20, 20)), (100, 400, 130, 425), ""),
        (logo().resize((32, 32)), None, ""),
        (gradient(900, 60), (0, 0, 1000, 60), ""),
        (logo().resize((900, 60)), (0, 0, 1000, 70), ""),
        (chart(), MIDDLE, "Company logo"),
        (None, None, "Logo of Lemon and Sons"),
        (None, None, "decorative"),
    ],
)
def test_what_tells_nothing(tmp_path: Path, image: Image.Image | None, box: Box | None, text: str):
    assert marks(tmp_path, (image, picture(box, text))) == [True]


@pytest.mark.parametrize(
    ("image", "box", "text"),
    [
        (chart(), MIDDLE, ""),
        (chart(), None, ""),
        (drawn_line(), MIDDLE, ""),
        (photo(), MIDDLE, ""),
        (photo(), (0, 0, 1000, 1000), ""),
        (signature(), (150, 700, 400, 760), ""),
        (signature(), (150, 900, 350, 950), ""),
        (timeline(), (50, 500, 950, 560), ""),
        (logo(), MIDDLE, ""),
        (logo(), CORNER, "Sales by region from 2019 to 2024"),
        (chart(), (100, 400, 130, 425), ""),
        (gradient(), MIDDLE, "Temperature of the sea at ten metres"),
        (None, None, "Coat of arms of New Zealand"),
        (None, None, "A logo that changed the trade: how the lemon came to be"),
    ],
)
def test_what_may_tell_something(tmp_path: Path, image: Image.Image | None, box: Box | None, text: str):
    assert marks(tmp_path, (image, picture(box, text))) == [False]


def test_a_caption_tells_that_a_picture_tells_something(tmp_path: Path):
    caption = (Block(kind="caption", text="Figure 1: our mark since 1902", page=1),)
    assert marks(tmp_path, (logo(), picture(CORNER))) == [True]
    assert marks(tmp_path, (logo(), picture(CORNER)), others=caption) == [False]
    blank = Image.new("RGB", (50, 50), "white")
    assert marks(tmp_path, (blank, picture(MIDDLE)), others=caption) == [True]


def test_a_mark_on_page_after_page(tmp_path: Path):
    one = logo()
    at_side: Box = (20, 400, 110, 480)
    assert marks(tmp_path, *((one, picture(at_side, page=page)) for page in (1,)), pages=6) == [False]
    assert marks(tmp_path, *((one, picture(at_side, page=page)) for page in (2, 5)), pages=6) == [True] * 2
    inside: Box = (400, 300, 600, 500)
    few = [(one, picture(inside, page=page)) for page in (1, 2)]
    assert marks(tmp_path, *few, pages=6) == [False] * 2
    many = [(one, picture(inside, page=page)) for page in (1, 2, 3, 4)]
    assert marks(tmp_path, *many, pages=6) == [True] * 4


def test_a_small_drawing_at_the_head_of_a_later_page_stays(tmp_path: Path):
    assert marks(tmp_path, (logo(), picture(CORNER, page=1)), pages=3) == [True]
    assert marks(tmp_path, (logo(), picture(CORNER, page=2)), pages=3) == [False]


def test_a_mark_is_one_wherever_it_is_shown(tmp_path: Path):
    one = logo()
    last = picture((100, 500, 300, 600), page=3)
    assert marks(tmp_path, (one, picture(CORNER)), (one, last), pages=3) == [True, True]
    assert marks(tmp_path, (one, last), pages=3) == [False]
    large = picture(MIDDLE, page=3)
    assert marks(tmp_path, (one, picture(CORNER)), (one, large), pages=3) == [True, False]


def test_a_drawing_that_grows_over_some_slides_stays(tmp_path: Path):
    one = chart()
    steps = [(one, picture((450, 250, 650, 450), page=page)) for page in (6, 7, 8)]
    assert marks(tmp_path, *steps, pages=8) == [False] * 3
    whole = [(one, picture(MIDDLE, page=page)) for page in range(1, 9)]
    assert marks(tmp_path, *whole, pages=8) == [False] * 8, "large pictures are repeated for what they show"


def test_a_ground_under_many_slides(tmp_path: Path):
    ground = photo()
    shown = [(ground, picture((0, 0, 1000, 1000), page=page)) for page in range(1, 5)]
    assert marks(tmp_path, *shown, pages=8) == [True] * 4
    assert marks(tmp_path, *shown[:2], pages=8) == [False] * 2


def test_points_of_a_list(tmp_path: Path):
    one = photo()
    shown = [(one, picture((50, 100 * place, 110, 100 * place + 70), page=1)) for place in range(2, 6)]
    assert marks(tmp_path, *shown) == [True] * 4
    assert marks(tmp_path, *shown[:2]) == [False] * 2


def test_a_mark_upon_a_cover(tmp_path: Path):
    rest = tuple(Block(kind="text", text=f"Sentence {number}.") for number in range(30))
    heading = Block(kind="heading", text="Annual  report", level=1)
    found = marks(
        tmp_path, (logo(), picture(None, page=None)), pages=0, others=(heading, *rest), title="Annual report"
    )
    assert found == [True]
    other = marks(
        tmp_path, (logo(), picture(None, page=None)), pages=0, others=(heading, *rest), title="Lemons"
    )
    assert other == [False]
    short = marks(
        tmp_path, (logo(), picture(None, page=None)), pages=0, others=(heading,), title="Annual report"
    )
    assert short == [False]


def test_a_picture_that_cannot_be_opened_stays(tmp_path: Path):
    (tmp_path / "broken.png").write_bytes(b"no picture")
    Image.new("P", (9, 9)).save(tmp_path / "palette.png")
    content = (tmp_path / "palette.png").read_bytes()
    place = content.index(b"PLTE") + 6
    (tmp_path / "palette.png").write_bytes(content[:place] + b"\xff\xff" + content[place + 2 :])
    names = ("broken.png", "none.png", "palette.png", "../outside.png")
    blocks = [Block(kind="picture", image=name, box=CORNER, page=1) for name in names]
    document = Document(id="d", blocks=blocks)
    assert mark_decorations(document, tmp_path) is document


def test_documents_without_pictures_are_given_back(tmp_path: Path):
    document = Document(id="d", blocks=[Block(kind="text", text="Lemons.")])
    assert mark_decorations(document, tmp_path) is document
