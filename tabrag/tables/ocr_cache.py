"""Words that OCR read from pictures, kept in a folder: each picture is read once.

A file is named after the bytes of its picture, so that a picture that changed is read anew, and has the form
that :func:`tabrag.tables.ocr.load_words` reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tabrag.files import sha256_file, write_json
from tabrag.tables.image import open_image
from tabrag.tables.ocr import load_words, read_words
from tabrag.types import Word


def read_words_once(picture: str | Path, cache: str | Path) -> list[Word]:
    """The words that OCR finds in a picture; read from ``cache`` where they stand there.

    Raises:
        UserError: The picture or its file in the cache is broken, or rapidocr is not installed.
    """
    path = words_file(picture, cache)
    if not path.is_file():
        keep_words(read_words(open_image(picture)), picture, cache)
    return load_words(path, (1000, 1000))


def keep_words(words: Sequence[Word], picture: str | Path, cache: str | Path) -> None:
    """Put the words of a picture into the cache."""
    record = {
        "words": [word.text for word in words],
        "boxes": [list(word.box) for word in words],
        "unit": "thousandths",
    }
    write_json(words_file(picture, cache), record)


def words_file(picture: str | Path, cache: str | Path) -> Path:
    """Where the words of a picture stand."""
    digest = sha256_file(picture)
    return Path(cache) / digest[:2] / f"{digest}.words.json"
