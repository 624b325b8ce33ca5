from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from noise import noise
from PIL import Image

from tabrag.data.folder import DataFolder
from tabrag.data.prepare import prepare
from tabrag.data.sources.files import read
from tabrag.data.validate import validate
from tabrag.errors import UserError
from tabrag.tables.grid import make_grid
from tabrag.tables.image import open_image
from tabrag.tables.render import render
from tabrag.types import Table, Word

TWO_TABLES = """
<table><caption>Fruit</caption><tr><th>name</th><th>tons</th></tr><tr><td>lemon</td><td>5</td></tr></table>
<p>And</p><table><tr><th>name</th><th>price</th></tr><tr><td>plum</td><td>7</td></tr></table>
"""


@pytest.fixture
def own(tmp_path: Path) -> Path:
    folder = tmp_path / "own"
    (folder / "sub").mkdir(parents=True)
    (folder / "rain_by-month.csv").write_text("month,rain\nMay,60\nJune,70\n")
    (folder / "sub" / "b.html").write_text(TWO_TABLES)
    Image.new("RGB", (40, 20), "red").save(folder / "photo.PNG")
    (folder / "photo.PNG.words.json").write_text(json.dumps({"words": ["total"], "boxes": [[10, 5, 20, 10]]}))
    pages = [Image.new("L", (30, 20), value) for value in (0, 255)]
    pages[0].save(folder / "scan.tif", save_all=True, append_images=pages[1:])
    return folder


def test_every_kind_of_file_is_read_under_a_stable_id(own: Path) -> None:
    data = read(own)
    tables = {table.id: table for table in data.tables}
    assert list(tables) == [
        "photo.PNG",
        "rain_by-month.csv",
        "scan.tif",
        "scan.tif#2",
        "sub/b.html",
        "sub/b.html#2",
    ]
    assert data.failed == []
    rain = tables["rain_by-month.csv"]
    assert rain.grid is not None and rain.grid.cells[2] == ["June", "70"]
    assert rain.title == "rain by month"  # nothing else names it
    assert rain.source.file == "rain_by-month.csv"
    first, second = tables["sub/b.html"], tables["sub/b.html#2"]
    assert first.grid is not None and first.grid.cells[1] == ["lemon", "5"]
    assert second.grid is not None and second.grid.cells[1] == ["plum", "7"]
    assert "Fruit" in (first.title, first.caption)
    assert [tables[table_id].source.page for table_id in ("scan.tif", "scan.tif#2")] == [1, 2]
    assert data.card.name == "own"


def test_own_words_beside_a_picture_are_taken(own: Path) -> None:
    (photo,) = [table for table in read(own).tables if table.id == "photo.PNG"]
    assert photo.words is not None
    assert [(word.text, word.box) for word in photo.words] == [("total", (250, 250, 500, 500))]
    (scan,) = [table for table in read(own).tables if table.id == "scan.tif"]
    assert scan.words is None  # nobody has read it, which is not the same as: it is empty


def test_the_folder_has_copied_and_converted_pictures(own: Path, tmp_path: Path) -> None:
    figures = prepare(read(own), tmp_path / "d", render=True, num_workers=1)
    assert (figures["tables"], "failed" in figures) == (6, False)
    folder = DataFolder(tmp_path / "d")
    photo = folder.image_path(folder.tables["photo.PNG"])
    assert photo.read_bytes() == (own / "photo.PNG").read_bytes()
    scans = [folder.image_path(folder.tables[name]) for name in ("scan.tif", "scan.tif#2")]
    assert [open_image(path).getpixel((0, 0)) for path in scans] == [(0, 0, 0), (255, 255, 255)]
    assert len({folder.image_path(table) for table in folder.tables}) == 6
    assert validate(tmp_path / "d", images=True) == []


def test_a_file_that_cannot_be_read_does_not_stop_the_others(own: Path, tmp_path: Path) -> None:
    (own / "cut.png").write_bytes((own / "photo.PNG").read_bytes()[:50])
    (own / "broken.xlsx").write_bytes(b"PK\x03\x04 no")
    (own / "empty.csv").touch()
    data = read(own)
    assert sorted(failure["file"] for failure in data.failed) == ["broken.xlsx", "cut.png", "empty.csv"]
    assert all(failure["reason"] for failure in data.failed)
    assert len(list(data.tables)) == 6
    assert prepare(data, tmp_path / "d")["failed"] == 3
    named = [json.loads(line)["file"] for line in (tmp_path / "d" / "failed.jsonl").open()]
    assert sorted(named) == ["broken.xlsx", "cut.png", "empty.csv"]


def test_what_is_left_of_a_partly_broken_file_is_kept(own: Path, tmp_path: Path) -> None:
    frames = [noise((60, 60), 90, seed=i) for i in range(2)]
    frames[0].save(tmp_path / "whole.tif", save_all=True, append_images=frames[1:])
    (own / "cut.tif").write_bytes((tmp_path / "whole.tif").read_bytes()[:-300])
    (own / "photo.PNG.words.json").write_text("[]")
    data = read(own)
    assert [(row["file"], row["status"]) for row in data.failed] == [
        ("cut.tif", "partial"),
        ("photo.PNG", "partial"),
    ]
    tables = {table.id: table for table in data.tables}
    assert "cut.tif" in tables and "cut.tif#2" not in tables
    assert tables["photo.PNG"].image and tables["photo.PNG"].words is None
    (own / "empty.csv").touch()
    figures = prepare(read(own), tmp_path / "d")
    assert (figures["status"], figures["failed"], figures["partial"]) == ("partial", 1, 2)
    status = {row["file"]: row["status"] for row in map(json.loads, (tmp_path / "d/failed.jsonl").open())}
    assert status == {"cut.tif": "partial", "empty.csv": "failed", "photo.PNG": "partial"}


def test_a_name_that_is_not_utf8_is_shown_with_its_odd_bytes(own: Path, tmp_path: Path) -> None:
    try:
        with open(os.path.join(os.fsencode(own), b"caf\xe9.csv"), "w") as file:
            file.write("city,people\nBonn,3\n")
        with open(os.path.join(os.fsencode(own), b"caf\xe9.png"), "w") as file:
            file.write("no picture")
    except OSError:
        pytest.skip("this file system takes only names in UTF-8")
    data = read(own)
    assert [failure["file"] for failure in data.failed] == [r"caf\udce9.png"]
    prepare(data, tmp_path / "d")
    table = DataFolder(tmp_path / "d").tables[r"caf\udce9.csv"]
    assert table.grid is not None and table.grid.cells == [["city", "people"], ["Bonn", "3"]]
    assert table.source.file == table.id and table.title == r"caf\udce9"
    assert validate(tmp_path / "d") == []


def test_words_of_a_picture_make_a_grid(tmp_path: Path) -> None:
    table = Table(id="t", title="Budget", grid=make_grid([["Item", "2020"], ["Rent", "10"], ["Food", "20"]]))
    drawn = render(table, "ruled")
    folder = tmp_path / "scans"
    folder.mkdir()
    drawn.image.save(folder / "scan.png")
    words = {"words": [word.text for word in drawn.words], "boxes": [word.box for word in drawn.words]}
    (folder / "scan.png.words.json").write_text(json.dumps({**words, "unit": "thousandths"}))
    (scan,) = read(folder).tables
    assert scan.grid is not None and scan.image is not None and len(scan.words or ()) == len(drawn.words)
    assert scan.grid.cells == [["Item", "2020"], ["Rent", "10"], ["Food", "20"]]
    assert (scan.grid.num_header_rows, scan.grid.num_header_cols) == (1, 1)
    assert (scan.title, scan.caption) == ("scan", "Budget")
    prepare(read(folder), tmp_path / "d")
    assert validate(tmp_path / "d", images=True) == []


def test_an_unforeseen_error_of_a_parser_is_a_failure_of_that_file_alone(
    own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import tabrag.tables.read as reading

    original = reading.read_tables

    def explode(path: Path) -> object:
        if path.suffix == ".html":
            raise RecursionError("too deep")
        return original(path)

    monkeypatch.setattr(reading, "read_tables", explode)
    data = read(own)
    assert data.failed == [{"file": "sub/b.html", "reason": "RecursionError: too deep"}]
    assert len(list(data.tables)) == 4


def test_what_the_bytes_say_goes_before_the_name(own: Path, tmp_path: Path) -> None:
    (own / "photo.PNG").rename(own / "wrong.csv")
    (own / "photo.PNG.words.json").unlink()
    data = read(own)
    (wrong,) = [table for table in data.tables if table.id == "wrong.csv"]
    assert wrong.grid is None and wrong.image is not None and wrong.image.endswith(".png")
    prepare(data, tmp_path / "d")
    assert validate(tmp_path / "d", images=True) == []


def test_hidden_and_foreign_files_are_passed_over(own: Path, caplog: pytest.LogCaptureFixture) -> None:
    (own / ".hidden.csv").write_text("a,b\n1,2\n")
    (own / ".git").mkdir()
    (own / ".git" / "x.csv").write_text("a,b\n1,2\n")
    (own / "~$book.xlsx").write_bytes(b"lock")
    (own / "notes.docx").write_bytes(b"x")
    assert len(list(read(own).tables)) == 6
    assert "files of other kinds: 1 .docx" in caplog.text


def test_links_that_lead_out_are_refused(own: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.csv").write_text("a,b\n1,2\n")
    (tmp_path / "outside").mkdir()
    (own / "link.csv").symlink_to(tmp_path / "secret.csv")
    (own / "folder").symlink_to(tmp_path / "outside", target_is_directory=True)
    (own / "inner.csv").symlink_to(own / "rain_by-month.csv")
    data = read(own)
    assert {failure["file"]: failure["reason"] for failure in data.failed} == {
        "folder": "a link to a folder; links are not followed",
        "link.csv": "a link that leads out of the folder",
    }
    assert "inner.csv" in [table.id for table in data.tables]


def test_questions_are_joined_to_tables(own: Path) -> None:
    questions = own / "questions.csv"
    questions.write_text(
        "question,answer,table,split\n"
        "How much rain in May?,60,rain_by-month.csv,test\n"
        "Plums?,7,sub/b.html#2,\n"
    )
    data = read(own, questions=questions)
    assert data.qrels == {"test": {"q1": {"rain_by-month.csv": 1}}, "train": {"q2": {"sub/b.html#2": 1}}}
    assert "questions.csv" not in [table.id for table in data.tables]


def test_limit_counts_tables(own: Path) -> None:
    data = read(own, limit=3)
    assert [table.id for table in data.tables] == ["photo.PNG", "rain_by-month.csv", "scan.tif"]
    assert set(data.images) == {table.image for table in data.tables if table.image}  # no second page


def test_nothing_to_index_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"gone\.csv: file of questions not found"):
        read(tmp_path, questions=tmp_path / "gone.csv")
    with pytest.raises(UserError, match=r"nowhere: no such folder; --from names"):
        read(tmp_path / "nowhere")
    (tmp_path / "broken.png").write_bytes(b"x")
    with pytest.raises(
        UserError, match=r"holds no table that can be read; kinds: .*\.csv[\s\S]*broken\.png: "
    ):
        read(tmp_path)


def test_an_unknown_ocr_is_an_error(own: Path) -> None:
    with pytest.raises(UserError, match="unknown OCR 'magic'; choose from none, rapidocr"):
        read(own, ocr="magic")


def test_words_are_read_by_ocr_when_asked(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []

    def read_words(image: Image.Image) -> list[Word]:
        sizes.append(image.size)
        return [Word(text="seen", box=(0, 0, 10, 10))]

    monkeypatch.setattr("tabrag.tables.ocr.read_words", read_words)
    monkeypatch.setattr("tabrag.data.sources.files.find_spec", lambda name: name)
    words = {table.id: table.words for table in read(own, ocr="rapidocr").tables}
    assert words["photo.PNG"] is not None and words["photo.PNG"][0].text == "total"  # own words go before
    assert words["scan.tif"] == words["scan.tif#2"] == [Word(text="seen", box=(0, 0, 10, 10))]
    assert words["rain_by-month.csv"] is None
    assert sizes == [(30, 20), (30, 20)]


def test_a_missing_ocr_package_is_told_at_once(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tabrag.data.sources.files.find_spec", lambda name: None)
    with pytest.raises(UserError, match=r"'rapidocr': install it with  pip install 'tabrag\[ocr\]'"):
        read(own, ocr="rapidocr")


def test_tables_of_a_workbook_carry_the_name_of_the_file(own: Path) -> None:
    from openpyxl import Workbook

    book = Workbook()
    for row in (["city", "people"], ["Bonn", 330000], ["Kiel", 250000]):
        book.active.append(row)
    book.save(own / "big_cities.xlsx")
    (own / "notes.txt").write_text("a,b\n1,2\n")
    tables = {table.id: table for table in read(own).tables}
    assert (tables["big_cities.xlsx"].title, tables["big_cities.xlsx"].page_title) == ("Sheet", "big cities")
    assert "notes.txt" not in tables


def test_real_files(files_root: Path, tmp_path: Path) -> None:
    data = read(files_root)
    ids = [table.id for table in data.tables]
    assert len(ids) == len(set(ids)) >= 30
    read_files = {table_id.split("#")[0] for table_id in ids}
    for path in sorted((files_root / "image").iterdir()):
        assert f"image/{path.name}" in read_files
    assert {"html/example_08.html", "csv/milk.csv", "xlsx/deaths.xlsx"} <= read_files
    failed = {failure["file"] for failure in data.failed}
    assert {"hostile/poc-xmlbomb.xlsx", "hostile/password_protected.xlsx"} <= failed
    assert prepare(data, tmp_path / "d")["tables"] == len(ids)
    assert validate(tmp_path / "d") == []
