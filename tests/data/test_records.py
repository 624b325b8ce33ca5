from __future__ import annotations

import json

import pytest
from hypothesis import given
from tiny_tables import photo, sales, tables

from tabrag.data.records import (
    flat_text,
    gold_from_record,
    gold_to_record,
    query_from_record,
    query_to_record,
    table_from_record,
    table_to_record,
)
from tabrag.types import GoldHeaders, Query, Table


@given(tables())
def test_any_table_survives_json(table: Table) -> None:
    assert table_from_record(json.loads(json.dumps(table_to_record(table)))) == table


def test_record_has_beirs_keys_and_the_id_first() -> None:
    record = table_to_record(sales())
    assert next(iter(record)) == "_id"
    assert record["title"] == sales().title
    assert "lemon | 1,200 | – | 3 %" in record["text"]
    assert record["text"].startswith("Trade > Fruit\nfruit | 2019 | 2020\n")


def test_words_lie_in_three_lists_of_equal_length() -> None:
    record = table_to_record(photo())
    assert record["words"] == ["Σ", "12"]
    assert record["boxes"] == [[0, 0, 10, 20], [990, 0, 1000, 20]]
    assert record["word_cells"] == [None, [0, 1]]
    assert flat_text(photo()) == "Σ 12"


def test_a_hand_written_line_needs_few_keys() -> None:
    table = table_from_record({"_id": "t", "grid": {"cells": [["a"]]}})
    assert table.grid is not None and table.grid.cells == [["a"]]
    assert (table.title, table.words, table.grid.merged, table.grid.top_paths) == ("", None, [], None)
    query = query_from_record({"_id": "q", "text": "why?"})
    assert query == Query(id="q", text="why?")


def test_words_without_boxes_are_refused() -> None:
    with pytest.raises(ValueError, match="2 words need as many boxes, found 1"):
        table_from_record({"_id": "t", "words": ["a", "b"], "boxes": [[0, 0, 1, 1]]})
    with pytest.raises(ValueError, match="word_cells, found 1"):
        table_from_record(
            {"_id": "t", "words": ["a", "b"], "boxes": [[0, 0, 1, 1]] * 2, "word_cells": [None]}
        )


def test_queries_and_gold_headers_survive_json() -> None:
    query = Query(id="q", text="is it so?", task="verify", label="REFUTED", answers=["é", ""])
    assert query_from_record(json.loads(json.dumps(query_to_record(query)))) == query
    gold = GoldHeaders(
        query_id="q", table_id="t", top=[(0, 1)], left=[(2, 0), (3, 0)], answer_cells=[(3, 1)], formula="=B4"
    )
    assert gold_from_record(json.loads(json.dumps(gold_to_record(gold)))) == gold


def test_where_an_answer_stands_survives_json_and_is_left_out_where_unknown() -> None:
    query = Query(id="q", text="why?", evidence="both", data_set="set")
    assert query_from_record(json.loads(json.dumps(query_to_record(query)))) == query
    assert "evidence" not in query_to_record(Query(id="q", text="why?"))
