from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tiny_tables import write_gz, write_tiny

from tabrag.data.folder import DataFolder

SCRIPT = Path(__file__).parents[2] / "scripts" / "prepare_data.py"


def _run(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def hitab(tmp_path: Path) -> Path:
    table = {"id": "t", "title": "T", "cells": [["", "a"], ["r", "1"]], "merged_regions": []}
    table |= {"top_header_rows": 1, "left_header_cols": 1, "top_header_tree": [], "left_header_tree": []}
    row = {"id": "q", "question": "a of r?", "answers": ["1"], "table_id": "t", "answer_cells": [[1, 1]]}
    row |= {"gold_top_paths": [[[0, 1]]], "gold_left_paths": [[[1, 0]]]}
    write_gz(tmp_path / "hitab", "tables", [table])
    write_gz(tmp_path / "hitab", "train", [row])
    for split in ("dev", "test"):
        write_gz(tmp_path / "hitab", split, [])
    return tmp_path / "hitab"


def test_makes_a_folder_with_pictures_and_prints_its_counts_last(hitab: Path, tmp_path: Path) -> None:
    done = _run(
        "hitab", "--from", hitab, "--out", tmp_path / "d", "--render", "--style", "ruled", "--workers", 1
    )
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout.splitlines()[-1])
    assert (figures["source"], figures["tables"], figures["qrels/train"]) == ("hitab", 1, 1)
    table = DataFolder(tmp_path / "d").tables["t"]
    assert table.image == "images/t.png" and table.words
    assert (tmp_path / "d" / "images" / "t.png").is_file()


def test_one_broken_file_of_three_is_status_3_and_the_others_are_there(tmp_path: Path) -> None:
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "a.csv").write_text("month,rain\nMay,60\n")
    (folder / "b.html").write_text("<p><h1>T</h1><div><table><tr><th>a<th>b<tr><td>1<td>2</table></div>")
    done = _run("documents", "--from", folder, "--out", tmp_path / "d", "--workers", 1)
    assert (done.returncode, json.loads(done.stdout.splitlines()[-1])["status"]) == (0, "ok")
    (folder / "c.xlsx").write_bytes(b"PK\x03\x04 no")
    done = _run("documents", "--from", folder, "--out", tmp_path / "d", "--workers", 1)
    figures = json.loads(done.stdout.splitlines()[-1])
    assert (done.returncode, figures["status"], figures["tables"], figures["failed"]) == (3, "partial", 2, 1)


def test_fill_right_is_handed_on(tmp_path: Path) -> None:
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "a.csv").write_text(",Sales,,Costs,\nShop,2019,2020,2019,2020\nA,1,2,3,4\nB,5,6,7,8\n")
    for more, is_merged in (((), False), (("--fill-right",), True)):
        done = _run("documents", "--from", folder, "--out", tmp_path / "d", "--workers", 1, *more)
        assert done.returncode == 0, done.stderr
        table = DataFolder(tmp_path / "d").tables["a.csv#t1"]
        assert ((0, 0, 1, 2) in table.grid.merged) == is_merged


def test_validate_prints_faults_and_exits_with_2(tmp_path: Path) -> None:
    folder = write_tiny(tmp_path / "d")
    assert _run("validate", folder).returncode == 0
    with (folder / "queries.jsonl").open("a") as file:
        file.write('{"_id": "q1", "text": "twice"}\n')
    done = _run("validate", folder)
    assert done.returncode == 2
    fault, last = done.stdout.splitlines()
    assert fault == f"{folder}/queries.jsonl:4: id 'q1' stands in line 1 already"
    assert json.loads(last) == {"folder": str(folder), "faults": 1}


def test_faults_of_the_user_exit_with_2_and_no_traceback(hitab: Path, tmp_path: Path) -> None:
    for arguments, message in [
        (("hitap", "--out", "d"), "invalid choice: 'hitap' (choose from "),
        (("hitab", "--from", tmp_path / "nowhere", "--out", tmp_path / "d"), "there is no such folder"),
        (
            ("hitab", "--from", hitab, "--out", tmp_path / "d", "--render", "--style", "x"),
            "unknown style 'x'",
        ),
        (("hitab", "--from", hitab, "--out", hitab), "holds other files and no data set"),
        (
            ("hitab", "--from", hitab, "--out", tmp_path / "d", "--render", "--workers", "-1"),
            "--workers -1: give",
        ),
        (("hitab", "--from", hitab, "--out", tmp_path / "d", "--limit", "0"), "--limit 0: give 1 or more"),
        (("validate", tmp_path / "nowhere"), "no such folder"),
    ]:
        done = _run(*arguments)
        assert done.returncode == 2, (arguments, done.stderr)
        assert message in done.stderr and "Traceback" not in done.stderr
        assert not (tmp_path / "d").exists()


def test_help_is_quick_and_names_every_source() -> None:
    durations = []
    for _ in range(3):
        start = time.perf_counter()
        done = _run("--help")
        durations.append(time.perf_counter() - start)
    assert done.returncode == 0
    for name in ("hitab", "documents", "synthetic", "validate"):
        assert name in done.stdout
    assert min(durations) < 1.0
