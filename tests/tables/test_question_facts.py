"""Facts of words: what stands where, by weight, and the same for any order of words and items."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny_tables import sales

from tabrag.tables.grid import make_grid
from tabrag.tables.lexical import words
from tabrag.tables.question_facts import (
    NUM_FACTS,
    ItemWords,
    WordWeights,
    numbers_of,
    question_facts,
)
from tabrag.types import Table

TITLE, TOP, LEFT, HEADERS, ANYWHERE, PLAIN, MISSING, MISSING_ANYWHERE, TITLE_ASKED = range(9)
ROW, COL, JOINT, ROW_ASKED, COL_ASKED, PAIRS, TITLE_PAIRS, TITLE_PAIRS_ASKED = range(9, 17)
NUMBERS, NUMBERS_ANYWHERE, YEARS_MISSING, HAS_YEARS, OTHER_YEARS, NUM_HEADERS, NUM_CELLS = range(17, 24)


def _table(title: str = "Population of towns 2019") -> Table:
    cells = [
        ["town", "births", "deaths abroad"],
        ["Upper Ford", "1,204", "17"],
        ["Lower Ford", "88", "Zanzibar"],
    ]
    return Table(id="t", title=title, grid=make_grid(cells, num_header_rows=1, num_header_cols=1))


def _facts(question: str, table: Table | None = None, weights: WordWeights | None = None) -> list[float]:
    return question_facts(question, ItemWords.of_table(table or _table()), weights or WordWeights())


def test_where_the_words_stand() -> None:
    facts = _facts("births in upper ford zanzibar population")
    assert len(facts) == NUM_FACTS
    assert [facts[n] for n in (TITLE, TOP, LEFT, HEADERS, ANYWHERE, PLAIN)] == pytest.approx(
        [1 / 5, 1 / 5, 2 / 5, 4 / 5, 1.0, 4 / 5]
    )
    assert facts[MISSING] == 1.0 and facts[MISSING_ANYWHERE] == 0.0
    assert [facts[n] for n in (ROW, COL, JOINT)] == pytest.approx([2 / 5, 1 / 5, 4 / 5])
    assert facts[ROW_ASKED] == facts[COL_ASKED] == 1.0
    assert _facts("lower births ford")[ROW] == pytest.approx(2 / 3)
    assert _facts("deaths")[COL_ASKED] == 0.5  # the header says more


def test_words_that_follow_one_another() -> None:
    facts = _facts("population towns upper ford deaths abroad")
    assert facts[PAIRS] == pytest.approx(3 / 5) and facts[TITLE_PAIRS] == pytest.approx(1 / 5)
    assert facts[TITLE_PAIRS_ASKED] == pytest.approx(1 / 2)
    assert _facts("ford upper")[PAIRS] == 0.0


def test_numbers_and_years() -> None:
    assert numbers_of("1,204 of 3.50 in 2019, 12,34") == {"1204", "3.50", "2019", "12", "34"}
    facts = _facts("where were 1204 births in 2019")
    assert facts[NUMBERS] == 0.5 and facts[NUMBERS_ANYWHERE] == 1.0
    assert facts[YEARS_MISSING] == facts[OTHER_YEARS] == 0.0 and facts[HAS_YEARS] == 1.0
    facts = _facts("births in 2018")
    assert facts[YEARS_MISSING] == 0.5 and facts[OTHER_YEARS] == 1.0
    assert _facts("births", _table("Towns"))[HAS_YEARS] == 0.0


def test_rare_words_weigh_more() -> None:
    common = ItemWords.of_texts("births", [])
    weights = WordWeights.of([ItemWords.of_table(_table()), *[common] * 9])
    (birth,) = words("births")
    assert weights.num_items == 10 and weights(birth) < weights("upper") == weights("never seen")
    assert weights(birth) == pytest.approx(math.log(2))
    assert weights.counts == {birth: 10}  # those of one item need not be kept
    asked = "births upper"
    assert _facts(asked, weights=weights)[LEFT] > 0.75 > _facts(asked)[LEFT] == 0.5
    assert _facts("births missing", weights=weights)[MISSING_ANYWHERE] == 1.0
    assert _facts("missing", weights=weights)[ANYWHERE] == 0.0


def test_other_items() -> None:
    """Pictures that nobody has read, documents, questions of no words."""
    empty = ItemWords.of_table(Table(id="p", image="p.png"))
    assert question_facts("a question", empty, WordWeights())[ANYWHERE] == 0.0
    text = ItemWords.of_texts("Report", ["births of towns"])
    assert question_facts("births", text, WordWeights())[ANYWHERE] == 1.0
    for question in ("", "the of", "?!"):
        facts = _facts(question)
        assert all(math.isfinite(value) for value in facts) and facts[ANYWHERE] == 0.0


@given(
    st.lists(st.sampled_from(["fruit", "2019", "north", "lemon", "1,200", "tax", "Weird", "3"]), max_size=8)
)
def test_in_range_whatever_is_asked(asked: list[str]) -> None:
    table = ItemWords.of_table(sales())
    weights = WordWeights.of([table, ItemWords.of_texts("tax", ["north 3"])])
    facts = question_facts(" ".join(asked), table, weights)
    assert all(0.0 <= value <= 1.0 + 1e-12 for value in facts)
    assert facts[TITLE] <= facts[HEADERS] <= facts[ANYWHERE] + 1e-12
    assert facts[JOINT] <= facts[HEADERS] + 1e-12
    again = question_facts(" ".join(asked), ItemWords.of_table(sales()), weights)
    assert facts == again
