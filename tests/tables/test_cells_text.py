"""DPR-table's text: cells in row order, whole and in chunks that lose nothing."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny_tables import sales, tables

from tabrag.errors import UserError
from tabrag.tables.cells_text import cells_chunks, cells_text, count_words_and_signs
from tabrag.tables.grid import make_grid
from tabrag.tables.text import title_text
from tabrag.tables.windows import Meter, Window
from tabrag.types import Table, Word


def _words(texts: Sequence[str]) -> list[int]:
    """A tokenizer that parts at blanks, with two special tokens."""
    return [2 + len(text.split()) for text in texts]


def _letters(texts: Sequence[str]) -> list[int]:
    return [len(text) for text in texts]


def _long(title: str = "Counts by year") -> Table:
    cells = [["year", "count"], *([f"year {row}", str(row)] for row in range(40))]
    return Table(id="t", title=title, grid=make_grid(cells, num_header_rows=1, num_header_cols=1))


def test_title_then_all_cells_row_by_row() -> None:
    assert cells_text(sales()) == (
        'Sales of "Weird" fruit - Trade > Fruit . fruit | 2019 |  | 2020 .  | north | south | north . '
        "citrus |  |  |  . lemon | 1,200 | – | 3 %"
    )
    text = cells_text(sales(), title="none", cell_separator="; ", row_separator=" / ")
    assert text.startswith("fruit; 2019; ; 2020 / ;") and "Weird" not in text
    assert cells_text(sales(), title_separator=" [SEP] ").count("[SEP] fruit") == 1
    with pytest.raises(UserError, match=r"title='all': choose from each, first, none"):
        cells_text(sales(), title="all")


def test_a_picture_without_a_grid_gives_its_words() -> None:
    words = [Word(text=f"w{number}", box=(0, 0, 1, 1)) for number in range(30)]
    table = Table(id="t", title="Scan", words=words)
    assert cells_text(table) == "Scan . " + " ".join(word.text for word in words)
    chunks = cells_chunks(table, Meter(limit=16, count=_words), title="none")
    assert " ".join(chunk.text for chunk in chunks) == " ".join(word.text for word in words)
    assert len(chunks) == 3 and cells_text(Table(id="t", title="Scan")) == "Scan"


@pytest.mark.parametrize("title", ["each", "first", "none"])
def test_chunks_are_full_consecutive_pieces_and_the_title_stands_where_it_should(title: str) -> None:
    table, meter = _long(), Meter(limit=20, count=_words)
    chunks = cells_chunks(table, meter, title=title)
    counts = _words([chunk.text for chunk in chunks])
    assert len(chunks) > 8 and set(counts[:-1]) == {20} and counts[-1] <= 20
    head = f"{title_text(table)} . "
    assert [chunk.text.startswith(head) for chunk in chunks] == [
        title == "each" or (title == "first" and number == 0) for number in range(len(chunks))
    ]
    bodies = [chunk.text.removeprefix(head) if title == "each" else chunk.text for chunk in chunks]
    whole = cells_text(table, title=title)
    assert " ".join(bodies).split() == (whole.removeprefix(head) if title == "each" else whole).split()
    seen = set().union(*(chunk.cells or () for chunk in chunks))
    assert seen == {(row, col) for row in range(41) for col in range(2)}


def test_a_chunk_knows_the_cells_that_it_shows() -> None:
    table = _long()
    assert table.grid is not None
    for chunk in cells_chunks(table, Meter(limit=20, count=_words)):
        shown = chunk.text.split()
        for row, col in chunk.cells or ():
            assert set(table.grid.cells[row][col].split()) & set(shown)
        assert chunk.cells is not None and 2 < len(chunk.cells) < 12


def test_a_table_that_fits_is_its_whole_text() -> None:
    assert cells_chunks(sales(), Meter(limit=60, count=_words)) == [Window(cells_text(sales()))]
    assert len(cells_chunks(sales(), Meter(limit=20, count=_words))) > 1


def test_a_title_over_half_a_chunk_is_not_repeated() -> None:
    table = _long(" ".join(f"t{number}" for number in range(15)))
    first, second, *_ = cells_chunks(table, Meter(limit=20, count=_words))
    assert first.text.startswith("t0 t1") and "t14 . year" in first.text and "t1" not in second.text


def test_a_word_longer_than_a_chunk_is_parted_between_letters() -> None:
    table = Table(id="t", grid=make_grid([["a", "x" * 90], ["b", "c"]]))
    chunks = cells_chunks(table, Meter(limit=20, count=_letters))
    assert max(len(chunk.text) for chunk in chunks) <= 20
    assert sum(chunk.text.count("x") for chunk in chunks) == 90
    assert sum((0, 1) in (chunk.cells or ()) for chunk in chunks) > 4


@given(tables(), st.sampled_from(["each", "first", "none"]), st.integers(4, 30))
def test_nothing_is_lost_or_invented_in_any_table(table: Table, title: str, limit: int) -> None:
    chunks = cells_chunks(table, Meter(limit=limit, count=_words), title=title)
    assert all(count <= limit for count in _words([chunk.text for chunk in chunks]))
    whole = cells_text(table, title=title).split()
    found = chunks[0].text.split()
    head = title_text(table)
    repeats = bool(head) and title == "each" and _words([head])[0] <= limit // 2
    for chunk in chunks[1:]:
        assert not repeats or chunk.text.startswith(f"{head} . ")
        found += (chunk.text.removeprefix(f"{head} . ") if repeats else chunk.text).split()
    assert found == whole


def test_words_and_signs_are_counted_as_bert_parts_them() -> None:
    assert count_words_and_signs(["", "1,200 | – | 3 %", "one-way streets."]) == [0, 8, 5]
