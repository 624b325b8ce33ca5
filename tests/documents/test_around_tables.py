"""Captions told from sentences."""

from __future__ import annotations

import pytest

from tabrag.documents.around_tables import claim_texts, is_caption
from tabrag.types import Block, Table


@pytest.mark.parametrize(
    "text",
    ["Table 3: Sales", "Table 3.1 Sales by region", "TABLE IV. Sales", "Table 3", "Table A-1. Costs"]
    + [
        "Tableau 2 – Ventes",
        "Tabelle 12: Umsatz",
        "Exhibit 99 Revenue",
        "表1 收入",
        "Таблица 5. Цены",
        "Figure 2. Sales",
    ],
)
def test_captions(text: str) -> None:
    assert is_caption(text)


@pytest.mark.parametrize(
    "text",
    ["Table 31 shows that sales grew", "Table 3.1 shows it", "Tabelle 3 zeigt", "Table of contents"]
    + ["Table I love", "Figure 2 shows it", "Tables 3 and 4", "The table 3", "Table 3: " + "long " * 100, ""],
)
def test_sentences(text: str) -> None:
    assert not is_caption(text)


def test_charts_take_captions_of_figures_and_tables_do_not() -> None:
    chart, plain = Table(id="t1", metadata={"kind": "chart"}), Table(id="t2", section="Part")
    blocks = [
        Block(kind="table", table="t1"),
        Block(kind="text", text="Figure 1: Sales"),
        Block(kind="table", table="t2"),
    ]
    claim_texts(blocks, [chart, plain])
    assert (chart.caption, plain.caption, plain.title) == ("Figure 1: Sales", "", "Part")
    assert blocks[1].kind == "caption"


def test_notes_go_on_in_their_text_box_alone() -> None:
    table, box = Table(id="t1"), (0, 0, 10, 10)
    blocks = [
        Block(kind="table", table="t1"),
        Block(kind="text", text="Source: us", box=box),
        Block(kind="text", text="and others", box=box),
        Block(kind="text", text="Something else", box=(0, 20, 10, 30)),
    ]
    claim_texts(blocks, [table])
    assert table.metadata["notes"] == "Source: us\nand others"
    assert [block.kind for block in blocks] == ["table", "note", "note", "text"]


def test_a_printed_caption_stands_before_a_row_over_the_full_width_and_never_twice() -> None:
    table, other = Table(id="t1", caption="Costs of the year"), Table(id="t2", caption="Table 2: Sales")
    blocks = [
        Block(kind="text", text="Table 1: The north"),
        Block(kind="table", table="t1"),
        Block(kind="caption", text="Table 2: Sales"),
        Block(kind="table", table="t2"),
    ]
    claim_texts(blocks, [table, other])
    assert (table.title, table.caption) == ("Table 1: The north", "Table 1: The north Costs of the year")
    assert (other.title, other.caption) == ("Table 2: Sales", "Table 2: Sales")
