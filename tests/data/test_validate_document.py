"""Each fault of a document's line is told; documents load with ``datasets`` too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from tiny_tables import sales

from tabrag.data.card import Card
from tabrag.data.dataset import Dataset
from tabrag.data.document_records import document_to_record
from tabrag.data.prepare import prepare
from tabrag.data.validate import validate
from tabrag.data.validate_document import document_faults
from tabrag.types import Block, Document, Page


def record() -> dict[str, Any]:
    blocks = [
        Block(kind="heading", text="Trade", level=1, page=1, box=(0, 0, 10, 10)),
        Block(kind="table", table=sales().id, page=1),
        Block(kind="picture", text="A tree", image="images/d/1.png", decoration=True),
    ]
    pages = [Page(number=1, width=595.0, height=842.0, image="pages/d/1.png")]
    document = Document(id="d", title="Report", blocks=blocks, pages=pages, layout="vertical")
    return document_to_record(document)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("images/d/1.png", "pages/d/1.png"):
        (tmp_path / "d" / name).parent.mkdir(parents=True)
        Image.new("L", (4, 4)).save(tmp_path / "d" / name)
    return tmp_path / "d"


def faults(record: dict[str, Any], folder: Path) -> list[str]:
    return document_faults(record, folder=folder, known={sales().id}, decode_images=True)


def test_a_good_one_has_none(folder: Path) -> None:
    assert faults(record(), folder) == []
    assert faults({"_id": "d"}, folder) == []


@pytest.mark.parametrize(
    ("path", "value", "fault"),
    [
        (["extra"], 1, "unknown key 'extra'"),
        (["title"], 1, "'title' must be a text, found 1"),
        (["blocks"], {}, "'blocks' must be a list, found {}"),
        (["blocks", 0], "x", "'blocks'[0]: must be an object, found 'x'"),
        (["blocks", 0, "kind"], "poem", "'blocks'[0]: 'kind' must be one of heading, text"),
        (["blocks", 0, "text"], 1, "'blocks'[0]: 'text' must be a text, found 1"),
        (["blocks", 0, "level"], "1", "'blocks'[0]: 'level' must be a whole number"),
        (["blocks", 0, "table"], "x", "'blocks'[0]: kind 'heading' with 'table' 'x'"),
        (["blocks", 0, "page"], 2, "'blocks'[0]: page 2 is none of the document's pages"),
        (["blocks", 0, "box"], [0, 0, 1], "'blocks'[0]: 'box' must be [x0, y0, x1, y1]"),
        (["blocks", 1, "table"], "gone", "'blocks'[1]: unknown table 'gone'"),
        (["blocks", 1, "table"], None, "'blocks'[1]: kind 'table' with 'table' None"),
        (["blocks", 0], {"kind": "table", "table": sales().id}, "'blocks'[1]: table 'csv/200-csv/0.csv' has"),
        (["blocks", 2, "image"], "images/gone.png", "picture 'images/gone.png' is missing"),
        (["blocks", 2, "image"], "../x.png", "leads out of the folder"),
        (["pages", 0, "number"], 0, "'pages'[0]: 'number' must be a whole number from 1 up"),
        (["pages", 0, "width"], -1, "'pages'[0]: 'width' must be a number above 0"),
        (["pages", 0, "image"], 5, "'image' must be a path relative to the folder, found 5"),
        (["layout"], "diagonal", "'layout' must be vertical or horizontal, found 'diagonal'"),
        (["layout"], ["vertical"], "'layout' must be vertical or horizontal"),
        (["blocks", 2, "decoration"], 1, "'blocks'[2]: 'decoration' must be true or false, found 1"),
        (["blocks", 0, "decoration"], True, "'decoration' of a block of kind 'heading': only pictures"),
        (["source"], {"page": 0}, "'source.page' must be a whole number"),
        (["metadata"], {"a": 1}, "'metadata' must be an object whose values are texts"),
    ],
)
def test_each_fault(folder: Path, path: list[Any], value: Any, fault: str) -> None:
    broken = record()
    part: Any = broken
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    assert any(fault in found for found in faults(broken, folder)), faults(broken, folder)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["kind", "table", "page", "number", "box", "text", "decoration"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=6,
)


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.sampled_from(["title", "pages", "blocks", "layout", "source", "metadata"]), JSON))
def test_no_json_value_breaks_the_check(broken: dict[str, Any]) -> None:
    assert isinstance(document_faults(broken, folder=Path("/"), known=set(), decode_images=False), list)


def test_tables_whose_document_is_missing_are_told(tmp_path: Path) -> None:
    table = sales()
    table.document = "gone"
    data = Dataset(card=Card(name="x"), tables=[table], documents=[Document(id="d")])
    prepare(data, tmp_path / "d")
    (fault,) = validate(tmp_path / "d")
    assert "stands in the document 'gone', which is not there" in fault.message


def test_datasets_loads_documents(tmp_path: Path) -> None:
    import datasets

    tables = [sales()]
    tables[0].document = "d"
    first = Document(id="a", blocks=[Block(kind="text", text="Only text.")])
    blocks = [
        Block(kind="heading", text="T", level=2, page=1, box=(0, 0, 5, 5)),
        Block(kind="picture", text="Logo", page=1, decoration=True),
    ]
    second = Document(
        id="d",
        title="Report",
        blocks=[*blocks, Block(kind="table", table=tables[0].id)],
        pages=[Page(number=1, width=595, height=842.5)],
        metadata={"author": "me"},
        layout="horizontal",
    )
    prepare(Dataset(card=Card(name="x"), tables=tables, documents=[first, second]), tmp_path / "d")
    assert validate(tmp_path / "d") == []

    def load(name: str) -> datasets.Dataset:
        return datasets.load_dataset(str(tmp_path / "d"), name, cache_dir=str(tmp_path / "cache"))[name]

    documents = load("documents")
    assert documents["_id"][:] == ["a", "d"]
    assert documents[1]["blocks"][0]["box"] == [0, 0, 5, 5]
    assert documents[1]["blocks"][1]["decoration"] is True and documents[1]["layout"] == "horizontal"
    assert documents[1]["blocks"][2]["table"] == tables[0].id
    assert documents[1]["pages"][0]["height"] == 842.5
    assert json.loads(documents[1]["metadata"]) == {"author": "me"}
    assert load("corpus")[0]["document"] == "d"
