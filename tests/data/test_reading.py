"""What is read of a picture: it stands there, it varies, and long headers end whole."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tabrag.data.reading import MAX_LENGTH, reading
from tabrag.data.synthetic import corpus
from tabrag.tables.text import one_line
from tabrag.types import Grid, Table

TABLES = corpus.make(num_tables=30, seed=3).tables


@settings(max_examples=60, deadline=None)
@given(number=st.integers(0, len(TABLES) - 1), seed=st.integers(0, 9))
def test_what_is_read_stands_in_the_table(number: int, seed: int) -> None:
    table = TABLES[number]
    found = reading(table, random.Random(seed))
    assert found is not None and found == reading(table, random.Random(seed))
    what, reply = found
    assert table.grid is not None
    cells = {one_line(text) for row in table.grid.cells for text in row}
    assert 0 < len(reply) and reply == reply.strip()
    if what == "the title":
        assert reply == one_line(table.title)
    elif what.startswith("the value of "):
        assert reply in cells
    else:
        assert what in ("the column headers", "the row headers")
        assert len(reply) <= MAX_LENGTH and set(reply.split("; ")) <= {part.strip() for part in cells}


def test_all_kinds_are_drawn() -> None:
    drawn = [reading(table, random.Random(f"{table.id}/{seed}")) for table in TABLES for seed in range(4)]
    kinds = Counter(found[0].partition(" of ")[0] for found in drawn if found)
    assert set(kinds) == {"the title", "the column headers", "the row headers", "the value"}
    assert min(kinds.values()) > len(drawn) / 8


def test_long_headers_end_whole() -> None:
    names = [f"Region number {number}" for number in range(40)]
    grid = Grid(cells=[["", "2020"], *([name, ""] for name in names)], num_header_rows=1, num_header_cols=1)
    found = {reading(Table(id="t", grid=grid), random.Random(seed)) for seed in range(20)}
    replies = {reply for what, reply in found if what == "the row headers"}  # type: ignore[misc]
    (reply,) = replies
    assert MAX_LENGTH - 20 < len(reply) <= MAX_LENGTH and reply.split("; ") == names[: reply.count(";") + 1]


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        (Table(id="t"), None),
        (Table(id="t", title=" A\n title "), ("the title", "A title")),
        (Table(id="t", grid=Grid(cells=[["", ""], ["", ""]])), None),
    ],
)
def test_tables_of_which_little_is_known(table: Table, expected: tuple[str, str] | None) -> None:
    assert reading(table, random.Random(0)) == expected
