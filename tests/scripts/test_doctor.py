"""The doctor looks at the real machine."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


def test_doctor_reports_what_is_there() -> None:
    command = [sys.executable, str(ROOT / "scripts/doctor.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout.strip().splitlines()[-1])
    assert found["packages"]["torch"] == version("torch")
    assert found["extras"]["ocr"]["rapidocr"] == version("rapidocr")
    speed, unit = found["bfloat16_on_cpu"].split(maxsplit=1)
    assert float(speed) > 0 and unit == "x float32"
    assert "Latin" in found["scripts_drawn"]
    assert not set(found["scripts_drawn"]) & set(found["scripts_without_font"])
