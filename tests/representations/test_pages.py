"""Pages as items: their texts, whole or in chunks, and their pictures."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_report import TABLE, report, table, write

from tabrag.data.folder import DataFolder
from tabrag.documents.part import DocumentPart
from tabrag.errors import UserError
from tabrag.files import inside
from tabrag.representations import RepresentationConfig, build, entries_of
from tabrag.tables.text import markdown
from tabrag.tables.token_estimate import estimate_tokens
from tabrag.types import Block, Document, Entry


def entries(document: Document | None = None, *, num_rows: int = 3, **options: object) -> list[Entry]:
    represent = build(RepresentationConfig(name="pages", options=options))  # type: ignore[arg-type]
    return represent(document or report(), tables={TABLE: table(num_rows)})


def test_a_page_is_one_entry_with_its_tables_and_descriptions():
    first, second = entries()
    assert (first.id, first.item_id, second.item_id) == ("r.pdf#p1", "r.pdf#p1", "r.pdf#p2")
    assert first.text.startswith("Fruit report\nTrade\nFruit sold well.") and markdown(table()) in first.text
    assert second.text.startswith("Fruit report > Trade\nPrices\nFigure 1 shows a fall. It ended.\n")
    assert "EUR 4" in second.text and "ACME" not in second.text
    assert entries(title=False)[0].text.startswith("Trade\n")
    (long, _) = entries(num_rows=300)
    assert long.text.count("| fruit |") == 1 and "| lemon 299 |" in long.text


def test_chunks_of_a_page_lead_to_it():
    found = entries(num_rows=60, chunk=100, overlap=20)
    assert all(estimate_tokens(entry.text) <= 110 for entry in found)
    assert [entry.id for entry in found[:3]] == ["r.pdf#p1", "r.pdf#p1#w2", "r.pdf#p1#w3"]
    assert {entry.item_id for entry in found} == {"r.pdf#p1", "r.pdf#p2"}
    assert sum("| fruit |" in entry.text for entry in found) > 5, "parts of the table have its header"


def test_pictures_of_pages(tmp_path: Path):
    folder = DataFolder(write(tmp_path / "data"))
    represent = build(RepresentationConfig(name="pages", options={"text": False, "image": True}))
    found = entries_of(represent, folder.items["r.pdf"], folder=folder.path)
    assert [(entry.id, entry.item_id) for entry in found] == [
        ("r.pdf#p2#i", "r.pdf#p2"),
        ("r.pdf#p3#i", "r.pdf#p3"),
    ], "page 1 has no picture"
    assert [entry.image for entry in found] == [str(inside(folder.path, f"pages/{n}.png")) for n in (2, 3)]
    assert [word.text for word in found[0].words or ()][:3] == ["Figure", "1", "shows"] and found[
        1
    ].words == []
    both = build(RepresentationConfig(name="pages", options={"image": True}))
    assert len(entries_of(both, folder.items["r.pdf"], folder=folder.path)) == 4
    for entry in found:
        assert isinstance(folder.items[entry.item_id], DocumentPart)


def test_a_document_without_pages_has_spans_in_their_place(tmp_path: Path):
    document = report(pages=False)
    more = [Block(kind="text", text=f"Sentence {number} says that prices will rise.") for number in range(80)]
    document.blocks += [*more[:25], Block(kind="heading", text="Outlook", level=1), *more[25:]]
    folder = DataFolder(write(tmp_path / "data", document))
    found = entries_of(build(RepresentationConfig(name="pages")), folder.items["r.pdf"], folder=folder.path)
    assert len(found) > 1 and found[0].item_id == "r.pdf#u1-37" and found[1].text.split("\n")[1] == "Outlook"
    assert all(estimate_tokens(entry.text) <= 510 for entry in found)
    seen = [unit.number for entry in found for unit in folder.items[entry.item_id].units]  # type: ignore[union-attr]
    assert seen == list(range(1, 94)), "each unit once"


def test_items_do_not_depend_on_the_chunks():
    document = report(pages=False)
    document.blocks += [Block(kind="text", text=f"Sentence {number} is short.") for number in range(80)]
    items = [
        list(dict.fromkeys(entry.item_id for entry in entries(document, num_rows=40, **options)))
        for options in ({}, {"chunk": 40, "overlap": 10}, {"chunk": 200})
    ]
    assert items[0] == items[1] == items[2] and len(items[0]) > 1


def test_what_stands_on_no_page_is_found_too():
    document = report()
    document.blocks[0].page = document.blocks[5].page = None
    items = [entry.item_id for entry in entries(document)]
    assert items == ["r.pdf#p1", "r.pdf#p2", "r.pdf#u1-1", "r.pdf#u7-8"]


def test_nothing_to_search_is_refused():
    with pytest.raises(UserError, match="set one of them"):
        entries(text=False)
    with pytest.raises(UserError, match="needs the data set folder"):
        entries(image=True)
    with pytest.raises(UserError, match="smaller overlap"):
        entries(chunk=50, overlap=50)
