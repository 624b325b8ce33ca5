from __future__ import annotations

import itertools
import math
import random

import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

from tabrag.errors import UserError
from tabrag.evaluation.ranking import check_qrels, confidence_intervals, evaluate, evaluate_queries
from tabrag.types import Candidate, Qrels, Run

ITEMS = [f"t{number}" for number in range(12)]


def ranked(*item_ids: str) -> list[Candidate]:
    """Candidates in this order."""
    return [
        Candidate(item_id=item_id, score=-float(place), stage="test")
        for place, item_id in enumerate(item_ids)
    ]


def scored(scores: dict[str, float]) -> list[Candidate]:
    return [Candidate(item_id=item_id, score=score, stage="test") for item_id, score in scores.items()]


grades = st.dictionaries(st.sampled_from(ITEMS), st.integers(0, 3), min_size=1, max_size=8)
scores = st.dictionaries(st.sampled_from(ITEMS), st.sampled_from([0.0, 0.5, 1.0, 1.5, -2.0]), max_size=12)


@settings(deadline=None)
@given(
    st.dictionaries(st.sampled_from("abcd"), grades, min_size=1).filter(
        lambda qrels: all(max(one.values()) >= 1 for one in qrels.values())
    ),
    st.dictionaries(st.sampled_from("abcd"), scores),
)
def test_equals_trec_eval_on_random_graded_runs(qrels: Qrels, table: dict[str, dict[str, float]]) -> None:
    run = {query_id: scored(one) for query_id, one in table.items()}
    # trec_eval breaks ties by descending id: it gets distinct scores that follow our order
    plain = {}
    for query_id, one in table.items():
        order = sorted(one, key=lambda item_id: (-one[item_id], item_id))
        plain[query_id] = {item_id: float(len(order) - place) for place, item_id in enumerate(order)}
    measures = {"success.1,5", "recall.1,5,10", "recip_rank", "ndcg_cut.1,5,10"}
    expected = pytrec_eval.RelevanceEvaluator(qrels, measures).evaluate(plain)
    found = evaluate_queries(run, qrels, ks=(1, 5, 10))
    names = {"Hit": "success", "Recall": "recall", "nDCG": "ndcg_cut"}
    for query_id, figures in found.items():
        theirs = expected.get(query_id)
        for name, value in figures.items():
            measure, _, cut = name.partition("@")
            if theirs is None:
                assert value == 0
            elif name == "MRR":
                assert value == pytest.approx(theirs["recip_rank"])
            elif f"{names.get(measure)}_{cut}" in theirs:
                assert value == pytest.approx(theirs[f"{names[measure]}_{cut}"])
    means = evaluate(run, qrels, ks=(1, 5, 10))
    assert means["nDCG@5"] == pytest.approx(
        sum(expected.get(query_id, {}).get("ndcg_cut_5", 0) for query_id in qrels) / len(qrels)
    )


@settings(deadline=None)
@given(grades.filter(lambda one: max(one.values()) >= 1), scores)
def test_average_mode_is_the_mean_over_all_orders_of_ties(
    judged: dict[str, int], table: dict[str, float]
) -> None:
    table = dict(list(table.items())[:6])
    groups: dict[float, list[str]] = {}
    for item_id, score in table.items():
        groups.setdefault(score, []).append(item_id)
    orders = [
        [item_id for part in choice for item_id in part]
        for choice in itertools.product(
            *(itertools.permutations(groups[score]) for score in sorted(groups, reverse=True))
        )
    ]
    each = [evaluate({"q": ranked(*order)}, {"q": judged}, ks=(1, 2, 4)) for order in orders]
    found = evaluate({"q": scored(table)}, {"q": judged}, ks=(1, 2, 4), ties="average")
    for name in ("Hit@1", "Hit@2", "Recall@2", "MRR@2", "MRR", "nDCG@4", "CappedRecall@4"):
        assert found[name] == pytest.approx(sum(one[name] for one in each) / len(each)), name


def test_missing_empty_and_unjudged_queries() -> None:
    qrels: Qrels = {f"q{number}": {"t1": 1} for number in range(1, 5)}
    run: Run = {"q1": ranked("t1", "t2"), "q2": [], "q9": ranked("t1")}
    figures = evaluate(run, qrels)
    assert figures["MRR"] == 0.25
    assert figures["Hit@1"] == 0.25
    assert (figures["queries"], figures["missing"], figures["empty"], figures["unjudged"]) == (4, 2, 1, 1)


def test_a_query_without_relevant_items_is_left_out_and_reported() -> None:
    figures = evaluate({"q1": ranked("t1"), "q2": ranked("t1")}, {"q1": {"t1": 1}, "q2": {"t1": 0}})
    assert figures["Hit@1"] == 1
    assert (figures["queries"], figures["without_relevant"], figures["unjudged"]) == (1, 1, 0)


def test_ties_do_not_depend_on_the_order_of_input() -> None:
    names = ["a", "b", "c", "d"]
    by_id, by_average = set(), set()
    for order in itertools.permutations(names):
        run = {"q": [Candidate(item_id=name, score=0.5, stage="test") for name in order]}
        by_id.add(evaluate(run, {"q": {"c": 1}})["MRR"])
        by_average.update(round(evaluate(run, {"q": {gold: 1}}, ties="average")["MRR"], 4) for gold in names)
    assert by_id == {1 / 3}
    assert by_average == {0.5208}


def test_hit_recall_and_capped_recall_differ_with_several_relevant_items() -> None:
    figures = evaluate({"q": ranked("a", "x", "b", "a")}, {"q": {"a": 1, "b": 1, "c": 1}}, ks=(1, 50))
    assert (figures["Hit@1"], figures["MRR"]) == (1, 1)
    assert figures["Recall@1"] == pytest.approx(1 / 3)
    assert figures["CappedRecall@1"] == 1
    assert figures["Recall@50"] == figures["CappedRecall@50"] == pytest.approx(2 / 3)


def test_an_item_named_twice_counts_once_at_its_better_place() -> None:
    twice = [*scored({"a": 0.1, "b": 0.5}), Candidate(item_id="a", score=0.9, stage="test")]
    assert evaluate({"q": twice}, {"q": {"a": 1}})["MRR"] == 1
    assert evaluate({"q": twice}, {"q": {"b": 1}})["MRR"] == 0.5


@pytest.mark.parametrize("score", [math.nan])
def test_nan_scores_are_refused(score: float) -> None:
    run = {"q7": [Candidate(item_id="t3", score=score, stage="test")]}
    with pytest.raises(UserError, match="'q7'.*'t3'"):
        evaluate(run, {"q7": {"t3": 1}})


@pytest.mark.parametrize("values", [{"ks": ()}, {"ks": (0,)}, {"ties": "best"}])
def test_bad_settings(values: dict) -> None:
    with pytest.raises(UserError):
        evaluate({"q": ranked("a")}, {"q": {"a": 1}}, **values)


def test_no_judged_query() -> None:
    with pytest.raises(UserError, match="no query has a relevant item"):
        evaluate({"q": ranked("a")}, {})


def test_qrels_with_unknown_ids_are_refused() -> None:
    check_qrels({"q": {"a": 1}}, query_ids=["q"], item_ids=["a"])
    with pytest.raises(UserError, match="unknown item ids: 'b'"):
        check_qrels({"q": {"a": 1, "b": 0}}, query_ids=["q"], item_ids=["a"])
    with pytest.raises(UserError, match="unknown query ids: 'r'"):
        check_qrels({"r": {"a": 1}}, query_ids=["q"], item_ids=["a"])


def test_intervals_hold_the_mean_and_are_the_same_at_every_call() -> None:
    generator = random.Random(0)
    qrels: Qrels = {f"q{number}": {"t0": 1} for number in range(200)}
    run = {query_id: ranked(*generator.sample(ITEMS, 6)) for query_id in qrels}
    figures, per_query = evaluate(run, qrels), evaluate_queries(run, qrels)
    intervals = confidence_intervals(per_query)
    low, high = intervals["MRR"]
    assert low < figures["MRR"] < high
    # the normal approximation of the same interval
    values = [one["MRR"] for one in per_query.values()]
    deviation = math.sqrt(sum((value - figures["MRR"]) ** 2 for value in values)) / len(values)
    assert high - low == pytest.approx(2 * 1.96 * deviation, rel=0.15)
    assert intervals == confidence_intervals(per_query)
