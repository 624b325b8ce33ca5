from __future__ import annotations

import pytest

from tabrag.evaluation.answer_replies import final_answer, parse_label
from tabrag.evaluation.answer_scores import (
    bleu,
    score_answers,
    score_descriptions,
    score_statements,
    token_f1,
)
from tabrag.evaluation.answers import AnswerRules


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ('{"answer": 4}', "4"),
        ('```json\n{"answer": "4"}\n```', "4"),
        ("{'answer': 4}", "4"),
        ('Sure: {"Final_Answer": "north"}.', "north"),
        ('{"value": "north"}', "north"),
        ('{"answer": ["a, b", "c"]}', "a, b\nc"),
        ('["a", "b"]', "a\nb"),
        ('{"answer": null}', ""),
        ('{"first": 1, "second": 2}', '{"first": 1, "second": 2}'),
        ("{broken", "{broken"),
        ("The answer is: **north**", "north"),
        ("It is simple. So the final answer is 42", "42"),
        ("Sums.\nAnswer: 42", "42"),
        ("Answer:", "Answer:"),
        ("his answer: no", "his answer: no"),
        ('"north"', "north"),
        ("So it is. <answer>north</answer>", "north"),
        ("the 'north' of it", "the 'north' of it"),
        ("  north ", "north"),
        ("", ""),
    ],
)
def test_what_a_reply_says(reply: str, answer: str) -> None:
    assert final_answer(reply) == answer


@pytest.mark.parametrize(
    ("reply", "label"),
    [
        ("SUPPORTED", "SUPPORTED"),
        ("The table supports it.", "SUPPORTED"),
        ('{"answer": "entailed"}', "SUPPORTED"),
        ("Yes.", "SUPPORTED"),
        ("refuted.", "REFUTED"),
        ("It is not supported", "REFUTED"),
        ("False", "REFUTED"),
        ("NOT ENOUGH INFO", "NOT ENOUGH INFO"),
        ("not enough information", "NOT ENOUGH INFO"),
        ("SUPPORTED or REFUTED", None),
        ("no idea", "REFUTED"),
        ("there is no doubt", None),
        ("The table does not support the statement.", "REFUTED"),
        ("It isn't fully supported", "REFUTED"),
        ("unsupported", "REFUTED"),
        ("The table does not refute it", "SUPPORTED"),
        ("NOT_ENOUGH_INFO", "NOT ENOUGH INFO"),
        ("The table does not give enough information", "NOT ENOUGH INFO"),
        ("It cannot be determined", "NOT ENOUGH INFO"),
        ("neither supported nor refuted", "NOT ENOUGH INFO"),
        ("I cannot say", None),
        ("", None),
    ],
)
def test_labels(reply: str, label: str | None) -> None:
    assert parse_label(reply) == label


def test_hostile_replies_take_no_time_and_raise_nothing() -> None:
    for piece in ("answer: ", "[", "{", "```", ". ", '"', "the answer is ", "{'a':", "<answer>", "not "):
        final_answer(piece * 5000)
        parse_label(piece * 5000)


def test_questions_are_counted_by_what_became_of_them() -> None:
    gold = {"q1": ["5"], "q2": ["7"], "q3": ["x"], "q4": ["y y"], "q5": ["8"], "q6": ["9"], "q7": []}
    said = {"q1": "5.0", "q2": "", "q3": "not in the table", "q4": "y z", "q5": "none", "q7": "1", "q9": "1"}
    figures = score_answers(said, gold)
    assert figures == {
        "exact_match": 1 / 6, "numeric_match": 1 / 4, "token_f1": pytest.approx((1 + 0.5) / 6),
        "num_questions": 6, "num_numeric": 4, "missing": 1, "empty": 1, "not_found": 1, "unparsed": 1,
        "unjudged": 2,
    }  # fmt: skip
    assert score_answers({}, {}) == {**dict.fromkeys(figures, 0)}
    wrapped = {"q1": '{"answer": "5"}', "q2": "Answer: 7"}
    assert score_answers(wrapped, {"q1": ["5"], "q2": ["7"]})["exact_match"] == 1


def test_statements_that_are_not_parsed_are_counted_apart() -> None:
    gold = {"s1": "SUPPORTED", "s2": "REFUTED", "s3": "REFUTED", "s4": "NOT ENOUGH INFO", "s5": "SUPPORTED"}
    said = {"s1": "SUPPORTED", "s2": "supported", "s3": "who knows", "s4": ""}
    assert score_statements(said, gold) == {
        "accuracy": 0.2, "accuracy_parsed": 0.5, "coverage": 0.4,
        "accuracy_by_label": {"NOT ENOUGH INFO": 0, "REFUTED": 0, "SUPPORTED": 0.5},
        "num_statements": 5, "missing": 1, "empty": 1, "unparsed": 1, "unparsed_ids": ["s3"],
    }  # fmt: skip


def test_words_overlap_by_value() -> None:
    assert token_f1("The North grew 6,000 tons.", ["north grew 6000 tons"]) == 1
    assert token_f1("2.0", ["20"]) == 0 and token_f1("2.0", ["2"]) == 1
    assert token_f1("a b", ["b"]) == 1
    assert token_f1("x y", ["y z", "x y w"]) == pytest.approx(0.8)
    assert token_f1("", ["x"]) == token_f1("x", [""]) == token_f1("x", []) == 0
    assert token_f1("y, x", ["x", "y"]) < 1  # alternatives
    listed = score_answers({"q": "y, x"}, {"q": ["x", "y"]}, rules=AnswerRules(several="set"))
    assert listed["token_f1"] == listed["exact_match"] == 1


def test_bleu_is_that_of_sacrebleu() -> None:
    sacrebleu = pytest.importorskip("sacrebleu")
    said = ["the north grew more wheat than the south", "nothing at all was grown here"]
    gold = [["the north grew more wheat in 2010"], ["nothing was grown here", "nothing at all was grown"]]
    expected = sacrebleu.corpus_bleu(said, [[gold[0][0], gold[1][0]], [None, gold[1][1]]]).score / 100
    assert 0.3 < expected < 1
    assert bleu(said, gold) == pytest.approx(expected)
    assert bleu(["a b c d e"], [["a b c d e"]]) == pytest.approx(1)
    assert bleu([], []) == 0
    figures = score_descriptions(
        {"d1": said[0], "d2": " "}, {"d1": gold[0], "d2": gold[1], "d3": ["a"], "d4": []}
    )
    assert (figures["num_questions"], figures["missing"], figures["empty"]) == (3, 1, 1)
    assert 0 < float(str(figures["bleu"])) < expected
