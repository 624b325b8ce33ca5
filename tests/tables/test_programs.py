"""Programs over cells: what they compute, and what has no result."""

from __future__ import annotations

from fractions import Fraction

import pytest
from effort import within
from hypothesis import given, settings
from hypothesis import strategies as st

from tabrag.tables.grid import make_grid
from tabrag.tables.programs import OPERATORS, CellProgram, run_program
from tabrag.types import Grid


@pytest.fixture
def grid() -> Grid:
    """Two groups of two columns over three rows; nobody knows what the last row is."""
    return make_grid(
        [
            ["", "men", "", "women", ""],
            ["", "2010", "2011", "2010", "2011"],
            ["east", "1,200", "1,500", "900", "n/a"],
            ["west", "-40", "60%", "0", "10.5"],
            ["..", "1,160", "1,560", "900", ""],
        ],
        merged=[(0, 0, 1, 2), (0, 0, 3, 4)],
        num_header_rows=2,
        num_header_cols=1,
    )


@pytest.mark.parametrize(
    ("operator", "cells", "text", "formula"),
    [
        ("cell", [(2, 1)], "1,200", None),
        ("cell", [(0, 4)], "women", None),
        ("negate", [(3, 1)], "40", "-(-40)"),
        ("sum", [(2, 1), (3, 1)], "1160", "sum(1200, -40)"),
        ("average", [(2, 1), (2, 3)], "1050", "average(1200, 900)"),
        ("max", [(2, 1), (2, 3)], "1200", "max(1200, 900)"),
        ("min", [(2, 1), (3, 1)], "-40", "min(1200, -40)"),
        ("count", [(2, 1), (2, 4)], "2", None),
        ("difference", [(3, 1), (2, 1)], "-1240", "(-40) - 1200"),
        ("ratio", [(2, 3), (2, 1)], "0.75", "900 / 1200"),
        ("ratio", [(2, 1), (2, 3)], "1.333333", "1200 / 900"),
        ("percent", [(2, 1), (2, 3)], "133.3%", "1200 / 900 * 100"),
        ("change", [(2, 2), (2, 1)], "0.25", "(1500 - 1200) / 1200"),
        ("percent_change", [(2, 1), (2, 2)], "-20.0%", "(1200 - 1500) / 1500 * 100"),
        ("argmax", [(2, 1), (3, 1)], "east", "max(1200, -40)"),
        ("argmin", [(2, 1), (3, 1)], "west", "min(1200, -40)"),
        ("argmax", [(2, 1), (2, 2)], "2011", "max(1200, 1500)"),
        ("argmin", [(2, 1), (2, 3)], "women", "min(1200, 900)"),
    ],
)
def test_results(
    grid: Grid, operator: str, cells: list[tuple[int, int]], text: str, formula: str | None
) -> None:
    found = run_program(grid, CellProgram(operator, tuple(cells)))
    assert found is not None and (found.text, found.formula) == (text, formula)
    assert set(cells) <= set(found.cells)


def test_an_extreme_names_the_header_first_and_then_the_cell(grid: Grid) -> None:
    found = run_program(grid, CellProgram("argmin", ((2, 1), (3, 1))))
    assert found is not None and found.cells == ((3, 0), (3, 1), (2, 1))


@pytest.mark.parametrize(
    ("operator", "cells"),
    [
        ("cell", [(4, 4)]),
        ("cell", [(4, 0)]),
        ("cell", [(9, 0)]),
        ("cell", []),
        ("cell", [(2, 1), (2, 2)]),
        ("negate", [(2, 4)]),
        ("ratio", [(2, 1), (3, 3)]),
        ("ratio", [(2, 1)]),
        ("difference", [(2, 1), (2, 1)]),
        ("sum", [(2, 1), (2, 4)]),
        ("sum", [(2, 1)]),
        ("argmax", [(2, 1), (2, 0)]),
        ("modulo", [(2, 1), (2, 3)]),
    ],
)
def test_no_result(grid: Grid, operator: str, cells: list[tuple[int, int]]) -> None:
    assert run_program(grid, CellProgram(operator, tuple(cells))) is None


@given(st.lists(st.integers(-(10**9), 10**9), min_size=2, max_size=6), st.sampled_from(OPERATORS))
@settings(max_examples=150, deadline=None)
def test_arithmetic_is_exact(numbers: list[int], operator: str) -> None:
    grid = make_grid(
        [["", "value"], *([f"r{n}", f"{number / 4:,}"] for n, number in enumerate(numbers))],
        num_header_rows=1,
        num_header_cols=1,
    )
    values = [Fraction(number, 4) for number in numbers]
    first, second = values[:2]
    cells = [(row + 1, 1) for row in range(len(values))]
    expected = {
        "sum": sum(values),
        "average": sum(values) / len(values),
        "max": max(values),
        "min": min(values),
        "count": len(values),
        "negate": -first,
        "difference": first - second,
        "ratio": first / second if second else None,
        "change": (first - second) / second if second else None,
    }
    if operator not in expected:
        return
    size = {"negate": 1, "difference": 2, "ratio": 2, "change": 2}.get(operator, len(cells))
    found = run_program(grid, CellProgram(operator, tuple(cells[:size])))
    if expected[operator] is None:
        assert found is None
        return
    assert found is not None
    assert float(found.text) == pytest.approx(float(expected[operator]), abs=6e-7)  # six decimals are written


def test_many_cells_of_a_long_table_cost_little() -> None:
    rows = [["", "x"], *([f"row {n}", f"{n * 7 % 2003},5"] for n in range(2000))]
    long = make_grid(rows, num_header_rows=1, num_header_cols=1)
    cells = tuple((row, 1) for row in range(1, 2001))
    with within(3):
        found = run_program(long, CellProgram("argmax", cells))
    assert found is not None and found.text == "row 286" and len(found.cells) == 2001


def test_an_empty_grid_region_never_raises() -> None:
    grid = make_grid([["7"]])
    for operator in OPERATORS:
        for cells in ((), ((0, 0),), ((0, 0), (0, 1)), ((0, 0), (0, 0)), ((-1, 0),)):
            found = run_program(grid, CellProgram(operator, cells))
            assert (found is not None) == (operator in ("cell", "negate") and cells == ((0, 0),))
