"""Units as text with tables and pictures in their places."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_report import TABLE, report, table

from tabrag.documents.page_text import Form, UnitTexts
from tabrag.documents.units import units_of
from tabrag.tables.text import markdown
from tabrag.tables.token_estimate import estimate_tokens


def test_forms_of_artefacts():
    units = units_of(report())
    plain = UnitTexts(report(), {TABLE: table()}, form="none", size=500, picture=lambda block: "")
    assert plain.texts(units, size=None) == [
        "Trade\nFruit sold well. Lemons did not.\nTable 1: Sales\nPrices\nFigure 1 shows a fall. It ended.\n"
        "Figure 1: Price of lemons\nNobody knows why."
    ]
    inline = UnitTexts(
        report(), {TABLE: table()}, form="inline", size=500, picture=lambda block: "A.\nB." * (block == 7)
    )
    (text,) = inline.texts(units, size=None)
    assert f"Table 1: Sales\nTable 1: Sales - Fruit report\n{markdown(table())}\nPrices" in text
    assert "It ended.\nA.\nB.\nFigure 1: Price" in text and "EUR" not in text and "ACME" not in text
    sizes = [sum(form.num_tokens(unit) for unit in units) for form in (plain, inline)]
    assert sizes[0] < sizes[1]
    assert sizes[0] == estimate_tokens(plain.texts(units, size=None)[0])


def test_a_long_table_goes_on_under_its_headers():
    units = units_of(report())
    tables = {TABLE: table(60)}
    long = UnitTexts(report(), tables, form="inline", size=100, picture=lambda block: "")
    texts = long.texts(units, size=100)
    holding = [text for text in texts if "lemon" in text and "|" in text]
    assert len(holding) > 5 and all("| fruit | 2019 | 2020 |" in text for text in holding)
    assert all(estimate_tokens(text) <= 100 for text in texts)
    assert all(any(f"lemon {number} |" in text for text in holding) for number in range(60))


@pytest.mark.parametrize("form", ["none", "inline"])
@given(st.integers(20, 120), st.integers(0, 19))
def test_texts_have_every_piece(form: Form, size: int, overlap: int):
    units = units_of(report())
    made = UnitTexts(report(), {TABLE: table(12)}, form=form, size=size, picture=lambda block: "A. B." * 3)
    texts = made.texts(units, size=size, overlap=overlap)
    (whole,) = made.texts(units, size=None)
    assert len(texts) >= 1 and whole.split("\n")[0] in texts[0]
    for unit in units:
        assert all(any(piece.text in text for text in texts) for piece in made.pieces(unit))
    assert made.texts([], size=None) == made.texts([], size=size) == []
