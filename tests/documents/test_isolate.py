"""Workers that crash, hang or eat memory are replaced, and the other inputs go on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from isolated_jobs import job

from tabrag.documents.isolate import run_isolated
from tabrag.errors import UserError

FOLDER = Path(__file__).parent.parent


def test_each_input_has_its_outcome_in_order() -> None:
    inputs = ["slow", "a", "crash", "b", "hang", "eat", "refuse:x.pdf", "fault:key", "c"]
    start = time.monotonic()
    outcomes = list(run_isolated(job, inputs, timeout=3, memory_mb=256, num_workers=2))
    assert time.monotonic() - start < 500, "the one that hangs would take 600 seconds"
    assert [outcome.given for outcome in outcomes] == inputs
    reasons = {outcome.given: outcome.reason for outcome in outcomes}
    results = {outcome.given: outcome.result for outcome in outcomes}
    for good in ("slow", "a", "b", "c"):
        assert results[good].split()[0] == good and reasons[good] == ""
    assert "SIGABRT" in reasons["crash"]
    assert "3 seconds" in reasons["hang"]
    assert "256 MB" in reasons["eat"]
    assert reasons["refuse:x.pdf"] == "x.pdf: is no good"
    assert reasons["fault:key"] == "KeyError: 'key'"
    assert all(results[bad] is None for bad in inputs if reasons[bad])
    processes = {result.split()[1] for result in results.values() if result}
    assert str(os.getpid()) not in processes


def test_workers_are_reused_and_end_with_the_iterator() -> None:
    outcomes = run_isolated(job, (f"n{number}" for number in range(50)), timeout=30, memory_mb=512)
    first = next(outcomes)
    process = int(str(first.result).split()[1])
    assert int(str(next(outcomes).result).split()[1]) == process
    outcomes.close()
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_a_worker_that_keeps_memory_is_replaced() -> None:
    outcomes = list(run_isolated(job, ["keep", "keep", "a"], timeout=30, memory_mb=300))
    assert [outcome.reason for outcome in outcomes] == ["", "", ""]
    assert len({str(outcome.result).split()[1] for outcome in outcomes}) == 3


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGKILL])
def test_nothing_is_left_when_the_program_is_stopped(tmp_path: Path, sign: signal.Signals) -> None:
    told = tmp_path / "pid"
    program = tmp_path / "program.py"
    program.write_text(
        f"import signal, sys; sys.path.insert(0, {str(FOLDER)!r})\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # background jobs begin without it
        "from isolated_jobs import job\n"
        "from tabrag.documents.isolate import run_isolated\n"
        "if __name__ == '__main__':\n"
        f"    list(run_isolated(job, ['tell:{told}'], timeout=600, memory_mb=512))\n"
    )
    running = subprocess.Popen([sys.executable, str(program)], stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while not (told.is_file() and told.read_text()) and time.monotonic() < deadline:
            time.sleep(0.05)
        worker = int(told.read_text())
        os.kill(worker, 0)
        running.send_signal(sign)
        running.wait(60)
    finally:
        running.kill()
    deadline = time.monotonic() + 60
    while _lives(worker) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _lives(worker)


def test_bounds_must_be_positive() -> None:
    with pytest.raises(UserError, match="timeout is 0"):
        next(run_isolated(job, ["a"], timeout=0, memory_mb=1))


def _lives(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"
