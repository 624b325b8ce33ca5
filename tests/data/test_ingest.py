"""A folder of files becomes a data set folder: what is read, what is refused and how it is told."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from pathlib import Path

import pytest
from ingest_files import make
from noise import noise

from tabrag.data import ingest as ingesting
from tabrag.data.folder import DataFolder
from tabrag.data.validate import validate
from tabrag.documents.parsed import ParseOptions
from tabrag.errors import UserError
from tabrag.evaluation.files_report import ReadFolder, evaluate_facts, file_records


def test_documents_tables_and_pictures(own: Path, tmp_path: Path) -> None:
    questions = own / "questions.csv"
    questions.write_text(
        "question,answer,table,split\nHow much rain in May?,60,rain_by-month.csv,test\n"
        "Plums?,7,sub/b.html#t2,\nHow much fruit?,12,b.html,\n"
    )
    figures = make(own, tmp_path / "d", questions=questions)
    assert (figures["status"], figures["documents"], figures["new"]) == ("ok", 4, 4)
    folder = DataFolder(tmp_path / "d")
    assert folder.documents.ids[:] == ["note.txt", "photo.PNG", "rain_by-month.csv", "sub/b.html"]
    html = folder.documents["sub/b.html"]
    assert html.title == "Fruit"
    assert [block.table for block in html.blocks if block.table] == ["sub/b.html#t1", "sub/b.html#t2"]
    plums = folder.tables["sub/b.html#t2"]
    assert plums.grid is not None and plums.grid.cells[1] == ["plum", "7"]
    assert (plums.document, plums.source.file) == ("sub/b.html", "sub/b.html")
    rain = folder.tables["rain_by-month.csv#t1"]
    assert rain.grid is not None and rain.grid.cells[2] == ["June", "70"]
    assert rain.title == "rain by month"  # nothing else names it
    photo = folder.documents["photo.PNG"]
    pictures = [block.image for block in photo.blocks if block.image] + [page.image for page in photo.pages]
    assert any(pictures) and all((tmp_path / "d" / str(path)).is_file() for path in pictures if path)
    assert folder.qrels("test") == {"q1": {"rain_by-month.csv#t1": 1}}
    assert folder.qrels("train") == {"q2": {"sub/b.html#t2": 1}, "q3": {"sub/b.html": 1}}
    assert validate(tmp_path / "d", images=True) == []
    assert not list(tmp_path.glob(".d.*"))


@pytest.mark.usefixtures("in_process")
def test_headers_are_spread_over_empty_cells_on_demand(own: Path, tmp_path: Path) -> None:
    (own / "two.csv").write_text(",Sales,,Costs,\nShop,2019,2020,2019,2020\nA,1,2,3,4\nB,5,6,7,8\n")
    options = ParseOptions(fill_right=True)
    merged = []
    for settings in ({}, {"options": options}, {"options": options}):
        figures = make(own, tmp_path / "d", **settings)
        merged.append(DataFolder(tmp_path / "d").tables["two.csv#t1"].grid.merged)
    assert [(0, 0, 1, 2) in regions for regions in merged] == [False, True, True]
    assert (figures["new"], figures["kept"]) == (0, 5)


@pytest.mark.usefixtures("in_process")
def test_what_is_left_of_a_partly_broken_file_is_kept(own: Path, tmp_path: Path) -> None:
    frames = [noise((60, 60), 90, seed=number) for number in range(2)]
    frames[0].save(tmp_path / "whole.tif", save_all=True, append_images=frames[1:])
    (own / "cut.tif").write_bytes((tmp_path / "whole.tif").read_bytes()[:-300])
    beside = own / "photo.PNG.words.json"
    beside.write_text("[]")
    figures = make(own, tmp_path / "d")
    assert (figures["status"], figures["partial"], figures["documents"]) == ("partial", 2, 5)
    rows = [json.loads(line) for line in (tmp_path / "d" / "failed.jsonl").open()]
    assert [(row["file"], row["status"]) for row in rows] == [
        ("cut.tif", "partial"),
        ("photo.PNG", "partial"),
    ]
    folder = DataFolder(tmp_path / "d")
    assert [page.number for page in folder.documents["cut.tif"].pages] == [1]
    assert folder.tables["photo.PNG#t1"].image and folder.tables["photo.PNG#t1"].words is None
    assert make(own, tmp_path / "d")["kept"] == 5

    beside.write_text('{"words": ["total"], "boxes": [[10, 5, 20, 10]]}')
    figures = make(own, tmp_path / "d")
    assert (figures["new"], figures["partial"]) == (1, 1)  # the words beside a picture are a part of it


@pytest.mark.usefixtures("in_process")
def test_tables_of_a_workbook_carry_the_name_of_the_file(tmp_path: Path) -> None:
    from openpyxl import Workbook

    book = Workbook()
    for row in (["city", "people"], ["Bonn", 330000], ["Kiel", 250000]):
        book.active.append(row)
    (tmp_path / "own").mkdir()
    book.save(tmp_path / "own" / "big_cities.xlsx")
    make(tmp_path / "own", tmp_path / "d")
    (table,) = DataFolder(tmp_path / "d").tables
    assert (table.title, table.page_title) == ("Sheet", "big cities")


def test_real_files(files_root: Path, tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    for kind in ("html", "csv", "xlsx", "md", "hostile"):
        shutil.copytree(files_root / kind, tmp_path / "own" / kind)
    figures = make(tmp_path / "own", tmp_path / "d")
    assert figures["documents"] > 20 and figures["tables"] > 50
    assert validate(tmp_path / "d") == []
    failed = {row["file"]: row["reason"] for row in map(json.loads, (tmp_path / "d" / "failed.jsonl").open())}
    assert set(failed) == {
        f"hostile/{name}"
        for name in (
            *("empty.pdf", "invalid.pdf", "password-example.pdf"),
            *("password_protected.xlsx", "poc-xmlbomb.xlsx", "testWORD_truncated.docx"),
        )
    }
    records = [record for record in file_records(files_root) if (tmp_path / "own" / record["path"]).is_file()]
    for record, facts in evaluate_facts(records, ReadFolder(tmp_path / "d")):
        missed = [one for one in facts if not one.reached]
        assert len(missed) <= (record["path"] == "html/example-steelJIS-datasheet.html"), missed


@pytest.mark.usefixtures("in_process")
def test_hidden_and_foreign_files_and_links(
    own: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "secret.csv").write_text("a,b\n1,2\n")
    (tmp_path / "outside").mkdir()
    (own / "link.csv").symlink_to(tmp_path / "secret.csv")
    (own / "folder").symlink_to(tmp_path / "outside", target_is_directory=True)
    (own / "inner.csv").symlink_to(own / "rain_by-month.csv")
    (own / ".hidden.csv").write_text("a,b\n1,2\n")
    (own / "~$book.xlsx").write_bytes(b"lock")
    (own / "song.mp3").write_bytes(b"x")
    (own / "photo.PNG.words.json").write_text('{"words": [], "boxes": []}')
    make(own, own / "d")
    assert make(own, own / "d")["files"] == 7  # its own output is none of the files
    folder = DataFolder(own / "d")
    assert [row for row in folder.documents.ids if row.startswith(("inner", "link", "."))] == ["inner.csv"]
    failed = {row["file"]: row["reason"] for row in map(json.loads, (own / "d" / "failed.jsonl").open())}
    assert failed == {
        "folder": "a link to a folder; links are not followed",
        "link.csv": "a link that leads out of the folder",
    }
    assert "files of other kinds: 1 .mp3" in caplog.text


def test_names_that_are_no_utf8_or_hold_control_characters(own: Path, tmp_path: Path) -> None:
    try:
        for name in (b"caf\xe9.csv", b"two\nlines.csv"):
            with open(os.path.join(os.fsencode(own), name), "w") as file:
                file.write("city,people\nBonn,3\n")
    except OSError:
        pytest.skip("this file system takes only names in UTF-8")
    make(own, tmp_path / "d")
    folder = DataFolder(tmp_path / "d")
    table = folder.tables[r"caf\udce9.csv#t1"]
    assert table.grid is not None and table.grid.cells == [["city", "people"], ["Bonn", "3"]]
    assert table.source.file == table.document == r"caf\udce9.csv" and table.title == r"caf\udce9"
    assert r"two\nlines.csv" in folder.documents
    assert validate(tmp_path / "d") == []


@pytest.mark.usefixtures("in_process")
def test_tables_are_drawn_when_asked(own: Path, tmp_path: Path) -> None:
    make(own, tmp_path / "d", style="ruled")
    folder = DataFolder(tmp_path / "d")
    drawn = [table for table in folder.tables if table.grid is not None]
    assert len(drawn) == 3 and all(table.image and table.words for table in drawn)
    assert validate(tmp_path / "d", images=True) == []


def test_faults_are_told_before_anything_is_read(own: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "x").touch()
    for folder, out, settings, message in [
        (tmp_path / "nowhere", "d", {}, "nowhere: no such folder; --from names"),
        (tmp_path / "empty", "d", {}, "holds no file that can be read"),
        (own, "other", {}, "holds other files and no data set"),
        (own, "d", {"questions": tmp_path / "gone.csv"}, r"gone\.csv: file of questions not found"),
        (own, "d", {"style": "x"}, "unknown style 'x'"),
        (own, "d", {"options": ParseOptions(timeout=0)}, "timeout is 0"),
    ]:
        with pytest.raises(UserError, match=message):
            make(folder, tmp_path / out, **settings)
        assert not (tmp_path / "d").exists()
    (tmp_path / ".d.work").mkdir(exist_ok=True)
    with (tmp_path / ".d.work" / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(UserError, match="another program is writing"):
            make(own, tmp_path / "d")


def test_the_missing_ocr_package_is_told_at_once(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ingesting, "find_spec", lambda name: None)
    with pytest.raises(UserError, match=r"'rapidocr': install it with  pip install 'tabrag\[ocr\]'"):
        make(own, own.parent / "d", options=ParseOptions(ocr="rapidocr"))
