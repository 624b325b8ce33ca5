"""The measurement of a large IVF index, on a small one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from entry_points import call, refuse

from tabrag.benchmark.ivf import _make

pytest.importorskip("faiss", reason="faiss is an optional package")


def test_a_file_of_vectors_is_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small = ("ivf", "--num-queries=20", "-k=5")
    queries_QE = _make(tmp_path / "made.npy", 4000, 16, 20)
    made = np.load(tmp_path / "made.npy")
    assert queries_QE.shape == (20, 16) and made.shape == (4000, 16)
    assert 0.5 < np.linalg.norm(made, axis=1).mean() < 1.7 and len(np.unique(made, axis=0)) == 4000
    read = call("scripts/benchmark.py", *small, f"--vectors={tmp_path / 'made.npy'}", capsys=capsys)
    assert read["clusters"] > read["probed"] >= 8 and read["recall"] >= 0.97
    assert read["peak_ratio"] > 0 and read["ms_per_query"][0] <= read["ms_per_query"][1]
    assert read["cpu_ms_per_query"][0] <= read["cpu_ms_per_query"][1]
    assert min(read["cpu_ms_per_query"][0], read["build_cpu_s"]) >= 0 < read["build_s"]
    assert read["num_vectors"] == 4000 and read["dim"] == 16
    for ignored in ("--num-vectors=100", "--dim=16"):
        said = refuse(
            "scripts/benchmark.py", *small, ignored, f"--vectors={tmp_path / 'made.npy'}", capsys=capsys
        )
        assert "leave out --num-vectors" in said
    (tmp_path / "other.npy").write_bytes(b"no array")
    said = refuse("scripts/benchmark.py", *small, f"--vectors={tmp_path / 'other.npy'}", capsys=capsys)
    assert "not a .npy file" in said
