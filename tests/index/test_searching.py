"""An index that is open: what it finds, and what it says of damaged files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from indexes import entries, entry, found, make, queries, retriever, text

from tabrag.errors import UserError
from tabrag.index import searching
from tabrag.index.folder import Index
from tabrag.index.manifest import KINDS
from tabrag.index.rows import Row
from tabrag.types import Entry, Query


@pytest.mark.parametrize("kind", KINDS)
def test_an_item_is_found_by_its_own_text_also_after_opening_again(kind: str, tmp_path: Path) -> None:
    index = make(tmp_path / "index", kind)
    assert len(index) == 30 and [path.name for path in tmp_path.iterdir()] == ["index"]
    asked = queries(3, 17, 29)
    hits = found(index, asked)
    assert [hits[query.id][0][0] for query in asked] == ["t003", "t017", "t029"]
    assert len({item_id for item_id, _ in hits["q3"]}) == 5 or kind == "bm25"
    assert found(Index.open(tmp_path / "index"), asked) == hits
    stages = {one.stage for one in index.search(asked, 2, retriever())["q3"]}
    assert stages == {"bm25" if kind == "bm25" else "dense"}


@pytest.mark.parametrize("kind", KINDS)
def test_any_names_and_nothing_but_names_of_the_collection(kind: str, tmp_path: Path) -> None:
    names = ["tab/1", "007", "7", "é", str(2**60), str(2**60 + 1)]
    index = make(tmp_path / "index", kind, [entry(place, item=name) for place, name in enumerate(names)])
    index = Index.open(tmp_path / "index")
    for place, name in enumerate(names):
        hits = found(index, queries(place), 10)[f"q{place}"]
        assert hits[0][0] == name
        assert {item_id for item_id, _ in hits} <= set(names)
    assert list(index.item_ids) == sorted(names)


@pytest.mark.parametrize("kind", KINDS)
def test_large_k_gives_each_item_once_and_k_must_be_positive(kind: str, tmp_path: Path) -> None:
    index = make(tmp_path / "index", kind, [entry(place, content=f"same word {place}") for place in range(4)])
    hits = found(index, [Query(id="q", text="same word")], 10)["q"]
    assert sorted(item_id for item_id, _ in hits) == ["t000", "t001", "t002", "t003"]
    for k in (0, -1):
        with pytest.raises(UserError, match="set k >= 1"):
            found(index, queries(1), k)


@pytest.mark.parametrize("kind", ["exact", "bm25"])
def test_empty_collection_and_no_queries(kind: str, tmp_path: Path) -> None:
    index = make(tmp_path / "index", kind, [])
    assert len(index) == 0
    assert found(Index.open(tmp_path / "index"), queries(1)) == {"q1": []}
    assert found(make(tmp_path / "other", kind), []) == {}


def test_faiss_of_an_empty_collection_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no vectors to index"):
        make(tmp_path / "index", "faiss-ivf", [])
    assert not (tmp_path / "index").exists()


@pytest.mark.parametrize("kind", ["exact", "faiss-hnsw", "bm25"])
def test_an_item_counts_with_its_best_entry_and_k_means_items(kind: str, tmp_path: Path) -> None:
    # the first item holds the 40 best entries: search has to go past them
    crowd = [
        Entry(id=f"a#{place}" if place else "a", item_id="a", text=f"apple and apple {place % 2}")
        for place in range(40)
    ]
    index = make(
        tmp_path / "index", kind, [*crowd, *(entry(n, content=f"apple {text(n)}") for n in range(1, 9))]
    )
    assert (index.manifest.num_entries, index.manifest.num_items) == (48, 9)
    hits = found(index, [Query(id="q", text="apple and apple 0")], 4)["q"]
    assert len(hits) == len({item_id for item_id, _ in hits}) == 4
    assert hits[0][0] == "a"
    assert [score for _, score in hits] == sorted((score for _, score in hits), reverse=True)
    assert len(found(index, [Query(id="q", text="apple and apple 0")], 100)["q"]) == 9


def test_opening_while_another_index_takes_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path / "index", "bm25", entries(1, 2, 3))
    turns = iter([entries(4), entries(5, 6, 7)])  # first another number of rows, then the same as before

    def read_rows(path: Path) -> list[Row]:
        if (new := next(turns, None)) is not None:
            monkeypatch.setattr(searching, "read_rows", original)
            make(path, "bm25", new)
            monkeypatch.setattr(searching, "read_rows", read_rows)
        return original(path)

    original = searching.read_rows
    monkeypatch.setattr(searching, "read_rows", read_rows)
    index = Index.open(tmp_path / "index")
    assert list(index.item_ids) == ["t005", "t006", "t007"]
    assert next(turns, None) is None
    assert [hits[0][0] for hits in found(index, queries(6)).values()] == ["t006"]


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-10])


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-3] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize("kind", ["exact", "faiss-ivf", "bm25"])
@pytest.mark.parametrize(
    ("damage", "message"), [(cut, "bytes instead of"), (flip, "checksum differs"), (Path.unlink, "missing")]
)
def test_a_damaged_file_is_named(kind: str, damage: Any, message: str, tmp_path: Path) -> None:
    make(tmp_path / "index", kind)
    names = [path.name for path in (tmp_path / "index").iterdir() if path.name != "manifest.json"]
    assert len(names) >= 2
    for name in names:
        whole = (tmp_path / "index" / name).read_bytes()
        damage(tmp_path / "index" / name)
        with pytest.raises(UserError, match=f"{name}.*{message}"):
            Index.open(tmp_path / "index")
        (tmp_path / "index" / name).write_bytes(whole)
    Index.open(tmp_path / "index")


def test_a_manifest_that_does_not_fit(tmp_path: Path) -> None:
    make(tmp_path / "index", "exact")
    path = tmp_path / "index" / "manifest.json"
    whole = json.loads(path.read_text())
    assert (
        whole["num_entries"] == 30
        and whole["dim"] == 32
        and set(whole["files"]) == {"entries.jsonl", "vectors.npy"}
    )
    for change, message in (
        ({"num_entries": 29}, "30 entries but 29"),
        ({"format_version": 99}, "format version 99"),
        ({"colour": "red"}, "colour"),
        ({"num_entries": 30.5}, "'num_entries' is 30.5, expected a whole number: build the index again"),
        ({"dim": "32"}, "'dim' is '32'"),
        ({"files": ["entries.jsonl"]}, "'files' is .*, expected names with values"),
        ({"files": {"entries.jsonl": {"bytes": None}}}, "'files.entries.jsonl.bytes' is None"),
        ({"files": {"entries.jsonl": {}}}, "bytes instead of None, the index is not whole"),
    ):
        path.write_text(json.dumps({**whole, **change}))
        with pytest.raises(UserError, match=message):
            Index.open(tmp_path / "index")
    path.write_text('{"format_version": 1,')
    with pytest.raises(UserError, match="manifest.json: not a JSON file"):
        Index.open(tmp_path / "index")
    path.unlink()
    with pytest.raises(UserError, match="no index here"):
        Index.open(tmp_path / "index")
    with pytest.raises(UserError, match="is not an index"):
        make(tmp_path / "index", "exact")
    with pytest.raises(UserError, match="no index here"):
        Index.open(tmp_path / "nowhere")
