"""Damaged, hostile and real Word documents."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from effort import within
from made_docx import add, edit, save
from parse_files import parsed, png, said

from tabrag.documents.office.docx import parse_docx
from tabrag.errors import UserError

TESTS = Path(__file__).parents[2]

docx = pytest.importorskip("docx")


def test_damaged_parts_cost_their_own_content(tmp_path: Path) -> None:
    document = docx.Document()
    document.add_paragraph("Text")
    document.add_picture(io.BytesIO(png()))
    path = save(document, tmp_path)
    assert not parsed(parse_docx, path).partial
    edit(path, replaced={"word/styles.xml": b"<w:sty", "word/media/image1.png": png()[:60]})
    found = parsed(parse_docx, path)
    assert ("text", "Text") in said(found) and found.partial
    assert len(found.notes) == 2 and any("image1.png" in note for note in found.notes)


def test_drawings_are_noted(tmp_path: Path) -> None:
    document = docx.Document()
    document.add_paragraph("Text")
    document.add_picture(io.BytesIO(png()))
    path = save(document, tmp_path)
    emf = b"\x01\x00\x00\x00" + bytes(36) + b" EMF" + bytes(40)
    edit(path, replaced={"word/media/image1.png": emf})
    found = parsed(parse_docx, path)
    assert found.partial and "EMF" in found.notes[0] and said(found) == [("text", "Text")]


def test_faults(tmp_path: Path) -> None:
    path = save(docx.Document(), tmp_path)
    with pytest.raises(UserError, match="holds no text"):
        parsed(parse_docx, path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(UserError, match="cut off"):
        parsed(parse_docx, path)
    path.write_bytes(whole)
    edit(path, replaced={"word/document.xml": b"<w:document"})
    with pytest.raises(UserError, match="is damaged"):
        parsed(parse_docx, path)
    path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"))
    with pytest.raises(UserError, match="password"):
        parsed(parse_docx, path)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"<!DOCTYPE x [<!ENTITY a 'b'>]><w:document>&a;</w:document>", id="entities"),
        pytest.param(b"<w:document>" + b" " * (200 << 20) + b"</w:document>", id="blanks"),
        pytest.param(b"<w:document>" + b"<w:sdt>" * 100_000 + b"</w:document>", id="deep"),
    ],
)
def test_bombs(tmp_path: Path, body: bytes) -> None:
    path = tmp_path / "bomb.docx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", body)
    code = (
        "import sys, pathlib\n"
        "from effort import within\n"
        "from tabrag.documents.office.docx import parse_docx\n"
        "from tabrag.documents.parsed import ParseOptions, Pictures\n"
        "def peak(): return int(open('/proc/self/status').read().split('VmHWM:')[1].split()[0])\n"
        "before = peak()\n"
        "with within(10):\n"
        "    try: parse_docx(pathlib.Path(sys.argv[1]), 'd', pictures=Pictures(pathlib.Path('.'), 'd'),"
        " options=ParseOptions())\n"
        "    except ValueError: print(peak() - before)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(TESTS)},
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 150 * 1024  # the blanks alone would take 200 MiB


def test_table_that_spreads_over_millions_of_positions(tmp_path: Path) -> None:
    rows = "".join(
        f"<w:tr><w:trPr><w:gridBefore w:val='{3 * row + 1}'/></w:trPr>"
        "<w:tc><w:p><w:r><w:t>7</w:t></w:r></w:p></w:tc></w:tr>"
        for row in range(1200)
    )
    document = docx.Document()
    add(document, f"<w:tbl>{rows}</w:tbl>")
    path = save(document, tmp_path)
    with within(2), pytest.raises(UserError, match="1200 x 1200 cells"):
        parsed(parse_docx, path)


def test_real_files(files_root: Path, tmp_path: Path) -> None:
    rich = parsed(parse_docx, files_root / "docx" / "testWORD_2006ml.docx", out=tmp_path)
    text = "\n".join(text for _, text in said(rich))
    assert "The quick brown fox jumped over the lazy brown dog." in text
    assert "Deleted paragraph" not in text and text.count("This is a text box") == 1
    assert ("note", "And this is the footnote") in said(rich)
    chart = next(table for table in rich.tables if table.metadata.get("kind") == "chart")
    assert chart.grid.cells[1] == ["Category 1", "4.3", "2.4", "2"]
