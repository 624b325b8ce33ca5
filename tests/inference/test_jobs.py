from __future__ import annotations

import json
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from processes import run_distributed

from tabrag.errors import UserError
from tabrag.inference.jobs import run_job


def inputs(*names: str) -> dict[str, str]:
    return {name: f"text of {name}" for name in names}


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


class Recorder:
    """Processes ids and remembers which."""

    def __init__(self, fail: tuple[str, ...] = ()) -> None:
        self.seen: list[str] = []
        self.fail = fail

    def __call__(self, batch: list[str]) -> list[dict[str, Any]]:
        self.seen += batch
        return [
            {"query_id": name, "error": "no"} if name in self.fail else {"query_id": name} for name in batch
        ]


def run(out: Path, names: tuple[str, ...], process: Recorder | None = None, **options: Any) -> dict[str, Any]:
    options.setdefault("settings", {"model": "a"})
    return run_job(out, inputs(*names), process or Recorder(), **options)


PROGRAM = """
import os, sys
from tabrag.inference.jobs import run_job
count = 0
def process(batch):
    global count
    count += len(batch)
    if count > 4:
        with open({out!r} + ".journal", "a") as file:
            file.write('{{"key": "half a li')
        os.kill(os.getpid(), 9)
    return [{{"query_id": name, "by": "first"}} for name in batch]
names = [f"q{{number}}" for number in range(10)]
texts = {{name: f"text of {{name}}" for name in names}}
run_job({out!r}, texts, process, settings={{"model": "a"}}, batch_size=1)
"""


def test_killed_with_half_a_line_and_a_new_query_on_top(tmp_path: Path) -> None:
    out = tmp_path / "run.jsonl"
    program = textwrap.dedent(PROGRAM.format(out=str(out)))
    process = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert process.returncode == -signal.SIGKILL, process.stderr
    assert not out.exists() and "half a li" in (tmp_path / "run.jsonl.journal").read_text()
    names = ("new", *(f"q{number}" for number in range(10)))
    recorder = Recorder()
    figures = run(out, names, recorder)
    assert recorder.seen == ["new", "q4", "q5", "q6", "q7", "q8", "q9"]
    assert [row["query_id"] for row in rows_of(out)] == list(names)
    assert sum(row.get("by") == "first" for row in rows_of(out)) == 4
    assert (figures["rows"], figures["new"], figures["failed"]) == (11, 7, 0)


def test_other_settings_are_refused_without_force(tmp_path: Path) -> None:
    out = tmp_path / "run.jsonl"
    run(out, ("a", "b"))
    before = out.read_bytes()
    with pytest.raises(UserError, match="model changed.*force"):
        run(out, ("a", "b"), settings={"model": "b"})
    assert out.read_bytes() == before
    recorder = Recorder()
    run(out, ("a", "b"), recorder, settings={"model": "b"}, force=True)
    assert recorder.seen == ["a", "b"]
    recorder = Recorder()
    run(out, ("a", "b"), recorder, settings={"model": "b"}, force=True)
    assert recorder.seen == []


def test_a_changed_text_is_done_again_and_a_removed_query_vanishes(tmp_path: Path) -> None:
    out = tmp_path / "run.jsonl"
    run(out, ("a", "b", "c"))
    recorder = Recorder()
    run_job(out, {"c": "text of c", "b": "another text"}, recorder, settings={"model": "a"})
    assert recorder.seen == ["b"]
    assert [row["query_id"] for row in rows_of(out)] == ["c", "b"]


def test_failed_rows_are_kept_and_tried_again(tmp_path: Path) -> None:
    out = tmp_path / "run.jsonl"
    assert run(out, ("a", "b", "c"), Recorder(fail=("b",)))["failed"] == 1
    assert rows_of(out)[1] == {"query_id": "b", "error": "no"}
    recorder = Recorder()
    assert run(out, ("a", "b", "c"), recorder)["failed"] == 0
    assert recorder.seen == ["b"] and rows_of(out)[1] == {"query_id": "b"}


def test_a_file_that_is_not_ours_is_not_overwritten(tmp_path: Path) -> None:
    out = tmp_path / "run.jsonl"
    out.write_text("precious\n")
    with pytest.raises(UserError, match="no journal"):
        run(out, ("a",))
    assert out.read_text() == "precious\n"
    run(out, ("a",), force=True)
    assert rows_of(out) == [{"query_id": "a"}]


def test_two_jobs_on_one_output(tmp_path: Path) -> None:
    out = tmp_path / "run.jsonl"

    def process(batch: list[str]) -> list[dict[str, Any]]:
        with pytest.raises(UserError, match="another job is writing"):
            run(out, ("a",))
        return [{"query_id": name} for name in batch]

    run_job(out, inputs("a"), process, settings={})
    assert len(rows_of(out)) == 1


def test_a_broken_line_in_the_middle_is_named(tmp_path: Path) -> None:
    out = tmp_path / "run.jsonl"
    run(out, ("a", "b"))
    journal = tmp_path / "run.jsonl.journal"
    lines = journal.read_text().splitlines()
    journal.write_text("\n".join([lines[0], "{broken", *lines[1:]]) + "\n")
    with pytest.raises(UserError, match="journal: a line is not JSON.*start anew with force"):
        run(out, ("a", "b"))
    recorder = Recorder()
    run(out, ("a", "b"), recorder, force=True)
    assert recorder.seen == ["a", "b"] == [row["query_id"] for row in rows_of(out)]


@pytest.mark.parametrize("batch_size", [0, -1])
def test_a_batch_holds_at_least_one(tmp_path: Path, batch_size: int) -> None:
    with pytest.raises(UserError, match="batch_size"):
        run(tmp_path / "run.jsonl", ("a",), batch_size=batch_size)
    assert list(tmp_path.iterdir()) == []


def test_half_a_character_in_inputs_and_rows_is_no_fault(tmp_path: Path) -> None:
    half = "\ud83d"
    calls: list[list[str]] = []

    def process(batch: list[str]) -> list[dict[str, Any]]:
        calls.append(batch)
        return [{"query_id": name, "answer": f"{half} {name}"} for name in batch]

    for _ in range(2):
        run_job(tmp_path / "run.jsonl", {"a": half, half: "b"}, process, settings={"text": half})
    assert calls == [["a", half]]
    assert [row["answer"] for row in rows_of(tmp_path / "run.jsonl")] == [f"{half} a", f"{half} {half}"]


def test_no_inputs(tmp_path: Path) -> None:
    figures = run(tmp_path / "run.jsonl", ())
    assert figures["rows"] == 0 and (tmp_path / "run.jsonl").read_text() == ""


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from("abcdefgh"), unique=True), st.integers(1, 9), st.integers(0, 400))
def test_cut_anywhere_each_query_stands_once_in_input_order(names: list[str], batch: int, cut: int) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        out = Path(name) / "run.jsonl"
        run(out, tuple(names), batch_size=batch)
        journal = Path(name) / "run.jsonl.journal"
        out.unlink()
        journal.write_bytes(journal.read_bytes()[:cut])
        run(out, tuple(reversed(names)), batch_size=batch)
        assert [row["query_id"] for row in rows_of(out)] == list(reversed(names))


ANSWERS = {"a": "", "b": "a", "c": "long text\nwith a new line", "d": None}


@pytest.mark.parametrize("world_size", [2, 3])
@pytest.mark.parametrize("batch_size", [1, 4])
def test_several_processes_write_each_row_once_in_order(
    world_size: int, batch_size: int, tmp_path: Path
) -> None:
    from tabrag import distributed

    numbers = (1, 7, 8, 9, 16)

    def work(rank: int) -> list[int]:
        lengths = []
        for number in numbers:
            names = [f"q{place}" for place in range(number)]

            def process(batch: list[str]) -> list[dict[str, Any]]:
                mine = [
                    {
                        "query_id": one,
                        "answer": list(ANSWERS.values())[int(one[1:]) % 4],
                        "hits": [0] * (int(one[1:]) % 3),
                    }
                    for one in distributed.shard(batch)
                ]
                return distributed.gather_objects(mine)

            out = tmp_path / f"{number}.jsonl"
            lengths.append(run_job(out, inputs(*names), process, settings={}, batch_size=batch_size)["rows"])
        return lengths

    assert run_distributed(work, world_size) == [list(numbers)] * world_size
    for number in numbers:
        rows = rows_of(tmp_path / f"{number}.jsonl")
        assert [row["query_id"] for row in rows] == [f"q{place}" for place in range(number)]
        assert [row["answer"] for row in rows] == [
            list(ANSWERS.values())[place % 4] for place in range(number)
        ]
        assert [len(row["hits"]) for row in rows] == [place % 3 for place in range(number)]


def test_a_fault_is_raised_in_every_process(tmp_path: Path) -> None:
    out = tmp_path / "run.jsonl"
    run(out, ("a",))

    def work(rank: int) -> str:
        try:
            run(out, ("a",), settings={"model": "b"})
        except UserError as error:
            return str(error)
        return ""

    first, second = run_distributed(work, 2)
    assert first == second and "model changed" in first
