from __future__ import annotations

import json
import multiprocessing
import pickle
from pathlib import Path

import numpy as np
import pytest
from tiny_tables import sales, write_tiny

from tabrag.data.records import table_from_record
from tabrag.data.store import RecordStore
from tabrag.errors import UserError
from tabrag.types import Table


def _corpus(path: Path, lines: list[str | bytes]) -> Path:
    path.write_bytes(b"\n".join(line if isinstance(line, bytes) else line.encode() for line in lines) + b"\n")
    return path


def _title(store: RecordStore[Table], table_id: str) -> str:
    return store[table_id].title


def test_random_access_by_id_and_iteration_in_order(tmp_path: Path) -> None:
    store = RecordStore(write_tiny(tmp_path / "d") / "corpus.jsonl", table_from_record)
    assert len(store) == 2
    assert list(store.ids) == ["csv/200-csv/0.csv", "plain"]
    assert (store.ids[-1], store.ids[:1]) == ("plain", ["csv/200-csv/0.csv"])
    assert store["plain"].title == "Plain"
    assert store["csv/200-csv/0.csv"] == sales()
    assert [table.id for table in store] == list(store.ids)
    assert "plain" in store and "absent" not in store
    with pytest.raises(KeyError, match="absent"):
        store["absent"]
    with pytest.raises(IndexError):
        store.ids[2]


def test_many_ids_in_any_key_order_with_blank_lines_and_odd_characters(tmp_path: Path) -> None:
    ids = [f'é"{number}\\' for number in range(3000)]
    lines = [
        json.dumps({"_id": i, "title": i}) if n % 2 else json.dumps({"title": i, "_id": i})
        for n, i in enumerate(ids)
    ]
    store = RecordStore(_corpus(tmp_path / "corpus.jsonl", [*lines[:10], "", *lines[10:]]), table_from_record)
    assert list(store.ids) == ids
    assert all(store[table_id].title == table_id for table_id in ids[::7])


def test_equal_hashes_are_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tabrag.data.store._hash", lambda identifier: len(identifier))
    ids = ["aa", "bb", "c", "dd"]
    path = _corpus(tmp_path / "c.jsonl", [json.dumps({"_id": i, "title": i}) for i in ids])
    store = RecordStore(path, table_from_record)
    assert [store[table_id].title for table_id in reversed(ids)] == ids[::-1]
    assert "ee" not in store and "ffff" not in store


def test_faults_name_file_and_line(tmp_path: Path) -> None:
    good = json.dumps({"_id": "a"})
    with pytest.raises(UserError, match=r"none\.jsonl: file not found"):
        RecordStore(tmp_path / "none.jsonl", table_from_record)
    with pytest.raises(UserError, match=r"corpus\.jsonl:3: expected a JSON object with '_id'"):
        RecordStore(_corpus(tmp_path / "corpus.jsonl", [good, "", '{"title": 1}']), table_from_record)
    with pytest.raises(UserError, match=r"corpus\.jsonl:2: .*found 7"):
        RecordStore(_corpus(tmp_path / "corpus.jsonl", [good, '{"_id": 7}']), table_from_record)
    with pytest.raises(UserError, match=r"corpus\.jsonl:2: expected a JSON object with '_id'"):
        RecordStore(_corpus(tmp_path / "corpus.jsonl", [good, "[" * 10**5]), table_from_record)
    with pytest.raises(UserError, match=r"corpus\.jsonl:2: the id 'a' stands in line 1 already"):
        RecordStore(_corpus(tmp_path / "corpus.jsonl", [good, good]), table_from_record)


def test_a_broken_line_is_an_error_only_when_it_is_read(tmp_path: Path) -> None:
    path = _corpus(
        tmp_path / "corpus.jsonl",
        [
            *('{"_id": "a"}', '{"_id": "b", "title": ', '{"_id": "c", "words": ["x"]}'),
            '{"_id": "d", "title": ' + "[" * 10**5,
        ],
    )
    store = RecordStore(path, table_from_record)
    assert store["a"].id == "a"
    with pytest.raises(UserError, match=r"corpus\.jsonl:2: not a JSON object"):
        store["b"]
    with pytest.raises(UserError, match=r"corpus\.jsonl:4: not a JSON object"):
        store["d"]
    with pytest.raises(UserError, match=r"corpus\.jsonl:3: 'c' cannot be read .*1 words need"):
        store["c"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cells": [["a", "b"], ["1"]]}, "row 1 has 1 cells, but row 0 has 2"),
        ({"cells": []}, "needs at least one row and one column"),
        ({"cells": [["a", 1]]}, r"cell \(0, 1\) is 1, not a text"),
        ({"merged": [[0, 5, 0, 0]]}, "does not lie inside the grid of 2 x 2 cells"),
        ({"num_header_rows": 3}, "num_header_rows is 3: it must lie in 0..2"),
        ({"top_paths": [[]]}, "top_paths has 1 paths, but the grid needs 2"),
    ],
)
def test_a_table_that_is_no_grid_names_its_line(tmp_path: Path, change: dict, message: str) -> None:
    grid = {"cells": [["a", "b"], ["1", "2"]], "num_header_rows": 1}
    lines = [json.dumps({"_id": "good", "grid": grid}), json.dumps({"_id": "bad", "grid": grid | change})]
    store = RecordStore(_corpus(tmp_path / "corpus.jsonl", lines), table_from_record)
    assert store["good"].grid is not None and store["good"].grid.cells[1] == ["1", "2"]
    with pytest.raises(UserError, match=rf"corpus\.jsonl:2: 'bad': .*{message}.*; mend the line"):
        store["bad"]


def test_half_a_character_names_its_line(tmp_path: Path) -> None:
    lines = [r'{"_id": "whole", "title": "\ud83d\ude00"}', r'{"_id": "half", "title": "\ud83d"}']
    store = RecordStore(_corpus(tmp_path / "corpus.jsonl", lines), table_from_record)
    assert store["whole"].title == "\U0001f600"
    with pytest.raises(UserError, match=r"corpus\.jsonl:2: half of a character"):
        store["half"]
    with pytest.raises(UserError, match=r"corpus\.jsonl:1: half of a character"):
        RecordStore(_corpus(tmp_path / "corpus.jsonl", [r'{"_id": "\ud83d"}']), table_from_record)


def test_works_in_other_processes(tmp_path: Path) -> None:
    store = RecordStore(write_tiny(tmp_path / "d") / "corpus.jsonl", table_from_record)
    assert store["plain"].title == "Plain"  # the file is open before the fork
    for method in ("fork", "spawn"):
        with multiprocessing.get_context(method).Pool(2) as pool:
            titles = pool.starmap(_title, [(store, table_id) for table_id in list(store.ids) * 5])
        assert titles == [sales().title, "Plain"] * 5


def test_a_file_that_changed_is_refused_by_a_copy(tmp_path: Path) -> None:
    path = write_tiny(tmp_path / "d") / "corpus.jsonl"
    copied = pickle.dumps(RecordStore(path, table_from_record))
    assert pickle.loads(copied)["plain"].title == "Plain"
    path.write_text(path.read_text() + json.dumps({"_id": "new"}) + "\n")
    with pytest.raises(UserError, match="changed while it was in use"):
        pickle.loads(copied)["plain"]


def test_memory_of_an_id_is_small(tmp_path: Path) -> None:
    path = _corpus(tmp_path / "corpus.jsonl", [json.dumps({"_id": f"table-{n:06d}"}) for n in range(20_000)])
    store = RecordStore(path, table_from_record)
    kept = [value for value in vars(store).values() if isinstance(value, np.ndarray | bytes)]
    num_bytes = sum(value.nbytes if isinstance(value, np.ndarray) else len(value) for value in kept)
    assert len(kept) >= 5  # else the sum says nothing
    assert num_bytes / len(store) < 64
    assert not [value for value in vars(store).values() if isinstance(value, list | dict)]
