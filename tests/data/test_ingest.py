"""A folder of files and its data set folder stay in sync, whatever happens in between."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from noise import noise
from PIL import Image

from tabrag.data import ingest as ingesting
from tabrag.data.folder import DataFolder
from tabrag.data.ingest import ingest
from tabrag.data.staged import Job, read_job
from tabrag.data.validate import validate
from tabrag.documents.isolate import Outcome
from tabrag.documents.parsed import ParseOptions
from tabrag.errors import UserError
from tabrag.evaluation.files_report import ReadFolder, evaluate_facts, file_records

HTML = """<html><head><title>Fruit</title></head><body><h1>Harvest</h1><p>All of it.</p>
<table><tr><th>name</th><th>tons</th></tr><tr><td>lemon</td><td>5</td></tr></table><p>And</p>
<table><tr><th>name</th><th>price</th></tr><tr><td>plum</td><td>7</td></tr></table></body></html>"""


@pytest.fixture
def own(tmp_path: Path) -> Path:
    folder = tmp_path / "own"
    (folder / "sub").mkdir(parents=True)
    (folder / "rain_by-month.csv").write_text("month,rain\nMay,60\nJune,70\n")
    (folder / "sub" / "b.html").write_text(HTML)
    (folder / "note.txt").write_text("First line.\nSecond line.\n\n- a point\n")
    Image.new("RGB", (40, 20), "red").save(folder / "photo.PNG")
    return folder


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are read in this process, for tests of what is read and kept: workers import all anew."""

    def run(function: Callable[[Job], Any], jobs: Iterable[Job], **bounds: Any) -> Iterator[Outcome]:
        for job in jobs:
            try:
                yield Outcome(job, function(job))
            except UserError as error:
                yield Outcome(job, None, str(error))

    monkeypatch.setattr(ingesting, "run_isolated", run)


def make(folder: Path, out: Path, **settings: Any) -> dict[str, Any]:
    return ingest(folder, out, num_workers=1, **settings)


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


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
def test_started_again_it_equals_a_fresh_start(own: Path, tmp_path: Path) -> None:
    first = make(own, tmp_path / "d")
    before = tree(tmp_path / "d")
    node = next((tmp_path / "d" / "pages").rglob("*.png")).stat().st_ino
    again = make(own, tmp_path / "d")
    assert (first["new"], again["new"], again["kept"], again["removed"]) == (4, 0, 4, 0)
    assert tree(tmp_path / "d") == before
    assert next((tmp_path / "d" / "pages").rglob("*.png")).stat().st_ino == node  # not copied

    (own / "rain_by-month.csv").write_text("month,rain\nMay,61\n")
    (own / "sub" / "b.html").unlink()
    (own / "a first.txt").write_text("New.\n")
    figures = make(own, tmp_path / "d")
    assert (figures["new"], figures["kept"], figures["removed"], figures["tables"]) == (2, 2, 1, 2)
    make(own, tmp_path / "e")
    renewed = tree(tmp_path / "d")
    assert renewed == tree(tmp_path / "e") != before
    assert not any("b.html" in text.decode(errors="replace") for text in renewed.values())

    (own / "photo.PNG").unlink()
    make(own, tmp_path / "d")
    assert not any(path.suffix == ".png" for path in (tmp_path / "d").rglob("*"))


@pytest.mark.usefixtures("in_process")
def test_other_options_read_all_anew(own: Path, tmp_path: Path) -> None:
    make(own, tmp_path / "d")
    figures = make(own, tmp_path / "d", options=ParseOptions(page_images=False))
    assert (figures["new"], figures["kept"]) == (4, 0)


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


def test_failed_files_are_named_and_tried_again(own: Path, tmp_path: Path) -> None:
    (own / "cut.png").write_bytes((own / "photo.PNG").read_bytes()[:50])
    (own / "broken.xlsx").write_bytes(b"PK\x03\x04 no")
    (own / "empty.csv").touch()
    figures = make(own, tmp_path / "d")
    assert (figures["status"], figures["failed"], figures["documents"]) == ("partial", 3, 4)
    rows = [json.loads(line) for line in (tmp_path / "d" / "failed.jsonl").open()]
    assert [(row["file"], row["status"]) for row in rows] == [
        ("broken.xlsx", "failed"),
        ("cut.png", "failed"),
        ("empty.csv", "failed"),
    ]
    assert "damaged or cut off" in rows[0]["reason"] and "empty" in rows[2]["reason"]
    assert not any(str(tmp_path) in row["reason"] for row in rows)
    (own / "empty.csv").write_text("a,b\n1,2\n")
    figures = make(own, tmp_path / "d")
    assert (figures["failed"], figures["new"], figures["kept"]) == (2, 3, 4)


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


def test_killed_before_the_end_the_old_folder_is_whole_and_nothing_is_read_twice(
    own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(own, tmp_path / "d")
    before = tree(tmp_path / "d")
    (own / "new.txt").write_text("New.\n")
    program = tmp_path / "program.py"
    program.write_text(
        "import os, signal, sys\n"
        "from tabrag.data import ingest as ingesting\n"
        "if __name__ == '__main__':\n"
        "    ingesting._finish = lambda *arguments: os.kill(os.getpid(), signal.SIGKILL)\n"
        f"    ingesting.ingest({str(own)!r}, {str(tmp_path / 'd')!r}, num_workers=1)\n"
    )
    killed = subprocess.run([sys.executable, str(program)], stderr=subprocess.DEVNULL, check=False)
    assert killed.returncode == -signal.SIGKILL
    assert tree(tmp_path / "d") == before
    assert list(tmp_path.glob(".d.*.tmp")) and list((tmp_path / ".d.work").glob("*/done.json"))

    def refuse(function: object, inputs: list[object], **settings: object) -> Any:
        assert not inputs  # what was read before the kill is taken up
        return (given for given in ())

    monkeypatch.setattr(ingesting, "run_isolated", refuse)
    figures = make(own, tmp_path / "d")
    assert (figures["kept"], figures["documents"]) == (4, 5)
    assert not list(tmp_path.glob(".d.*"))
    assert "new.txt" in DataFolder(tmp_path / "d").documents


@pytest.mark.usefixtures("in_process")
def test_a_folder_that_another_hand_changed_is_read_anew(own: Path, tmp_path: Path) -> None:
    make(own, tmp_path / "d")
    whole = tree(tmp_path / "d")
    corpus = tmp_path / "d" / "corpus.jsonl"
    corpus.write_text(corpus.read_text().split("\n", 1)[1])
    assert make(own, tmp_path / "d")["new"] == 4
    assert tree(tmp_path / "d") == whole
    next((tmp_path / "d").rglob("*.png")).unlink()
    assert make(own, tmp_path / "d")["new"] == 1
    assert tree(tmp_path / "d") == whole


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


@pytest.mark.usefixtures("in_process")
def test_a_file_that_was_cut_for_time_is_read_anew_with_more(tmp_path: Path) -> None:
    canvas = pytest.importorskip("reportlab.pdfgen.canvas").Canvas(str(tmp_path / "long.pdf"))
    for number in range(1, 4):
        canvas.drawString(72, 700, f"The text of page {number} of this report.")
        canvas.showPage()
    canvas.save()
    (tmp_path / "own").mkdir()
    path, out = (tmp_path / "long.pdf").rename(tmp_path / "own" / "long.pdf"), tmp_path / "d"

    options = ParseOptions(page_images=False, timeout=1e-6)
    done = read_job(Job(path=path, name="long.pdf", stage=tmp_path / "stage", options=options))
    assert (done["status"], done["pages"], done["timeout"]) == ("partial", 1, 1e-6)
    assert "pages 1-1 of 3" in done["notes"][0]

    def read(timeout: float) -> tuple[int, dict[str, Any]]:
        figures = make(path.parent, out, options=ParseOptions(page_images=False, timeout=timeout))
        return figures["new"], json.loads((out / "files.jsonl").read_text())

    new, row = read(60.0)
    assert (new, row["status"], row["pages"], "timeout" in row) == (1, "ok", 3, False)
    cut = {**row, "status": "partial", "timeout": 60.0}
    (out / "files.jsonl").write_text(json.dumps(cut) + "\n")
    assert read(60.0) == (0, cut)
    assert read(90.0) == (1, row)
