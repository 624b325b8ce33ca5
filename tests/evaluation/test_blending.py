"""How much the rank before counts: chosen by the figures, calibrated, ties against the relevant one."""

from __future__ import annotations

import dataclasses
import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabrag.errors import UserError
from tabrag.evaluation.blending import (
    JudgedQuery,
    best_rank,
    calibration_error,
    cross_validate,
    fit_blend,
    fit_score_blend,
    hit_rate,
    mean_reciprocal_rank,
)
from tabrag.models.blend import Blend, ScoreBlend
from tabrag.types import Candidate

NOBODY = JudgedQuery(scores=(1.0, 2.0), relevant=(False, False))


def _queries(noise: float, *, count: int = 400) -> list[JudgedQuery]:
    """The relevant one stands at the first ranks mostly; the score knows it with some noise."""
    numbers = random.Random(0)
    found = []
    for _ in range(count):
        place = min(int(numbers.expovariate(0.6)), 9)
        relevant = tuple(rank == place for rank in range(10))
        found.append(JudgedQuery(tuple(2 * is_it + numbers.gauss(0, noise) for is_it in relevant), relevant))
    return found


def test_blending_beats_both_parts_and_is_calibrated() -> None:
    queries = _queries(1.2)
    blend = fit_blend(queries)
    alone, before = Blend(), Blend(rank_weight=1e9)
    assert blend.rank_weight > 0
    figures = {name: mean_reciprocal_rank(queries, one) for name, one in
               (("blend", blend), ("alone", alone), ("before", before))}  # fmt: skip
    assert figures["blend"] > 0.02 + max(figures["alone"], figures["before"])
    assert calibration_error(queries, blend) < 0.03 < calibration_error(queries, Blend(blend.rank_weight))
    assert hit_rate(queries, blend, k=1) < hit_rate(queries, blend, k=5) <= 1


def _with_scores(noise: float, *, informed: bool, count: int = 300) -> list[JudgedQuery]:
    """Scores before that know the relevant one with some noise, in units of 100, or know nothing."""
    numbers = random.Random(1)
    found = []
    for _ in range(count):
        own = numbers.randrange(10)
        before = [150.0 * informed * (n == own) + numbers.gauss(0, 100) for n in range(10)]
        order = sorted(range(10), key=lambda n: -before[n])
        found.append(
            JudgedQuery(
                scores=tuple(1.5 * (n == own) + numbers.gauss(0, noise) for n in order),
                relevant=tuple(n == own for n in order),
                before=tuple(before[n] for n in order),
                stage="convex",
            )
        )
    return found


def test_scores_before_count_where_they_tell_more_than_ranks() -> None:
    queries = _with_scores(1.0, informed=True)
    blend = fit_blend(queries)
    assert blend.scores is not None and blend.scores.stage == "convex"
    # what the numbers above make true: 1.5 of each in units of their noise, 1 and 100
    assert 0.6 < 100 * blend.scores.score_weight + blend.scores.rank_weight < 1.6
    by_rank, by_score = (cross_validate(queries, with_scores=one) for one in (False, True))
    assert by_score["MRR"] > by_rank["MRR"] + 0.01 and by_score["Hit@1"] > by_rank["Hit@1"]
    assert by_score["ECE"] < 0.03 and calibration_error(queries, blend) < 0.03
    assert mean_reciprocal_rank(queries, blend) == pytest.approx(by_score["MRR"], abs=0.02)
    again = Blend.from_record(dataclasses.asdict(blend), where="x.json")
    assert again == blend


def test_scores_before_are_left_out_where_they_are_worthless_or_unknown() -> None:
    noise = fit_score_blend(_with_scores(0.5, informed=False))
    assert noise is not None and 100 * noise.score_weight < 0.15
    queries = _with_scores(1.0, informed=True)
    mixed = [dataclasses.replace(queries[0], stage="bm25"), *queries[1:]]
    unknown = [dataclasses.replace(queries[0], before=()), *queries[1:]]
    wrong = [dataclasses.replace(one, scores=tuple(-score for score in one.scores)) for one in queries]
    for some in (mixed, unknown, wrong, [NOBODY], []):
        assert fit_score_blend(some) is None
    assert fit_blend(mixed) == fit_blend([dataclasses.replace(one, before=()) for one in queries])


def test_gaps_are_of_the_kind_of_run_that_they_were_fitted_on() -> None:
    blend = Blend(0.5, 2.0, -1.0, ScoreBlend("convex", 3.0, scale=0.5))
    found = [Candidate(item_id=str(n), score=0.9 - n / 10, stage="convex") for n in range(2)]
    assert blend.gaps(found) == pytest.approx([0.0, 0.1])
    other = [dataclasses.replace(one, stage="bm25") for one in found]
    assert blend.gaps(other) == Blend().gaps(found) == [None, None]
    assert blend.gaps([]) == []
    assert blend.log_odds(1.0, 2, 0.1) == pytest.approx(0.5 * (1 - 3 * 0.1))
    assert blend.log_odds(1.0, 2) == pytest.approx(2 * (1 - 0.5 * math.log(2)) - 1)
    for change, said in (
        ({"scores": {"stage": "a", "score_weight": 1, "colour": 1}}, r"'blend\.scores\.colour' is unknown"),
        ({"scores": {"stage": "a"}}, r"'blend\.scores\.score_weight' is missing"),
        ({"scores": {"stage": "a", "score_weight": 1, "scale": -1}}, r"'blend\.scores': scale is -1"),
        ({"scale": 0}, "'blend': scale is 0, expected a number above 0"),
        ({"rank_weight": -0.5}, r"'blend': rank_weight is -0\.5, expected 0 or more"),
        ({"bias": math.nan}, r"'blend\.bias' is nan"),
    ):
        with pytest.raises(UserError, match=f"x.json: {said}"):
            Blend.from_record({**dataclasses.asdict(blend), **change}, where="x.json")


def test_a_sure_model_needs_no_rank() -> None:
    assert fit_blend(_queries(0.01)).rank_weight == 0.0


def test_a_worthless_model_leaves_the_order() -> None:
    queries = [JudgedQuery((0.0, 0.0, 0.0), (True, False, False))] * 3
    blend = fit_blend(queries)
    assert blend.rank_weight > 0 and mean_reciprocal_rank(queries, blend) == 1


def test_queries_without_a_relevant_candidate_count_as_misses() -> None:
    right = JudgedQuery(scores=(1.0, 0.0), relevant=(True, False))
    assert mean_reciprocal_rank([right, NOBODY], Blend()) == 0.5
    assert hit_rate([right, NOBODY], Blend(), k=10) == 0.5
    assert fit_blend([NOBODY]) == Blend()  # nothing to calibrate by


def test_ties_count_against_the_relevant_one() -> None:
    assert best_rank(JudgedQuery(scores=(1.0, 1.0, 1.0), relevant=(True, False, False)), Blend()) == 3


@given(st.floats(-1e6, 1e6), st.integers(1, 1000), st.floats(0, 10), st.floats(0.01, 10), st.floats(-10, 10))
def test_a_probability_rises_with_the_score_and_falls_with_the_rank(
    score: float, rank: int, weight: float, scale: float, bias: float
) -> None:
    blend = Blend(rank_weight=weight, scale=scale, bias=bias)
    chance = blend.probability(score, rank)
    assert 0 <= chance <= 1 and math.isfinite(blend.log_odds(score, rank))
    assert blend.probability(score + 1, rank) >= chance >= blend.probability(score, rank + 1)
    assert Blend().probability(math.log(3), rank) == 0.75


def test_scores_of_several_scales_count_by_their_ranks_alone() -> None:
    def query(*before: tuple[str, float]) -> JudgedQuery:
        candidates = [Candidate(item_id=str(n), score=score, stage=s) for n, (s, score) in enumerate(before)]
        return JudgedQuery.of(candidates, scores=[2.0, 1.0], grades={"1": 1})

    assert query(("bm25", 9.0), ("bm25", 8.0)) == JudgedQuery((2.0, 1.0), (False, True), (9.0, 8.0), "bm25")
    assert query(("rerank", 0.9), ("rerank", 0.0)).before == (0.9, 0.0)
    for mixed in (query(("rerank", 0.9), ("bm25", -1.0)), query(("rerank", 0.9), ("rerank", -1.0))):
        assert mixed == JudgedQuery((2.0, 1.0), (False, True))
        assert fit_score_blend([mixed] * 6) is None
    blend = Blend(scores=ScoreBlend("rerank", 1.0, 0.0))
    below = [Candidate(item_id=str(n), score=score, stage="rerank") for n, score in enumerate((0.9, -1.0))]
    assert blend.gaps(below) == [None, None] and blend.gaps([]) == []
