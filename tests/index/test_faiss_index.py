from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tabrag.errors import UserError
from tabrag.index import vectors as vectors_module
from tabrag.index.exact import ExactIndex
from tabrag.index.faiss_index import FaissIndex

faiss = pytest.importorskip("faiss", reason="faiss is an optional package")
KINDS = ("flat", "ivf", "hnsw")


def normal(num: int, dim: int = 16, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(num, dim)).astype(np.float32)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("num", [1, 5, 51, 796])
def test_any_number_of_vectors_can_be_indexed(kind: str, num: int) -> None:
    vectors = normal(num)
    _, rows = FaissIndex(kind).build(vectors).search(vectors, 3)
    assert [one[0] for one in rows] == list(range(num))
    assert all(len(one) == min(3, num) for one in rows)


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_to_index_is_a_clear_error(kind: str) -> None:
    with pytest.raises(UserError, match="no vectors to index"):
        FaissIndex(kind).build(np.zeros((0, 4)))


def test_clusters_are_used_and_too_few_vectors_are_said(caplog: pytest.LogCaptureFixture) -> None:
    assert isinstance(FaissIndex("ivf").build(normal(796))._cpu, faiss.IndexIVF)
    with caplog.at_level(logging.INFO):
        assert isinstance(FaissIndex("ivf").build(normal(51))._cpu, faiss.IndexFlat)
    assert "too few for clusters" in caplog.text


@pytest.mark.parametrize("metric", ["cosine", "ip"])
@pytest.mark.parametrize("kind", KINDS)
def test_agrees_with_exact_search(kind: str, metric: str) -> None:
    vectors, queries = normal(900), normal(20, seed=1)
    scores, rows = FaissIndex(kind, metric=metric).build(vectors).search(queries, 10)
    exact_scores, exact_rows = ExactIndex(metric=metric).build(vectors).search(queries, 10)
    shared = [len(set(a) & set(b)) for a, b in zip(rows, exact_rows.tolist(), strict=True)]
    assert np.mean(shared) >= (10 if kind == "flat" else 9)
    assert np.allclose([one[0] for one in scores], exact_scores[:, 0], atol=1e-5)


def test_no_padding_rows_and_more_clusters_until_k_hits(caplog: pytest.LogCaptureFixture) -> None:
    # ten far clusters of two: a visit to one of them finds two vectors at most
    centres = np.eye(10, dtype=np.float32)
    vectors = np.repeat(centres, 2, axis=0) + normal(20, 10) * 0.01
    index = FaissIndex("ivf").build(vectors)
    quantizer = faiss.IndexFlatIP(10)
    quantizer.add(centres)
    lists = faiss.IndexIVFFlat(quantizer, 10, 10, faiss.METRIC_INNER_PRODUCT)
    lists.train(np.ascontiguousarray(vectors))
    lists.add(np.ascontiguousarray(vectors))
    assert (lists.search(centres[:1], 15)[1] == -1).any()  # what FAISS itself gives with nprobe 1
    index._take(lists)
    index._first_effort = lambda k: 1
    for k in (3, 15, 20):
        (rows,) = index.search(centres[:1], k)[1]
        assert len(rows) == k and len(set(rows.tolist())) == k and (rows >= 0).all()
    index._last_effort = lambda: 1
    with caplog.at_level(logging.WARNING):
        (rows,) = index.search(centres[:1], 15)[1]
    assert 0 < len(rows) < 15 and (rows >= 0).all()
    assert "fewer than 15 hits" in caplog.text


def test_k_is_clamped_and_must_be_positive() -> None:
    index = FaissIndex("flat").build(np.eye(4))
    assert [len(one) for one in index.search(np.eye(4), 50)[1]] == [4] * 4
    with pytest.raises(UserError, match="set k >= 1"):
        index.search(np.eye(4), 0)
    with pytest.raises(UserError, match="NaN"):
        index.search(np.full((1, 4), np.nan), 1)


class LimitedIndex:
    """A GPU index that refuses large k, as FAISS does."""

    def __init__(self, inner: Any, limit: int) -> None:
        self.inner, self.limit, self.num_refused = inner, limit, 0

    def search(self, queries: np.ndarray, k: int, params: Any = None) -> tuple[np.ndarray, np.ndarray]:
        if k > self.limit:
            self.num_refused += 1
            raise RuntimeError(
                f"GPU index only supports min/max-K selection up to {self.limit} (requested {k})"
            )
        return self.inner.search(queries, k, params=params)


def test_what_the_gpu_refuses_runs_on_the_cpu(caplog: pytest.LogCaptureFixture) -> None:
    vectors = normal(5000)
    index = FaissIndex("flat").build(vectors)
    expected = index.search(vectors[:2], 3000)[1]
    index._gpu = LimitedIndex(index._cpu, 2048)
    with caplog.at_level(logging.WARNING):
        rows = index.search(vectors[:2], 3000)[1]
    assert index._gpu.num_refused == 1 and "runs on the CPU" in caplog.text
    assert [len(set(one.tolist())) for one in rows] == [3000, 3000]
    assert all((a == b).all() for a, b in zip(rows, expected, strict=True))
    assert len(index.search(vectors[:2], 2000)[1][0]) == 2000 and index._gpu.num_refused == 1


def test_a_gpu_that_fails_at_the_start_leaves_the_cpu(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail() -> None:
        raise RuntimeError("no kernel image is available")

    monkeypatch.setattr(faiss, "get_num_gpus", lambda: 1)
    monkeypatch.setattr(faiss, "StandardGpuResources", fail, raising=False)
    monkeypatch.setattr(faiss, "index_cpu_to_gpu", None, raising=False)
    with caplog.at_level(logging.WARNING):
        index = FaissIndex("flat").build(np.eye(4))
    assert "no kernel image" in caplog.text
    assert index.search(np.eye(4), 1)[1][2].tolist() == [2]


def test_cosine_any_float_type_and_inputs_unchanged() -> None:
    direction = np.array([0.6, 0.8])
    for vectors in (
        np.stack([direction * 0.1, direction * 10]),
        np.asfortranarray(np.stack([direction * 0.1, direction * 10])),
        torch.tensor([[0.0625, 0.125], [6.25, 12.5]], dtype=torch.bfloat16),
    ):
        before = vectors.clone() if isinstance(vectors, torch.Tensor) else vectors.copy()
        scores, rows = FaissIndex("flat").build(vectors).search(vectors[1:], 2)
        assert scores[0].tolist() == pytest.approx([1.0, 1.0]) and sorted(rows[0].tolist()) == [0, 1]
        assert (vectors == before).all()
    vectors = np.array([[1, 0], [0.5, 0.5], [0, 0]])
    assert FaissIndex("flat").build(vectors).search(vectors[:1], 2)[1][0].tolist() == [0, 1]
    scores, _ = FaissIndex("flat").build(vectors).search(np.zeros((1, 2)), 3)
    assert scores[0].tolist() == [0, 0, 0]
    with pytest.raises(UserError, match="'b'"):
        FaissIndex("flat").build(np.array([[1.0], [np.nan]]), ids=["a", "b"])


@pytest.mark.parametrize("kind", KINDS)
def test_a_saved_index_gives_the_same(kind: str, tmp_path: Path) -> None:
    vectors = normal(796)
    index = FaissIndex(kind).build(vectors)
    index.save(tmp_path / "faiss.index")
    opened = FaissIndex.load(tmp_path / "faiss.index", kind, metric="cosine")
    for mine, theirs in zip(index.search(vectors[:9], 7), opened.search(vectors[:9], 7), strict=True):
        assert all((a == b).all() for a, b in zip(mine, theirs, strict=True))
    (tmp_path / "faiss.index").write_bytes(b"nothing")
    with pytest.raises(UserError, match="not a FAISS index"):
        FaissIndex.load(tmp_path / "faiss.index", kind, metric="cosine")


def test_as_many_clusters_are_searched_as_the_data_needs_and_the_file_says_so(tmp_path: Path) -> None:
    scattered, queries = normal(6000, 32), normal(50, 32, seed=1)
    centres = normal(60, 32, seed=2) * 10
    gathered = np.repeat(centres, 100, axis=0) + normal(6000, 32, seed=3)
    hard, easy = (FaissIndex("ivf", metric="ip").build(vectors) for vectors in (scattered, gathered))
    assert easy._cpu.nprobe < hard._cpu.nprobe <= hard._cpu.nlist
    hard.save(tmp_path / "index")
    opened = FaissIndex.load(tmp_path / "index", "ivf", metric="ip")
    assert opened._cpu.nprobe == hard._cpu.nprobe
    exact = ExactIndex(metric="ip").build(scattered).search(queries, 10)[1].tolist()
    shared = [len(set(a) & set(b)) for a, b in zip(opened.search(queries, 10)[1], exact, strict=True)]
    assert np.mean(shared) >= 9.7


def test_clusters_hold_all_vectors_in_their_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors_module, "ROWS_AT_ONCE", 700)  # several blocks, the last one smaller
    np.save(tmp_path / "v.npy", np.random.default_rng(6).normal(size=(3000, 8)).astype(np.float32))
    mapped = np.load(tmp_path / "v.npy", mmap_mode="r")
    index = FaissIndex("ivf", metric="ip", gpu=False).build(mapped)._cpu
    lists = [
        faiss.rev_swig_ptr(index.invlists.get_ids(number), index.invlists.list_size(number)).copy()
        for number in range(index.nlist)
    ]
    assert index.ntotal == 3000 and index.nlist > 20
    assert all((np.diff(one) > 0).all() for one in lists)
    assert sorted(np.concatenate(lists).tolist()) == list(range(3000))
    plain = faiss.clone_index(index)
    plain.reset()
    plain.add(np.array(mapped))
    queries = np.array(mapped[::50])
    for found, expected in zip(index.search(queries, 7), plain.search(queries, 7), strict=True):
        assert (found == expected).all()


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="needs Linux's /proc")
def test_a_build_needs_little_more_memory_than_the_vectors(tmp_path: Path) -> None:
    vectors = np.lib.format.open_memmap(tmp_path / "v.npy", mode="w+", dtype=np.float32, shape=(40000, 256))
    vectors[:] = np.random.default_rng(7).normal(size=vectors.shape)
    vectors.flush()
    program = (
        "import sys, numpy as np, torch\n"
        "import tabrag.index.vectors as vectors, tabrag.index.faiss_index as module\n"
        "from tabrag.training.memory import peak, resident\n"
        "vectors.ROWS_AT_ONCE, module._POINTS_PER_LIST, module._SAMPLE_PER_LIST = 1024, 600, 40\n"
        "warm = np.random.default_rng(0).normal(size=(3000, 256)).astype(np.float32)\n"
        "module.FaissIndex('ivf', gpu=False).build(warm)\n"
        "mapped = np.load(sys.argv[1], mmap_mode='r')\n"
        "open('/proc/self/clear_refs', 'w').write('5')\n"
        "before = resident()\n"
        "index = module.FaissIndex('ivf', gpu=False).build(mapped)\n"
        "print(index.clusters()['clusters'], (peak(torch.device('cpu')) - before) / mapped.nbytes)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "v.npy")], capture_output=True, text=True, check=True
    )
    clusters, ratio = ran.stdout.split()
    assert int(clusters) > 50
    assert 0.9 < float(ratio) < 1.3  # clusters that grow as they are filled took 1.7


def test_without_faiss_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "faiss", None)
    with pytest.raises(UserError, match=r"tabrag\[faiss\]"):
        FaissIndex("flat")


def test_torch_and_faiss_share_a_process_in_either_order() -> None:
    work = (
        "import numpy as np\n"
        "vectors = np.random.rand(1000, 64).astype('float32')\n"
        "index = faiss.IndexFlatIP(64); index.add(vectors); index.search(vectors, 5)\n"
    )
    own = (
        "from tabrag.index.faiss_index import FaissIndex\n"
        "assert FaissIndex('flat').build(vectors).search(vectors, 5)[1][3][0] == 3\n"
        "torch.nn.Linear(64, 64)(torch.from_numpy(vectors)).sum().backward()\n"
    )
    missing = (
        "import sys; sys.modules['faiss'] = None\n"
        "import tabrag.index.faiss_index, tabrag.index.folder, tabrag.models.retriever\n"
    )
    programs = [f"import {first}\n{work}{own}" for first in ("torch, faiss", "faiss, torch")] + [missing]
    processes = [subprocess.Popen([sys.executable, "-c", one], stderr=subprocess.PIPE) for one in programs]
    for program, process in zip(programs, processes, strict=True):
        _, errors = process.communicate()
        assert process.returncode == 0, program + errors.decode()
