"""Captions, notes, and tables over pages, among the parts of a document."""

from __future__ import annotations

import pytest

from tabrag.documents.joins import TablePart
from tabrag.documents.page_content import PageTable
from tabrag.documents.page_lines import Line
from tabrag.documents.paragraphs import Paragraph
from tabrag.documents.parts import Part, join_tables, mark_captions, mark_notes
from tabrag.documents.running import Layout
from tabrag.types import Block

BODY = 10.0
PAGES = {number: Layout(number, 600, 800, []) for number in (1, 2, 3)}
HEADER = ["Region", "2020", "2021"]
ROWS = [["North", "1.5", "2"], ["South", "3", "4"], ["East", "5", "6"], ["West", "7", "8"]]
EDGES = [60.0, 200.0, 300.0, 400.0]


def text(
    said: str,
    top: float,
    *,
    page: int = 1,
    size: float = BODY,
    bold: bool = False,
    kind: str = "text",
    **more: bool,
) -> Part:
    box = (60.0, top, 60 + 0.5 * size * len(said), top + size)
    one = Line(text=said, box=box, page=page, size=size, bold=bold, **more)
    return Part(kind, PAGES[page], box, Paragraph([one]), level=1 if kind == "heading" else 0)


def table(top: float, cells: list[list[str]], *, page: int = 1) -> Part:
    box = (60.0, top, 400.0, top + 20 * len(cells))
    found = PageTable(box=box, cells=[list(row) for row in cells], col_edges=EDGES, ruled=True)
    return Part("table", PAGES[page], box, table=TablePart(found, page, page, last_edges=EDGES))


def shown(parts: list[Part]) -> list[tuple[str, str]]:
    return [(part.kind, part.text) for part in parts]


def test_a_label_makes_a_caption_and_takes_the_remark_behind_it():
    parts = [
        text("All is well.", 60),
        text("Table 1: Sales", 100, kind="heading"),
        text("(in euros)", 114),
        table(130, [HEADER, *ROWS]),
    ]
    mark_captions(parts, BODY)
    assert shown(parts) == [("text", "All is well."), ("caption", "Table 1: Sales (in euros)"), ("table", "")]
    assert (parts[1].title, parts[1].level) == ("Table 1: Sales", 0)
    assert parts[1].box[1] == 100 and parts[1].box[3] == 124


@pytest.mark.parametrize(
    ("above", "kind"),
    [
        (text("Sales by region", 110, bold=True), "caption"),
        (text("Sales by region", 110), "text"),  # not bold
        (text("Sales by region", 20, bold=True), "text"),  # too far away
        (text("Sales by region", 110, bold=True, page=2), "text"),
        (text("Sales by region", 110, size=14, bold=True, kind="heading"), "heading"),  # heads a section
        (text("Figure 2. Sales by region", 110), "caption"),
        (text("图3 收入", 110), "caption"),
        (text("表1收入", 110), "caption"),
        (text("表1说明了收入，并且很高。", 110), "text"),
    ],
)
def test_what_stands_right_above_a_table(above: Part, kind: str):
    parts = [above, table(130, [HEADER, *ROWS])]
    mark_captions(parts, BODY)
    assert len(parts) == 2 and parts[0].kind == kind


def test_a_bold_line_with_text_beside_it_is_a_piece_of_the_head_of_a_page():
    line, beside = text("Sales", 110, bold=True), text("Page 3 of 7", 110)
    beside.box = (400.0, 110.0, 460.0, 120.0)
    parts = [line, beside, table(130, [HEADER, *ROWS])]
    mark_captions(parts, BODY)
    assert parts[0].kind == "text"
    parts = [line, table(130, [HEADER, *ROWS])]
    mark_captions(parts, BODY)
    assert parts[0].kind == "caption"


def captioned(*between: Part, caption: str = "Table 1: Sales") -> list[Part]:
    return [
        text(caption, 600, kind="caption"),
        table(620, [HEADER, *ROWS[:2]]),
        *between,
        table(130, [HEADER, *ROWS[2:]], page=2),
    ]


@pytest.mark.parametrize(
    "between",
    [
        [],
        [text("Table 1: Sales", 100, page=2, kind="caption")],
        [text("Table 1 (continued)", 100, page=2, kind="caption")],
        [text("Source: own figures", 700, size=8)],
    ],
)
def test_a_table_goes_on_behind_its_caption_and_notes(between: list[Part]):
    if between:
        between[0].is_small = between[0].lines[0].size < BODY
    parts, notes = join_tables(captioned(*between), BODY)
    (joined,) = [part.table for part in parts if part.table is not None]
    assert joined.table.cells == [HEADER, *ROWS] and (joined.page, joined.last_page) == (1, 2)
    assert notes == []
    assert [part.text for part in parts if part.layout.number == 2] == []  # the caption that repeats is gone


@pytest.mark.parametrize(
    "between",
    [
        text("Table 2: Costs", 100, page=2, kind="caption"),
        text("Table 2 (continued)", 100, page=2, kind="caption"),
        text("Another sentence stands here.", 100, page=2),
        text("Another sentence stands here.", 700),
    ],
)
def test_other_texts_between_keep_tables_apart(between: Part):
    before = captioned(between)
    parts, _ = join_tables(before, BODY)
    assert [id(part) for part in parts] == [id(part) for part in before]


def test_a_page_in_between_keeps_tables_apart():
    parts = [table(620, [HEADER, *ROWS[:2]]), table(130, [HEADER, *ROWS[2:]], page=3)]
    assert len(join_tables(parts, BODY)[0]) == 2


def test_notes_are_small_and_begin_with_a_mark_or_below_a_line():
    parts = [
        text("1 In the size of the body", 600),
        text("Small without a mark", 620, size=8),
        text("1 With a mark above the line", 640, size=8, raised=True),
        text("and its second paragraph", 650, size=8),
        text("a heading ends it", 660, kind="heading"),
        text("Small again", 670, size=8),
        text("Below a line that is drawn", 680, size=8, ruled=True),
    ]
    blocks = [Block(kind=part.kind, text=part.text) for part in parts]
    mark_notes(parts, blocks, BODY)
    assert [block.kind for block in blocks] == ["text", "text", "note", "note", "heading", "text", "note"]


def test_boxes_of_records_are_thousandths_of_the_page():
    part = text("One", 400)
    assert part.record_box() == (100, 500, 125, 512)
