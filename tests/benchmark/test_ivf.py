"""The measurement of a large IVF index, on a small one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from entry_points import call, refuse

pytest.importorskip("faiss", reason="faiss is an optional package")


def test_made_vectors_and_a_file_are_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small = ("ivf", "--num-queries=20", "-k=5")
    made = call("scripts/benchmark.py", *small, "--num-vectors=4000", "--dim=16", capsys=capsys)
    assert made["clusters"] > made["probed"] >= 8 and made["recall"] >= 0.97
    assert made["peak_ratio"] > 0 and made["ms_per_query"][0] <= made["ms_per_query"][1]
    np.save(tmp_path / "vectors.npy", np.random.default_rng(0).standard_normal((3000, 8)).astype(np.float32))
    read = call("scripts/benchmark.py", *small, f"--vectors={tmp_path / 'vectors.npy'}", capsys=capsys)
    assert read["num_vectors"] == 3000 and read["dim"] == 8 and read["recall"] >= 0.95
    (tmp_path / "other.npy").write_bytes(b"no array")
    said = refuse("scripts/benchmark.py", *small, f"--vectors={tmp_path / 'other.npy'}", capsys=capsys)
    assert "not a .npy file" in said
