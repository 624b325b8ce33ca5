"""Order of reading, notes, tables over pages and hostile files, on files that other people made."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from tabrag.documents.parsed import Parsed, ParseOptions, Pictures
from tabrag.documents.pdf.parse import parse_pdf
from tabrag.documents.pdf.pdfium import PdfiumFile
from tabrag.documents.pdf.read import read_file
from tabrag.documents.placeholders import document_text
from tabrag.errors import UserError


def parse(path: Path, folder: Path, password: str = "") -> Parsed:
    logging.getLogger("pdfminer").setLevel(logging.ERROR)
    options = ParseOptions(page_images=False, password=password)
    return parse_pdf(path, path.name, pictures=Pictures(folder, "doc"), options=options)


def in_order(parsed: Parsed, *texts: str) -> None:
    whole = " ".join(document_text(parsed.document).split())
    places = [whole.find(text) for text in texts]
    assert -1 not in places, [text for text, place in zip(texts, places, strict=True) if place < 0]
    assert places == sorted(places)


def test_three_columns_are_read_before_the_table_below_them(files_root: Path, tmp_path: Path):
    parsed = parse(files_root / "pdf" / "us-001.pdf", tmp_path)
    in_order(
        parsed,
        "quarters had a disability",
        "303.9 million in the civilian noninstitutionalized population",
        "had a severe disability (Table 1)",
        "Table 1. Prevalence of Disability",
        "[[table:us-001.pdf#t1]]",
        "Represents or rounds to zero",
    )
    notes = [block.text for block in parsed.document.blocks if block.kind == "note"]
    assert any(text.startswith("⁸ S2601A") for text in notes)
    assert "U.S. Census Bureau" not in [block.text for block in parsed.document.blocks]


def test_notes_come_behind_the_body_of_their_column(files_root: Path, tmp_path: Path):
    parsed = parse(files_root / "pdf" / "normal_4pages.pdf", tmp_path)
    blocks = [block for block in parsed.document.blocks if block.page == 2 and block.box]
    sides = ["left" if block.box[2] < 510 else "right" for block in blocks]
    assert set(sides) == {"left", "right"} and sides == sorted(sides)
    left = [block.kind for block, side in zip(blocks, sides, strict=True) if side == "left"]
    assert left.count("table") == 1 and left[-1] == "note" and "text" in left


def test_a_table_over_four_pages_in_a_right_to_left_script_is_one(files_root: Path, tmp_path: Path):
    (table,) = parse(files_root / "pdf" / "arabic-election-mednine.pdf", tmp_path).tables
    assert table.metadata["pages"] == "1-4" and table.grid is not None
    ranks = [row[-1] for row in table.grid.cells if row[-1].isdigit()]
    assert ranks == [str(number) for number in range(1, 35)]
    assert "الانتخابات التشريعية" in table.title


def test_tables_with_the_same_header_under_their_own_captions_stay_apart(files_root: Path, tmp_path: Path):
    parsed = parse(files_root / "pdf" / "eu-001.pdf", tmp_path)
    assert [table.title for table in parsed.tables] == [
        *("Greenhouse gases", "Other gases", "Heavy metals", "Pesticides", "Chlorinated organic substances"),
        *("Other organic substances", "Inorganic substances"),
    ]


def test_a_page_tree_in_need_of_repair_is_read(files_root: Path):
    with PdfiumFile(files_root / "pdf" / "bmc-hepatitis-paper.pdf") as pdfium:
        pages = list(read_file(pdfium))
    assert len(pages) == 7
    assert all(len(page.content.words) > 100 and not page.notes for page in pages)
    assert pages[2].content.rules


@pytest.mark.parametrize(
    ("name", "message"),
    [("empty.pdf", "empty"), ("invalid.pdf", "not a valid PDF"), ("password-example.pdf", "password")],
)
def test_hostile_files_say_what_they_are(files_root: Path, tmp_path: Path, name: str, message: str):
    with pytest.raises(UserError, match=message):
        parse(files_root / "hostile" / name, tmp_path)


def test_the_password_opens_a_file_and_giant_pictures_do_no_harm(files_root: Path, tmp_path: Path):
    parsed = parse(files_root / "hostile" / "password-example.pdf", tmp_path, password="test")
    assert len(parsed.document.pages) == 4
    parsed = parse(files_root / "hostile" / "bomb_giant.pdf", tmp_path)
    assert "GIANT JBIG2 BOMB" in document_text(parsed.document)
