"""Figures by kind of evidence, with unanswerable questions apart."""

from __future__ import annotations

import pytest

from tabrag.evaluation.answer_evidence import score_evidence
from tabrag.evaluation.answer_scores import score_answers
from tabrag.types import Query


def query(query_id: str, answer: str, evidence: str = "") -> Query:
    return Query(id=query_id, text="?", answers=[answer], evidence=evidence)


QUERIES = [
    query("t1", "5", "text"),
    query("t2", "north", "text"),
    query("b1", "7", "table"),
    query("n1", "Not answerable", "none"),
    query("n2", "Not answerable", "none"),
    query("n3", "not in the documents"),
]
SAID = {"t1": "5.0", "t2": "The report does not say.", "b1": "8", "n1": "not in the table", "n2": "6"}


def test_figures() -> None:
    figures = score_evidence(SAID, QUERIES)
    assert figures["exact_match_by_evidence"] == {"none": 0.5, "table": 0.0, "text": 0.5}
    assert figures["num_by_evidence"] == {"none": 2, "table": 1, "text": 2}
    assert (figures["num_answerable"], figures["num_unanswerable"], figures["num_refused"]) == (3, 3, 2)
    recall, precision = 1 / 3, 1 / 4  # n3 has no answer at all: it counts as one that was not refused
    assert figures["exact_match_answerable"] == pytest.approx(recall)
    assert figures["answer_f1"] == pytest.approx(2 * recall * precision / (recall + precision))
    assert (figures["refusal_precision"], figures["refusal_recall"]) == (1 / 2, pytest.approx(1 / 3))
    assert figures["refusal_f1"] == pytest.approx(0.4)


def test_refusing_always_is_no_good() -> None:
    refused = {one.id: "Not answerable" for one in QUERIES}
    figures = score_evidence(refused, QUERIES)
    assert score_answers(refused, {one.id: one.answers for one in QUERIES})["exact_match"] == 0.5
    assert (figures["exact_match_answerable"], figures["answer_f1"]) == (0, 0)
    assert (figures["refusal_precision"], figures["refusal_recall"]) == (0.5, 1)


def test_no_figures_where_nobody_names_evidence() -> None:
    assert score_evidence({"q": "5"}, [query("q", "5")]) == {}
    only = score_evidence({"q": "5"}, [query("q", "5", "table")])
    assert only["exact_match_answerable"] == 1 and "refusal_f1" not in only


def test_words_of_a_refusal_do_not_count() -> None:
    def f1(said: str, gold: str) -> object:
        return score_answers({"q": said}, {"q": [gold]})["token_f1"]

    assert f1("It is not in the documents.", "Not answerable") == 1
    assert f1("not answerable", "not answerable by phone") == 0
    assert f1("reachable by phone", "not answerable by phone") > 0
