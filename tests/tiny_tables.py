"""Small tables and data sets that the tests of several folders share."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from tabrag.data.card import Card
from tabrag.data.folder import write_folder
from tabrag.tables.grid import make_grid
from tabrag.types import GoldHeaders, Query, Source, Table, Word


def sales() -> Table:
    """Two header rows with a merged header, one header column, a section row, annotated paths."""
    return Table(
        id="csv/200-csv/0.csv",
        title='Sales of "Weird" fruit',
        section="Trade > Fruit",
        grid=make_grid(
            [
                ["fruit", "2019", "", "2020"],
                ["", "north", "south", "north"],
                ["citrus", "", "", ""],
                ["lemon", "1,200", "–", "3 %"],
            ],
            merged=[(0, 0, 1, 2), (2, 2, 0, 3)],
            num_header_rows=2,
            num_header_cols=1,
            top_paths=[(), ((0, 1), (1, 1)), ((0, 1), (1, 2)), ((0, 3), (1, 3))],
            left_paths=[(), (), ((2, 0),), ((2, 0), (3, 0))],
        ),
        source=Source(file="fruit.xlsx", page=2, box=(0, 10, 900, 1000), sheet="Sheet é"),
        metadata={"url": "https://example.org/?a=1&b=2"},
    )


def photo() -> Table:
    """A picture without a grid."""
    words = [Word(text="Σ", box=(0, 0, 10, 20)), Word(text="12", box=(990, 0, 1000, 20), cell=(0, 1))]
    return Table(id="photo", title="", image="images/photo.png", words=words)


def write_tiny(path: Path, tables: Iterable[Table] | None = None) -> Path:
    """A data set folder of two tables without pictures, three queries and two splits."""
    plain = Table(id="plain", title="Plain", grid=make_grid([["a", "b"], ["1", "2"]], num_header_rows=1))
    write_folder(
        path,
        tables=[sales(), plain] if tables is None else tables,
        queries=[
            Query(id="q1", text="How many lemons in the north in 2019?", answers=["1,200"]),
            Query(id="q2", text="a is 1", task="verify", label="SUPPORTED"),
            Query(id="q3", text="What is b?", answers=["2"]),
        ],
        qrels={
            "dev": {"q3": {"plain": 1}},
            "train": {"q1": {"csv/200-csv/0.csv": 1, "plain": 0}, "q2": {"plain": 2}},
        },
        gold_headers=[
            GoldHeaders(
                query_id="q1",
                table_id="csv/200-csv/0.csv",
                top=[(0, 1), (1, 1)],
                left=[(2, 0), (3, 0)],
                answer_cells=[(3, 1)],
                formula="=B4",
            )
        ],
        card=Card(name="Tiny", licence="mit", citation="Nobody, 2020", url="https://example.org"),
    )
    return path


def write_gz(folder: Path, name: str, rows: Iterable[dict[str, Any]]) -> None:
    """Write ``NAME.jsonl.gz``, the form in which the sources expect their files."""
    folder.mkdir(parents=True, exist_ok=True)
    with gzip.open(folder / f"{name}.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


_TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=8)
_COORDINATES = st.integers(0, 1000)


@st.composite
def tables(draw: st.DrawFn, table_id: str | None = None) -> Table:
    """Random tables: any texts, merged regions, headers, words, source and metadata."""
    num_rows, num_cols = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    cells = [[draw(_TEXTS) for _ in range(num_cols)] for _ in range(num_rows)]
    row, col = draw(st.integers(0, num_rows - 1)), draw(st.integers(0, num_cols - 1))
    region = (row, draw(st.integers(row, num_rows - 1)), col, draw(st.integers(col, num_cols - 1)))
    cell = st.tuples(st.integers(0, num_rows - 1), st.integers(0, num_cols - 1))
    path = st.lists(cell, max_size=3).map(tuple)
    word = st.builds(
        Word,
        text=_TEXTS,
        box=st.tuples(_COORDINATES, _COORDINATES, _COORDINATES, _COORDINATES),
        cell=st.none() | cell,
    )
    grid = make_grid(
        cells,
        merged=draw(st.sampled_from([(), (region,)])),
        num_header_rows=draw(st.integers(0, num_rows)),
        num_header_cols=draw(st.integers(0, num_cols)),
        top_paths=draw(st.none() | st.lists(path, min_size=num_cols, max_size=num_cols)),
        left_paths=draw(st.none() | st.lists(path, min_size=num_rows, max_size=num_rows)),
    )
    return Table(
        id=draw(_TEXTS.filter(str.strip)) if table_id is None else table_id,
        title=draw(_TEXTS),
        page_title=draw(_TEXTS),
        section=draw(_TEXTS),
        caption=draw(_TEXTS),
        grid=draw(st.none() | st.just(grid)),
        image=draw(st.none() | st.just("images/x.png")),
        words=draw(st.none() | st.lists(word, max_size=3)),
        source=Source(file=draw(_TEXTS), page=draw(st.none() | st.integers(1, 9)), sheet=draw(_TEXTS)),
        metadata=draw(st.dictionaries(_TEXTS, _TEXTS, max_size=2)),
    )
