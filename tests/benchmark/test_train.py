"""The measurements of training, run for real in small."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest
from entry_points import call, refuse

pytestmark = pytest.mark.usefixtures("new_accelerator")

PROGRAM = "scripts/benchmark.py"
TINY = ["--backbone=offline:tiny-bert", "--tables=20", "--steps=1"]


@pytest.mark.slow
def test_a_cached_batch_beside_plain_ones(capsys: pytest.CaptureFixture[str]) -> None:
    sizes = ["--batch-size=8", "--chunk-size=2", "--plain-batch-size=4", "--plain-steps=1"]
    figures = call(PROGRAM, "gradcache", *TINY, *sizes, capsys=capsys)
    assert (figures["batch_size"], figures["chunk_size"], figures["steps"]) == (8, 2, 1)
    for key in ("peak_mib", "cpu_s_per_example", "wall_s_per_example"):
        assert figures[key].keys() == {"cached", "plain"} and min(figures[key].values()) >= 0  # rounded
    assert min(figures["peak_mib"].values()) > figures["fixed_mib"] > 0.5
    peaks = figures["peak_mib"]
    assert figures["memory_ratio"] == pytest.approx(peaks["cached"] / peaks["plain"], abs=1e-3)


@pytest.mark.skipif(
    not importlib.util.find_spec("sentence_transformers"), reason="needs sentence-transformers"
)
def test_our_step_beside_the_peers(capsys: pytest.CaptureFixture[str]) -> None:
    sizes = ["--batch-size=4", "--chunk-size=2", "--repeats=1"]
    figures = call(PROGRAM, "train", *TINY, *sizes, capsys=capsys)
    sides = {"tabrag", "tabrag_chunked", "sentence_transformers"}
    assert figures["examples_per_s"].keys() == figures["cpu_s"].keys() == sides
    assert min(figures["examples_per_s"].values()) > 0 and min(figures["cpu_s"].values()) >= 0  # rounded
    assert figures["cpu_ratio"].keys() == sides - {"sentence_transformers"}
    assert figures["max_difference"] < 1e-4


def test_faults(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert "no such data set folder" in refuse(PROGRAM, "train", f"--data={tmp_path}/none", capsys=capsys)
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    said = refuse(PROGRAM, "train", *TINY, capsys=capsys)
    assert "needs the package 'sentence-transformers'" in said
