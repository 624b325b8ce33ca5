"""What is read of documents: within the budget, in document order, the parts that fit."""

from __future__ import annotations

from tiny_tables import sales

from tabrag.documents.part import PartId, part_of
from tabrag.documents.units import units_of
from tabrag.documents.whole import WholeDocument
from tabrag.inference.config import ContextConfig
from tabrag.inference.document_text import document_texts
from tabrag.types import Block, Document


def whole(name: str, *texts: str, with_table: bool = False) -> WholeDocument:
    blocks = [Block(kind="text", text=text) for text in texts]
    tables = {}
    if with_table:
        table = sales()
        table.id = f"{name}#t1"
        tables = {table.id: table}
        blocks.insert(1, Block(kind="table", table=table.id))
    return WholeDocument(Document(id=name, title=f"Report {name}", blocks=blocks), tables)


def words(text: str) -> int:
    return len(text.split())


def test_a_small_document_is_shown_whole_in_its_order():
    document = whole("d", "Fruit sold well. Lemons did not.", "The end.", with_table=True)
    (shown,) = document_texts([document], "lemons", config=ContextConfig(max_tokens=900), num_tokens=words)
    assert shown.blocks == (0, 1, 2) and list(shown.tables) == ["d#t1"]
    first, table, last = shown.text.index("Fruit sold"), shown.text.index("| lemon"), shown.text.index("The")
    assert first < table < last and "Fruit sold well. Lemons did not." in shown.text
    assert "..." not in shown.text


def test_what_fits_the_question_is_taken_over_all_documents_under_one_budget():
    one = whole("one", "Rain fell in May. Costs rose. Nothing else.", "Wages fell.", "Rents rose in June.")
    two = whole("two", "Snow fell.", "Costs of fruit rose in June 2019.")
    none = whole("none", "Weather.")
    config = ContextConfig(max_tokens=16)
    shown = document_texts([one, two, none], "fruit costs in June", config=config, num_tokens=words)
    assert "Costs of fruit rose in June 2019." in shown[1].text and "Snow" not in shown[1].text
    assert shown[0].text == "Costs rose.\n...\nRents rose in June." and shown[0].blocks == (0, 2)
    assert shown[2].text == "" and shown[2].blocks == ()
    assert sum(words(one.text) for one in shown) <= 16
    assert document_texts([], "fruit") == []


def test_a_table_is_cut_to_its_share():
    document = whole("d", "Fruit.", with_table=True)
    (shown,) = document_texts([document], "lemon in 2019", config=ContextConfig(max_tokens=60))
    context = shown.tables["d#t1"]
    assert context.num_hidden_rows + context.num_hidden_cols > 0 and "lemon" in context.text


def test_parts_that_lie_apart_in_their_document_have_a_gap_between_them():
    document = whole("d", "Fruit sold well. Lemons did not.", "Wages fell.", "The end.", with_table=True)
    units = units_of(document.document)
    assert [unit.block for unit in units] == [0, 0, 1, 2, 3]
    apart = part_of(document, PartId("d", units=(1, 2)), [*units[:2], units[4]])
    together = part_of(document, PartId("d", units=(3, 5)), units[2:])
    config = ContextConfig(max_tokens=900)
    shown = document_texts([apart, together], "lemons", config=config, num_tokens=words)
    assert shown[0].text == "Fruit sold well. Lemons did not.\n...\nThe end." and shown[0].blocks == (0, 1)
    assert "..." not in shown[1].text and shown[1].blocks == (0, 1, 2) and list(shown[1].tables) == ["d#t1"]
