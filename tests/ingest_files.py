"""A folder of files read into a data set folder, for tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tabrag.data.ingest import ingest


def make(folder: Path, out: Path, **settings: Any) -> dict[str, Any]:
    """What ``ingest`` gives, on one process."""
    return ingest(folder, out, num_workers=1, **settings)


def tree(folder: Path) -> dict[str, bytes]:
    """Name and content of each file."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
