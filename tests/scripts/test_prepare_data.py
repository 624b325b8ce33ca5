from __future__ import annotations

import json
import runpy
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from tiny_tables import write_gz, write_tiny

from tabrag.data.folder import DataFolder

SCRIPT = Path(__file__).parents[2] / "scripts" / "prepare_data.py"


@dataclass(frozen=True, slots=True)
class Done:
    """Exit status of the script, and what it printed."""

    status: int
    out: str
    err: str


Run = Callable[..., Done]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the script in this process, as the command line would."""

    def run(*arguments: object) -> Done:
        capsys.readouterr()
        monkeypatch.setattr("sys.argv", [str(SCRIPT), *map(str, arguments)])
        status: object = 0
        try:
            runpy.run_path(str(SCRIPT), run_name="__main__")
        except SystemExit as end:
            status = end.code
        assert isinstance(status, int)
        return Done(status, *capsys.readouterr())

    return run


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


def test_makes_a_folder_with_pictures_and_prints_its_counts_last(
    hitab: Path, run: Run, tmp_path: Path
) -> None:
    done = run(
        "hitab", "--from", hitab, "--out", tmp_path / "d", "--render", "--style", "ruled", "--workers", 1
    )
    assert done.status == 0, done.err
    figures = json.loads(done.out.splitlines()[-1])
    assert (figures["source"], figures["tables"], figures["qrels/train"]) == ("hitab", 1, 1)
    table = DataFolder(tmp_path / "d").tables["t"]
    assert table.image == "images/t.png" and table.words
    assert (tmp_path / "d" / "images" / "t.png").is_file()


def test_one_broken_file_of_three_is_status_3_and_the_others_are_there(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "a.csv").write_text("month,rain\nMay,60\n")
    (folder / "b.html").write_text("<p><h1>T</h1><div><table><tr><th>a<th>b<tr><td>1<td>2</table></div>")
    done = run("documents", "--from", folder, "--out", tmp_path / "d", "--workers", 1)
    assert (done.status, json.loads(done.out.splitlines()[-1])["status"]) == (0, "ok")
    (folder / "c.xlsx").write_bytes(b"PK\x03\x04 no")
    done = run("documents", "--from", folder, "--out", tmp_path / "d", "--workers", 1)
    figures = json.loads(done.out.splitlines()[-1])
    assert (done.status, figures["status"], figures["tables"], figures["failed"]) == (3, "partial", 2, 1)


def test_fill_right_is_handed_on(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "a.csv").write_text(",Sales,,Costs,\nShop,2019,2020,2019,2020\nA,1,2,3,4\nB,5,6,7,8\n")
    for more, is_merged in (((), False), (("--fill-right",), True)):
        done = run("documents", "--from", folder, "--out", tmp_path / "d", "--workers", 1, *more)
        assert done.status == 0, done.err
        table = DataFolder(tmp_path / "d").tables["a.csv#t1"]
        assert ((0, 0, 1, 2) in table.grid.merged) == is_merged


def test_validate_prints_faults_and_exits_with_2(run: Run, tmp_path: Path) -> None:
    folder = write_tiny(tmp_path / "d")
    assert run("validate", folder).status == 0
    with (folder / "queries.jsonl").open("a") as file:
        file.write('{"_id": "q1", "text": "twice"}\n')
    done = run("validate", folder)
    assert done.status == 2
    fault, last = done.out.splitlines()
    assert fault == f"{folder}/queries.jsonl:4: id 'q1' stands in line 1 already"
    assert json.loads(last) == {"folder": str(folder), "faults": 1}


def test_faults_of_the_user_exit_with_2_and_no_traceback(hitab: Path, run: Run, tmp_path: Path) -> None:
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
        done = run(*arguments)
        assert done.status == 2, (arguments, done.err)
        assert message in done.err and "Traceback" not in done.err
        assert not (tmp_path / "d").exists()


def test_help_loads_nothing_large_and_names_every_source() -> None:
    program = (
        "import runpy, sys\n"
        "sys.argv = [sys.argv[1], '--help']\n"
        "try:\n"
        "    runpy.run_path(sys.argv[0], run_name='__main__')\n"
        "finally:\n"
        "    print(*sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(SCRIPT)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    *shown, loaded = done.stdout.splitlines()
    for name in ("hitab", "documents", "synthetic", "validate"):
        assert name in "\n".join(shown)
    assert not {"torch", "transformers", "numpy", "PIL", "pdfplumber", "reportlab"} & set(loaded.split())
