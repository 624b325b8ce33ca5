from __future__ import annotations

import json

import pytest

from tabrag.data.card import Card
from tabrag.data.dataset import Dataset
from tabrag.data.pool import Part, Pool, make_pool, merge_identical
from tabrag.tables.grid import make_grid
from tabrag.types import GoldHeaders, Query, Table

RIVERS = [[f"river {n}", f"land {n}", f"{n}00 km"] for n in range(6)]
LAKES = [[f"lake {n}", f"shire {n}", f"{n}0 m"] for n in range(6)]


def _table(table_id: str, body: list[list[str]], title: str) -> Table:
    return Table(id=table_id, title=title, grid=make_grid([["a", "b", "c"], *body], num_header_rows=1))


def _part(name: str, tables: list[Table], **splits: dict[str, tuple[str, str]]) -> Part:
    """``splits``: split -> query id -> (text, table id)."""
    asked = [(query_id, *query) for queries in splits.values() for query_id, query in queries.items()]
    data = Dataset(
        card=Card(name=name.upper()),
        tables=tables,
        queries=[Query(id=query_id, text=text) for query_id, text, _ in asked],
        qrels={
            split: {q: {item: 1} for q, (_, item) in queries.items()} for split, queries in splits.items()
        },
        gold_headers=[GoldHeaders(query_id=q, table_id=item, top=[(0, 0)]) for q, _, item in asked],
    )
    return Part(name=name, data=data)


@pytest.fixture
def pool() -> Pool:
    first = _part(
        "one",
        [_table("r", RIVERS, "Rivers"), _table("l", LAKES, "Lakes"), _table("x", [["1", "2", "3"]], "Odds")],
        train={
            "q1": ("where is river 3?", "r"),
            "q2": ("where is the lake?", "l"),
            "q3": ("what is the total?", "l"),
            "q4": ("odds?", "x"),
        },
        seen_tables={"q5": ("where is river 1?", "r")},
    )
    second = _part(
        "two",
        [
            _table("R", [[cell.upper() + " " for cell in row] for row in RIVERS], "RIVERS"),
            _table("r", RIVERS[:5], "Streams"),
            _table("l", LAKES, "Waters"),
        ],
        train={"q1": ("the longest of the rivers?", "R")},
        dev={"q2": ("name the streams", "r"), "q3": ("how deep are the waters?", "l")},
        test={"q4": ("which rivers are longer?", "R"), "q5": ("how many are there?", "R")},
    )
    return make_pool([first, second], max_tables=3)


def test_identical_tables_become_one_and_queries_follow(pool: Pool) -> None:
    assert [table.id for table in pool.tables] == ["one/r", "one/l", "one/x", "two/r", "two/l"]
    assert json.loads(pool.tables[0].metadata["merged"]) == ["two/R"]
    assert [table.metadata["data_set"] for table in pool.tables] == ["one", "one", "one", "two", "two"]
    assert all("merged" not in table.metadata for table in pool.tables[1:])
    assert pool.qrels["test"] == {"two/q4": {"one/r": 1}}
    assert [pool.table_counts["two", step] for step in ("read", "merged", "kept")] == [3, 1, 2]


def test_no_query_is_trained_on_a_table_that_is_held_out(pool: Pool) -> None:
    # one/q1 asks about the merged test table, two/q2 (dev) about a part of it, one/q2 about the twin of a
    # dev table.
    assert pool.qrels["train"] == {"one/q4": {"one/x": 1}}
    assert pool.qrels["dev"] == {"two/q3": {"two/l": 1}}
    assert [(group.kind, group.table_ids) for group in pool.near_duplicates] == [
        ("cells", ("one/r", "two/r")),
        ("cells", ("one/l", "two/l")),
    ]


def test_each_rule_is_counted_by_set_and_split(pool: Pool) -> None:
    assert {key: count for key, count in pool.query_counts.items() if count} == {
        ("one", "train", "read"): 4,
        ("one", "train", "names nothing"): 1,
        ("one", "train", "test"): 1,
        ("one", "train", "dev"): 1,
        ("one", "train", "kept"): 1,
        ("two", "train", "read"): 1,
        ("two", "train", "test"): 1,
        ("two", "dev", "read"): 2,
        ("two", "dev", "test"): 1,
        ("two", "dev", "kept"): 1,
        ("two", "test", "read"): 2,
        ("two", "test", "names nothing"): 1,
        ("two", "test", "kept"): 1,
    }


def test_queries_and_gold_headers_carry_the_new_ids(pool: Pool) -> None:
    assert [(query.id, query.data_set) for query in pool.queries] == [
        ("one/q4", "one"),
        ("two/q3", "two"),
        ("two/q4", "two"),
    ]
    assert [(gold.query_id, gold.table_id) for gold in pool.gold_headers] == [
        ("one/q4", "one/x"),
        ("two/q3", "two/l"),
        ("two/q4", "one/r"),
    ]


def test_merging_needs_the_same_titles_and_the_same_places_of_cells() -> None:
    spaced = [[f" {cell.upper()}\n" for cell in row] for row in RIVERS]
    page = Table(id="p", page_title="rivers", grid=_table("", spaced, "").grid)
    other_title = _table("t", RIVERS, "Streams")
    other_order = _table("o", RIVERS[::-1], "Rivers")
    blank = Table(
        id="b",
        title="Spans",
        grid=make_grid([["x", ""], ["1", "2"]], merged=[(0, 0, 0, 1)], num_header_rows=1),
    )
    full = Table(id="f", title="Spans", grid=make_grid([["x", "x"], ["1", "2"]]))
    pictures = [Table(id="i", image="images/i.png"), Table(id="j", image="images/j.png")]
    tables = [_table("r", RIVERS, "Rivers"), page, other_title, other_order, blank, full, *pictures]
    merged, kept_id = merge_identical(tables)
    assert [table.id for table in merged] == ["r", "t", "o", "b", "i", "j"]
    assert kept_id == {"r": "r", "p": "r", "t": "t", "o": "o", "b": "b", "f": "b", "i": "i", "j": "j"}


def test_merged_tables_keep_the_best_of_their_grades() -> None:
    twins = [_table("a", RIVERS, "Rivers"), _table("b", RIVERS, "Rivers")]
    for grades in ({"a": 2, "b": 1}, {"a": 1, "b": 2}):
        part = _part("one", twins, train={"q1": ("where is river 3?", "a")})
        part.data.qrels["train"]["q1"] = grades
        judged = make_pool([part]).qrels["train"]["one/q1"]
        assert list(judged.values()) == [2]
