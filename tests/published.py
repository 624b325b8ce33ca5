"""Published data sets that several tests read whole."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from tabrag.data.dataset import Dataset
from tabrag.data.sources import source


@cache
def whole(name: str, data_root: Path) -> Dataset:
    """A data set, read once in each process: it takes a second, and no test may change it."""
    return source(name).read(data_root / name)
