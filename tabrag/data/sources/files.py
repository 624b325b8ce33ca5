"""A person's own folder of HTML, CSV, TSV, XLSX files and pictures, with or without questions.

Each file is read on its own: one that cannot be read is listed with its reason, the others go on; one of
which only a part can be read is listed as ``partial``. The id of a table is its file's path in the folder,
``PATH#2`` for the second table of a file; bytes of a name that are not UTF-8 stand as ``\\udcNN``.
"""

from __future__ import annotations

import logging
import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from tabrag.data.card import Card
from tabrag.data.dataset import Dataset, Picture
from tabrag.data.pictures import picture_name
from tabrag.data.questions import add_questions
from tabrag.errors import UserError, missing_extra
from tabrag.types import Source, Table, Word

NAME = "Own tables"
LICENCE = "unknown"
CITATION = ""

if TYPE_CHECKING:
    from PIL import Image

_COPIED_SUFFIXES = (".png", ".jpg", ".jpeg")
_OCR = ("none", "rapidocr")

logger = logging.getLogger(__name__)


def read(folder: Path, limit: int | None = None, questions: Path | None = None, ocr: str = "none") -> Dataset:
    """Read all tables below ``folder``; hidden files are passed over, links that lead out of it are refused.

    A table without any title takes its file's name for one. A picture's words come from
    ``PICTURE.words.json`` beside it where that is; otherwise from OCR, or it has none. Where they stand in
    rows and columns, the table gets a grid of them, so that it can be answered from like any other.

    Args:
        folder: The folder.
        limit: Stop after this many tables.
        questions: File of questions (see :mod:`tabrag.data.questions`).
        ocr: ``none`` or ``rapidocr``.

    Raises:
        UserError: The folder is missing, holds no table, or the file of questions is broken.
    """
    from tabrag.tables.read import IMAGE_SUFFIXES, TABLE_SUFFIXES, file_kind

    folder = Path(folder)
    if not folder.is_dir():
        raise UserError(f"{folder}: no such folder; --from names the folder with your tables")
    if ocr not in _OCR:
        raise UserError(f"unknown OCR '{ocr}'; choose from {', '.join(_OCR)}")
    if ocr == "rapidocr" and find_spec("rapidocr") is None:
        raise missing_extra("rapidocr", "ocr")
    if questions is not None and not questions.is_file():  # before the folder is read, which can take long
        raise UserError(f"{questions}: file of questions not found")
    suffixes = {*IMAGE_SUFFIXES, *TABLE_SUFFIXES} - {".txt"}  # in a folder of files mostly prose
    data = Dataset(card=Card(name=_writable(folder.resolve().name) or NAME, note=_NOTE), tables=[])
    tables: list[Table] = []
    others: Counter[str] = Counter()
    for path in _files(folder, data.failed):
        if questions is not None and path.resolve() == questions.resolve():
            continue
        suffix = path.suffix.lower()
        if suffix not in suffixes:
            others[suffix or "no suffix"] += not path.name.endswith(".words.json")
            continue
        if limit is not None and len(tables) >= limit:
            break
        name = _writable(path.relative_to(folder).as_posix())
        try:
            with path.open("rb") as file:
                kind = file_kind(file.read(1024), suffix)
            if kind == "image":
                tables += _read_picture(path, name, data, ocr=ocr)
            else:
                tables += _read_tables(path, name)
        except Exception as error:  # whatever a parser raises on one odd file must not stop the others
            reason = str(error) if isinstance(error, UserError) else f"{type(error).__name__}: {error}"
            data.failed.append({"file": name, "reason": _writable(reason)})
    data.tables = tables = tables[:limit]
    pictures = {table.image for table in tables}
    data.images = {relative: picture for relative, picture in data.images.items() if relative in pictures}
    if +others:
        skipped = ", ".join(f"{count} {suffix}" for suffix, count in sorted((+others).items()))
        logger.warning("passed over files of other kinds: %s", skipped)
    if not tables:
        reasons = "".join(f"\n  {failure['file']}: {failure['reason']}" for failure in data.failed[:5])
        raise UserError(
            f"{folder} holds no table that can be read; kinds: {', '.join(sorted(suffixes))}{reasons}"
        )
    if questions is not None:
        add_questions(data, Path(questions), documents={table.id: [table.id] for table in data.tables})
    return data


def _files(folder: Path, failed: list[dict[str, str]]) -> Iterator[Path]:
    root = folder.resolve()
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in [name for name in folders if (Path(parent) / name).is_symlink()]:
            relative = _writable((Path(parent) / name).relative_to(folder).as_posix())
            failed.append({"file": relative, "reason": "a link to a folder; links are not followed"})
        for name in sorted(names):
            path = Path(parent) / name
            if name.startswith((".", "~$")):  # "~$" is the lock file of an open spreadsheet
                continue
            if not path.resolve().is_relative_to(root):
                relative = _writable(path.relative_to(folder).as_posix())
                failed.append({"file": relative, "reason": "a link that leads out of the folder"})
            elif path.is_file():
                yield path


def _read_tables(path: Path, name: str) -> list[Table]:
    from tabrag.tables.read import read_tables

    found = read_tables(path)
    if not found:
        raise UserError(f"{path}: no table in this file")
    tables = []
    for number, table in enumerate(found, start=1):
        source = replace(table.source, file=name)
        tables.append(_named(replace(table, title=_writable(table.title), source=source), name, number))
    return tables


def _read_picture(path: Path, name: str, data: Dataset, *, ocr: str) -> list[Table]:
    """The pages of a picture; those that cannot be opened, and a broken file of words, make it partial.

    Raises:
        UserError: No page can be opened.
    """
    from tabrag.tables.image import num_frames, open_image

    count = num_frames(path)
    convert = count > 1 or path.suffix.lower() not in _COPIED_SUFFIXES
    own_words = path.with_name(path.name + ".words.json") if count == 1 else None
    tables = []
    broken: list[UserError] = []
    for frame in range(count):
        try:
            image = open_image(path, frame=frame)
        except UserError as error:
            broken.append(error)
            continue
        words = _read_words(image, own_words, broken, ocr=ocr)
        source = Source(file=name, page=frame + 1 if count > 1 else None)
        # The first line that OCR reads may be anything, so the file's name stays the title.
        table = replace(_arranged(words), title=Path(name).stem, words=words, source=source)
        table = _named(table, name, frame + 1)
        suffix = ".png" if convert else path.suffix.lower()
        relative = f"images/{picture_name(table.id, suffix)}"
        data.images[relative] = Picture(file=path, frame=frame, convert=convert)
        tables.append(replace(table, image=relative))
    if not tables:
        raise broken[0]
    data.failed += [{"file": name, "status": "partial", "reason": _writable(str(error))} for error in broken]
    return tables


def _read_words(
    image: Image.Image, own_words: Path | None, broken: list[UserError], *, ocr: str
) -> list[Word] | None:
    from tabrag.tables.ocr import load_words, read_words

    if own_words is not None and own_words.is_file():
        try:
            return load_words(own_words, image.size)
        except UserError as error:
            broken.append(error)
    return read_words(image) if ocr == "rapidocr" else None


def _arranged(words: list[Word] | None) -> Table:
    """A table of the words' rows and columns; without a grid where they form none."""
    from tabrag.tables.headers import infer_table
    from tabrag.tables.word_grid import words_to_grid

    grid = words_to_grid(words or [])
    if grid is None:
        return Table(id="")
    inferred = infer_table(grid.cells)
    notes = {"notes": inferred.notes} if inferred.notes else {}
    return Table(id="", caption=inferred.caption, grid=inferred.grid, metadata=notes)


def _named(table: Table, name: str, number: int) -> Table:
    """The table with its id and, where it has no title of its own, the file's name as title.

    A table of a workbook has the file's name as page title: sheets are often called "Sheet1".
    """
    title, page_title, stem = table.title, table.page_title, Path(name).stem
    spoken = re.sub(r"[\s_-]+", " ", stem).strip()
    if title == stem or not (title or page_title or table.section or table.caption):
        title = spoken
    elif table.source.sheet and not page_title:
        page_title = spoken
    table_id = name if number == 1 else f"{name}#{number}"
    return replace(table, id=table_id, title=title, page_title=page_title)


def _writable(text: str) -> str:
    """The text with what cannot be written as UTF-8 (odd bytes of a file's name) in visible form."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


_NOTE = "Tables of a person's own files; `source.file` of each table names the file it was read from."
