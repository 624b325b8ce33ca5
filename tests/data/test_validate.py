from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image
from tiny_tables import photo, sales, write_tiny

from tabrag.data.records import gold_from_record, query_from_record, table_from_record
from tabrag.data.validate import Fault, validate
from tabrag.errors import UserError

Record = dict[str, Any]


def _good(folder: Path) -> Path:
    write_tiny(folder, [sales(), photo()])
    (folder / "qrels" / "train.tsv").write_text("query-id\tcorpus-id\tscore\nq1\tcsv/200-csv/0.csv\t1\n")
    (folder / "qrels" / "train.jsonl").unlink()
    (folder / "qrels" / "dev.tsv").unlink()
    (folder / "images").mkdir()
    Image.new("RGB", (20, 10)).save(folder / "images" / "photo.png")
    return folder


def _change(file: Path, line: int, change: Callable[[Record], object]) -> None:
    lines = file.read_text().splitlines()
    record = json.loads(lines[line - 1])
    change(record)
    lines[line - 1] = json.dumps(record)
    file.write_text("\n".join(lines) + "\n")


def _told(faults: list[Fault]) -> list[str]:
    return [f"{Path(fault.file).name}:{fault.line}: {fault.message}" for fault in faults]


def test_half_a_character_is_a_fault(tmp_path: Path) -> None:
    folder = write_tiny(tmp_path / "a")
    _change(folder / "corpus.jsonl", 1, lambda record: record.update(title="\U0001f600"))
    assert validate(folder) == []
    _change(folder / "queries.jsonl", 1, lambda record: record.update(text="\ud83d?"))
    assert _told(validate(folder))[0].startswith(r"queries.jsonl:1: half of a character ('\ud83d')")


def test_good_folders_have_no_fault(tmp_path: Path) -> None:
    assert validate(write_tiny(tmp_path / "a")) == []
    assert validate(_good(tmp_path / "b"), images=True) == []


@pytest.mark.parametrize(
    ("line", "change", "message"),
    [
        (1, lambda r: r.pop("_id"), "'_id' is missing"),
        (1, lambda r: r.pop("text"), "missing key 'text'"),
        (1, lambda r: r.update(_id="a\tb"), "holds a tab"),
        (2, lambda r: r.update(_id="csv/200-csv/0.csv"), "stands in line 1 already"),
        (1, lambda r: r.update(titel="x"), "unknown key 'titel'"),
        (1, lambda r: r.update(title=3), "'title' must be a text, found 3"),
        (1, lambda r: r.update(grid=None), "neither 'grid' nor 'image'"),
        (1, lambda r: r.update(grid=[["a"]]), "'grid' must be an object"),
        (1, lambda r: r["grid"].update(cells="x"), "'grid.cells' must be a list of rows"),
        (1, lambda r: r["grid"].update(num_header_row=1), "unknown key 'num_header_row' in 'grid'"),
        (1, lambda r: r["grid"]["cells"][2].pop(), "ragged table: row 2 has 3 cells, row 0 has 4"),
        (1, lambda r: r["grid"].update(cells=[]), "empty table: 'grid.cells' has no row"),
        (1, lambda r: r["grid"].update(cells=[[" "] * 4] * 4), "empty table: all cells are blank"),
        (1, lambda r: r["grid"]["cells"][3].__setitem__(1, 1200), "cell (3, 1) must be a text, found 1200"),
        (
            1,
            lambda r: r["grid"].update(merged=[[0, 0, 1, 4]]),
            "[0, 0, 1, 4] lies outside the table of 4 x 4",
        ),
        (1, lambda r: r["grid"].update(merged=[[0, -1, 1, 2]]), "[0, -1, 1, 2] lies outside"),
        (1, lambda r: r["grid"].update(merged=[[0, 1, 1]]), "[0, 1, 1] must be [first_row,"),
        (1, lambda r: r["grid"]["merged"].append([0, 1, 2, 2]), "[0, 0, 1, 2] and [0, 1, 2, 2] overlap"),
        (1, lambda r: r["grid"].update(merged=[[3, 3, 0, 1]]), "[3, 3, 0, 1] has text in cell (3, 1)"),
        (
            1,
            lambda r: r["grid"].update(num_header_rows=5),
            "'grid.num_header_rows' must be a whole number in 0..4",
        ),
        (1, lambda r: r["grid"]["top_paths"].pop(), "one path for each of the 4 columns"),
        (
            1,
            lambda r: r["grid"]["left_paths"].__setitem__(2, [[9, 0]]),
            "'grid.left_paths'[2] must be a list",
        ),
        (2, lambda r: r.update(image="../photo.png"), "path '../photo.png' leads out of the folder"),
        (2, lambda r: r.update(image="/etc/passwd"), "path '/etc/passwd' leads out of the folder"),
        (2, lambda r: r.update(image="images/gone.png"), "picture 'images/gone.png' is missing"),
        (2, lambda r: r["boxes"].pop(), "2 words need as many 'boxes', found 1"),
        (2, lambda r: r.update(boxes=None), "2 words need as many 'boxes', found none"),
        (2, lambda r: r.update(words=None), "'boxes' or 'word_cells' without 'words'"),
        (
            2,
            lambda r: r["boxes"].__setitem__(0, [0, 0, 1001, 5]),
            "'boxes'[0] must be [x0, y0, x1, y1] in 0..1000",
        ),
        (2, lambda r: r["boxes"].__setitem__(1, [9, 0, 5, 5]), "'boxes'[1] must be"),
        (1, lambda r: r.update(words=["a"], boxes=[[0] * 4], word_cells=[[4, 0]]), "'word_cells'[0] must be"),
        (
            1,
            lambda r: r.update(metadata={"year": 2020}),
            "'metadata' must be an object whose values are texts",
        ),
        (1, lambda r: r["source"].update(page="2"), "'source.page' must be a whole number from 1 up"),
        (1, lambda r: r["source"].update(box=[0, 0, 5]), "'source.box' must be [x0, y0, x1, y1] in 0..1000"),
        (2, lambda r: r.update(image="a\0"), "'image' must be a path relative to the folder"),
    ],
)
def test_each_fault_of_a_table_is_told_with_its_line(
    tmp_path: Path, line: int, change: Callable[[Record], object], message: str
) -> None:
    folder = _good(tmp_path / "d")
    _change(folder / "corpus.jsonl", line, change)
    told = [text for text in _told(validate(folder)) if text.startswith(f"corpus.jsonl:{line}: ")]
    assert any(message in text for text in told), told


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda r: r.update(text="  "), "'text' is missing or blank"),
        (lambda r: r.update(answers="5"), "'answers' must be a list of texts"),
        (lambda r: r.update(task="ask"), "'task' must be one of qa, verify, describe, found 'ask'"),
        (lambda r: r.update(task="verify", label="TRUE"), "'label' of a statement must be one of SUPPORTED"),
        (lambda r: r.update(evidence="picture"), "'evidence' must be one of text, table, both"),
        (lambda r: r.update(label="REFUTED"), "'label' is only for the task verify"),
        (lambda r: r.update(_id="q2"), "stands in line 2 already"),
    ],
)
def test_each_fault_of_a_query_is_told(
    tmp_path: Path, change: Callable[[Record], object], message: str
) -> None:
    folder = write_tiny(tmp_path / "d")
    _change(folder / "queries.jsonl", 3, change)
    told = _told(validate(folder))
    assert any(text.startswith("queries.jsonl:3: ") and message in text for text in told), told


def test_faults_of_judgements(tmp_path: Path) -> None:
    folder = _good(tmp_path / "d")
    (folder / "qrels" / "test.tsv").write_text(
        "q1\tphoto\t1\nq9\tphoto\t1\nq2\tnowhere\t1\nq2\tphoto\tyes\nq2 photo 1\nq3\tphoto\t1\nq3\tphoto\t0\n"
        "q1\tphoto\t1\n"
    )
    told = _told(validate(folder))
    assert told[0].startswith("test.tsv:1: the first line must be 'query-id\\tcorpus-id\\tscore'")
    assert told[1:6] == [
        "test.tsv:2: unknown query id 'q9': queries.jsonl does not have it",
        "test.tsv:3: unknown table id 'nowhere': corpus.jsonl does not have it",
        "test.tsv:4: the score must be a whole number, found 'yes'",
        "test.tsv:5: expected 3 columns separated by tabs, found 1",
        "test.tsv:7: 'q3' and 'photo' are judged in line 6 already",
    ]
    assert "train.tsv:2: query 'q1' stands in split 'test' too" in told


def test_a_json_form_that_differs_from_the_tsv_is_told(tmp_path: Path) -> None:
    folder = write_tiny(tmp_path / "d")
    with (folder / "qrels" / "dev.tsv").open("a") as file:
        file.write("q3\tcsv/200-csv/0.csv\t0\n")
    assert _told(validate(folder)) == [
        "dev.jsonl:0: differs from dev.tsv: write the folder anew, or delete this file"
    ]


def test_faults_of_gold_headers(tmp_path: Path) -> None:
    folder = write_tiny(tmp_path / "d")
    record = json.loads((folder / "headers.jsonl").read_text())
    rows = [
        record | {"top": [[0, 4]]},
        record | {"query_id": "q9"},
        record | {"table_id": "gone"},
        record | {"left": [[-1, 0]], "answer_cells": "B4"},
    ]
    (folder / "headers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows) + "{\n")
    told = _told(validate(folder))
    assert (
        told[0]
        == "headers.jsonl:1: 'top' names [0, 4], which is no [row, col] inside the table 'csv/200-csv/0.csv'"
    )
    assert told[1:3] == ["headers.jsonl:2: unknown query id 'q9'", "headers.jsonl:3: unknown table id 'gone'"]
    assert told[3].startswith("headers.jsonl:4: 'left' names [-1, 0]")
    assert told[4] == "headers.jsonl:4: 'answer_cells' must be a list of [row, col]"
    assert told[5].startswith("headers.jsonl:5: not a JSON object")


def test_broken_json_does_not_stop_the_check(tmp_path: Path) -> None:
    folder = _good(tmp_path / "d")
    with (folder / "corpus.jsonl").open("ab") as file:
        file.write(b'{"_id": "cut", "tit\n\n[1]\n\xff\xfe\n' + b"[" * 100_000 + b"\n" + b'{"_id": "x"}\n')
    told = _told(validate(folder))
    assert [text.split(": ")[0] for text in told] == [f"corpus.jsonl:{n}" for n in (3, 5, 6, 7, 8, 8, 8)]
    assert told[1] == "corpus.jsonl:5: not a JSON object: list"


def test_broken_pictures_are_told_when_asked(tmp_path: Path) -> None:
    folder = _good(tmp_path / "d")
    picture = folder / "images" / "photo.png"
    picture.write_bytes(picture.read_bytes()[:40])
    assert validate(folder) == []
    (fault,) = validate(folder, images=True)
    assert (Path(fault.file).name, fault.line) == ("corpus.jsonl", 2)
    assert "broken picture" in fault.message and "photo.png" in fault.message
    picture.write_bytes(b"")
    assert _told(validate(folder)) == ["corpus.jsonl:2: picture 'images/photo.png' is empty"]


def test_missing_parts(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="nowhere: no such folder"):
        validate(tmp_path / "nowhere")
    assert _told(validate(tmp_path)) == ["corpus.jsonl:0: file not found"]
    (tmp_path / "corpus.jsonl").touch()
    assert _told(validate(tmp_path)) == ["corpus.jsonl:0: no table"]


_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 5)
    | st.floats(allow_nan=False)
    | st.sampled_from(["", "a", "\0"]),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["cells", "x"]), inner, max_size=2)
    ),
    max_leaves=8,
)


@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_no_json_value_anywhere_breaks_the_check(tmp_path: Path, data: st.DataObject) -> None:
    folder = tmp_path / "d"
    if not folder.exists():
        write_tiny(folder, [sales(), photo()])
        (tmp_path / "good").mkdir()
        for name in ("corpus", "queries", "headers"):
            (tmp_path / "good" / name).write_bytes((folder / f"{name}.jsonl").read_bytes())
    for name in ("corpus", "queries", "headers"):
        (folder / f"{name}.jsonl").write_bytes((tmp_path / "good" / name).read_bytes())
    name = data.draw(st.sampled_from(["corpus", "queries", "headers"]))
    record = json.loads((folder / f"{name}.jsonl").read_text().splitlines()[0])
    target = record["grid"] if name == "corpus" and data.draw(st.booleans()) else record
    for key in data.draw(st.lists(st.sampled_from(sorted(target)), min_size=1, max_size=2, unique=True)):
        target[key] = data.draw(_JSON)
    with (folder / f"{name}.jsonl").open("a") as file:
        file.write(json.dumps(record) + "\n")
    faults = validate(folder)
    assert name == "headers" or faults  # the added line repeats an id or has none
    if all("already" in fault.message for fault in faults):  # what is called good can be read
        readers = {"corpus": table_from_record, "queries": query_from_record, "headers": gold_from_record}
        readers[name](record)


def test_evidence_and_conversations_are_checked(tmp_path: Path) -> None:
    folder = write_tiny(tmp_path / "a")
    table = json.loads((folder / "corpus.jsonl").read_text().splitlines()[0])["_id"]
    blocks = [{"kind": "text", "text": "All is well.", "page": 1}, {"kind": "table", "table": table}]
    pages = [{"number": 1, "width": 600, "height": 800, "image": None}]
    document = {"_id": "d", "title": "D", "pages": pages, "blocks": blocks}
    (folder / "documents.jsonl").write_text(json.dumps(document) + "\n")
    query = json.loads((folder / "queries.jsonl").read_text().splitlines()[0])["_id"]
    fact = {"kind": "sentence", "document": "d", "page": 1, "text": "All is well."}
    cell = {"kind": "cell", "document": "d", "text": "1", "row": ["a"], "column": ["b"]}
    evidence = folder / "evidence.jsonl"
    evidence.write_text(json.dumps({"query_id": query, "facts": [fact, cell]}) + "\n")
    _change(folder / "queries.jsonl", 1, lambda record: record.update(history=[["What?", ""]]))
    assert validate(folder) == []
    _change(folder / "queries.jsonl", 1, lambda record: record.update(history=[["", "x"], ["What?"], 3]))
    faults = [{**fact, "kind": "word"}, {**fact, "document": "e"}, {**fact, "page": 0}, {**fact, "text": " "}]
    faults += [{**cell, "row": []}, {**fact, "column": ["b"]}]
    rows = [{"query_id": query, "facts": [one]} for one in faults]
    rows += [{"query_id": "nobody", "facts": [fact]}, {"query_id": query, "facts": []}]
    evidence.write_text("".join(json.dumps(row) + "\n" for row in rows))
    told = "\n".join(_told(validate(folder)))
    for part in (
        *("queries.jsonl:1: 'history'[0]", "'history'[1]", "'history'[2]"),
        *("evidence.jsonl:1: 'facts'[0]: 'kind' must be", "evidence.jsonl:2: query", "unknown document 'e'"),
        *("evidence.jsonl:3: 'facts'[0]: 'page'", "evidence.jsonl:4: 'facts'[0]: 'text'"),
        *("evidence.jsonl:5: 'facts'[0]: 'row'", "evidence.jsonl:6: 'facts'[0]: 'column'"),
        *("evidence.jsonl:7: unknown query id 'nobody'", "evidence.jsonl:8: 'facts' must be"),
    ):
        assert part in told, part
