"""Blocks of large collections, also of files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tabrag.index import vectors as module
from tabrag.index.vectors import blocks


def test_blocks_of_a_mapped_file_equal_those_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "ROWS_AT_ONCE", 4)
    values_NE = np.random.default_rng(0).standard_normal((10, 3)).astype(np.float32)
    np.save(tmp_path / "vectors.npy", values_NE)
    mapped = np.load(tmp_path / "vectors.npy", mmap_mode="r")
    np.save(tmp_path / "columns.npy", np.asfortranarray(values_NE))
    columns = np.load(tmp_path / "columns.npy", mmap_mode="r")
    changed = np.load(tmp_path / "vectors.npy", mmap_mode="c")
    changed[0] = 7
    assert columns.flags.f_contiguous and changed[0, 0] != mapped[0, 0]
    for given in (values_NE, mapped, mapped[2:], np.asfortranarray(values_NE), columns, changed):
        parts = list(blocks(given))
        assert [start for start, _ in parts] == list(range(0, len(given), 4)) and len(parts) > 1
        np.testing.assert_array_equal(np.concatenate([part.numpy() for _, part in parts]), given)
    assert not list(blocks(values_NE[:0]))
