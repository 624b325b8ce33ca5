"""The map of white strips that lines of text are parted by."""

from __future__ import annotations

from itertools import groupby

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tabrag.documents.page_lines import _run_lengths


@given(
    st.integers(1, 6).flatmap(
        lambda width: st.lists(
            st.lists(st.booleans(), min_size=width, max_size=width), min_size=1, max_size=6
        )
    )
)
def test_runs_are_as_long_as_counted_one_by_one(rows: list[list[bool]]) -> None:
    mask = np.array(rows)
    expected = []
    for row in rows:
        counted: list[int] = []
        for is_white, run in groupby(row):
            length = len(list(run))
            counted += [length if is_white else 0] * length
        expected.append(counted)
    assert _run_lengths(mask, 1).tolist() == expected
    assert _run_lengths(mask.T, 0).T.tolist() == expected
