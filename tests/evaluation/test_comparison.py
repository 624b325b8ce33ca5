from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tabrag.errors import UserError
from tabrag.evaluation.comparison import FIGURES, compare
from tabrag.evaluation.comparison_table import markdown, rich_tables
from tabrag.evaluation.ranking import confidence_intervals, evaluate, evaluate_queries
from tabrag.types import Candidate, Qrels, Run

ITEMS = [f"t{number}" for number in range(30)]


def random_run(query_ids: list[str], *, seed: int, luck: float) -> Run:
    """Ten candidates a query; the gold item ``t0`` stands among them with the probability ``luck``."""
    draw = random.Random(seed)
    run: Run = {}
    for query_id in query_ids:
        chosen = draw.sample(ITEMS[1:], 10)
        if draw.random() < luck:
            chosen[draw.randrange(10)] = "t0"
        run[query_id] = [
            Candidate(item_id=item_id, score=-float(place), stage="test")
            for place, item_id in enumerate(chosen)
        ]
    return run


def pool(**sizes: int) -> tuple[Qrels, dict[str, str]]:
    """Judgements of sets of these sizes, and the set of each query."""
    names = {f"{name}-{number}": name for name, size in sizes.items() for number in range(size)}
    return {query_id: {"t0": 1} for query_id in names}, names


def figure(group: dict[str, Any], run: str, name: str) -> dict[str, Any]:
    return group["runs"][run][name]


def test_pooled_figures_are_those_of_a_single_run() -> None:
    qrels, names = pool(a=40, b=80)
    runs = {"x": random_run(list(qrels), seed=1, luck=0.5), "y": random_run(list(qrels), seed=2, luck=0.8)}
    result = compare(runs, qrels, data_sets=names)
    assert result["figures"] == list(FIGURES) and result["macro"] is not None
    for name, run in runs.items():
        expected = evaluate(run, qrels, ks=(1, 5, 10, 50))
        intervals = confidence_intervals(evaluate_queries(run, qrels, ks=(1, 5, 10, 50)))
        for column in FIGURES:
            cell = figure(result["pooled"], name, column)
            assert cell["mean"] == expected[column] > 0
            assert cell["interval"] == pytest.approx(intervals[column], abs=1e-12)
            assert cell["interval"][0] < cell["mean"] < cell["interval"][1]


@settings(deadline=None, max_examples=25)
@given(st.dictionaries(st.sampled_from("abc"), st.integers(1, 6), min_size=1), st.integers(0, 99))
def test_data_sets_are_evaluated_by_themselves_and_averaged(sizes: dict[str, int], seed: int) -> None:
    qrels, names = pool(**sizes)
    run = random_run(list(qrels), seed=seed, luck=0.5)
    result = compare({"x": run}, qrels, data_sets=names, figures=["MRR@10"])
    assert list(result["data_sets"]) == sorted(sizes)
    means = []
    for name, group in result["data_sets"].items():
        part = {query_id: grades for query_id, grades in qrels.items() if names[query_id] == name}
        assert group["queries"] == sizes[name]
        means.append(figure(group, "x", "MRR@10")["mean"])
        assert means[-1] == evaluate(run, part, ks=(10,))["MRR@10"]
    assert result["pooled"]["queries"] == len(qrels)
    if len(sizes) == 1:
        assert result["macro"] is None
    else:
        assert figure(result["macro"], "x", "MRR@10")["mean"] == pytest.approx(sum(means) / len(means))


def test_the_mean_over_sets_weighs_sets_and_has_the_interval_of_independent_sets() -> None:
    qrels, names = pool(large=400, small=40)
    run = random_run(list(qrels), seed=3, luck=0.5)
    for query_id, name in names.items():
        if name == "small":
            run[query_id] = run[query_id][:2]  # few hits
    result = compare({"x": run}, qrels, data_sets=names, figures=["Recall@10"])
    large, small = (figure(result["data_sets"][name], "x", "Recall@10") for name in ("large", "small"))
    macro, pooled = (figure(result[name], "x", "Recall@10") for name in ("macro", "pooled"))
    assert macro["mean"] == pytest.approx((large["mean"] + small["mean"]) / 2)
    assert macro["mean"] < pooled["mean"] - 0.1
    # the variances of independent means add up, each a quarter
    widths = {name: high - low for name, (low, high) in (("l", large["interval"]), ("s", small["interval"]))}
    expected = np.hypot(widths["l"], widths["s"]) / 2
    assert macro["interval"][1] - macro["interval"][0] == pytest.approx(expected, rel=0.15)


def test_sets_of_one_size_are_resampled_independently() -> None:
    qrels, names = pool(a=100, b=100)
    run = random_run([query_id for query_id in qrels if query_id.startswith("a")], seed=4, luck=0.5)
    run |= {f"b{query_id[1:]}": candidates for query_id, candidates in run.items()}  # the same again
    result = compare({"x": run}, qrels, data_sets=names, figures=["Recall@10"])
    single = figure(result["data_sets"]["a"], "x", "Recall@10")["interval"]
    both = figure(result["macro"], "x", "Recall@10")["interval"]
    assert both[1] - both[0] == pytest.approx((single[1] - single[0]) / np.sqrt(2), rel=0.15)


def test_a_paired_difference_is_sharper_than_two_intervals() -> None:
    qrels, _ = pool(a=300)
    base = random_run(list(qrels), seed=5, luck=0.5)
    better = {query_id: candidates for query_id, candidates in base.items()}
    gold = [Candidate(item_id="t0", score=9.0, stage="test")]
    changed = [query_id for query_id in qrels if all(one.item_id != "t0" for one in base[query_id])][:12]
    better |= {query_id: gold for query_id in changed}
    result = compare(
        {"base": base, "better": better}, qrels, baseline="base", figures=["Hit@10", "Recall@10"]
    )
    cell, other = (figure(result["pooled"], name, "Hit@10") for name in ("better", "base"))
    assert cell["difference"] == pytest.approx(12 / 300)
    low, high = cell["difference_interval"]
    assert 0 < low < 12 / 300 < high
    # twelve of 300 independent queries: the normal approximation of the difference alone
    assert high - low == pytest.approx(2 * 1.96 * np.sqrt(0.04 * 0.96 / 300), rel=0.15)
    assert other["interval"][1] > cell["interval"][0]  # the intervals overlap all the same
    assert "difference" not in other
    assert compare({"one": base, "two": dict(base)}, qrels, baseline="one", figures=["MRR"])["pooled"][
        "runs"
    ]["two"]["MRR"]["difference_interval"] == [0, 0]


def test_a_query_that_a_run_lacks_counts_zero_and_is_reported() -> None:
    qrels: Qrels = {f"q{number}": {"t1": 1} for number in range(1, 5)}
    hit = [Candidate(item_id="t1", score=1.0, stage="test")]
    part: Run = {"q1": hit, "q2": [], "q9": hit}
    whole: Run = {query_id: hit for query_id in qrels}
    result = compare({"part": part, "whole": whole}, qrels, figures=["MRR", "Hit@1"], baseline="whole")
    assert figure(result["pooled"], "part", "MRR")["mean"] == 0.25
    assert figure(result["pooled"], "part", "Hit@1")["difference"] == -0.75
    counts = {name: result["runs"]["part"][name] for name in ("queries", "missing", "empty", "unjudged")}
    assert counts == {"queries": 4, "missing": 2, "empty": 1, "unjudged": 1}
    assert result["runs"]["whole"]["missing"] == 0
    assert "\n- part: missing 2, empty 1, unjudged 1\n" in markdown(result, title="dev")


def test_queries_without_a_set_have_a_group_only_where_others_have_one() -> None:
    qrels, names = pool(a=3, b=2)
    run = {"x": random_run(list(qrels), seed=6, luck=0.5)}
    some = {query_id: name if name == "a" else "" for query_id, name in names.items()}
    counts = {name: one["queries"] for name, one in compare(run, qrels, data_sets=some)["data_sets"].items()}
    assert counts == {"a": 3, "unnamed": 2}
    for none in ({}, {query_id: "" for query_id in names}):
        result = compare(run, qrels, data_sets=none)
        assert result["data_sets"] == {} and result["macro"] is None and result["pooled"]["queries"] == 5


def test_tables_show_each_set_once_a_run_and_the_differences() -> None:
    qrels, names = pool(wide=20, long=30)
    runs = {
        "a|b": random_run(list(qrels), seed=7, luck=0.3),
        "[red]": random_run(list(qrels), seed=8, luck=0.9),
    }
    result = compare(runs, qrels, data_sets=names, baseline="a|b")
    text = markdown(result, title="test", notes={"left out": "x"})
    rows = [line for line in text.splitlines() if line.startswith("| ") and "---" not in line]
    assert (
        len(rows) == 1 + 2 * 4 + 1 + 4
    )  # heads, runs x (two sets, pooled, mean); the baseline has no difference
    assert rows[0] == "| queries | run | Recall@1 | Recall@5 | Recall@10 | Recall@50 | MRR@10 |"
    assert [row.split(" | ")[0] for row in rows[1:9:2]] == [
        "| long (30)",
        "| wide (20)",
        "| pooled (50)",
        "| mean of 2 sets",
    ]
    cell = figure(result["pooled"], "[red]", "MRR@10")
    low, high = (100 * one for one in cell["difference_interval"])
    assert f"| {100 * cell['difference']:+.1f} [{low:+.1f}, {high:+.1f}] |" in text
    assert "| a\\|b | " in text and text.endswith("- left out: x\n")
    from rich.console import Console

    console = Console(width=140, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    for table in rich_tables(result, title="test"):
        console.print(table)
    shown = console.export_text()
    assert "[red]" in shown and "a|b" in shown and f"{100 * cell['difference']:+.1f} " in shown


def test_what_is_refused() -> None:
    qrels, _ = pool(a=2)
    run = {"x": random_run(list(qrels), seed=9, luck=1.0)}
    for settings_, message in (
        ({"figures": ["Recall@5", "Success@1"]}, "'Success@1' is unknown: use Hit@1, Recall@1"),
        ({"figures": ["Recall@0"]}, "at least 1"),
        ({"figures": ["Recall@x"]}, "at least 1"),
        ({"figures": ["Recall"]}, "'Recall' is unknown"),
        ({"figures": []}, "no figure"),
        ({"baseline": "y"}, "'y' is none of the runs: x"),
        ({"ties": "best"}, "'best'"),
    ):
        with pytest.raises(UserError, match=message):
            compare(run, qrels, **settings_)
    with pytest.raises(UserError, match="no run"):
        compare({}, qrels)
    with pytest.raises(UserError, match="no query has a relevant item"):
        compare(run, {"a-0": {"t0": 0}})
