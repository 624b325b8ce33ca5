"""Run an entry point in this process, as the command line would."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]


def call(script: str, *arguments: str, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """Run a script; the JSON object of its last line on standard output.

    The exit status must be 3 where the object says that something ``failed`` or is ``partial``, and 0
    elsewhere.
    """
    capsys.readouterr()
    status: Any = 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", [script, *arguments])
        try:
            runpy.run_path(str(ROOT / script), run_name="__main__")
        except SystemExit as end:
            status = end.code
    printed = capsys.readouterr()
    assert status in (0, 3), printed.err
    figures = json.loads(printed.out.splitlines()[-1])
    assert status == (3 if figures.get("failed") or figures.get("partial") else 0)
    return figures


def refuse(script: str, *arguments: str, capsys: pytest.CaptureFixture[str]) -> str:
    """Run a script that must exit with status 2 and without a traceback; what it says."""
    capsys.readouterr()
    with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as caught:
        patch.setattr("sys.argv", [script, *arguments])
        runpy.run_path(str(ROOT / script), run_name="__main__")
    assert caught.value.code == 2
    printed = capsys.readouterr()
    assert printed.out == "" and "Traceback" not in printed.err
    return printed.err
