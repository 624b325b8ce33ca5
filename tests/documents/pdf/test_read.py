"""Pages of PDF files: words, turns, rules, and files that cannot be opened."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_pdfs import HEIGHT, WIDTH, draw, lines
from pypdfium2 import PdfDocument
from reportlab.pdfgen.canvas import Canvas

from tabrag.documents.page_content import PageContent, PageWord
from tabrag.documents.pdf import read
from tabrag.documents.pdf.pdfium import PdfiumFile
from tabrag.documents.pdf.read import read_file, read_pages
from tabrag.errors import UserError


def one(path: Path) -> PageContent:
    (page,) = read_pages(path)
    return page


def texts(page: PageContent) -> list[str]:
    return [word.text for word in page.words]


def found(page: PageContent, text: str) -> PageWord:
    (word,) = [word for word in page.words if word.text == text]
    return word


def test_words_have_their_place_size_and_weight(tmp_path: Path):
    def page(canvas: Canvas):
        lines(canvas, ["Plain words"], 72, 100, size=12)
        lines(canvas, ["Heavy"], 72, 140, size=20, font="Helvetica-Bold")

    content = one(draw(tmp_path / "a.pdf", page))
    assert (content.number, content.width, content.height) == (1, pytest.approx(WIDTH), pytest.approx(HEIGHT))
    assert texts(content) == ["Plain", "words", "Heavy"]
    plain, heavy = content.words[0], content.words[2]
    assert plain.box[0] == pytest.approx(72, abs=0.5) and plain.box[1] == pytest.approx(100, abs=4)
    assert (plain.size, plain.bold) == (pytest.approx(12, abs=0.5), False)
    assert (heavy.size, heavy.bold) == (pytest.approx(20, abs=0.5), True)


def test_glyphs_drawn_one_by_one_are_words_and_a_gap_parts_them(tmp_path: Path):
    def page(canvas: Canvas):
        canvas.setFont("Helvetica", 10)
        x = 72.0
        for char in "03/25":
            canvas.drawString(x, 700, char)
            x += canvas.stringWidth(char, "Helvetica", 10)
        canvas.drawString(x + 3, 700, "next")

    assert texts(one(draw(tmp_path / "a.pdf", page))) == ["03/25", "next"]


def test_letters_that_are_spaced_out_evenly_are_one_word(tmp_path: Path):
    def page(canvas: Canvas):
        text = canvas.beginText(72, 700)
        text.setFont("Helvetica", 10)
        text.setCharSpace(2.5)
        text.textOut("HEADING")
        canvas.drawText(text)

    assert texts(one(draw(tmp_path / "a.pdf", page))) == ["HEADING"]


def test_text_that_is_drawn_twice_for_weight_is_read_once_and_bold(tmp_path: Path):
    def page(canvas: Canvas):
        canvas.setFont("Helvetica", 10)
        for shift in (0, 0.3, 0.6):
            canvas.drawString(72 + shift, 700, "hello 100 all")

    content = one(draw(tmp_path / "a.pdf", page))
    assert texts(content) == ["hello", "100", "all"]
    assert all(word.bold for word in content.words)


def test_marks_above_the_line_are_words_of_their_own_and_figures_below_it_are_not(tmp_path: Path):
    def page(canvas: Canvas):
        canvas.setFont("Helvetica", 10)
        canvas.drawString(72, 700, "24.91")
        canvas.drawString(72, 650, "CO")
        width, co = canvas.stringWidth("24.91", "Helvetica", 10), canvas.stringWidth("CO", "Helvetica", 10)
        canvas.setFont("Helvetica", 6)
        canvas.drawString(72 + width, 704, "2")
        canvas.drawString(72 + co, 648, "2")

    content = one(draw(tmp_path / "a.pdf", page))
    assert [(word.text, word.raised) for word in content.words] == [
        ("2", True),
        ("24.91", False),
        ("CO2", False),
    ]


def test_leaders_are_left_out_and_an_ellipsis_is_not(tmp_path: Path):
    def page(canvas: Canvas):
        lines(canvas, ["Wheat . . . . . . . 12.5", "Rye......... 7", "and so on... he said"], 72, 100)

    assert texts(one(draw(tmp_path / "a.pdf", page))) == [
        *("Wheat", "12.5", "Rye", "7", "and", "so", "on...", "he", "said")
    ]


def test_dots_in_cells_of_their_own_are_missing_values(tmp_path: Path):
    rows = [["Kenya", "..", "..", "4.1"], ["Mali", ".", ".", "."], ["Chad", "...", "....", "2.0"]]

    def page(canvas: Canvas):
        for number, row in enumerate(rows):
            for col, text in enumerate(row):
                lines(canvas, [text], 72 + 90 * col, 100 + 16 * number)

    (found,) = read_pages(draw(tmp_path / "a.pdf", page))
    assert [word.text for word in found.words] == [text for row in rows for text in row]


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_a_page_is_read_as_it_is_shown(tmp_path: Path, rotation: int):
    """Text that is upright once the viewer has turned the page stands where it is seen."""

    def page(canvas: Canvas):
        canvas.setPageRotation(rotation)
        # reportlab lays the page down; undo the viewer's turn: what is shown is upright again.
        shift = {0: (0, 0), 90: (HEIGHT, 0), 180: (WIDTH, HEIGHT), 270: (0, WIDTH)}[rotation]
        canvas.translate(*shift)
        canvas.rotate(rotation)
        canvas.setFont("Helvetica", 10)
        canvas.drawString(50, HEIGHT - 60, "corner")
        canvas.line(50, HEIGHT - 100, WIDTH - 50, HEIGHT - 100)

    content = one(draw(tmp_path / "a.pdf", page))
    word = found(content, "corner")
    assert word.turn == 0
    assert word.box[0] == pytest.approx(50, abs=1) and word.box[3] == pytest.approx(62, abs=3)
    assert content.width == pytest.approx(WIDTH)
    (rule,) = content.rules
    assert rule.y0 == rule.y1 == pytest.approx(100, abs=0.5)


@pytest.mark.parametrize("turn", [90, 270])
def test_a_page_whose_text_is_turned_is_turned_upright_with_its_rules_and_fills(tmp_path: Path, turn: int):
    def page(canvas: Canvas):
        canvas.translate(WIDTH if turn == 90 else 0, 0 if turn == 90 else HEIGHT)
        canvas.rotate(turn if turn == 90 else -90)
        canvas.setFont("Helvetica", 10)
        for number in range(8):
            canvas.drawString(50, 500 - 20 * number, f"line {number} of text")
        canvas.line(50, 520, 400, 520)
        canvas.setFillGray(0.8)
        canvas.rect(50, 100, 200, 30, stroke=0, fill=1)

    (result,) = read_file(PdfiumFile(draw(tmp_path / "a.pdf", page)))
    content = result.content
    assert result.turn == turn
    assert (content.width, content.height) == (pytest.approx(HEIGHT), pytest.approx(WIDTH))
    assert texts(content)[:4] == ["line", "0", "of", "text"]
    assert {word.turn for word in content.words} == {0}
    (rule,) = content.rules
    assert rule.y0 == rule.y1 and rule.x1 - rule.x0 == pytest.approx(350, abs=1)
    (fill,) = content.fills
    assert fill.grey == pytest.approx(0.8, abs=0.01)
    assert fill.box[2] - fill.box[0] == pytest.approx(200, abs=1)


def test_a_turned_header_on_an_upright_page_keeps_its_turn(tmp_path: Path):
    def page(canvas: Canvas):
        lines(canvas, [f"row {number} with words" for number in range(10)], 72, 200)
        canvas.rotate(90)
        canvas.setFont("Helvetica", 10)
        canvas.drawString(HEIGHT - 180, -300, "Upwards text")

    content = one(draw(tmp_path / "a.pdf", page))
    assert [word.text for word in content.words if word.turn == 90] == ["Upwards", "text"]
    assert sum(word.turn == 0 for word in content.words) == 40


def test_a_frame_is_four_rules_a_thin_bar_is_one_and_a_stamp_across_the_page_is_no_text(tmp_path: Path):
    def page(canvas: Canvas):
        canvas.rect(100, 100, 200, 50)
        canvas.rect(100, 300, 200, 0.8, stroke=0, fill=1)
        lines(canvas, ["kept"], 72, 100)
        canvas.rotate(45)
        canvas.drawString(400, 100, "DRAFT")

    content = one(draw(tmp_path / "a.pdf", page))
    assert len(content.rules) == 5
    assert sum(rule.y0 == rule.y1 for rule in content.rules) == 3
    assert texts(content) == ["kept"]


def test_a_page_that_pdfplumber_fails_on_is_read_by_pdfium_and_noted(tmp_path: Path, monkeypatch):
    path = draw(
        tmp_path / "a.pdf",
        lambda canvas: lines(canvas, ["first page"], 72, 100),
        lambda canvas: lines(canvas, ["second page"], 72, 100),
    )
    whole = read._read_with_plumber

    def broken(page, number):
        if number == 2:
            raise KeyError("Resources")
        return whole(page, number)

    monkeypatch.setattr(read, "_read_with_plumber", broken)
    pages = list(read_file(PdfiumFile(path)))
    assert [texts(page.content) for page in pages] == [["first", "page"], ["second", "page"]]
    assert [page.lost for page in pages] == [False, True]
    assert "page 2" in pages[1].notes[0] and "KeyError" in pages[1].notes[0]
    first, second = (page.content.words[0].box for page in pages)
    assert second[:2] == pytest.approx(first[:2], abs=3)


def test_a_page_tree_that_only_pdfium_reads_is_mended(tmp_path: Path):
    path = draw(tmp_path / "a.pdf", lambda canvas: lines(canvas, ["still here"], 72, 100))
    data = path.read_bytes()
    # A page without a type is no page to pdfminer.
    broken = data.replace(b"/Type /Page\n", b"/Type /Pagx\n").replace(b"/Type /Page ", b"/Type /Pagx ")
    assert broken != data
    path.write_bytes(broken)
    assert read._count_pages(path, "") != len(PdfDocument(str(path))) == 1
    assert texts(one(path)) == ["still", "here"]


def test_files_that_cannot_be_opened_say_what_they_are(tmp_path: Path):
    whole = draw(tmp_path / "whole.pdf", lambda canvas: lines(canvas, ["words"], 72, 100)).read_bytes()
    cases = {
        "empty.pdf": (b"", "empty"),
        "other.pdf": (b"hello, this is text", "not a PDF"),
        "hollow.pdf": (b"%PDF-1.4\nnothing\n%%EOF\n", "not a valid PDF"),
        "cut.pdf": (whole[:200], "cut off"),
    }
    for name, (data, message) in cases.items():
        path = tmp_path / name
        path.write_bytes(data)
        with pytest.raises(UserError, match=message) as fault:
            list(read_pages(path))
        assert str(path) in str(fault.value)


def test_an_encrypted_file_needs_its_password(tmp_path: Path):
    path = draw(tmp_path / "a.pdf", lambda canvas: lines(canvas, ["secret"], 72, 100), encrypt="open")
    with pytest.raises(UserError, match="needs a password"):
        list(read_pages(path))
    with pytest.raises(UserError, match="does not open it"):
        list(read_pages(path, password="wrong"))
    (page,) = read_pages(path, password="open")
    assert texts(page) == ["secret"]


def test_a_huge_picture_is_refused_and_the_text_is_read(tmp_path: Path):
    path = draw(tmp_path / "a.pdf", lambda canvas: lines(canvas, ["beside it"], 72, 100))
    picture = b"<< /Type /XObject /Subtype /Image /Width 100000 /Height 100000 /BitsPerComponent 1 " + (
        b"/ColorSpace /DeviceGray /Filter /JBIG2Decode /Length 4 >>\nstream\n\0\0\0\0\nendstream"
    )
    data = path.read_bytes()
    number = data.count(b" obj\n") + 1
    start = data.index(b"/Resources <<") + len(b"/Resources <<")
    data = data[:start] + b" /XObject << /Huge %d 0 R >> " % number + data[start:]
    end = data.index(b"xref")
    path.write_bytes(data[:end] + b"%d 0 obj\n%s\nendobj\n" % (number, picture) + data[end:])
    (page,) = read_file(PdfiumFile(path))
    assert texts(page.content) == ["beside", "it"]
    assert not page.drawable and "100000 x 100000" in page.notes[0]
