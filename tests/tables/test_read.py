"""One reader for every kind of file: content goes before the ending."""

from __future__ import annotations

from pathlib import Path

import pytest
from openpyxl import Workbook

from tabrag.errors import UserError
from tabrag.tables.grid import path_texts, top_paths
from tabrag.tables.read import IMAGE_SUFFIXES, TABLE_SUFFIXES, file_kind, read_tables
from tabrag.tables.text import headers_text, markdown

HTML = b"<!DOCTYPE html><table><tr><th>a<th>b<tr><td>x<td>2</table>"


def test_each_kind_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_bytes(HTML)
    (tmp_path / "a.csv").write_bytes(b"a,b\nx,2\n")
    (tmp_path / "a.tsv").write_bytes(b"a\tb\nx\t2\n")
    workbook = Workbook()
    workbook.active.append(["a", "b"])
    workbook.active.append(["x", 2])
    workbook.save(tmp_path / "a.xlsx")
    for name in ("a.html", "a.csv", "a.tsv", "a.xlsx"):
        (table,) = read_tables(tmp_path / name)
        assert table.grid is not None and table.grid.cells == [["a", "b"], ["x", "2"]], name
        assert table.source.file == str(tmp_path / name) and table.id == "a#t1"


def test_content_goes_before_the_ending(tmp_path: Path) -> None:
    workbook = Workbook()
    workbook.active.append(["a", "b"])
    workbook.active.append(["x", 2])
    workbook.save(tmp_path / "book.xlsx")
    (tmp_path / "book.csv").write_bytes((tmp_path / "book.xlsx").read_bytes())
    assert read_tables(tmp_path / "book.csv")[0].grid.cells == [["a", "b"], ["x", "2"]]
    (tmp_path / "page.xlsx").write_bytes(HTML)
    assert read_tables(tmp_path / "page.xlsx")[0].grid.cells == [["a", "b"], ["x", "2"]]


def test_banners_without_merged_cells(tmp_path: Path) -> None:
    """Report H09, through the readers: literal by default, filled to the right on demand."""
    rows = [["", "Sales", "", "Costs", ""], ["Shop", "2019", "2020", "2019", "2020"]]
    rows += [["A", 1, 2, 3, 4], ["B", 5, 6, 7, 8]]
    workbook = Workbook()
    for row in rows:
        workbook.active.append([cell or None for cell in row])
    workbook.save(tmp_path / "b.xlsx")
    (tmp_path / "b.csv").write_text("\n".join(",".join(map(str, row)) for row in rows))
    for name in ("b.xlsx", "b.csv"):
        (literal,), (filled,) = read_tables(tmp_path / name), read_tables(tmp_path / name, fill_right=True)
        texts = [
            [path_texts(table.grid, path) for path in top_paths(table.grid)] for table in (literal, filled)
        ]
        assert texts[0][1:3] == [["Sales", "2019"], ["2020"]]
        assert texts[1][1:] == [[top, year] for top in ("Sales", "Costs") for year in ("2019", "2020")]
        assert not any(word in headers_text(filled) + markdown(literal) for word in ("nan", "None"))


def test_picture_is_a_table_without_grid(tmp_path: Path) -> None:
    path = tmp_path / "scan.csv"
    path.write_bytes(b"\x89PNG\r\n\x1a\n rest")
    (table,) = read_tables(path)
    assert table.image == str(path) and table.grid is None and table.id == "scan"


@pytest.mark.parametrize(
    ("head", "suffix", "kind"),
    [
        (b"a,b", ".CSV", "csv"),
        (b"<p>a,b", ".csv", "csv"),
        (b"\xef\xbb\xbf \n<HTML>", "", "html"),
        ("<table>".encode("utf-16"), ".txt", "html"),
        (b"a\tb", ".txt", "csv"),
        (b"RIFF1234WEBP", "", "image"),
        (b"\xff\xd8\xff\xe0", ".png", "image"),
        (b"%PDF-1.7", ".csv", "pdf"),
        (b"anything", "", None),
        (b"", ".html", "html"),
    ],
)
def test_kinds(head: bytes, suffix: str, kind: str | None) -> None:
    assert file_kind(head, suffix) == kind


def test_errors_name_the_path(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(b"%PDF-1.7")
    (tmp_path / "b.bin").write_bytes(b"")
    (tmp_path / "c.csv").write_bytes(b"")
    for name, message in (
        ("a.pdf", "supported are"),
        ("b.bin", "empty"),
        ("c.csv", "empty"),
        ("d.csv", "cannot"),
    ):
        with pytest.raises(UserError, match=message) as caught:
            read_tables(tmp_path / name)
        assert str(tmp_path / name) in str(caught.value)
    with pytest.raises(UserError, match="is a folder"):
        read_tables(tmp_path)


def test_suffixes_are_lower_case_and_apart() -> None:
    assert not set(TABLE_SUFFIXES) & set(IMAGE_SUFFIXES)
    assert all(suffix == suffix.lower() and suffix[0] == "." for suffix in TABLE_SUFFIXES + IMAGE_SUFFIXES)
