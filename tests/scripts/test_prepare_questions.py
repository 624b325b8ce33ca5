"""``prepare_data.py questions`` from the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tiny_tables import write_tiny

from tabrag.data.folder import DataFolder

SCRIPT = Path(__file__).parents[2] / "scripts" / "prepare_data.py"


def _run(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), "questions", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_makes_questions_and_prints_its_counts_last(tmp_path: Path) -> None:
    source = write_tiny(tmp_path / "in")
    done = _run(
        "--from", source, "--out", tmp_path / "out", "--per-table", 3, "--seed", 1, "--dev-share", 0.5
    )
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout.splitlines()[-1])
    data = DataFolder(tmp_path / "out")
    assert (figures["source"], figures["status"], figures["tables"]) == ("questions", "ok", 2)
    assert figures["queries"] == len(data.queries) > 2
    assert figures["own_questions_left_out"] == 3


def test_faults_exit_with_2_and_no_traceback(tmp_path: Path) -> None:
    source = write_tiny(tmp_path / "in")
    done = _run("--from", source, "--out", source)
    assert done.returncode == 2 and "lie in one another" in done.stderr and "Traceback" not in done.stderr
