from __future__ import annotations

from tabrag.inference.config import ContextConfig
from tabrag.inference.context import build_context
from tabrag.inference.view import View
from tabrag.tables.grid import make_grid
from tabrag.tables.subtable import subtable
from tabrag.types import Table

GRID = make_grid(
    [
        ["region", "2019", "", "2020", ""],
        ["", "wheat", "rye", "wheat", "rye"],
        ["north", "12", "31", "12", "29"],
        ["south", "90", "45", "87", "12"],
        ["total", "102", "76", "99", "41"],
    ],
    merged=[(0, 1, 0, 0), (0, 0, 1, 2), (0, 0, 3, 4)],
    num_header_rows=2,
    num_header_cols=1,
)
TABLE = Table(id="t", title="crops", grid=GRID)
PART = subtable(GRID, [3, 4], [2, 4])


def test_evidence_names_cells_of_the_whole_table():
    view = View(TABLE, PART)
    assert view.read.grid is PART.grid and view.read.title == "crops"
    evidence = view.evidence_at([(2, 2), (0, 1)], image="p.png")
    assert evidence.cells == [(3, 4), (0, 1)]
    assert (evidence.rows, evidence.columns, evidence.image) == ([0, 3], [1, 2, 4], "p.png")
    assert (evidence.shown_rows, evidence.shown_columns) == ([0, 1, 3, 4], [0, 2, 4])
    whole = View(TABLE).evidence_at([(2, 2)], image=None)
    assert (whole.cells, whole.shown_rows, whole.shown_columns) == ([(2, 2)], None, None)


def test_an_answer_is_looked_for_in_what_was_read_first():
    question = "how much wheat did the north grow in 2019?"
    assert View(TABLE).locate("12", question, image=None).cells == [(2, 1)]
    assert View(TABLE, PART).locate("12", question, image=None).cells == [(3, 4)]
    elsewhere = View(TABLE, PART).locate("87", question, image=None)
    assert elsewhere.cells == [(3, 3)] and elsewhere.shown_columns == [0, 2, 4]
    nowhere = View(TABLE, PART).locate("777", question, image=None)
    assert (nowhere.cells, nowhere.rows, nowhere.columns) == ([], [2], [1])


def test_the_context_shows_the_refined_table_and_says_what_is_left_out():
    whole = build_context(TABLE, "rye?")
    context = build_context(TABLE, "rye?", part=PART)
    assert "87" in whole.text and "not shown" not in whole.text
    assert "87" not in context.text and "29" not in context.text
    assert "45" in context.text and "2019" in context.text and "2020" in context.text
    assert context.text.endswith("[1 rows and 2 columns not shown]")
    assert (context.rows, context.cols) == ((0, 1, 3, 4), (0, 2, 4))
    small = build_context(TABLE, "rye in the south?", part=PART, config=ContextConfig(max_tokens=1))
    assert (small.rows, len(small.cols)) == ((0, 1, 3), 2)
    assert (small.num_hidden_rows, small.num_hidden_cols) == (2, 3)
    assert build_context(Table(id="p"), "rye?").text == ""
