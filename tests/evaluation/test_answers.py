from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabrag.errors import UserError
from tabrag.evaluation.answers import AnswerRules, exact_match, normalise, number, same, score_answers

PERCENT = [("35%", "35"), ("35 %", "35%"), ("0.35", "35%"), ("it is 35% of the 80 units", "35")]


def test_percent_answers():
    assert [same(a, b) for a, b in PERCENT] == [False, True, False, False]
    aware = AnswerRules(percent="aware")
    assert [same(a, b, rules=aware) for a, b in PERCENT] == [True] * 4
    for rules in (AnswerRules(), aware):
        assert not same("it is 35% of the 80 units", "80", rules=rules)
    assert not same("0.35", "35", rules=aware)


@pytest.mark.parametrize(
    ("prediction", "gold", "equal"),
    [
        ("2.0", "20", False),
        ("4.75", "475", False),
        ("2.0", "2", True),
        ("(4.75).", "4.75", True),
        ("6,000", "6000", True),
        ("$1,234.50", "1234.5", True),
        ("1.234", "1.234", True),
        ("-5", "5", False),
        ("−5", "-5", True),
        ("154983", "154983.0", True),
        ("The total was 6,000 in 2019.", "6000", True),
        ("not in the table", "0", False),
    ],
)
def test_numbers_are_parsed_before_punctuation_goes(prediction: str, gold: str, equal: bool):
    assert same(prediction, gold) is equal


def test_brackets_are_negative_in_accounting_only():
    accounting = AnswerRules(accounting=True)
    assert same("(1,234)", "-1234", rules=accounting)
    assert not same("(1,234)", "-1234")
    assert same("(1,234)", "1234")
    assert not same("(1,234)", "1234", rules=accounting)


def test_both_sides_are_normalised():
    assert exact_match("Netherlands", ["the Netherlands"])
    assert exact_match("the Netherlands.", ["netherlands"])
    assert exact_match("a", ["A."])
    assert not exact_match("Holland", ["the Netherlands"])
    assert normalise("  “The   Total”. ") == "total"


def test_several_gold_answers():
    assert exact_match("b, a", ["a", "b"], rules=AnswerRules(several="set"))
    assert not exact_match("b, a", ["a", "b"], rules=AnswerRules(several="ordered"))
    assert exact_match("a and b", ["a", "b"], rules=AnswerRules(several="ordered"))
    assert not exact_match("a", ["a", "b"], rules=AnswerRules(several="set"))
    assert not exact_match("a, a", ["a", "b"], rules=AnswerRules(several="set"))
    assert exact_match("6,000, 5", ["5", "6000"], rules=AnswerRules(several="set"))
    assert exact_match("a", ["a", "b"])
    with pytest.raises(UserError, match="'q7' has no gold answer"):
        exact_match("a", [], sample_id="q7")


def test_unanswered_questions_count_as_wrong_and_are_reported():
    gold = {"q1": ["5"], "q2": ["7"], "q3": ["x"], "q4": ["y"]}
    figures = score_answers({"q1": "5.0", "q2": "", "q9": "1"}, gold)
    assert figures == {"exact_match": 0.25, "num_questions": 4, "missing": 2, "empty": 1, "unjudged": 1}


@given(st.decimals(min_value=-(10**9), max_value=10**9, places=2, allow_nan=False))
def test_a_number_equals_itself_however_it_is_written(value):
    written = [f"{value}", f"{value:,}", f" {value}. ", f"The value is {value:,}."]
    assert all(same(text, str(value)) for text in written)
    parsed = number(str(value))
    assert parsed is not None and parsed.number == pytest.approx(float(value))
    assert not same(str(value + 1), str(value)) or abs(value) > 10**5
