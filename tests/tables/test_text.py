"""Text forms of tables."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabrag.errors import UserError
from tabrag.tables.grid import make_grid
from tabrag.tables.text import headers_text, html, markdown, title_text
from tabrag.types import Table


def sales_table() -> Table:
    grid = make_grid(
        [
            ["Region", "Shop", "Sales", ""],
            ["", "", "2020", "2021"],
            ["North", "A", "1", "2"],
            ["", "B", "3", "4"],
            ["Abroad", "", "", ""],
            ["South", "C", "5", "6"],
        ],
        merged=[(0, 1, 0, 0), (0, 1, 1, 1), (0, 0, 2, 3), (2, 3, 0, 0), (4, 4, 0, 3)],
        num_header_rows=2,
        num_header_cols=2,
    )
    return Table(id="t", title="Sales by shop", grid=grid)


def test_headers_text_holds_each_leaf_path_once() -> None:
    assert headers_text(sales_table()) == (
        "Sales by shop | North > A; North > B; Abroad > South > C | Region; Shop; Sales > 2020; Sales > 2021"
    )


def test_headers_text_fields_and_separators() -> None:
    text = headers_text(
        sales_table(),
        fields=("top", "left"),
        field_separator=" [SEP] ",
        header_separator=", ",
        path_separator="/",
    )
    assert text == "Region, Shop, Sales/2020, Sales/2021 [SEP] North/A, North/B, Abroad/South/C"
    assert headers_text(Table(id="t", title="Only a picture", image="t.png")) == "Only a picture"
    with pytest.raises(UserError, match="'rows'"):
        headers_text(sales_table(), fields=("rows",))


def test_parents_once_prints_each_header_a_single_time() -> None:
    whole, once = headers_text(sales_table()), headers_text(sales_table(), parents="once")
    assert len(once) < len(whole) and " > " not in once
    for text in ("Sales", "2020", "2021"):
        assert whole.count(text) >= once.count(text) >= 1
    assert once.count("Sales;") == 1
    with pytest.raises(UserError, match="choose 'repeat' or 'once'"):
        headers_text(sales_table(), parents="twice")


def test_no_invented_names() -> None:
    """Report H08: duplicate and empty headers."""
    grid = make_grid([["", "Total", "Total", ""], ["a", "1", "2", ""]], num_header_rows=1, num_header_cols=1)
    table = Table(id="t", title="x", grid=grid)
    assert headers_text(table) == "x | a | Total"
    for text in (headers_text(table), markdown(table), markdown(table, spans="repeat"), html(table)):
        assert "Total" in text
        assert not any(word in text for word in ("nan", "None", "Unnamed", "Total.1"))


def test_markdown_prints_a_spanning_header_as_asked() -> None:
    """Report H01: once with ``first``, in each covered column with ``repeat``."""
    assert markdown(sales_table()).split("\n") == [
        "| Region | Shop | Sales |  |",
        "| --- | --- | --- | --- |",
        "|  |  | 2020 | 2021 |",
        "| North | A | 1 | 2 |",
        "|  | B | 3 | 4 |",
        "| Abroad |  |  |  |",
        "| South | C | 5 | 6 |",
    ]
    repeated = markdown(sales_table(), spans="repeat")
    assert "| Region | Shop | Sales | Sales |" in repeated
    assert "| North | B | 3 | 4 |" in repeated
    with pytest.raises(UserError, match="'all'"):
        markdown(sales_table(), spans="all")


def test_markdown_escapes_pipes_and_line_ends() -> None:
    table = Table(id="t", grid=make_grid([["a|b", "c\\|d"], ["x\ny", "z\\"]], num_header_rows=1))
    assert markdown(table).split("\n") == ["| a\\|b | c\\\\\\|d |", "| --- | --- |", "| x y | z\\ |"]


def test_markdown_without_header_row() -> None:
    assert markdown(Table(id="t", grid=make_grid([["a", "1"]]))).split("\n") == [
        "|  |  |",
        "| --- | --- |",
        "| a | 1 |",
    ]
    assert markdown(Table(id="t")) == html(Table(id="t")) == ""


def test_html_has_true_spans() -> None:
    table = sales_table()
    table.caption = "A < B"
    assert html(table).split("\n") == [
        "<table>",
        "<caption>A &lt; B</caption>",
        "<thead>",
        '<tr><th rowspan="2">Region</th><th rowspan="2">Shop</th><th colspan="2">Sales</th></tr>',
        "<tr><th>2020</th><th>2021</th></tr>",
        "</thead>",
        "<tbody>",
        '<tr><th rowspan="2">North</th><th>A</th><td>1</td><td>2</td></tr>',
        "<tr><th>B</th><td>3</td><td>4</td></tr>",
        '<tr><th colspan="4">Abroad</th></tr>',
        "<tr><th>South</th><th>C</th><td>5</td><td>6</td></tr>",
        "</tbody>",
        "</table>",
    ]


def test_title_text_says_each_thing_once() -> None:
    table = Table(
        id="t", title="Climate", page_title="New Zealand", section="climate", caption="Climate of 2012"
    )
    assert title_text(table) == "New Zealand - Climate of 2012"
    assert title_text(Table(id="t", title="Same", page_title="Same")) == "Same"
    assert title_text(Table(id="t", title="Art", section="Article")) == "Art - Article"
    assert title_text(Table(id="t")) == ""


@given(
    st.lists(
        st.lists(
            st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Zl", "Zp", "Zs"))),
            min_size=3,
            max_size=3,
        ),
        min_size=1,
        max_size=4,
    ),
    st.sampled_from(["first", "repeat"]),
)
def test_markdown_holds_every_text(cells: list[list[str]], spans: str) -> None:
    grid = make_grid(cells, num_header_rows=1, merged=[(0, 0, 0, 1)])
    printed = markdown(Table(id="t", grid=grid), spans=spans)
    lines = printed.split("\n")
    assert len(lines) == grid.num_rows + 1
    for row in grid.cells:
        for text in filter(None, row):
            assert (text.replace("\\", "\\\\").replace("|", "\\|") if "|" in text else text) in printed
