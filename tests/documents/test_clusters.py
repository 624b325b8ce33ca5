"""Groups of nodes: what belongs together is together, nothing is lost, and everything ends."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tabrag.documents.clusters import ClusterConfig, find_groups
from tabrag.errors import UserError

pytest.importorskip("sklearn")
ROOT = Path(__file__).parent.parent.parent


def _topics(num_topics: int, of_each: int, *, noise: float = 0.3, seed: int = 0) -> np.ndarray:
    """Vectors of 48 values: topic 0, topic 1, ..., topic 0, topic 1, ..."""
    draws = np.random.default_rng(seed)
    topics = draws.standard_normal((num_topics, 48))
    return np.tile(topics, (of_each, 1)) + noise * draws.standard_normal((num_topics * of_each, 48))


def test_topics_are_found() -> None:
    vectors = _topics(6, 20)
    groups = find_groups(vectors, [80] * 120)
    assert len(groups) >= 6
    assert all(len({row % 6 for row in rows}) == 1 for rows in groups)
    assert find_groups(1000 * vectors, [80] * 120) == groups  # lengths do not count


def test_nodes_between_groups_belong_to_both() -> None:
    """Half a circle has no borders: its arcs share the nodes at their ends."""
    angles = np.linspace(0, np.pi, 200)
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    shared = find_groups(circle, [1] * 200)
    assert len(shared) > 2 and 200 < sum(map(len, shared)) < 300
    assert all(rows == tuple(range(rows[0], rows[-1] + 1)) for rows in shared)
    alone = find_groups(circle, [1] * 200, config=ClusterConfig(min_membership=1.0))
    assert len(alone) > 2 and sum(map(len, alone)) == 200


@pytest.mark.parametrize("scale", [0.0, 1.0, 1e-30, 1e20], ids=["zeros", "equal", "tiny", "huge"])
def test_equal_vectors_are_one_group_or_runs(scale: float) -> None:
    vectors = scale * np.ones((40, 8))
    assert find_groups(vectors, [10] * 40) == [tuple(range(40))]
    runs = find_groups(vectors, [10] * 40, config=ClusterConfig(max_tokens=155))
    assert runs == [tuple(range(15)), tuple(range(15, 30)), tuple(range(30, 40))]


def test_few_nodes() -> None:
    assert find_groups(np.zeros((0, 8)), []) == []
    assert find_groups(np.ones((1, 8)), [9999]) == [(0,)]
    draws = np.random.default_rng(0)
    for number in range(2, 14):
        assert {row for rows in find_groups(draws.standard_normal((number, 8)), [1] * number) for row in rows}
    assert find_groups(draws.standard_normal((11, 8)), [1] * 11) == [tuple(range(11))]


def test_faults_are_told() -> None:
    with pytest.raises(UserError, match="NaN or infinity"):
        find_groups(np.array([[1.0, np.nan], [0.0, 1.0]]), [1, 1])
    with pytest.raises(UserError, match="for 3 nodes"):
        find_groups(np.ones((2, 2)), [1, 1, 1])
    with pytest.raises(UserError, match="1 or more"):
        ClusterConfig(dimensions=0)
    with pytest.raises(UserError, match=r"0\.\.1"):
        ClusterConfig(min_membership=2)


@settings(max_examples=25, deadline=None)
@given(
    number=st.integers(0, 50),
    width=st.integers(1, 24),
    topics=st.integers(1, 5),
    noise=st.sampled_from([0.0, 1e-9, 0.3, 3.0]),
    limit=st.sampled_from([1, 50, 400, 10**6]),
    dimensions=st.sampled_from([1, 3, 10]),
    seed=st.integers(0, 2**16),
)
def test_nothing_is_lost_and_no_group_is_too_large(
    number: int, width: int, topics: int, noise: float, limit: int, dimensions: int, seed: int
) -> None:
    draws = np.random.default_rng(seed)
    middles = draws.standard_normal((topics, width)) * draws.integers(0, 2, (topics, 1))
    vectors = middles[draws.integers(topics, size=number)] + noise * draws.standard_normal((number, width))
    sizes = draws.integers(0, 100, size=number).tolist()
    config = ClusterConfig(max_tokens=limit, dimensions=dimensions)
    groups = find_groups(vectors.astype(np.float32), sizes, config=config, seed=seed)
    assert {row for rows in groups for row in rows} == set(range(number))
    assert groups == sorted(set(groups))
    for rows in groups:
        assert list(rows) == sorted(set(rows))
        assert len(rows) == 1 or sum(sizes[row] for row in rows) <= limit
    assert find_groups(vectors.astype(np.float32), sizes, config=config, seed=seed) == groups


_DIGEST = """
import hashlib, numpy as np
from tabrag.documents.clusters import find_groups
draws = np.random.default_rng(5)
vectors = draws.standard_normal((6, 48))[draws.integers(6, size=500)] + draws.standard_normal((500, 48))
found = find_groups(vectors, [40] * 500)
digest = hashlib.sha256(repr(found).encode()).hexdigest()
"""


def test_groups_do_not_depend_on_the_process_and_its_threads() -> None:
    here: dict[str, Any] = {}
    exec(_DIGEST, here)
    assert len(here["found"]) > 5 and os.environ["OMP_NUM_THREADS"] == "1"
    other = subprocess.run(
        [sys.executable, "-c", f"{_DIGEST}\nprint(digest)"],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "2"},
    )
    assert other.stdout.strip() == here["digest"]
    assert find_groups(here["vectors"][::-1], [40] * 500, seed=0) != here["found"]
