"""PDF files into documents: order of reading, headings, notes, running lines, tables over several pages."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_pdfs import HEIGHT, WIDTH, draw, flow, lines, new_page, paragraph, rows, space, table
from PIL import Image
from reportlab.pdfgen.canvas import Canvas

from tabrag.documents.parsed import Parsed, ParseOptions, Pictures
from tabrag.documents.pdf.parse import parse_pdf
from tabrag.errors import UserError

HEADER = ["Name", "Price", "Cost"]
PROSE = "The harvest was good in all the provinces of the north, and prices went down by a third. "


def parse(path: Path, **options: object) -> Parsed:
    settings = {"page_images": False, **options}
    return parse_pdf(
        path, path.name, pictures=Pictures(path.parent / "out", "doc"), options=ParseOptions(**settings)
    )


def kinds(parsed: Parsed) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in parsed.document.blocks]


def cells(parsed: Parsed, number: int = 0) -> list[list[str]]:
    grid = parsed.tables[number].grid
    assert grid is not None
    return grid.cells


def left_and_right(canvas: Canvas) -> None:
    lines(canvas, ["A heading over both columns"], 72, 60, size=16, font="Helvetica-Bold")
    lines(
        canvas,
        ["left one begins here and is as", "wide as its column so that it is", "a text that goes on be-"],
        72,
        100,
    )
    lines(canvas, ["low in the left column, it ends."] * 9, 72, 136)
    lines(
        canvas,
        ["right one begins here and is as", "wide as its column so that it", "is read after the left one."],
        320,
        103,
    )
    lines(canvas, ["more of the right column here."] * 9, 320, 139)


def test_columns_are_read_one_after_the_other_below_a_heading_over_both(tmp_path: Path):
    parsed = parse(draw(tmp_path / "a.pdf", left_and_right))
    blocks = parsed.document.blocks
    assert (blocks[0].kind, blocks[0].level, blocks[0].text) == ("heading", 1, "A heading over both columns")
    text = " ".join(block.text for block in blocks[1:])
    assert text.index("a text that goes on below in the left") < text.index("right one begins")
    assert text.count("low in the left column") == 9
    assert text.index("it ends.") < text.index("right one begins") < text.index("more of the right")
    assert parsed.document.title == "A heading over both columns"
    assert all(block.page == 1 and block.box is not None for block in blocks)


def test_notes_stand_behind_their_column_and_lists_are_points(tmp_path: Path):
    def page(canvas: Canvas):
        lines(
            canvas,
            ["Left text which is wide enough to be", "a column of its own, as texts are."] * 6,
            72,
            100,
        )
        canvas.line(72, HEIGHT - 300, 150, HEIGHT - 300)
        lines(canvas, ["1) A note below the left column.", "2) Another one."], 72, 310, size=7)
        lines(
            canvas,
            ["Right text which is wide enough to be", "a column of its own, as texts are."] * 6,
            320,
            100,
        )
        lines(canvas, ["\u2022 first point", "\u2022 second point"], 320, 270)

    found = kinds(parse(draw(tmp_path / "a.pdf", page)))
    assert [kind for kind, _ in found] == ["text", "note", "note", "text", "list", "list"]
    assert [text for _, text in found[1:3]] == ["1) A note below the left column.", "2) Another one."]
    assert [text for _, text in found[4:]] == ["first point", "second point"]


def test_running_headers_and_footers_are_dropped_and_kept_apart(tmp_path: Path):
    def running(canvas: Canvas, document: object) -> None:
        lines(canvas, ["Annual Report of the Board"], 72, 20, size=8)
        lines(canvas, [f"Page {canvas.getPageNumber()} of 4"], 500, HEIGHT - 30, size=8)

    story = []
    for number in range(4):
        story += [paragraph(f"Chapter {'ABCD'[number]}", "Heading1"), paragraph(PROSE * 4), new_page()]
    parsed = parse(flow(tmp_path / "a.pdf", story, running))
    text = "\n".join(block.text for block in parsed.document.blocks)
    assert "Annual Report" not in text and "Page " not in text
    assert [block.text for block in parsed.document.blocks if block.kind == "heading"] == [
        *("Chapter A", "Chapter B", "Chapter C", "Chapter D")
    ]
    assert text.count("The harvest was good") == 16
    assert parsed.document.metadata["header"] == "Annual Report of the Board"


def test_a_number_at_the_foot_of_a_single_page_is_its_number_and_a_value_is_not(tmp_path: Path):
    def page(canvas: Canvas):
        lines(canvas, [PROSE[:60]] * 3, 72, 100)
        lines(canvas, ["42 of them"], 72, 200)
        lines(canvas, ["173"], 290, HEIGHT - 40)

    text = " ".join(block.text for block in parse(draw(tmp_path / "a.pdf", page)).document.blocks)
    assert "173" not in text and "42 of them" in text


def test_a_caption_with_a_number_is_the_title_and_the_heading_is_the_section(tmp_path: Path):
    story = [
        paragraph("Prices", "Heading1"),
        paragraph(PROSE * 3),
        paragraph("Table 3: Prices by item"),
        table([HEADER, *rows(4)], bold=True),
        space(),
        paragraph(PROSE * 3),
        paragraph("<b>Costs of the year</b>"),
        table([["Item", "Cost"], ["Rye", "12"], ["Oats", "15"]], bold=True),
        paragraph("Source: own count"),
    ]
    parsed = parse(flow(tmp_path / "a.pdf", story))
    first, second = parsed.tables
    assert (first.title, first.caption, first.section) == (
        *("Table 3: Prices by item", "Table 3: Prices by item", "Prices"),
    )
    assert (second.title, second.section) == ("Costs of the year", "Prices")
    assert second.metadata["notes"] == "Source: own count"
    assert [kind for kind, _ in kinds(parsed)] == [
        *("heading", "text", "caption", "table", "text", "caption", "table", "note")
    ]
    assert first.page_title == "Prices" and first.document == "a.pdf" == first.source.file
    assert first.source.box is not None and first.source.page == 1


@pytest.mark.parametrize("heading", ["Heading1", None])
def test_prose_between_a_heading_and_a_table_is_no_caption(tmp_path: Path, heading: str | None):
    head = paragraph("Prices of the year", heading) if heading else paragraph("<b>Prices of the year</b>")
    story = [head, paragraph(PROSE * 3), table([HEADER, *rows(4)]), paragraph(PROSE * 3)]
    parsed = parse(flow(tmp_path / "a.pdf", story))
    assert [kind for kind, _ in kinds(parsed)] == ["heading", "text", "table", "text"]
    (only,) = parsed.tables
    assert (only.caption, only.title, only.section) == ("", "Prices of the year", "Prices of the year")
    assert kinds(parsed)[1][1] == (PROSE * 3).strip()


def test_a_heading_right_above_a_table_stays_a_heading(tmp_path: Path):
    story = [paragraph("Prices", "Heading1"), table([HEADER, *rows(4)]), paragraph(PROSE * 3)]
    parsed = parse(flow(tmp_path / "a.pdf", story))
    assert [kind for kind, _ in kinds(parsed)] == ["heading", "table", "text"]
    assert (parsed.tables[0].title, parsed.tables[0].section) == ("Prices", "Prices")


@pytest.mark.parametrize("repeat", [0, 1])
def test_a_table_over_three_pages_is_one_with_one_header(tmp_path: Path, repeat: int):
    def running(canvas: Canvas, document: object) -> None:
        lines(canvas, ["Price list"], 72, 20, size=8)
        lines(canvas, [str(canvas.getPageNumber())], 290, HEIGHT - 30, size=8)

    body = rows(90)
    path = flow(
        tmp_path / "a.pdf", [table([HEADER, *body], repeat=repeat, bold=True), paragraph(PROSE)], running
    )
    parsed = parse(path)
    (whole,) = parsed.tables
    assert cells(parsed) == [HEADER, *body]
    assert whole.grid is not None and whole.grid.num_header_rows == 1
    assert (whole.metadata["pages"], whole.source.page) == ("1-3", 1)
    assert whole.source.box is not None and whole.source.box[3] > 850
    assert kinds(parsed) == [("table", ""), ("text", PROSE.strip())]
    assert parsed.notes == []


def test_parts_without_bold_headers_are_joined_by_their_columns(tmp_path: Path):
    path = flow(tmp_path / "a.pdf", [table([HEADER, *rows(2)]), new_page(), table(rows(2, first=2))])
    assert cells(parse(path)) == [HEADER, *rows(4)]


@pytest.mark.parametrize(
    "story",
    [
        pytest.param([new_page(), table([["Town", "People", "Area"], *rows(2)])], id="another header"),
        pytest.param([new_page(), paragraph(PROSE), table(rows(2))], id="a text between"),
        pytest.param([new_page(), paragraph("Table 2: Other"), table(rows(2))], id="another caption"),
        pytest.param([paragraph(PROSE), new_page(), table(rows(2))], id="a text behind the first"),
        pytest.param([new_page(), table(rows(2), width=60)], id="other columns"),
        pytest.param(
            [new_page(), new_page(), paragraph(PROSE), new_page(), table(rows(2))], id="a page between"
        ),
    ],
)
def test_other_tables_are_never_joined(tmp_path: Path, story: list):
    path = flow(tmp_path / "a.pdf", [paragraph("Table 1: First"), table([HEADER, *rows(2)]), *story])
    parsed = parse(path)
    assert [len(cells(parsed, number)) for number in range(len(parsed.tables))][0] == 3
    assert len(parsed.tables) == 2
    assert all("pages" not in found.metadata for found in parsed.tables)


def test_a_caption_that_says_continued_is_dropped_with_the_repeated_header(tmp_path: Path):
    story = [
        paragraph("Table 1: Prices by item"),
        table([HEADER, *rows(3)], bold=True),
        new_page(),
        paragraph("Table 1: Prices by item (continued)"),
        table([HEADER, *rows(3, first=3)], bold=True),
    ]
    parsed = parse(flow(tmp_path / "a.pdf", story))
    assert cells(parsed) == [HEADER, *rows(6)]
    assert kinds(parsed) == [("caption", "Table 1: Prices by item"), ("table", "")]


def test_a_part_with_fewer_columns_is_flagged_and_not_joined(tmp_path: Path):
    path = flow(tmp_path / "a.pdf", [table([HEADER, *rows(2)]), new_page(), table(rows(3, columns=2))])
    parsed = parse(path)
    assert [len(cells(parsed, number)[0]) for number in (0, 1)] == [3, 2]
    (note,) = parsed.notes
    assert "pages 1-2" in note and "not joined" in note and not parsed.partial


def test_text_goes_on_over_columns_and_pages(tmp_path: Path):
    path = draw(
        tmp_path / "a.pdf",
        lambda canvas: lines(canvas, ["This sentence is so long that the page ends before it"] * 2, 72, 700),
        lambda canvas: lines(canvas, ["comes to its end, which it does here."], 72, 60),
    )
    blocks = parse(path).document.blocks
    assert len(blocks) == 1 and blocks[0].page == 1
    assert blocks[0].text.endswith("the page ends before it comes to its end, which it does here.")


def test_pictures_are_files_at_their_place_and_ornaments_are_none(tmp_path: Path):
    Image.new("RGB", (80, 60), "red").save(tmp_path / "red.png")

    def page(canvas: Canvas):
        lines(canvas, ["Text above the picture"], 72, 100)
        canvas.drawImage(str(tmp_path / "red.png"), 100, HEIGHT - 300, 160, 120)
        canvas.drawImage(str(tmp_path / "red.png"), 400, HEIGHT - 300, 8, 8)
        lines(canvas, ["Figure 1: A red field"], 72, 310)

    parsed = parse(draw(tmp_path / "a.pdf", page), page_images=True)
    assert [kind for kind, _ in kinds(parsed)] == ["text", "picture", "caption"]
    (picture,) = [block for block in parsed.document.blocks if block.kind == "picture"]
    with Image.open(tmp_path / "out" / str(picture.image)) as image:
        assert image.size == (pytest.approx(320, abs=3), pytest.approx(240, abs=3))
        assert image.getpixel((100, 100)) == (255, 0, 0)
    (page_record,) = parsed.document.pages
    with Image.open(tmp_path / "out" / str(page_record.image)) as image:
        assert image.size == (pytest.approx(2 * WIDTH, abs=2), pytest.approx(2 * HEIGHT, abs=2))


def test_a_scan_without_ocr_is_noted_as_lost(tmp_path: Path):
    Image.new("L", (300, 420), 200).save(tmp_path / "scan.png")
    path = draw(
        tmp_path / "a.pdf",
        lambda canvas: lines(canvas, ["A page with text on it"], 72, 100),
        lambda canvas: canvas.drawImage(str(tmp_path / "scan.png"), 0, 0, WIDTH, HEIGHT),
    )
    parsed = parse(path)
    assert parsed.partial and "page 2" in parsed.notes[0] and "rapidocr" in parsed.notes[0]
    assert kinds(parsed) == [("text", "A page with text on it")]
    assert len(parsed.document.pages) == 2


def test_a_file_of_blank_pages_is_refused(tmp_path: Path):
    path = draw(tmp_path / "a.pdf", lambda canvas: canvas.line(0, 0, 1, 1))
    with pytest.raises(UserError, match="no text"):
        parse(path)


def test_what_is_read_before_the_time_is_over_is_kept(tmp_path: Path):
    def page(canvas: Canvas):
        for number in range(1, 5):
            lines(canvas, [f"The text of page {number} of this report."], 72, 100)
            canvas.showPage()
        lines(canvas, ["The last text."], 72, 100)

    path = draw(tmp_path / "a.pdf", page)
    whole, cut = parse(path), parse(path, timeout=1e-6)
    assert (len(whole.document.pages), whole.partial, whole.cut, whole.notes) == (5, False, False, [])
    assert (len(cut.document.pages), cut.partial, cut.cut) == (1, True, True)
    assert "text of page 1" in cut.document.blocks[0].text
    assert cut.notes[0].startswith("pages 1-1 of 5 were read within") and "--timeout" in cut.notes[0]
