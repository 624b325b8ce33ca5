"""Captions told from sentences."""

from __future__ import annotations

import pytest

from tabrag.documents.around_tables import is_caption


@pytest.mark.parametrize(
    "text",
    ["Table 3: Sales", "Table 3.1 Sales by region", "TABLE IV. Sales", "Table 3", "Table A-1. Costs"]
    + ["Tableau 2 – Ventes", "Tabelle 12: Umsatz", "Exhibit 99 Revenue", "表1 收入", "Таблица 5. Цены"],
)
def test_captions(text: str) -> None:
    assert is_caption(text)


@pytest.mark.parametrize(
    "text",
    ["Table 31 shows that sales grew", "Table 3.1 shows it", "Tabelle 3 zeigt", "Table of contents"]
    + ["Table I love", "Tables 3 and 4", "The table 3", "Table 3: " + "long " * 100, ""],
)
def test_sentences(text: str) -> None:
    assert not is_caption(text)
