"""The quickstart from end to end with a tiny model; started again it repeats nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from entry_points import ROOT, call
from processes import forget_accelerator

pytestmark = pytest.mark.slow


def _run(out: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture) -> tuple[dict, str]:
    forget_accelerator()
    caplog.clear()
    settings = [
        f"--out={out}",
        "--num_tables=20",
        f"--retriever={ROOT / 'configs/retriever/tiny.yaml'}",
        f"--header_classifier={ROOT / 'configs/header_classifier/tiny.yaml'}",
        f"--cell_reader={ROOT / 'configs/cell_reader/tiny.yaml'}",
    ]
    with caplog.at_level("INFO"):
        return call("scripts/quickstart.py", *settings, capsys=capsys), caplog.text


def test_quickstart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    out = tmp_path / "run"
    metrics, log = _run(out, capsys, caplog)
    assert json.loads((out / "metrics.json").read_text()) == metrics
    assert list(metrics["systems"]) == ["BM25", "untrained", "trained", "fused (BM25 + trained)"]
    assert metrics["systems"]["BM25"]["Hit@10"] > metrics["systems"]["untrained"]["Hit@1"]
    assert metrics["answers"]["num_questions"] > 5
    assert metrics["header_classifier"]["steps"] == metrics["cell_reader"]["steps"] == 4
    html = (out / "report.html").read_text()
    # One example a table; the test questions of so small a corpus are about two tables.
    assert html.count("<img") == 2 and "data:image/" in html and "<script" not in html
    assert log.count("$ python") == 17

    again, log = _run(out, capsys, caplog)
    assert again["systems"] == metrics["systems"] and log.count("is there already") == 8
