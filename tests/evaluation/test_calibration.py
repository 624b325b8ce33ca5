"""Calibration: bins, their error, and scores that become probabilities."""

from __future__ import annotations

import math
import random

import pytest

from tabrag.errors import UserError
from tabrag.evaluation.calibration import expected_calibration_error, fit_platt, reliability


def test_bins_and_their_error_by_hand() -> None:
    bins = reliability([0.1, 0.1, 0.9, 1.0], [False, True, True, True], num_bins=2)
    assert [(one.count, one.share) for one in bins] == [(2, 0.5), (2, 1.0)]
    assert math.isclose(bins[0].mean, 0.1) and math.isclose(bins[1].mean, 0.95)
    assert math.isclose(expected_calibration_error(bins), 0.5 * 0.4 + 0.5 * 0.05)


def test_what_is_no_probability_is_refused() -> None:
    for chances, outcomes in (([], []), ([0.5], [True, False]), ([1.5], [True]), ([float("nan")], [True])):
        with pytest.raises(UserError):
            reliability(chances, outcomes)


def test_platt_finds_the_slope_and_offset_that_made_the_outcomes() -> None:
    numbers = random.Random(0)
    scores = [numbers.gauss(0, 2) for _ in range(20_000)]
    outcomes = [numbers.random() < 1 / (1 + math.exp(-(0.7 * score - 1.5))) for score in scores]
    slope, offset = fit_platt(scores, outcomes)
    assert abs(slope - 0.7) < 0.05 and abs(offset + 1.5) < 0.05
    chances = [1 / (1 + math.exp(-(slope * score + offset))) for score in scores]
    raw = [1 / (1 + math.exp(-score)) for score in scores]
    before, after = (expected_calibration_error(reliability(some, outcomes)) for some in (raw, chances))
    assert after < 0.01 < 0.1 < before


def test_platt_stays_finite_where_scores_part_the_outcomes() -> None:
    slope, offset = fit_platt([-1000.0, -5.0, 5.0, 1000.0], [False, False, True, True])
    assert math.isfinite(slope) and math.isfinite(offset) and slope > 0
    slope, offset = fit_platt([3.0] * 8, [True] * 2 + [False] * 6)  # nothing to tell them apart by
    assert abs(1 / (1 + math.exp(-(slope * 3 + offset))) - 0.25) < 0.1


def test_platt_needs_both_outcomes() -> None:
    with pytest.raises(UserError, match="relevant and irrelevant"):
        fit_platt([1.0, 2.0], [True, True])
