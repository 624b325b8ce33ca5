"""Files are told apart by what they hold; names count only where the bytes say nothing."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from PIL import Image

from tabrag.documents.parse import SUFFIXES, kind_of, named, parse_file
from tabrag.documents.parsed import Parsed, ParseOptions, Pictures
from tabrag.errors import UserError
from tabrag.types import Document, Source, Table

_TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Override PartName="/x/main.xml" ContentType="application/vnd.{}.main+xml"/>'
    '<Override PartName="/y/book.xlsx" ContentType="application/vnd.openxmlformats-officedocument.{}"/>'
    "</Types>"
)


def package(path: Path, main: str, other: str = "spreadsheetml.sheet") -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("[Content_Types].xml", _TYPES.format(main, other))
    return path


@pytest.mark.parametrize(
    ("main", "kind"),
    [
        ("openxmlformats-officedocument.wordprocessingml.document", "docx"),
        ("ms-word.document.macroEnabled", "docx"),
        ("openxmlformats-officedocument.presentationml.presentation", "pptx"),
        ("openxmlformats-officedocument.presentationml.slideshow", "pptx"),
        ("openxmlformats-officedocument.spreadsheetml.sheet", "sheets"),
        ("ms-excel.sheet.macroEnabled", "sheets"),
    ],
)
def test_office_packages_by_their_main_part(tmp_path: Path, main: str, kind: str) -> None:
    """A workbook behind a chart does not make a presentation a workbook, nor does a wrong ending."""
    assert kind_of(package(tmp_path / "wrong.zip", main)) == kind
    assert kind_of(package(tmp_path / "wrong.xlsx", main)) == kind


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("a.pdf", b"%PDF-1.4\n", "pdf"),
        ("a.txt", b"\n%PDF-1.4\n", "pdf"),
        ("a.csv", b"\x89PNG\r\n\x1a\n", "image"),
        ("a.txt", b"<!DOCTYPE html><p>x", "html"),
        ("a.htm", b"<p>x", "html"),
        ("a.md", b'<p align="center">A readme</p>\n# Title\n', "markdown"),
        ("a.md", b"<!doctype html><html>", "html"),
        ("a.csv", b"x\n", "sheets"),
        ("a.xls", b"<html><table><tr><td>1</table>", "html"),
        ("a.xls", b"a\tb\n1\t2\n3\t4\n", "sheets"),
        ("a.txt", b"a;b\n1;2\n3;4\n", "sheets"),
        ("a.txt", b"One, two.\nThree, four.\nFive.\n", "text"),
        ("a.txt", b"Dear all,\n\nhere it is.\n", "text"),
        ("a.txt", "city\tpeople\nBonn\t3\nKiel\t4\n".encode("utf-16"), "sheets"),
    ],
)
def test_bytes_go_before_names(tmp_path: Path, name: str, content: bytes, kind: str) -> None:
    (tmp_path / name).write_bytes(content)
    assert kind_of(tmp_path / name) == kind


OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.pdf", b"", "the file is empty"),
        ("a.docx", b"PK\x03\x04 cut", "damaged or cut off"),
        ("a.docx", b"just text", "is damaged or no .docx file"),
        ("a.pdf", b"just text", "is damaged or no .pdf file"),
        ("a.doc", OLE + "WordDocument".encode("utf-16-le"), "old binary office format .*convert-to docx"),
        ("a.xls", OLE + "Workbook".encode("utf-16-le"), "old binary office format .*convert-to xlsx"),
        ("a.xlsx", OLE + "EncryptedPackage".encode("utf-16-le"), "a password is needed"),
        ("a.doc", b"{\\rtf1 x}", "RTF cannot be read; convert it"),
        (
            "a.bin",
            b"\x00\x01\x02",
            "is no text: it is damaged, or of a kind that cannot be read; supported are .pdf",
        ),
    ],
)
def test_what_cannot_be_read_says_why(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UserError, match=message) as caught:
        kind_of(tmp_path / name)
    assert str(caught.value).startswith(str(tmp_path / name))


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.csv", "a.html", "a.tsv"])
def test_bytes_that_are_no_text_are_refused_whatever_their_name(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(bytes((7 * number * number + 13 * number) % 251 for number in range(5000)))
    with pytest.raises(UserError, match="is no text"):
        kind_of(path)
    path.write_bytes(b"\x7fELF\x02\x01" + b"\x00\x00\x00code" * 500)
    with pytest.raises(UserError, match="is no text"):
        kind_of(path)
    for text in ("name,値\n" * 2000, "Пример,1\n" * 2000, "a,\x00\x1b[1mb\x07\n" + "plain,1\n" * 900):
        for encoding in ("utf-8", "utf-16", "cp932"):
            path.write_bytes(text.encode(encoding))
            assert kind_of(path) in ("sheets", "text", "markdown", "html")


def test_other_packages(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.odt", "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.text")
    with pytest.raises(UserError, match="OpenDocument files cannot be read; .*convert-to docx"):
        kind_of(tmp_path / "a.odt")
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("x.txt", "x")
    with pytest.raises(UserError, match="a zip file that is no document"):
        kind_of(tmp_path / "a.zip")


def test_text_becomes_paragraphs_and_points(tmp_path: Path) -> None:
    text = "\ufeffOne\nline.\r\n\r\nTwo:\n- a point\n  that goes on\n2. another\n\f\n\nEnd.\x00"
    (tmp_path / "my_own-notes.txt").write_text(text, encoding="utf-8", newline="")
    pictures = Pictures(tmp_path, "x")
    parsed = parse_file(
        tmp_path / "my_own-notes.txt", "sub/my_own-notes.txt", pictures=pictures, options=ParseOptions()
    )
    assert [(block.kind, block.text) for block in parsed.document.blocks] == [
        ("text", "One line."),
        ("text", "Two:"),
        ("list", "a point that goes on"),
        ("list", "2. another"),
        ("text", "End."),
    ]
    assert parsed.document.title == "my own notes" and parsed.document.id == "sub/my_own-notes.txt"
    assert parsed.notes == ["1 NUL bytes dropped"]


def test_names_of_what_has_none() -> None:
    tables = [
        Table(id="d#t1"),
        Table(id="d#t2", caption="Table 2"),
        Table(id="d#t3", title="big_cities"),
        Table(id="d#t4", title="Sheet1", source=Source(sheet="Sheet1")),
        Table(id="d#t5", title="Own", page_title="Book"),
    ]
    parsed = named(Parsed(document=Document(id="x/big_cities.xlsx"), tables=tables), "x/big_cities.xlsx")
    assert parsed.document.title == "big cities"
    assert [(table.title, table.page_title) for table in parsed.tables] == [
        ("big cities", ""),
        ("", "big cities"),
        ("big cities", ""),
        ("Sheet1", "big cities"),
        ("Own", "Book"),
    ]
    own = named(Parsed(document=Document(id="d", title="Report"), tables=[Table(id="d#t1")]), "d")
    assert (own.document.title, own.tables[0].title) == ("Report", "Report")


def test_a_picture_is_no_text(tmp_path: Path) -> None:
    Image.new("L", (4, 4)).save(tmp_path / "a.webp")
    assert kind_of(tmp_path / "a.webp") == "image"
    assert ".webp" in SUFFIXES


def test_folders_and_missing_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is a folder; name a file in it"):
        kind_of(tmp_path)
    with pytest.raises(UserError, match=r"none\.csv: cannot be read"):
        kind_of(tmp_path / "none.csv")
