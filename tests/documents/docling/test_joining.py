"""Parts of a table on several pages, which Docling leaves apart, are one table again; others stay apart."""

from __future__ import annotations

from pathlib import Path

from docling_files import WORD, DoclingFile, at, rows_of
from parse_files import parsed

from tabrag.documents.docling.parse import parse_docling
from tabrag.documents.parsed import Parsed

HEADER, BODY = ["name", "tons"], [["lemon", "5"], ["plum", "7"], ["pear", "9"], ["fig", "2"]]


def parts(texts: list[list[str]], *, header: bool, left: float = 60) -> list[dict]:
    cells = rows_of(texts)
    for one in cells:
        one["column_header"] = header and one["start_row_offset_idx"] == 0
        col, row = one["start_col_offset_idx"], one["start_row_offset_idx"]
        one["bbox"] = {
            **{"l": left + 100 * col, "t": 100 + 20 * row, "r": left + 100 * col + 60, "b": 115 + 20 * row},
            "coord_origin": "TOPLEFT",
        }
    return cells


def read(file: DoclingFile, folder: Path) -> Parsed:
    return parsed(parse_docling, file.write(folder / "report.json"))


def two_pages(
    lower: list[list[str]], *, header: bool, mimetype: str = "application/pdf", **more
) -> DoclingFile:
    file = DoclingFile(mimetype, num_pages=2)
    caption = file.text("caption", "Table 1: Fruit", prov=at(1, 60, 580, 300, 598))
    upper = parts([HEADER, *BODY[:2]], header=True)
    file.table(upper, (3, 2), captions=[caption], prov=at(1, 60, 600, 300, 780))
    file.text("page_header", "ACME", prov=at(2, 0, 0, 600, 20), content_layer="furniture")
    for kind, text in more.get("between", ()):
        file.text(kind, text, prov=at(2, 60, 40, 300, 60))
    cells = parts(lower, header=header, left=more.get("left", 60))
    file.table(cells, (len(lower), 2), prov=at(2, 60, 80, 300, 160))
    return file


def test_parts_with_and_without_the_header_are_joined(tmp_path: Path) -> None:
    for lower, header in ((BODY[2:], False), ([HEADER, *BODY[2:]], True)):
        found = read(two_pages(lower, header=header), tmp_path)
        assert len(found.tables) == 1
        table = found.tables[0]
        assert table.grid is not None and table.grid.cells == [HEADER, *BODY]
        assert (table.metadata["pages"], table.source.page) == ("1-2", 1)
    for text, num_tables in (("Table 1 (continued)", 1), ("Table 1: Fruit", 1), ("Table 11 (continued)", 2)):
        file = two_pages(BODY[2:], header=False, between=[("caption", text)])
        found = read(file, tmp_path)
        assert len(found.tables) == num_tables, text
        assert len([block for block in found.document.blocks if block.kind == "caption"]) == num_tables


def test_others_stay_apart(tmp_path: Path) -> None:
    other = two_pages([["city", "people"], ["Bonn", "3"]], header=True)
    text = two_pages(BODY[2:], header=False, between=[("text", "Now the others.")])
    shifted = two_pages(BODY[2:], header=False, left=200)
    for place in (1, 3):
        box = shifted.item("#/tables/1")["data"]["table_cells"][place]["bbox"]
        box["l"], box["r"] = box["l"] + 60, box["r"] + 60
    word = two_pages(BODY[2:], header=False, mimetype=WORD)
    for file in (other, text, shifted, word):
        assert len(read(file, tmp_path).tables) == 2
    wider = two_pages(BODY[2:], header=False)
    data = wider.item("#/tables/1")["data"]
    data["num_cols"], data["table_cells"][2]["text"] = 3, "x"
    data["table_cells"].append({**data["table_cells"][1], "start_col_offset_idx": 2, "end_col_offset_idx": 3})
    found = read(wider, tmp_path)
    assert len(found.tables) == 2
