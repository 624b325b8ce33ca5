from __future__ import annotations

import numpy as np
import pytest
from effort import within
from hypothesis import given, settings
from hypothesis import strategies as st

from tabrag.evaluation.refinement import Case, Need, curve, kept_at, needs, removed_at, setting_keeping
from tabrag.inference.choice import EVEN, METHODS, Method, ordered, walk
from tabrag.inference.refine import orders
from tabrag.tables.grid import make_grid
from tabrag.tables.header_scores import HeaderScores
from tabrag.tables.subtable import Requirements

CELLS = [
    ["crop", "2019", "", "note"],
    ["", "tons", "share", ""],
    ["North", "", "", ""],
    ["wheat", "1", "2", "a"],
    ["rye", "3", "4", "b"],
    ["South", "", "", ""],
    ["wheat", "5", "6", "c"],
]
GRID = make_grid(CELLS, merged=[(0, 0, 1, 2), (5, 5, 0, 3)], num_header_rows=2, num_header_cols=1)


def test_what_keeps_an_answer_cell():
    body, left, section, merged_section, top, banner, corner = needs(
        GRID, [(4, 2), (4, 0), (2, 0), (5, 0), (1, 2), (0, 1), (0, 0)]
    )
    assert body == Need(frozenset({4}), frozenset({2}))
    assert left == Need(frozenset({4}), None)
    assert section == Need(frozenset({2, 3, 4}), None)
    assert merged_section == Need(frozenset({5, 6}), None)
    assert top == Need(None, frozenset({2}))
    assert banner == Need(None, frozenset({1, 2}))
    assert corner == Need(None, None)


def test_a_hand_counted_trade_off():
    sure = Case(HeaderScores({3: 0.9, 4: 0.1, 6: 0.2}, {1: 0.1, 2: 0.8, 3: 0.0}), needs(GRID, [(3, 2)]))
    wrong = Case(HeaderScores({3: 0.8, 4: 0.4, 6: 0.2}, {1: 0.1, 2: 0.8, 3: 0.0}), needs(GRID, [(4, 2)]))
    found = curve([sure, wrong], "relative")
    assert found.settings.tolist() == pytest.approx([np.inf, 0.5, 0.25, 2 / 9, 0.125, 1 / 9, 0.0])
    assert found.removed.tolist() == pytest.approx([1 - n / 18 for n in (2, 3, 4, 5, 10, 12, 18)])
    assert found.kept.tolist() == [0.5, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    assert kept_at([sure, wrong], 15 / 18, method="relative") == 1.0
    assert kept_at([sure, wrong], 16 / 18, method="relative") == 0.5
    assert kept_at([sure, wrong], 0.99, method="relative") == 0.0
    assert removed_at([sure, wrong], 0.5, method="relative") == pytest.approx(16 / 18)
    assert removed_at([sure, wrong], 1.0, method="relative") == pytest.approx(15 / 18)
    assert setting_keeping([sure, wrong], 1.0, method="relative") == pytest.approx(0.5)
    lost = Case(sure.scores, needs(GRID, [(4, 3)]))
    assert setting_keeping([sure, lost], 0.9, method="relative") == 0.0  # only the whole table does
    ruled = Case(wrong.scores, wrong.needs, always_rows=frozenset({4, 2}))
    assert kept_at([sure, ruled], 16 / 18, method="relative") == 1.0


def test_what_header_paths_require_is_counted_and_taken_first():
    scores = HeaderScores({1: 0.0, 2: 0.1, 3: 0.9}, {1: 1.0})
    wanted = (Need(frozenset({1}), frozenset({1})),)
    assert curve([Case(scores, wanted)], "relative").removed.tolist() == pytest.approx([2 / 3, 1 / 3, 0.0])
    case = Case(scores, wanted, Requirements(rows={3: frozenset({1})}))
    assert orders(scores, case.requires)[0].positions == [1, 3, 2]
    found = curve([case], "relative")
    assert found.settings.tolist() == pytest.approx([np.inf, 1.0, 1 / 9])
    assert found.kept.tolist() == [1.0, 1.0, 1.0]  # where row 3 stays, its parent does
    fixed = curve([Case(scores, wanted, Requirements(fixed_rows=frozenset({1, 2})))], "relative")
    assert fixed.removed.tolist() == pytest.approx([1 / 3, 0.0])


axis = st.lists(st.sampled_from([0.0, 0.1, 0.3, 0.30001, 0.9, 1.0]), min_size=1, max_size=5)


@st.composite
def cases(draw: st.DrawFn) -> list[Case]:
    made = []
    for _ in range(draw(st.integers(1, 4))):
        rows, cols = draw(axis), draw(axis)
        answer = st.tuples(st.integers(0, len(rows) - 1), st.integers(0, len(cols) - 1))
        wanted = [Need(frozenset({row}), frozenset({col})) for row, col in draw(st.lists(answer, max_size=2))]
        always = frozenset(draw(st.lists(st.integers(0, 5), max_size=2)))
        scores = HeaderScores(dict(enumerate(rows)), dict(enumerate(cols)))
        made.append(Case(scores, tuple(wanted), always_rows=always))
    return made


def _taken(scores: dict[int, float], setting: float, method: Method, always: frozenset[int]) -> set[int]:
    order = sorted(scores, key=lambda key: (key not in always, -scores[key], key))
    least = max(sum(key in always for key in order), 1)
    if method == "top_k":
        return set(order[: max(least, int(-setting))])
    best = max(scores.values()) if method == "relative" else 1.0
    levels = {key: scores[key] / best if best else 1.0 for key in order}
    return {key for place, key in enumerate(order) if place < least or levels[key] >= setting}


@settings(deadline=None, max_examples=60)
@given(cases(), st.sampled_from(["relative", "absolute", "top_k"]))
def test_each_point_is_what_its_setting_gives(some: list[Case], method: Method):
    found = curve(some, method)
    for setting, removed, mean_removed, kept in zip(
        found.settings, found.removed, found.mean_removed, found.kept, strict=True
    ):
        left, whole, shares, whole_answers = 0, 0, [], 0
        for case in some:
            setting_of = setting if np.isfinite(setting) else (0 if method == "top_k" else 9.0)
            rows = _taken(case.scores.rows, setting_of, method, case.always_rows)
            cols = _taken(case.scores.cols, setting_of, method, frozenset())
            size = len(case.scores.rows) * len(case.scores.cols)
            left, whole = left + len(rows) * len(cols), whole + size
            shares.append(1 - len(rows) * len(cols) / size)
            whole_answers += all(need.rows & rows and need.cols & cols for need in case.needs)
        assert removed == pytest.approx(1 - left / whole)
        assert mean_removed == pytest.approx(np.mean(shares))
        assert kept == pytest.approx(whole_answers / len(some))


@settings(deadline=None, max_examples=60)
@given(cases(), st.sampled_from(METHODS))
def test_looser_settings_remove_less_and_end_with_the_whole_table(some: list[Case], method: Method):
    found = curve(some, method)
    assert (np.diff(found.settings) < 0).all()
    assert (np.diff(found.removed) <= 0).all()
    # A larger table of "gain" may have a row less and more columns.
    assert method == "gain" or (np.diff(found.kept) >= 0).all()
    assert found.removed[-1] == pytest.approx(0.0) and found.kept[-1] == 1.0
    assert found.removed[0] < 1.0


@settings(deadline=None, max_examples=60)
@given(axis, axis, st.floats(0.001, 1.0))
def test_gain_takes_the_best_chance_for_a_price_a_cell(rows: list[float], cols: list[float], price: float):
    """Against all sizes one by one: none is worth more, the chance less the price of its cells."""
    orderings = [ordered(dict(enumerate(scores))) for scores in (rows, cols)]
    taken = walk(*orderings, "gain").at(price)

    def worth(num_rows: int, num_cols: int) -> float:
        chance = 1.0
        for scores, count in ((rows, num_rows), (cols, num_cols)):
            best = sorted(scores, reverse=True)
            even = count / len(scores)
            chance *= EVEN * even + (1 - EVEN) * sum(best[:count]) / sum(scores) if sum(scores) else even
        return chance - price * num_rows * num_cols

    sizes = [(r, c) for r in range(1, len(rows) + 1) for c in range(1, len(cols) + 1)]
    assert worth(*taken) == pytest.approx(max(worth(*size) for size in sizes))


def test_gain_goes_by_what_a_row_has_itself_and_takes_its_parent_along():
    scores = {1: 0.0, 2: 0.3, 3: 0.7}
    rows = ordered(scores, {3: {1}})
    assert rows.positions == [1, 3, 2] and rows.own.tolist() == [0.0, 0.7, 0.3]
    states = walk(rows, ordered({1: 1.0}), "gain")
    assert states.num_rows.tolist() == [1, 2, 3] and states.levels[1] == pytest.approx(
        (1 - EVEN) * 0.7 + EVEN / 3
    )
    fixed = walk(ordered(scores, {3: {1}}, {3}), ordered({1: 1.0}), "gain")
    assert fixed.num_rows.tolist() == [2, 3]
    assert walk(ordered({}), ordered({1: 1.0}), "gain").at(0.5) == (0, 1)


def test_many_questions_are_judged_in_a_moment():
    made = np.random.default_rng(0)
    wanted = (Need(frozenset({3}), frozenset({2})),)
    some = [
        Case(HeaderScores(dict(enumerate(made.random(30))), dict(enumerate(made.random(8)))), wanted)
        for _ in range(1700)
    ]
    with within(2):
        kept = kept_at(some)
    assert 0.1 < kept < 0.6
