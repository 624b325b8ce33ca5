"""What questions ask for."""

from __future__ import annotations

import pytest

from tabrag.inference.rule_asked import wanted


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("What was the percentage change in revenue between 2018 and 2019?", "percent_change"),
        ("By what percentage did sales grow from 2018 to 2019?", "percent_change"),
        ("How much more did the north grow than the south?", "difference"),
        ("What is the difference between rent and food?", "difference"),
        ("What was the average of 2018 and 2019?", "average"),
        ("How many goals did Ann and Bob score together?", "sum"),
        ("What is the ratio of debt to equity?", "ratio"),
        ("What was the revenue in 2019?", "value"),
    ],
)
def test_kinds(question: str, kind: str) -> None:
    assert wanted(question).kind == kind


@pytest.mark.parametrize(
    ("question", "direction"),
    [
        ("Which club has the most goals?", 1),
        ("Who had the lowest score?", -1),
        ("How many clubs have at least 5 goals?", 0),
        ("What was the share of the top 5% of firms?", 0),
        ("Which was the second largest city?", 0),
    ],
)
def test_superlatives(question: str, direction: int) -> None:
    asked = wanted(question)
    assert bool(asked.superlative) == bool(direction)
    assert not direction or asked.direction == direction


def test_names_order_and_how_many() -> None:
    assert wanted("Which three teams won?").top == 3
    assert wanted("Which team was in the top 10?").top == 1
    assert wanted("Which four-door car was the cheapest?").top == 1
    assert wanted("Who came next after Ann?").order == 1
    assert wanted("Which city is listed before Rome?").order == -1
    assert wanted("What was the first game?").end == -1
    assert wanted("How many teams are from Rome?").counts
    assert not wanted("What is the article number of the phone?").counts
    assert wanted("Which city is Leidos in?").noun.startswith("city")
