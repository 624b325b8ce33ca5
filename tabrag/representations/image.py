"""The picture of a table with its printed words (TabRAG's item side).

Parts of it can be taken away, to learn what each of them gives to a model: see ``picture``, ``words`` and
``boxes`` of :func:`entries`, and :mod:`tabrag.inference.ablation`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tabrag.errors import UserError
from tabrag.files import inside
from tabrag.representations import Measure, entry_id
from tabrag.tables.picture_windows import PictureWindow, WordMeter, picture_windows
from tabrag.tables.text import title_text
from tabrag.types import Entry, Table, Word

BLANK = Path(__file__).with_name("blank.png")
"""A white square. Models bring every picture to one shape, so its size says nothing."""

_CHOICES = {
    "picture": ("full", "blank"),
    "words": ("printed", "none", "shuffled", "ocr"),
    "boxes": ("printed", "zeroed"),
}


def entries(
    table: Table,
    *,
    folder: Path,
    measure: Measure | None = None,
    picture: str = "full",
    words: str = "printed",
    boxes: str = "printed",
    ocr_folder: str | None = None,
    windows: bool = False,
) -> list[Entry]:
    """One entry: the picture's absolute path, its words where known, and the title as text.

    Args:
        table: The table.
        folder: The data set folder that holds its picture.
        measure: What fits into the encoder.
        picture: ``full``; or ``blank``: the same white square for every table.
        words: ``printed``: those of the table's record. ``none``. ``shuffled``: the texts are dealt anew to
            the words' places, in an order drawn from the table's id; the places (boxes and their order) stay.
            Texts and boxes are the same then, but neither the reading order nor where a text stands; where
            an input is cut, other texts are cut. ``ocr``: what OCR reads from the picture, in place of the
            printed ones.
        boxes: ``printed``; or ``zeroed``: every word has the box (0, 0, 0, 0), their order stays.
        ocr_folder: Where words that OCR read are kept, for ``words: ocr``; see
            :mod:`tabrag.tables.ocr_cache`.
        windows: Whether a picture whose words do not fit becomes several entries, each with its own part of
            the picture, see :func:`tabrag.tables.picture_windows.picture_windows`; else the encoder sees the
            whole picture, and cuts the words.

    Raises:
        UserError: The table has no picture, or the file is not there; an unknown choice, or no
            ``ocr_folder`` for ``ocr``.
    """
    for name, choice in (("picture", picture), ("words", words), ("boxes", boxes)):
        if choice not in _CHOICES[name]:
            raise UserError(
                f"representation 'image': {name} is '{choice}': use one of {', '.join(_CHOICES[name])}"
            )
    if table.image is None:
        raise UserError(
            f"table '{table.id}' has no picture in {folder}; "
            "draw them with  scripts/prepare_data.py ... --render"
        )
    path = inside(folder, table.image)
    if not path.is_file():
        raise UserError(
            f"{path}: the picture of table '{table.id}' is missing; make the data set folder again"
        )
    seen = _words(table, path, words, ocr_folder)
    parts = _windows(table, seen, measure) if windows and measure is not None and seen else []
    if boxes == "zeroed" and seen is not None:
        seen = _zeroed(seen)
    shown = path if picture == "full" else BLANK
    made = Entry(id=table.id, item_id=table.id, text=title_text(table), image=str(shown), words=seen)
    if len(parts) < 2:
        return [made]
    return [
        replace(
            made,
            id=entry_id(table.id, number),
            words=_zeroed(part.words) if boxes == "zeroed" else part.words,
            cells=part.cells,
            strips=part.strips if picture == "full" else None,
        )
        for number, part in enumerate(parts, start=1)
    ]


def _windows(table: Table, words: Sequence[Word], measure: Measure) -> list[PictureWindow]:
    def count(batch: Sequence[Sequence[Word]]) -> list[int]:
        return measure.count([Entry(id="", item_id="", words=list(part)) for part in batch])

    limit = measure.limit
    return [] if limit is None else picture_windows(words, table.grid, WordMeter(limit, count))


def _zeroed(words: Sequence[Word]) -> list[Word]:
    return [replace(word, box=(0, 0, 0, 0)) for word in words]


def _words(table: Table, path: Path, choice: str, ocr_folder: str | None) -> list[Word] | None:
    if choice == "ocr":
        from tabrag.tables.ocr_cache import read_words_once

        if ocr_folder is None:
            raise UserError(
                "representation 'image' with words 'ocr' needs ocr_folder: a folder that keeps what OCR read"
            )
        return read_words_once(path, ocr_folder)
    if choice == "none":
        return []
    if choice == "shuffled" and table.words is not None:
        texts = [word.text for word in table.words]
        random.Random(table.id).shuffle(texts)
        return [replace(word, text=text) for word, text in zip(table.words, texts, strict=True)]
    return table.words
