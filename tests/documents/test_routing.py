"""Slides are told from reports by the shape of pages and by their text; what is not sure is said to be so."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tabrag.documents.parse import parse_file
from tabrag.documents.parsed import ParseOptions, Pictures
from tabrag.documents.routing import num_words, route, shape_of
from tabrag.types import Block, Document, Page

SCREEN, A4, LETTER, UPRIGHT = (720.0, 405.0), (842.0, 595.0), (792.0, 612.0), (595.0, 842.0)
SENTENCE = "The group sold more lemons than in the year before and paid less for water "


def blocks(
    page: int, size: tuple[float, float], words: int, *, type_size: float, title: str = ""
) -> list[Block]:
    """A page of text in type of a size, in points, with the title above it."""
    width, height = size
    text = (SENTENCE * (words // 14 + 1)).split()[:words]
    found = [Block(kind="heading", text=title, level=2, page=page, box=(50, 40, 600, 100))] if title else []
    chars = len(" ".join(text))
    tall = 0.6 * type_size**2 * chars / (0.8 * width) / height * 1000
    if text:
        box = (100, 120, 900, min(120 + max(round(tall), 1), 1000))
        found.append(Block(kind="text", text=" ".join(text), page=page, box=box))
    return found


def made(
    size: tuple[float, float], words: int, *, type_size: float, pages: int = 8, title: str = "Trade"
) -> Document:
    """A document whose pages are all alike."""
    return Document(
        id="d",
        blocks=[
            block
            for page in range(1, pages + 1)
            for block in blocks(page, size, words, type_size=type_size, title=title and f"{title} {page}")
        ],
        pages=[Page(number=page, width=size[0], height=size[1]) for page in range(1, pages + 1)],
    )


@pytest.mark.parametrize(
    ("name", "document", "kind", "layout", "sure"),
    [
        ("slides 16:9", made(SCREEN, 40, type_size=18), "pdf", "horizontal", True),
        ("slides 4:3", made((720.0, 540.0), 60, type_size=20), "pdf", "horizontal", True),
        ("a talk's small pages", made((363.0, 272.0), 70, type_size=10), "pdf", "horizontal", True),
        ("wordy slides with titles", made(SCREEN, 140, type_size=12), "pdf", "horizontal", True),
        ("the same without", made(SCREEN, 140, type_size=12, title=""), "pdf", "vertical", False),
        ("slides on A4", made(A4, 50, type_size=24), "pdf", "horizontal", True),
        ("a form on A4", made(A4, 30, type_size=10), "pdf", "vertical", False),
        ("a report on its side", made(LETTER, 420, type_size=10), "pdf", "vertical", True),
        ("a report 16:9", made((960.0, 540.0), 300, type_size=10), "pdf", "vertical", True),
        ("a report", made(UPRIGHT, 400, type_size=10), "pdf", "vertical", True),
        ("a sparse report", made(UPRIGHT, 40, type_size=10), "pdf", "vertical", True),
        ("slides that stand upright", made((540.0, 720.0), 40, type_size=16), "pdf", "horizontal", True),
        ("the same on paper", made(UPRIGHT, 40, type_size=20), "pdf", "vertical", False),
        ("a small book", made((432.0, 648.0), 260, type_size=10), "pdf", "vertical", True),
        ("one page", made(SCREEN, 30, type_size=20, pages=1), "pdf", "vertical", False),
        ("a poster", made((3368.0, 2380.0), 80, type_size=70, pages=2), "pdf", "vertical", False),
        ("a strip", made((842.0, 198.0), 40, type_size=9), "pdf", "vertical", False),
        ("scanned slides", made(SCREEN, 0, type_size=18, title=""), "pdf", "vertical", False),
        ("a scanned letter", made(UPRIGHT, 0, type_size=18, title=""), "pdf", "vertical", False),
        ("a presentation", made(SCREEN, 40, type_size=18), "pptx", "horizontal", True),
        ("its only slide", made(SCREEN, 0, type_size=18, pages=1), "pptx", "horizontal", True),
        ("a presentation as report", made(UPRIGHT, 320, type_size=10), "pptx", "vertical", False),
        ("an upright page of it", made(UPRIGHT, 180, type_size=12), "pptx", "vertical", False),
        ("a picture of a slide", made(SCREEN, 40, type_size=18, pages=1), "image", "vertical", False),
        ("a workbook", made(SCREEN, 40, type_size=18), "sheets", "vertical", True),
        ("a page of the web", replace(made(SCREEN, 40, type_size=18), pages=[]), "html", "vertical", True),
        ("a letter", replace(made(UPRIGHT, 90, type_size=11), pages=[]), "docx", "vertical", True),
    ],
)
def test_kinds(name: str, document: Document, kind: str, layout: str, sure: bool):
    routing = route(document, kind)
    assert (routing.layout, routing.sure) == (layout, sure), f"{name}: {routing.reason}"


def test_a_table_that_runs_over_pages_makes_a_report():
    document = made(SCREEN, 30, type_size=16, pages=6)
    assert route(document, "pdf").layout == "horizontal"
    kept = [block for block in document.blocks if block.page == 1]
    printed = replace(document, blocks=[*kept, Block(kind="table", table="d#t1", page=1)])
    shape = shape_of(printed)
    assert shape is not None and shape.covered == pytest.approx(5 / 6)
    assert route(printed, "pdf").layout == "vertical" and not route(printed, "pdf").sure
    sheets = replace(printed, pages=[Page(number=page, width=A4[0], height=A4[1]) for page in range(1, 7)])
    assert route(sheets, "pdf").layout == "vertical" and route(sheets, "pdf").sure


def test_buttons_on_each_page_are_no_titles():
    screens = made(SCREEN, 140, type_size=12, title="")
    buttons = [Block(kind="text", text="Go back", page=page, box=(0, 0, 60, 20)) for page in range(1, 9)]
    both = replace(screens, blocks=[*buttons, *screens.blocks])
    for place, block in enumerate(both.blocks):
        block.text += f" {place}" if place >= 8 else ""
    shape = shape_of(both)
    assert shape is not None and shape.titled == 0.0
    assert not route(both, "pdf").sure


def test_empty_slides_after_a_text_are_no_table():
    document = made(SCREEN, 30, type_size=16, pages=6)
    shape = shape_of(replace(document, blocks=[block for block in document.blocks if block.page != 3]))
    assert shape is not None and shape.covered == 0.0 and shape.with_text == pytest.approx(5 / 6)


def test_tables_on_sheets_that_lie_are_not_sure_to_be_slides():
    slides = made(A4, 40, type_size=24)
    tables = [Block(kind="table", table=f"d#t{page}", page=page) for page in range(1, 9)]
    both = replace(slides, blocks=sorted([*slides.blocks, *tables], key=lambda block: block.page or 0))
    assert route(slides, "pdf").layout == "horizontal"
    assert not route(both, "pdf").sure


def test_notes_and_texts_of_pictures_do_not_count():
    slides = made(SCREEN, 30, type_size=18)
    spoken = [
        Block(kind=kind, text=SENTENCE * 30, page=page)
        for page in range(1, 9)
        for kind in ("note", "picture")
    ]
    assert route(replace(slides, blocks=[*slides.blocks, *spoken]), "pdf").layout == "horizontal"
    assert shape_of(replace(slides, blocks=spoken)).words == 0  # type: ignore[union-attr]


def test_text_without_blanks_counts_as_much():
    assert num_words("lemons and limes") == 3
    assert num_words("本年度集团的收入比上年度增长") == 7
    assert num_words("収益 2024 lemons") == 3
    dense = made(SCREEN, 40, type_size=18)
    for block in dense.blocks:
        block.text = "本年度集团的收入比上年度增长，" * 40
    assert route(dense, "pdf").layout == "vertical"


def test_pages_without_a_size_are_a_report():
    assert route(Document(id="d", pages=[Page(number=1)]), "pdf").layout == "vertical"
    assert shape_of(Document(id="d")) is None


@given(
    st.sampled_from([SCREEN, A4, UPRIGHT, (363.0, 272.0), (1191.0, 842.0)]),
    st.integers(0, 400),
    st.floats(6, 40),
    st.integers(1, 12),
    st.sampled_from(["pdf", "pptx", "image", "html"]),
    st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_more_text_never_makes_slides(size, words, type_size, pages, kind, titled):
    title = "Trade" if titled else ""
    fewer, more = (
        route(made(size, count, type_size=type_size, pages=pages, title=title), kind)
        for count in (words, words + 400)
    )
    assert fewer.layout in ("vertical", "horizontal") and fewer.reason
    assert more.layout == "vertical" or kind == "pptx" and fewer.layout == "horizontal"
    assert fewer.sure or fewer.layout == "vertical"


def test_boxes_and_pages_of_no_area_are_passed_over():
    pages = [
        Page(number=n, width=width, height=540.0) for n, width in enumerate((720.0, 720.0, -5.0, 0.0), 1)
    ]
    boxes = [(60, 60, 900, 160), (900, 160, 60, 60), (60, 160, 900, 60), (0, 0, 0, 0)]
    blocks = [Block(kind="text", text="Sales of lemons", page=1, box=box) for box in boxes]
    whole, one = (shape_of(Document(id="d", pages=pages, blocks=some)) for some in (blocks, blocks[:1]))
    assert whole is not None and one is not None
    assert whole.num_pages == 2 and whole.type_size == one.type_size > 0


REAL = [json.loads(line) for line in Path(__file__).with_name("real_layouts.jsonl").open()]
LYING = ("ag-energy", "arabic", "home-loan", "nics-background", "tableception", "us-001", "superscript")


def test_the_list_of_real_files():
    assert len({row["document"] for row in REAL}) == len(REAL) > 300
    assert {row["layout"] for row in REAL} == {"vertical", "horizontal"}


@pytest.mark.parametrize(
    "row",
    [
        row
        for row in REAL
        if row["document"].startswith("files/")
        and (row["document"].endswith(".pptx") or any(name in row["document"] for name in LYING))
    ],
    ids=lambda row: row["document"],
)
def test_real_files(row: dict[str, str], files_root: Path, tmp_path: Path):
    path = files_root / row["document"].removeprefix("files/")
    options = ParseOptions(page_images=False)
    document = parse_file(path, path.name, pictures=Pictures(tmp_path, "p"), options=options).document
    assert document.layout in (row["layout"], "")
    assert row["layout"] == "vertical" or document.layout
