from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tabrag.errors import UserError
from tabrag.index.exact import ExactIndex


def reference(vectors: np.ndarray, queries: np.ndarray, k: int, metric: str) -> np.ndarray:
    """Rows by a full sort of float64 scores, rounded so that equal vectors tie."""
    vectors, queries = vectors.astype(np.float64), queries.astype(np.float64)
    if metric == "cosine":
        norms = [np.linalg.norm(one, axis=1, keepdims=True) for one in (vectors, queries)]
        vectors, queries = (
            np.divide(one, norm, out=np.zeros_like(one), where=norm > 0)
            for one, norm in zip((vectors, queries), norms, strict=True)
        )
    scores = np.round(queries @ vectors.T, 9)
    rows = np.broadcast_to(np.arange(len(vectors)), scores.shape)
    return np.lexsort((rows, -scores), axis=-1)[:, :k]


@pytest.mark.parametrize("metric", ["cosine", "ip"])
@pytest.mark.parametrize(("num", "k"), [(1, 1), (40, 7), (9000, 10), (9000, 100), (20000, 3)])
def test_equals_a_full_sort(metric: str, num: int, k: int) -> None:
    generator = np.random.default_rng(num)
    vectors = generator.normal(size=(num, 24)).astype(np.float32)
    queries = generator.normal(size=(17, 24)).astype(np.float32)
    scores, rows = ExactIndex(metric=metric).build(vectors).search(queries, k)
    assert scores.dtype == np.float32 and rows.dtype == np.int64
    assert (rows == reference(vectors, queries, k, metric)).all()
    assert (np.diff(scores, axis=1) <= 0).all()


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 60), st.integers(1, 70), st.integers(0, 1000), st.sampled_from(["cosine", "ip"]))
def test_many_ties_are_ordered_by_row(num: int, k: int, seed: int, metric: str) -> None:
    generator = np.random.default_rng(seed)
    vectors = generator.integers(-1, 2, size=(num, 3)).astype(np.float32)
    queries = generator.integers(-1, 2, size=(4, 3)).astype(np.float32)
    _, rows = ExactIndex(metric=metric).build(vectors).search(queries, k)
    assert rows.shape == (4, min(k, num))
    assert (rows == reference(vectors, queries, k, metric)).all()


def test_more_ties_at_the_last_place_than_are_kept() -> None:
    generator = np.random.default_rng(1)
    vectors = np.tile(generator.normal(size=(1, 32)), (12000, 1)).astype(np.float32)
    vectors[5000] *= 3
    vectors[11000] *= 2
    _, rows = ExactIndex(metric="ip").build(vectors).search(np.abs(vectors[:1]) * np.sign(vectors[:1]), 5)
    assert rows.tolist() == [[5000, 11000, 0, 1, 2]]


def test_result_does_not_depend_on_the_batch_or_on_the_order_of_rows() -> None:
    generator = np.random.default_rng(2)
    distinct = generator.normal(size=(700, 64)).astype(np.float32)
    vectors = np.concatenate([distinct, distinct, distinct[:300]])
    queries = generator.normal(size=(50, 64)).astype(np.float32)
    index = ExactIndex().build(vectors)
    scores, rows = index.search(queries, 9)
    for number in (0, 23, 49):
        one_scores, one_rows = index.search(queries[number : number + 1], 9)
        assert (one_rows[0] == rows[number]).all()
        assert np.allclose(one_scores[0], scores[number], atol=1e-6)
    order = generator.permutation(len(vectors))
    moved_scores, moved_rows = ExactIndex().build(vectors[order]).search(queries, 9)
    content = np.arange(len(vectors)) % 700
    assert (content[order][moved_rows] == content[rows]).all()
    assert np.allclose(moved_scores, scores, atol=1e-6)
    assert any(len(set(one)) < 9 for one in content[rows].tolist())


@pytest.mark.parametrize("k", [5, 120])
def test_threads_give_the_same_as_one(k: int, monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(5)
    vectors = generator.normal(size=(9001, 24)).astype(np.float32)
    vectors[4000:4500] = vectors[:500]
    queries = generator.normal(size=(1300, 24)).astype(np.float32)
    index = ExactIndex().build(vectors)
    before = torch.get_num_threads()
    searched: list[tuple[str, int, int]] = []
    search_batch = ExactIndex._search_batch

    def noted(self: ExactIndex, q_BE: torch.Tensor, k: int) -> tuple[np.ndarray, np.ndarray]:
        searched.append((threading.current_thread().name, len(q_BE), torch.get_num_threads()))
        return search_batch(self, q_BE, k)

    monkeypatch.setattr(ExactIndex, "_search_batch", noted)
    try:
        torch.set_num_threads(1)
        scores, rows = index.search(queries, k)
        assert [(number, threads) for _, number, threads in searched] == [(650, 1)] * 2
        searched.clear()
        torch.set_num_threads(3)
        threaded_scores, threaded_rows = index.search(queries, k)
        assert torch.get_num_threads() == 3
        assert sorted((number, threads) for _, number, threads in searched) == [(432, 1), (434, 1), (434, 1)]
        assert "MainThread" not in {name for name, _, _ in searched}
        searched.clear()
        few = index.search(queries[:100], k)[1]
        assert searched == [("MainThread", 100, 3)]
    finally:
        torch.set_num_threads(before)
    assert (threaded_rows == rows).all() and np.allclose(threaded_scores, scores, atol=1e-6)
    assert (few == rows[:100]).all()
    assert np.isin(rows, np.arange(4000, 4500)).any()


def test_cosine_of_vectors_of_any_length() -> None:
    direction = np.array([0.6, 0.8], np.float32)
    scores, rows = (
        ExactIndex().build(np.stack([direction * 0.1, direction * 10])).search(direction[None] * 7, 2)
    )
    assert scores.tolist() == [[1.0, 1.0]] and rows.tolist() == [[0, 1]]
    scores, rows = (
        ExactIndex(metric="ip").build(np.stack([direction * 0.1, direction * 10])).search(direction[None], 2)
    )
    assert rows.tolist() == [[1, 0]] and scores[0, 0] == pytest.approx(10)


@pytest.mark.parametrize("form", ["float64", "fortran", "bf16", "float16", "strided", "read-only"])
def test_any_float_type_and_layout_without_changing_it(form: str) -> None:
    generator = np.random.default_rng(3)
    plain = (generator.integers(-4, 5, size=(30, 8)) / 4).astype(np.float32)
    inputs: dict = {
        "float64": plain.astype(np.float64),
        "fortran": np.asfortranarray(plain),
        "bf16": torch.from_numpy(plain).bfloat16(),
        "float16": torch.from_numpy(plain).half(),
        "strided": np.repeat(plain, 2, axis=0)[::2],
        "read-only": plain.copy(),
    }
    given_vectors = inputs[form]
    if form == "read-only":
        given_vectors.setflags(write=False)
    before = given_vectors.clone() if isinstance(given_vectors, torch.Tensor) else given_vectors.copy()
    expected = ExactIndex().build(plain).search(plain, 5)
    found = ExactIndex().build(given_vectors).search(given_vectors, 5)
    assert len(np.unique(expected[1])) > 5
    assert (found[1] == expected[1]).all() and np.allclose(found[0], expected[0])
    assert (given_vectors == before).all()


def test_zero_vectors_score_zero() -> None:
    vectors = np.array([[1, 0], [0.5, 0.5], [0, 0], [-1, 0]], np.float32)
    index = ExactIndex().build(vectors)
    scores, rows = index.search(np.array([[1, 0]]), 4)
    assert rows.tolist() == [[0, 1, 2, 3]]
    assert scores[0].tolist() == pytest.approx([1, 0.5**0.5, 0, -1])
    scores, rows = index.search(np.zeros((1, 2)), 3)
    assert rows.tolist() == [[0, 1, 2]] and scores.tolist() == [[0, 0, 0]]
    many = np.zeros((9000, 2), np.float32)
    assert ExactIndex().build(many).search(np.zeros((2, 2)), 3)[1].tolist() == [[0, 1, 2]] * 2


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_nan_is_refused_with_the_ids(bad: float) -> None:
    vectors = np.ones((4, 2), np.float32)
    vectors[1, 0] = vectors[3, 1] = bad
    with pytest.raises(UserError, match="2 of 4 vectors.*'b', 'd'"):
        ExactIndex().build(vectors, ids=["a", "b", "c", "d"])
    with pytest.raises(UserError, match="row 1"):
        ExactIndex().build(vectors)
    with pytest.raises(UserError, match="number 1"):
        ExactIndex().build(np.ones((4, 2))).search(vectors[:2], 1)


def test_k_is_clamped_and_must_be_positive() -> None:
    index = ExactIndex().build(np.eye(4))
    scores, rows = index.search(np.eye(4)[:2], 10)
    assert rows.shape == (2, 4) and sorted(rows[0].tolist()) == [0, 1, 2, 3]
    for k in (0, -3):
        with pytest.raises(UserError, match="set k >= 1"):
            index.search(np.eye(4), k)


def test_empty_collections_and_no_queries() -> None:
    scores, rows = ExactIndex().build(np.zeros((0, 4))).search(np.ones((3, 4)), 5)
    assert scores.shape == rows.shape == (3, 0)
    assert ExactIndex().search(np.ones((2, 4)), 5)[1].shape == (2, 0)
    assert ExactIndex().build(np.eye(4)).search(np.ones((0, 4)), 5)[1].shape == (0, 4)


def test_wrong_dimension_metric_and_shape() -> None:
    with pytest.raises(UserError, match="3 dimensions and the index has 4"):
        ExactIndex().build(np.eye(4)).search(np.ones((1, 3)), 1)
    with pytest.raises(UserError, match="metric 'l2'"):
        ExactIndex(metric="l2")
    with pytest.raises(UserError, match="shape"):
        ExactIndex().build(np.ones(4))


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="needs Linux's /proc")
def test_memory_stays_bounded() -> None:
    generator = np.random.default_rng(0)
    vectors = generator.normal(size=(40000, 8)).astype(np.float32)
    index = ExactIndex().build(vectors)
    index.search(vectors[:8], 5)

    def peak() -> int:
        """Highest resident memory since the last reset, in MiB."""
        status = Path("/proc/self/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) // 1024

    Path("/proc/self/clear_refs").write_text("5")
    before = peak()
    _, rows = index.search(vectors[:2000], 5)
    assert (rows[:, 0] == np.arange(2000)).all()
    # the scores of all pairs alone would take 2000 * 40000 * 4 bytes = 305 MiB
    assert peak() - before < 150
