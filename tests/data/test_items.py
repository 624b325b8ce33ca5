"""Tables, documents, parts of documents and nodes of trees by their ids."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest
from small_report import TABLE, report, write

from tabrag.data import items as items_module
from tabrag.data.folder import DataFolder, write_documents, write_tables
from tabrag.data.ingest import ingest
from tabrag.data.validate import validate
from tabrag.documents.part import DocumentPart, document_of
from tabrag.documents.units import units_of
from tabrag.documents.whole import WholeDocument
from tabrag.errors import UserError
from tabrag.index.folder import Index
from tabrag.inference.index_job import index_folder
from tabrag.representations import RepresentationConfig
from tabrag.tables.grid import make_grid
from tabrag.types import Block, Document, Query, Table


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("items") / "data")


@pytest.fixture(scope="module")
def trees(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("items") / "trees.jsonl"
    nodes = [
        {"number": 1, "layer": 0, "text": "Trade", "units": [1, 5]},
        {"number": 2, "layer": 1, "text": "Sales fell.", "children": [1]},
    ]
    path.write_text(json.dumps({"_id": "r.pdf", "nodes": nodes}) + "\n")
    return path


def texts(item: object) -> list[str]:
    assert isinstance(item, WholeDocument)
    return [block.text for block in item.document.blocks]


def test_an_id_gives_a_table_a_document_or_a_part(data: Path, trees: Path):
    items = DataFolder(data, trees=trees).items
    assert isinstance(items[TABLE], Table)
    whole = items["r.pdf"]
    assert type(whole) is WholeDocument and len(texts(whole)) == len(report().blocks)
    chunk, page, node = items["r.pdf#u2-3"], items["r.pdf#p2"], items["r.pdf#n2"]
    assert all(isinstance(part, DocumentPart) for part in (chunk, page, node))
    assert texts(chunk) == ["Fruit sold well. Lemons did not."]
    assert texts(page)[0] == "Prices" and "Figure 1: Price of lemons" in texts(page)
    assert texts(node) == ["Sales fell."]
    assert [part.id for part in (chunk, page, node)] == ["r.pdf#u2-3", "r.pdf#p2", "r.pdf#n2"]
    assert list(items.ids) == [TABLE, "r.pdf"], "parts are not listed"
    assert "r.pdf" in items and "r.pdf#p2" not in items


def test_all_units_are_found_through_their_chunks(data: Path):
    items = DataFolder(data).items
    units = units_of(report())
    assert len(units) > 8
    for unit in units:
        part = items[f"r.pdf#u{unit.number}-{unit.number}"]
        assert isinstance(part, DocumentPart) and part.units == (unit,)


@pytest.mark.parametrize("item_id", ["x", "x#p1", "r.pdf#t9", "r.pdf#x1", "#p1"])
def test_what_is_not_there_is_a_key_error(data: Path, item_id: str):
    with pytest.raises(KeyError):
        DataFolder(data).items[item_id]


@pytest.mark.parametrize("item_id", ["r.pdf#p9", "r.pdf#u1-99", "r.pdf#u0-1"])
def test_a_part_of_another_version_says_so(data: Path, item_id: str):
    with pytest.raises(UserError, match="build the index again"):
        DataFolder(data).items[item_id]


@pytest.mark.parametrize("item_id", ["r.pdf#n0", "r.pdf#n3"])
def test_a_node_of_another_file_of_trees_says_so(data: Path, trees: Path, item_id: str):
    with pytest.raises(UserError, match="another file of trees"):
        DataFolder(data, trees=trees).items[item_id]
    with pytest.raises(UserError, match=r"tree\.file"):
        DataFolder(data).items[item_id]


def test_a_file_of_trees_of_other_documents_or_none_says_so(data: Path, tmp_path: Path):
    other = tmp_path / "trees.jsonl"
    with pytest.raises(UserError, match="no file of trees"):
        _ = DataFolder(data, trees=other).items
    other.write_text('{"_id": "b.pdf", "nodes": []}\n')
    with pytest.raises(UserError, match=r"no tree of the document 'r\.pdf'"):
        DataFolder(data, trees=other).items["r.pdf#n1"]


def test_a_document_with_the_id_of_a_part_is_refused(tmp_path: Path):
    data = write(tmp_path / "data")
    write_documents(data, [report(), Document(id="r.pdf#p1", blocks=[Block(kind="text", text="?", page=1)])])
    with pytest.raises(UserError, match=r"documents\.jsonl: 'r\.pdf#p1' is no id of a document"):
        _ = DataFolder(data).items
    (fault,) = [fault for fault in validate(data) if "r.pdf#p1" in fault.message]
    assert fault.line == 2 and "part or table of 'r.pdf'" in fault.message


@pytest.mark.parametrize(
    ("table_id", "said"),
    [
        *[(f"r.pdf{ending}", "a part of the document 'r.pdf'") for ending in ("#p1", "#n5", "#u1-2", "#p99")],
        ("r.pdf", "the id of a document, too"),
    ],
)
def test_a_table_behind_which_a_document_or_a_part_would_hide_is_refused(
    tmp_path: Path, table_id: str, said: str
):
    data = write(tmp_path / "data")
    other = Table(id=table_id, title="Other", grid=make_grid([["a", "b"], ["c", "1"]], num_header_rows=1))
    write_tables(data, [*DataFolder(data).tables, other])
    with pytest.raises(UserError, match=rf"corpus\.jsonl: '{table_id}' is .*{said}"):
        _ = DataFolder(data).items
    (fault,) = validate(data)
    assert (fault.line, Path(fault.file).name) == (2, "corpus.jsonl") and said in fault.message
    assert DataFolder(data).tables[table_id].title == "Other"


def test_tables_that_look_like_parts_of_no_document_are_well(tmp_path: Path):
    data = write(tmp_path / "data")
    others = [
        Table(id=name, title=name, grid=make_grid([["a"], ["1"]])) for name in ("x#p1", "x#n2", "r.pdf#p")
    ]
    write_tables(data, [*DataFolder(data).tables, *others])
    assert validate(data) == []
    assert [DataFolder(data).items[one.id].id for one in others] == [one.id for one in others]


def test_files_with_a_hash_in_their_names_are_found_with_their_parts(tmp_path: Path):
    files = {"a#p1.txt": "Apples.", "a.txt": "Pears.", "x#n2/b#t1.txt": "Plums.", "x#n2.txt": "Figs."}
    for name, text in files.items():
        (tmp_path / "files" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "files" / name).write_text(text)
    ingest(tmp_path / "files", tmp_path / "data", num_workers=1)
    items = DataFolder(tmp_path / "data").items
    assert set(items.ids) == set(files)
    for name, text in files.items():
        assert texts(items[name]) == texts(items[f"{name}#u1-1"]) == [text]
        assert document_of(f"{name}#u1-1") == document_of(name) == name
    index = tmp_path / "index"
    index_folder(tmp_path / "data", index, kind="bm25", representation=RepresentationConfig(name="chunks"))
    found = Index.open(index).search([Query(id="q", text="plums")], k=1)["q"]
    assert [document_of(one.item_id) for one in found] == ["x#n2/b#t1.txt"]


def test_few_documents_are_kept_and_none_travels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(items_module, "_NUM_KEPT", 2)
    data = write(tmp_path / "data")
    many = [Document(id=f"d{n}", blocks=[Block(kind="text", text=f"Text {n}.", page=1)]) for n in range(5)]
    write_documents(data, [report(), *many])
    items = DataFolder(data).items
    for _ in range(2):
        for n in range(5):
            assert texts(items[f"d{n}#p1"]) == [f"Text {n}."]
    assert list(items._kept) == ["d3", "d4"]
    other = pickle.loads(pickle.dumps(items))
    assert not other._kept and texts(other["d1#u1-1"]) == ["Text 1."]
