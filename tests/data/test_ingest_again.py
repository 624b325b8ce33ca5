"""A folder of files and its data set folder stay in sync, whatever happens in between."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ingest_files import make, tree

from tabrag.data import ingest as ingesting
from tabrag.data.folder import DataFolder
from tabrag.data.staged import Job, read_job
from tabrag.documents.parsed import ParseOptions


@pytest.mark.usefixtures("in_process")
def test_started_again_it_equals_a_fresh_start(own: Path, tmp_path: Path) -> None:
    first = make(own, tmp_path / "d")
    before = tree(tmp_path / "d")
    node = next((tmp_path / "d" / "pages").rglob("*.png")).stat().st_ino
    again = make(own, tmp_path / "d")
    assert (first["new"], again["new"], again["kept"], again["removed"]) == (4, 0, 4, 0)
    assert tree(tmp_path / "d") == before
    assert next((tmp_path / "d" / "pages").rglob("*.png")).stat().st_ino == node  # not copied

    (own / "rain_by-month.csv").write_text("month,rain\nMay,61\n")
    (own / "sub" / "b.html").unlink()
    (own / "a first.txt").write_text("New.\n")
    figures = make(own, tmp_path / "d")
    assert (figures["new"], figures["kept"], figures["removed"], figures["tables"]) == (2, 2, 1, 2)
    make(own, tmp_path / "e")
    renewed = tree(tmp_path / "d")
    assert renewed == tree(tmp_path / "e") != before
    assert not any("b.html" in text.decode(errors="replace") for text in renewed.values())

    (own / "photo.PNG").unlink()
    make(own, tmp_path / "d")
    assert not any(path.suffix == ".png" for path in (tmp_path / "d").rglob("*"))


@pytest.mark.usefixtures("in_process")
def test_other_options_read_all_anew(own: Path, tmp_path: Path) -> None:
    make(own, tmp_path / "d")
    figures = make(own, tmp_path / "d", options=ParseOptions(page_images=False))
    assert (figures["new"], figures["kept"]) == (4, 0)


def test_failed_files_are_named_and_tried_again(own: Path, tmp_path: Path) -> None:
    (own / "cut.png").write_bytes((own / "photo.PNG").read_bytes()[:50])
    (own / "broken.xlsx").write_bytes(b"PK\x03\x04 no")
    (own / "empty.csv").touch()
    figures = make(own, tmp_path / "d")
    assert (figures["status"], figures["failed"], figures["documents"]) == ("partial", 3, 4)
    rows = [json.loads(line) for line in (tmp_path / "d" / "failed.jsonl").open()]
    assert [(row["file"], row["status"]) for row in rows] == [
        ("broken.xlsx", "failed"),
        ("cut.png", "failed"),
        ("empty.csv", "failed"),
    ]
    assert "damaged or cut off" in rows[0]["reason"] and "empty" in rows[2]["reason"]
    assert not any(str(tmp_path) in row["reason"] for row in rows)
    (own / "empty.csv").write_text("a,b\n1,2\n")
    figures = make(own, tmp_path / "d")
    assert (figures["failed"], figures["new"], figures["kept"]) == (2, 3, 4)


def test_killed_before_the_end_the_old_folder_is_whole_and_nothing_is_read_twice(
    own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(own, tmp_path / "d")
    before = tree(tmp_path / "d")
    (own / "new.txt").write_text("New.\n")
    program = tmp_path / "program.py"
    program.write_text(
        "import os, signal, sys\n"
        "from tabrag.data import ingest as ingesting\n"
        "if __name__ == '__main__':\n"
        "    ingesting._finish = lambda *arguments: os.kill(os.getpid(), signal.SIGKILL)\n"
        f"    ingesting.ingest({str(own)!r}, {str(tmp_path / 'd')!r}, num_workers=1)\n"
    )
    killed = subprocess.run([sys.executable, str(program)], stderr=subprocess.DEVNULL, check=False)
    assert killed.returncode == -signal.SIGKILL
    assert tree(tmp_path / "d") == before
    assert list(tmp_path.glob(".d.*.tmp")) and list((tmp_path / ".d.work").glob("*/done.json"))

    def refuse(function: object, inputs: list[object], **settings: object) -> Any:
        assert not inputs  # what was read before the kill is taken up
        return (given for given in ())

    monkeypatch.setattr(ingesting, "run_isolated", refuse)
    figures = make(own, tmp_path / "d")
    assert (figures["kept"], figures["documents"]) == (4, 5)
    assert not list(tmp_path.glob(".d.*"))
    assert "new.txt" in DataFolder(tmp_path / "d").documents


@pytest.mark.usefixtures("in_process")
def test_a_folder_that_another_hand_changed_is_read_anew(own: Path, tmp_path: Path) -> None:
    make(own, tmp_path / "d")
    whole = tree(tmp_path / "d")
    corpus = tmp_path / "d" / "corpus.jsonl"
    corpus.write_text(corpus.read_text().split("\n", 1)[1])
    assert make(own, tmp_path / "d")["new"] == 4
    assert tree(tmp_path / "d") == whole
    next((tmp_path / "d").rglob("*.png")).unlink()
    assert make(own, tmp_path / "d")["new"] == 1
    assert tree(tmp_path / "d") == whole


@pytest.mark.usefixtures("in_process")
def test_a_file_that_was_cut_for_time_is_read_anew_with_more(tmp_path: Path) -> None:
    canvas = pytest.importorskip("reportlab.pdfgen.canvas").Canvas(str(tmp_path / "long.pdf"))
    for number in range(1, 4):
        canvas.drawString(72, 700, f"The text of page {number} of this report.")
        canvas.showPage()
    canvas.save()
    (tmp_path / "own").mkdir()
    path, out = (tmp_path / "long.pdf").rename(tmp_path / "own" / "long.pdf"), tmp_path / "d"

    options = ParseOptions(page_images=False, timeout=1e-6)
    done = read_job(Job(path=path, name="long.pdf", stage=tmp_path / "stage", options=options))
    assert (done["status"], done["pages"], done["timeout"]) == ("partial", 1, 1e-6)
    assert "pages 1-1 of 3" in done["notes"][0]

    def read(timeout: float) -> tuple[int, dict[str, Any]]:
        figures = make(path.parent, out, options=ParseOptions(page_images=False, timeout=timeout))
        return figures["new"], json.loads((out / "files.jsonl").read_text())

    new, row = read(60.0)
    assert (new, row["status"], row["pages"], "timeout" in row) == (1, "ok", 3, False)
    cut = {**row, "status": "partial", "timeout": 60.0}
    (out / "files.jsonl").write_text(json.dumps(cut) + "\n")
    assert read(60.0) == (0, cut)
    assert read(90.0) == (1, row)
