"""Facts of real pictures that OCR and the plain grid reach (files.jsonl, kind ``image``).

Each picture is read once. What is not reached is listed with the reason: a gain shows as well as a loss.
"""

from __future__ import annotations

import json
import re
import unicodedata
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from tabrag.tables.image import num_frames, open_image
from tabrag.tables.ocr import read_words
from tabrag.tables.word_grid import words_to_grid
from tabrag.types import Grid, Word

pytest.importorskip("rapidocr")

_QUICK = (
    "harvest-chinese-rowspan.png",
    "testTIFF_multipage.tif",
    "lottery-table-blurred.png",
    "grid-without-text.jpg",
    "book-photo-rotated-no-table.jpg",
)
_LONG = (
    "table-multi-row-column-cells.png",
    "invoice-german-handwriting.png",
    "bank-quarter-dark-header.png",
    "timetable-chinese-circles.png",
    "egovernment-two-tables.jpg",
    "swiss-bill-watermark.jpg",
    "hebrew.png",
)
_FILES = [*_QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in _LONG)]
_MISSED = {
    (
        "bank-quarter-dark-header.png",
        "header",
        "S. N.",
    ): "two letters in light grey on black are not detected",
    ("lottery-table-blurred.png", "header", "# OF WINNERS*"): "both signs are blurred away",
    ("grid-without-text.jpg", "tables", "1"): "a table without words needs its lines, not its words",
    ("hebrew.png", "tables", "0"): "the packaged OCR has no Hebrew and leaves stray letters",
}


@lru_cache(maxsize=1)
def _facts(root: Path) -> dict[str, list[dict[str, Any]]]:
    records = [json.loads(line) for line in (root / "files.jsonl").read_text(encoding="utf-8").splitlines()]
    return {Path(record["path"]).name: record["facts"] for record in records if record["kind"] == "image"}


@lru_cache(maxsize=16)
def _pages(path: Path) -> list[tuple[list[Word], Grid | None]]:
    pages = [read_words(open_image(path, frame=frame)) for frame in range(num_frames(path))]
    return [(words, words_to_grid(words)) for words in pages]


def _normal(text: str) -> str:
    """Without case, blanks, kinds of dash and apostrophe, and full-width forms."""
    text = unicodedata.normalize("NFKC", text).casefold()
    text = re.sub(r"[‐-―−]", "-", text)
    return re.sub(r"[`´‘’]", "'", re.sub(r"\s+", "", text))


def _texts(path: Path) -> list[str]:
    """All words of each page in a row, and each column of its grid (headers and cells of several lines)."""
    texts: list[str] = []
    for words, grid in _pages(path):
        texts.append(_normal(" ".join(word.text for word in words)))
        if grid is not None:
            for col in range(grid.num_cols):
                column = " ".join(row[col] for row in grid.cells)
                texts += [_normal(column), _normal(re.sub(r"(\w)-\s+(?=[^\W\d_])", r"\1", column))]
    return texts


def _checks(path: Path, facts: list[dict[str, Any]]) -> dict[tuple[str, str], bool]:
    """(type, value) of each fact that words, grid or frames can prove, and whether they do."""
    checks: dict[tuple[str, str], bool] = {}
    for fact in facts:
        kind, value = fact["type"], fact.get("value")
        if kind == "pages":
            checks[kind, str(value)] = num_frames(path) == value
        elif kind == "tables" and value in (0, 1):
            checks[kind, str(value)] = any(grid is not None for _, grid in _pages(path)) == bool(value)
        elif kind in ("header", "cell", "text"):
            for text in value if isinstance(value, list) else [value]:
                checks[kind, text] = any(_normal(text) in found for found in _texts(path))
    return checks


@pytest.mark.parametrize("name", _FILES)
def test_facts_are_reached(files_root: Path, name: str) -> None:
    checks = _checks(files_root / "image" / name, _facts(files_root)[name])
    assert checks, "the picture has no fact to check"
    missed = {(name, *fact) for fact, reached in checks.items() if not reached}
    assert missed == {miss for miss in _MISSED if miss[0] == name}


def test_every_picture_is_covered(files_root: Path) -> None:
    assert set(_QUICK) | set(_LONG) == set(_facts(files_root))


def test_cells_stand_in_the_row_of_their_label(files_root: Path) -> None:
    """The grid of the blurred picture puts the answer beside its label and under its header."""
    ((_, grid),) = _pages(files_root / "image" / "lottery-table-blurred.png")
    assert grid is not None and grid.num_cols == 3
    row = next(row for row in grid.cells if row[0] == "$7")
    assert row == ["$7", "40.01", "64,169"]
