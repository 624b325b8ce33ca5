"""A person's files, and how they are read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tabrag.data import ingest as ingesting
from tabrag.data.staged import Job
from tabrag.documents.isolate import Outcome
from tabrag.errors import UserError

HTML = """<html><head><title>Fruit</title></head><body><h1>Harvest</h1><p>All of it.</p>
<table><tr><th>name</th><th>tons</th></tr><tr><td>lemon</td><td>5</td></tr></table><p>And</p>
<table><tr><th>name</th><th>price</th></tr><tr><td>plum</td><td>7</td></tr></table></body></html>"""


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A person's files: a table, a page with two, a note and a photo."""
    folder = tmp_path / "own"
    (folder / "sub").mkdir(parents=True)
    (folder / "rain_by-month.csv").write_text("month,rain\nMay,60\nJune,70\n")
    (folder / "sub" / "b.html").write_text(HTML)
    (folder / "note.txt").write_text("First line.\nSecond line.\n\n- a point\n")
    Image.new("RGB", (40, 20), "red").save(folder / "photo.PNG")
    return folder


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are read in this process, for tests of what is read and kept: workers import all anew."""

    def run(function: Callable[[Job], Any], jobs: Iterable[Job], **bounds: Any) -> Iterator[Outcome]:
        for job in jobs:
            try:
                yield Outcome(job, function(job))
            except UserError as error:
                yield Outcome(job, None, str(error))

    monkeypatch.setattr(ingesting, "run_isolated", run)
