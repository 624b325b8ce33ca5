"""What templates say of a table: each header once, whole paths, no figures."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st
from tiny_tables import photo, sales

from tabrag.tables.grid import make_grid
from tabrag.tables.verbalise import header_statements, summary
from tabrag.types import Table

GRID = make_grid(
    [
        ["", "2019", "", "2020"],
        ["Region", "Q1", "Q2", "Q1"],
        ["Europe", "", "", ""],
        ["France", "11", "12", "13"],
        ["Spain", "21", "22", "23"],
    ],
    merged=[(0, 0, 1, 2), (2, 2, 0, 3)],
    num_header_rows=2,
    num_header_cols=1,
)
TABLE = Table(id="t", title="Sales in $ millions", grid=GRID)


def test_every_node_of_both_trees_has_a_statement_with_the_leaves_of_the_other_axis():
    found = {one.head: one.details for one in header_statements(TABLE)}
    columns = ("2019 > Q1", "2019 > Q2", "2020 > Q1")
    rows = ("Europe > France", "Europe > Spain")
    assert found == {
        "Sales in $ millions. Europe": columns,
        "Sales in $ millions. Europe > France": columns,
        "Sales in $ millions. Europe > Spain": columns,
        **{
            f"Sales in $ millions. {path}": rows
            for path in ("2019", "2019 > Q1", "2019 > Q2", "2020", "2020 > Q1")
        },
    }


def test_the_flat_form_has_one_statement_a_leaf_with_own_labels():
    found = header_statements(TABLE, levels=False)
    assert [one.text for one in found] == [
        "Sales in $ millions. France: Q1; Q2",
        "Sales in $ millions. Spain: Q1; Q2",
        "Sales in $ millions. Q1: France; Spain",
        "Sales in $ millions. Q2: France; Spain",
    ]


def test_a_summary_says_subject_labels_period_and_units_once():
    text = summary(TABLE).text
    assert text.startswith("Sales in $ millions: Region; Europe; France; Spain; 2019; Q1; Q2; 2020;")
    assert text.endswith("2019 to 2020; units in $ millions")
    assert text.count("Q1") == 1 and "11" not in text.split()


def test_figures_are_no_labels_but_years_are():
    grid = make_grid([["", "1999", "total"], ["12,345", "1", "2"], ["x", "3", "4"]], num_header_rows=1)
    grid.num_header_cols = 1
    text = "\n".join(one.text for one in header_statements(Table(id="t", grid=grid)))
    assert "12,345" not in text and "1999" in text and "x" in text


def test_rows_of_records_are_labelled_by_their_first_text():
    grid = make_grid([["No.", "Club", "Town"], ["1", "Ajax", "Amsterdam"], ["2", "", ""]], num_header_rows=1)
    found = {one.head: one.details for one in header_statements(Table(id="t", grid=grid))}
    assert found == {
        "Ajax": ("No.", "Club", "Town"),
        **{column: ("Ajax",) for column in ("No.", "Club", "Town")},
    }


def test_tables_without_headers_or_grid_say_what_they_can():
    bare = Table(id="t", title="Scores", grid=make_grid([["1", "2"], ["3", "4"]]))
    assert [one.text for one in header_statements(bare)] == ["Scores"]
    assert [one.text for one in header_statements(Table(id="t", grid=bare.grid))] == ["Table"]
    assert header_statements(photo()) == [summary(photo())]
    assert summary(sales()).head.startswith('Sales of "Weird" fruit')


LABELS = st.sampled_from(["alpha", "beta", "gamma", "2001", "2002", "", "7"])


@given(st.lists(st.lists(LABELS, min_size=3, max_size=3), min_size=2, max_size=5), st.booleans())
def test_no_text_is_said_twice_and_no_figure_is_told(rows: list[list[str]], levels: bool):
    cells = [[*row, "9,999"] for row in rows]
    grid = make_grid(cells, num_header_rows=1, num_header_cols=1)
    grid.cells[0][3] = "last"
    texts = [one.text for one in header_statements(Table(id="t", grid=grid), levels=levels)]
    assert texts and len(set(texts)) == len(texts)
    assert not any(re.search(r"9,999|\b7\b", text) for text in texts)
    assert any("last" in text for text in texts)
