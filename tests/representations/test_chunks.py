"""Chunks as items: their texts, and the tables and pictures that lead to them."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_report import TABLE, report, table, write

from tabrag.data.folder import DataFolder
from tabrag.documents.part import DocumentPart, document_of
from tabrag.errors import UserError
from tabrag.files import inside
from tabrag.representations import RepresentationConfig, build, entries_of, item_kind
from tabrag.representations.image import BLANK
from tabrag.tables.token_estimate import estimate_tokens
from tabrag.types import Document, Entry


def entries(document: Document | None = None, *, num_rows: int = 3, **options: object) -> list[Entry]:
    represent = build(RepresentationConfig(name="chunks", options=options))  # type: ignore[arg-type]
    return represent(document or report(), tables={TABLE: table(num_rows)})


def test_text_tables_and_pictures_are_entries_of_the_chunk_that_they_stand_in():
    assert item_kind(RepresentationConfig(name="chunks")) == "document"
    found = entries(size=45, overlap=0, table_options={"windows": False})
    assert [(entry.id, entry.item_id) for entry in found] == [
        ("r.pdf#u1-5", "r.pdf#u1-5"),
        ("r.pdf#u1-5#t1", "r.pdf#u1-5"),
        ("r.pdf#u6-9", "r.pdf#u6-9"),
        ("r.pdf#u10-12", "r.pdf#u10-12"),
        ("r.pdf#u10-12#i2", "r.pdf#u10-12"),
    ]
    assert found[0].text == "Fruit report\nTrade\nFruit sold well. Lemons did not.\nTable 1: Sales"
    (described,) = build(RepresentationConfig(name="summary"))(table())
    assert found[1].text == described.text and "2019" in described.text
    assert found[2].text.startswith("Fruit report > Trade\nPrices\nFigure 1 shows")
    assert found[3].text.startswith("Fruit report > Trade > Prices\nFigure 1: Price"), "no logo, no picture"
    assert found[4].text.endswith("EUR 4\nIt ended. Nobody knows why. Figure 1 shows a fall.")


def test_options():
    bare = entries(title=False, table=None, picture=False)
    assert [(entry.id, entry.text.splitlines()[0]) for entry in bare] == [("r.pdf#u1-12", "Trade")]
    nodes = entries(table="hrcl", picture=False)
    ids = [entry.id for entry in nodes]
    assert ids[:3] == ["r.pdf#u1-12", "r.pdf#u1-12#t1", "r.pdf#u1-12#t1#w2"] and len(ids) > 5
    assert {entry.item_id for entry in nodes} == {"r.pdf#u1-12"}
    long = entries(table="markdown", num_rows=100, size=200, overlap=20, picture=False)
    tables = [entry for entry in long if "#t1" in entry.id]
    assert len(tables) > 3 and all(estimate_tokens(entry.text) <= 200 for entry in tables)
    whole = entries(table="markdown", table_options={"windows": False}, num_rows=100, size=200, overlap=20)
    assert sum("#t1" in entry.id for entry in whole) == 1


def test_an_artefact_in_two_chunks_belongs_to_the_first():
    found = entries(size=40, overlap=30)
    chunks = [entry.item_id for entry in found if entry.id == entry.item_id]
    spans = [tuple(map(int, chunk.rpartition("#u")[2].split("-"))) for chunk in chunks]
    holding = [chunk for chunk, (first, last) in zip(chunks, spans, strict=True) if first <= 10 <= last]
    assert len(holding) > 1, "the chart (unit 10) stands in several chunks"
    assert [entry.item_id for entry in found if entry.id.endswith("#i2")] == holding[:1]


def test_windows_lead_to_their_chunk_and_hold_all_of_it():
    (whole, *_), found = entries(picture=False), entries(window=12, picture=False)
    texts = [entry for entry in found if "#t1" not in entry.id]
    assert [entry.id for entry in texts[:2]] == ["r.pdf#u1-12", "r.pdf#u1-12#w2"] and len(texts) > 3
    assert {entry.item_id for entry in found} == {"r.pdf#u1-12"}
    assert [entry for entry in found if "#t1" in entry.id] == entries(picture=False)[1:], "tables as they are"
    head, *lines = whole.text.splitlines()
    assert all(entry.text.startswith(f"{head}\n") for entry in texts)
    said = " ".join(entry.text.removeprefix(f"{head}\n") for entry in texts)
    assert said.split() == " ".join(lines).split()


def test_interleaved_chunks_hold_tables_and_descriptions(tmp_path: Path):
    (one,) = entries(artefacts="interleaved")
    assert "| lemon 1 | 11 | 21 |" in one.text and "EUR 4" in one.text and one.image is None
    assert "ACME" not in one.text
    data = write(tmp_path / "data", num_rows=40)
    folder = DataFolder(data)
    options = {"artefacts": "interleaved", "size": 150, "overlap": 0, "image": True}
    represent = build(RepresentationConfig(name="chunks", options=options))
    found = entries_of(represent, folder.items["r.pdf"], folder=data)
    with_table = [entry for entry in found if "| lemon" in entry.text]
    assert len(with_table) > 3 and len({entry.item_id for entry in with_table}) == 1
    assert [entry.id.rpartition("#")[2] for entry in with_table[1:3]] == ["w2", "w3"]
    chart = str(inside(data, "images/chart.png"))
    assert [entry.image for entry in found if "EUR 4" in entry.text] == [chart]
    assert {entry.image for entry in with_table} == {str(BLANK)}


def test_a_slide_is_one_chunk():
    found = entries(report(layout="horizontal"), size=20, overlap=0)
    assert list(dict.fromkeys(entry.item_id for entry in found)) == ["r.pdf#u1-5", "r.pdf#u6-12"]
    assert [entry.id for entry in found if entry.item_id == "r.pdf#u6-12"] == [
        "r.pdf#u6-12",
        "r.pdf#u6-12#w2",
        "r.pdf#u6-12#i2",
    ]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"size": 20, "overlap": 9},
        {"size": 20, "overlap": 9, "artefacts": "interleaved"},
        {"size": 20, "overlap": 9, "table": "hrcl"},
    ],
)
@pytest.mark.parametrize("layout", ["", "horizontal"])
def test_ids_are_unique_and_items_open(tmp_path: Path, options: dict[str, object], layout: str):
    folder = DataFolder(write(tmp_path / "data", report(layout=layout), num_rows=9))
    represent = build(RepresentationConfig(name="chunks", options=options))  # type: ignore[arg-type]
    found = entries_of(represent, folder.items["r.pdf"], folder=folder.path)
    ids = [entry.id for entry in found]
    assert len(ids) == len(set(ids)) > 1 and all(one.startswith("r.pdf#u") for one in ids)
    assert all(entry.text.strip() for entry in found)
    for entry in found:
        item = folder.items[entry.item_id]
        assert isinstance(item, DocumentPart) and item.units and document_of(entry.item_id) == "r.pdf"
        if "#t1" in entry.id:
            assert list(item.tables) == [TABLE]


def test_choices_that_do_not_fit_are_refused():
    for options, message in (
        ({"artefacts": "all"}, "use one of entries, interleaved"),
        ({"image": True}, "needs artefacts: interleaved"),
        ({"window": 0}, "window is 0"),
        ({"table": "sentences"}, "'sentences' represents no table"),
        ({"table": "none"}, "unknown representation 'none'"),
        ({"size": 10, "overlap": 10}, "smaller overlap"),
        ({"size": "many"}, "must be of type int"),
    ):
        with pytest.raises(UserError, match=message):
            entries(**options)
