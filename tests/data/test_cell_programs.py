"""Training programs: found where the answer follows from the cells, and right by the answer rules."""

from __future__ import annotations

import pytest
from published import whole

from tabrag.data.cell_programs import find_program
from tabrag.data.synthetic.corpus import make
from tabrag.evaluation.answers import exact_match
from tabrag.tables.grid import make_grid
from tabrag.tables.programs import CellProgram, run_program
from tabrag.types import Cell, GoldHeaders

GRID = make_grid(
    [
        ["region", "men", "women"],
        ["east", "40", "10"],
        ["west", "30", "25"],
        ["north", "-5", "35"],
        ["total", "65", "70"],
    ],
    num_header_rows=1,
    num_header_cols=1,
)


def _find(
    question: str, answer: str, *, top: list[Cell], left: list[Cell], cells: list[Cell]
) -> CellProgram | None:
    gold = GoldHeaders(query_id="q", table_id="t", top=top, left=left, answer_cells=cells)
    return find_program(question, [answer], gold, GRID)


def test_operators() -> None:
    men, east, west, north = (0, 1), (1, 0), (2, 0), (3, 0)
    assert _find("men in the east?", "40.0", top=[men], left=[east], cells=[(1, 1)]) == CellProgram(
        "cell", ((1, 1),)
    )
    assert _find("how much did it fall?", "5", top=[men], left=[north], cells=[(3, 1)]) == CellProgram(
        "negate", ((3, 1),)
    )
    both = [(1, 1), (2, 1)]
    for answer, operator in (("70", "sum"), ("10", "difference"), ("1.333333", "ratio"), ("35", "average")):
        found = _find("?", answer, top=[men], left=[east, west], cells=both)
        assert found == CellProgram(operator, tuple(both))
    assert _find("share?", "0.75", top=[men], left=[east, west], cells=both) == CellProgram(
        "ratio", ((2, 1), (1, 1))
    )
    # Without answer cells the operands are those where gold rows and columns meet.
    assert _find("?", "70", top=[men], left=[east, west], cells=[]) == CellProgram("sum", tuple(both))
    assert _find("?", "71", top=[men], left=[east, west], cells=both) is None


def test_a_comparison_takes_the_cells_that_make_the_header_extreme() -> None:
    women, east, west = (0, 2), (1, 0), (2, 0)
    pair = _find("which is higher, east or west?", "west", top=[women], left=[east, west], cells=[west])
    assert pair == CellProgram("argmax", ((1, 2), (2, 2)))
    every = _find("which region has the fewest women?", "east", top=[women], left=[east], cells=[east])
    assert every == CellProgram("argmin", ((1, 2), (2, 2), (3, 2)))  # not the total
    # No word says what is compared: the header itself is the answer.
    assert _find("which region has 10 women?", "east", top=[women], left=[east], cells=[east]) == CellProgram(
        "cell", (east,)
    )


@pytest.mark.parametrize(("name", "least"), [("hitab", 0.97), ("synthetic", 0.9)])
def test_coverage(name: str, least: float, request: pytest.FixtureRequest) -> None:
    if name == "hitab":
        data, split = whole("hitab", request.getfixturevalue("data_root")), "dev"
        step = 8
    else:
        data, split, step = make(num_tables=24, seed=1), "train", 1
    grids = {table.id: table.grid for table in data.tables}
    gold = {one.query_id: one for one in data.gold_headers}
    queries = [
        query
        for query in data.queries
        if query.id in data.qrels[split] and query.answers and query.task == "qa"
    ][::step]
    assert len(queries) > 20
    found = 0
    operators = set()
    for query in queries:
        grid = grids[gold[query.id].table_id]
        assert grid is not None
        program = find_program(query.text, query.answers, gold[query.id], grid)
        if program is None:
            continue
        found += 1
        operators.add(program.operator)
        computed = run_program(grid, program)
        assert computed is not None and exact_match(computed.text, query.answers)
    assert found / len(queries) >= least and {"cell", "argmax", "difference", "sum"} <= operators
