"""Numbers of answers against the units that tables state."""

from __future__ import annotations

import pytest

from tabrag.inference.checks import check_number, check_sentence
from tabrag.inference.evidence import locate
from tabrag.inference.units import Unit, unit_at, unit_of_text
from tabrag.tables.grid import make_grid
from tabrag.types import Grid, Table


def accounts() -> Grid:
    cells = [
        ["", "revenue ($ millions)", "share (%)", "staff", "area"],
        ["north", "1.2", "35", "1,250", "12 km²"],
        ["south", "7.5", "65%", "990", "€5"],
    ]
    return make_grid(cells, num_header_rows=1, num_header_cols=1)


TABLE = Table(id="t", title="Accounts", grid=accounts())


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("Revenue ($ millions)", Unit(scale="million", currency="$")),
        ("US$ million", Unit(scale="million", currency="US$")),
        ("in thousands", Unit(scale="thousand")),
        ("Population (000s)", Unit(scale="thousand")),
        ("sales '000", Unit(scale="thousand")),
        ("£m", Unit(scale="million", currency="£")),
        ("€ bn", Unit(scale="billion", currency="€")),
        ("share (%)", Unit(percent=True)),
        ("Percentage", Unit(percent=True)),
        ("percentage points", Unit()),
        ("cities over 5 million", Unit()),
        ("cities over one million", Unit()),
        ("year 2000", Unit()),
        ("total", Unit()),
        ("", Unit()),
    ],
)
def test_what_a_header_says(text: str, unit: Unit) -> None:
    assert unit_of_text(text) == unit


def test_what_is_nearer_counts_before_what_is_further() -> None:
    table = Table(id="t", title="Accounts in thousands", caption="in € millions", grid=accounts())
    assert unit_at(table, (1, 1)) == Unit(scale="million", currency="$")
    assert unit_at(table, (1, 2)) == unit_at(table, (2, 2)) == Unit(percent=True)
    assert unit_at(table, (1, 3)) == Unit(scale="million", currency="€")
    assert unit_at(Table(id="t", title="Accounts in thousands", grid=accounts()), (1, 3)) == Unit(
        scale="thousand"
    )
    assert unit_at(TABLE, (1, 3)) == Unit()


@pytest.mark.parametrize(
    ("answer", "cells", "notes"),
    [
        ("1,250", [(1, 3)], []),
        ("1250.0", [(1, 3)], []),
        ("1.2", [(1, 1)], ["unit left out: the table says million"]),
        ("$1.2 million", [(1, 1)], []),
        ("1,200,000", [(1, 1)], []),
        ("$1,200 thousand", [(1, 1)], []),
        ("1.2 billion", [(1, 1)], ["unit differs: the table says million"]),
        ("€1.2 million", [(1, 1)], ["unit differs: the table says $"]),
        ("35%", [(1, 2)], []),
        ("35", [(1, 2)], ["unit left out: the table says %"]),
        ("65", [(2, 2)], ["unit left out: the table says %"]),
        ("65%", [(2, 2)], []),
        ("990%", [(2, 3)], ["unit differs: the table says no %"]),
        ("12 km2", [(1, 4)], []),
        ("12", [(1, 4)], []),
        ("12 ha", [(1, 4)], ["unit differs: the table says km²"]),
        ("$5", [(2, 4)], ["unit differs: the table says €"]),
        ("1.25 million", [], ["number not in the table: 1.25 million"]),
        ("990 thousand", [(2, 3)], ["unit differs: the table says 990"]),
        ("47", [], ["number not in the table: 47"]),
        ("north", [(1, 0)], []),
        ("nowhere", [], []),
    ],
)
def test_numbers_are_checked(answer: str, cells: list[tuple[int, int]], notes: list[str]) -> None:
    evidence = locate(TABLE, answer, "?", image=None)
    assert evidence.cells == cells
    assert check_number(answer, [TABLE], [evidence]) == notes


def test_the_table_that_holds_the_number_is_the_one_that_is_checked() -> None:
    other = Table(id="u", grid=make_grid([["", "a"], ["x", "1.2"]], num_header_rows=1, num_header_cols=1))
    tables = [other, TABLE]
    found = [locate(table, "35%", "?", image=None) for table in tables]
    assert check_number("35%", tables, found) == []
    picture = Table(id="p", image="p.png")
    assert check_number("47", [picture], [locate(picture, "47", "?", image=None)]) == []
    assert check_sentence("It was 47.", "?", [picture]) == []


def test_numbers_of_sentences() -> None:
    assert check_sentence("Revenue was 1,200,000 of 7.5 million, or 35 %.", "?", [TABLE]) == []
    assert check_sentence("It was 47 in 2019, 47 of 12.", "what was it in 2019?", [TABLE]) == [
        "number not in the table: 47"
    ]
    many = check_sentence("1 2 3 4 6", "?", [TABLE])
    assert len(many) == 3
