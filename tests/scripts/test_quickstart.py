"""The quickstart from end to end with a tiny model; started again it repeats nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent.parent


def _run(out: Path) -> tuple[dict, str]:
    command = [
        str(ROOT / "scripts/quickstart.py"),
        f"--out={out}",
        "--num_tables=20",
        f"--retriever={ROOT / 'configs/retriever/tiny.yaml'}",
        f"--header_classifier={ROOT / 'configs/header_classifier/tiny.yaml'}",
        f"--cell_reader={ROOT / 'configs/cell_reader/tiny.yaml'}",
    ]
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.strip().splitlines()[-1]), done.stderr


def test_quickstart(tmp_path: Path) -> None:
    out = tmp_path / "run"
    metrics, log = _run(out)
    assert json.loads((out / "metrics.json").read_text()) == metrics
    assert list(metrics["systems"]) == ["BM25", "untrained", "trained", "fused (BM25 + trained)"]
    assert metrics["systems"]["BM25"]["Hit@10"] > metrics["systems"]["untrained"]["Hit@1"]
    assert metrics["answers"]["num_questions"] > 5
    assert metrics["header_classifier"]["steps"] == metrics["cell_reader"]["steps"] == 4
    html = (out / "report.html").read_text()
    # One example a table; the test questions of so small a corpus are about two tables.
    assert html.count("<img") == 2 and "data:image/" in html and "<script" not in html
    assert log.count("$ python") == 17

    again, log = _run(out)
    assert again["systems"] == metrics["systems"] and log.count("is there already") == 8
