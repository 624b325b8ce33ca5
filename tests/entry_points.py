"""Run an entry point in this process, as the command line would."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]


def call(script: str, *arguments: str, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """Run a script; the JSON object of its last line on standard output."""
    capsys.readouterr()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", [script, *arguments])
        runpy.run_path(str(ROOT / script), run_name="__main__")
    return json.loads(capsys.readouterr().out.splitlines()[-1])


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
