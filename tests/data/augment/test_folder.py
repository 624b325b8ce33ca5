"""A folder with made-up questions: splits by table, pictures, twins, what is left out, and the original."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from tiny_tables import photo, write_tiny

from tabrag.data.augment.folder import make_folder
from tabrag.data.card import Card
from tabrag.data.folder import DataFolder, write_folder
from tabrag.data.validate import validate
from tabrag.errors import UserError
from tabrag.files import read_jsonl
from tabrag.tables.grid import make_grid
from tabrag.types import Table

_TOPICS = ("rainfall", "school meals", "ferry traffic", "honey output", "library loans", "bus lines")


def _table(number: int, *, name: str = "") -> Table:
    topic, year = _TOPICS[number % len(_TOPICS)], 1990 + number
    rows = [[f"district {row}", str(number * 7 + row * 13), str(number * 11 + row * 17)] for row in range(5)]
    return Table(
        id=name or f"t{number}",
        title=f"{topic} by district, {year}",
        grid=make_grid(
            [["district", f"{topic} in spring", f"{topic} in autumn"], *rows],
            num_header_rows=1,
            num_header_cols=1,
        ),
    )


def _write(path: Path, tables: Sequence[Table]) -> Path:
    card = Card(name="Own", licence="cc-by-4.0", citation="Someone, 2024", url="https://example.org")
    write_folder(path, tables=tables, queries=[], qrels={}, card=card)
    return path


def _questions(folder: Path) -> dict[str, list[str]]:
    """Table id -> texts, of all splits."""
    data = DataFolder(folder)
    texts: dict[str, list[str]] = {}
    for split in data.splits:
        for query_id, grades in data.qrels(split).items():
            for table_id in grades:
                texts.setdefault(table_id, []).append(data.queries[query_id].text)
    return texts


def _digests(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_no_table_stands_in_two_splits_and_the_folder_is_sound(tmp_path: Path) -> None:
    source = _write(tmp_path / "in", [_table(number) for number in range(30)])
    before = _digests(source)
    figures = make_folder(source, tmp_path / "out", per_table=4, dev_share=0.3)
    data = DataFolder(tmp_path / "out")
    train, dev = (
        {table for grades in data.qrels(split).values() for table in grades} for split in ("train", "dev")
    )
    assert not train & dev and len(train | dev) == 30 and 3 <= len(dev) <= 16
    assert figures["queries"] == len(data.queries) == sum(figures["kinds"].values()) > 90
    assert figures["without_questions"] == 0 and not (tmp_path / "out" / "without_questions.jsonl").exists()
    assert set(data.gold_headers) == set(data.queries)
    assert not validate(tmp_path / "out")
    assert (tmp_path / "out" / "corpus.jsonl").read_bytes() == (source / "corpus.jsonl").read_bytes()
    assert _digests(source) == before
    text = (tmp_path / "out" / "README.md").read_text()
    assert "license: cc-by-4.0" in text and "Someone, 2024" in text and "made by rules" in text


def test_the_same_seed_gives_the_same_bytes_and_another_one_does_not(tmp_path: Path) -> None:
    source = _write(tmp_path / "in", [_table(number) for number in range(6)])
    for name, seed in (("a", 3), ("b", 3), ("c", 4)):
        make_folder(source, tmp_path / name, seed=seed)
    assert _digests(tmp_path / "a") == _digests(tmp_path / "b")
    assert _questions(tmp_path / "a") != _questions(tmp_path / "c")


def test_another_table_changes_nothing_of_the_others(tmp_path: Path) -> None:
    tables = [_table(number) for number in range(8)]
    make_folder(_write(tmp_path / "few", tables[1:]), tmp_path / "a", dev_share=0.4)
    make_folder(_write(tmp_path / "more", tables), tmp_path / "b", dev_share=0.4)
    few, more = _questions(tmp_path / "a"), _questions(tmp_path / "b")
    assert few == {table_id: texts for table_id, texts in more.items() if table_id != "t0"}
    sets = [
        {table for grades in DataFolder(tmp_path / name).qrels("dev").values() for table in grades}
        for name in "ab"
    ]
    assert sets[0] == sets[1] - {"t0"} and sets[0]


def test_tables_of_one_content_share_their_questions_and_keep_their_data_set(tmp_path: Path) -> None:
    pooled = _table(3)
    pooled.metadata["data_set"] = "rain"
    source = _write(tmp_path / "in", [_table(1), _table(2), _table(1, name="copy"), pooled])
    make_folder(source, tmp_path / "out", dev_share=0.5)
    data = DataFolder(tmp_path / "out")
    assert {query.data_set for query in data.queries.values()} == {"", "rain"}
    twins = [
        set(grades)
        for split in data.splits
        for grades in data.qrels(split).values()
        if {"t1", "copy"} & set(grades)
    ]
    assert len(twins) > 2 and all(group == {"t1", "copy"} for group in twins)


def test_a_copy_without_headers_shares_questions_but_no_header_cells(tmp_path: Path) -> None:
    headed = _table(1)
    assert headed.grid is not None
    spelling = [[text.upper() for text in row] for row in headed.grid.cells]
    bare = Table(id="bare", caption=headed.title, grid=make_grid(spelling))
    source = _write(tmp_path / "in", [bare, headed, _table(2)])
    figures = make_folder(source, tmp_path / "out", dev_share=0)
    data = DataFolder(tmp_path / "out")
    groups = [set(grades) for grades in data.qrels("train").values()]
    assert {"bare", "t1"} in groups and {"bare"} not in groups and {"t1"} not in groups
    assert figures["without_questions"] == 0
    gold = {one.table_id for lines in data.gold_headers.values() for one in lines}
    assert gold == {"t1", "t2"}
    assert not validate(tmp_path / "out")


def test_a_text_that_fits_several_tables_is_left_out(tmp_path: Path) -> None:
    def untitled(table_id: str, figure: str) -> Table:
        cells = [["库存", "期末"], ["原材料", figure]]
        return Table(id=table_id, grid=make_grid(cells, num_header_rows=1, num_header_cols=1))

    source = _write(tmp_path / "in", [untitled("a", "1"), untitled("b", "2"), _table(1), _table(2)])
    figures = make_folder(source, tmp_path / "out")
    texts = [text for texts in _questions(tmp_path / "out").values() for text in texts]
    assert figures["shared_texts"] > 1 and len(set(texts)) == len(texts)


def test_at_least_one_table_is_for_dev_and_one_for_train(tmp_path: Path) -> None:
    source = _write(tmp_path / "in", [_table(1), _table(2)])
    for share in (0.001, 0.999):
        make_folder(source, tmp_path / "out", dev_share=share)
        assert DataFolder(tmp_path / "out").splits == ["train", "dev"]
    make_folder(source, tmp_path / "out", dev_share=0)
    assert DataFolder(tmp_path / "out").splits == ["train"]


def test_pictures_come_along_and_tables_without_questions_are_listed(tmp_path: Path) -> None:
    picture = photo()
    source = _write(tmp_path / "in", [picture, _table(1), _table(2)])
    (source / "images").mkdir()
    (source / "images" / "photo.png").write_bytes(b"png")
    figures = make_folder(source, tmp_path / "out")
    copy = tmp_path / "out" / "images" / "photo.png"
    assert copy.read_bytes() == b"png" and not copy.is_symlink()
    listed = list(read_jsonl(tmp_path / "out" / "without_questions.jsonl"))
    assert [row["table"] for row in listed] == ["photo"] and "no grid" in listed[0]["reason"]
    assert figures["without_questions"] == 1 and figures["status"] == "ok"
    os.unlink(source / "images" / "photo.png")
    assert copy.read_bytes() == b"png"
    with pytest.raises(UserError, match=r"photo\.png is missing"):
        make_folder(source, tmp_path / "again")
    assert not (tmp_path / "again").exists()


def test_questions_of_its_own_are_left_out(tmp_path: Path) -> None:
    source = write_tiny(tmp_path / "in")
    figures = make_folder(source, tmp_path / "out", per_table=3)
    assert figures["own_questions_left_out"] == 3
    assert not set(DataFolder(source).queries) & set(DataFolder(tmp_path / "out").queries)


def test_faults_of_the_user(tmp_path: Path) -> None:
    source = _write(tmp_path / "in", [_table(1)])
    blank = _write(tmp_path / "blank", [Table(id="b", grid=make_grid([[""]]))])
    for arguments, message in [
        ({"per_table": 0}, "--per-table 0"),
        ({"dev_share": 1.0}, r"--dev-share 1\.0"),
        ({"out": source}, "lie in one another"),
        ({"out": source / "inner"}, "lie in one another"),
        ({"out": tmp_path}, "lie in one another"),
        ({"source": blank}, "none of its 1 tables gives a question.*blank"),
        ({"source": tmp_path / "nowhere"}, "no such data set folder"),
    ]:
        with pytest.raises(UserError, match=message):
            make_folder(**({"source": source, "out": tmp_path / "out"} | arguments))
    assert not (tmp_path / "out").exists()
