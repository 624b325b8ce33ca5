"""How much the rank before counts: chosen by the figures, calibrated, ties against the relevant one."""

from __future__ import annotations

import math
import random

from hypothesis import given
from hypothesis import strategies as st

from tabrag.evaluation.blending import (
    JudgedQuery,
    best_rank,
    calibration_error,
    fit_blend,
    hit_rate,
    mean_reciprocal_rank,
)
from tabrag.models.blend import Blend

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
