from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabrag.evaluation.correlation import correlations, kendall, pearson, ranks


def test_values_by_hand() -> None:
    first, second = [1, 2, 3, 4], [1, 3, 2, 4]
    assert pearson(first, second) == pytest.approx(4 / 5)
    assert kendall(first, second) == pytest.approx(4 / 6)  # five pairs agree, one does not
    assert ranks([5, 1, 5, 2]) == [3.5, 1, 3.5, 2]
    # Ties: of 6 pairs 5 differ in the first row and 4 in the second; of the 4 in both, 4 agree.
    assert kendall([1, 1, 2, 3], [0, 0, 0.5, 0.5]) == pytest.approx(4 / math.sqrt(5 * 4))
    assert correlations([0, 1, 0, 1], [1, 0, 1, 0]) == {"pearson": -1, "spearman": -1, "kendall": -1}


def test_what_is_undefined_is_none() -> None:
    nothing = {"pearson": None, "spearman": None, "kendall": None}
    assert correlations([], []) == correlations([1], [2]) == correlations([1, 1], [1, 2]) == nothing
    with pytest.raises(ValueError, match="2 and 1"):
        correlations([1, 2], [1])


SHARES = st.sampled_from([0.0, 1 / 3, 0.5, 2 / 3, 1.0])


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)


@given(st.lists(st.tuples(SHARES, SHARES), min_size=2, max_size=20))
def test_the_same_as_by_definition(pairs: list[tuple[float, float]]) -> None:
    first, second = (list(one) for one in zip(*pairs, strict=True))
    found = correlations(first, second)
    if len(set(first)) < 2 or len(set(second)) < 2:
        assert set(found.values()) == {None}
        return
    places = [[sum((b < a) + (b == a) / 2 for b in row) + 0.5 for a in row] for row in (first, second)]
    assert [ranks(first), ranks(second)] == places
    assert found["pearson"] == pytest.approx(np.corrcoef(first, second)[0, 1], abs=1e-9)
    assert found["spearman"] == pytest.approx(np.corrcoef(*places)[0, 1], abs=1e-9)
    signs = [(_sign(a - c), _sign(b - d)) for i, (a, b) in enumerate(pairs) for c, d in pairs[:i]]
    untied = sum(x != 0 for x, _ in signs) * sum(y != 0 for _, y in signs)
    assert found["kendall"] == pytest.approx(sum(x * y for x, y in signs) / math.sqrt(untied), abs=1e-9)
