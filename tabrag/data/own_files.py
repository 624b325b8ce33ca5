"""A person's own folder: which of its files are documents, and what they are called in a data set.

The id of a document is its file's path in the folder; bytes of a name that are not UTF-8 stand in it as
``\\udcNN``, control characters as ``\\n``, ``\\t`` and so on.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tabrag.documents.file_kind import is_docling
from tabrag.documents.parse import REFUSED_SUFFIXES, SUFFIXES
from tabrag.errors import UserError
from tabrag.files import sha256_file

WORDS_ENDING = ".words.json"
"""Ending of a file beside a picture that holds the picture's words, see :func:`tabrag.tables.ocr.load_words`.
"""
_ARTIFACTS = "_artifacts"
"""Ending of the folder into which ``docling --image-export-mode referenced`` puts a document's pictures."""
_SUFFIXES = {*SUFFIXES, *REFUSED_SUFFIXES}


@dataclass(frozen=True, slots=True)
class OwnFile:
    """A file to be read, or one that is refused.

    Attributes:
        path: Where it is.
        name: Its path in the folder, writable as UTF-8: the id of its document.
        refused: Why it is not read; empty where it is.
    """

    path: Path
    name: str
    refused: str = ""


def own_files(
    folder: Path, *, passed_over: Counter[str], without: tuple[Path, ...] = ()
) -> Iterator[OwnFile]:
    """The documents below a folder, files of a folder before those of its subfolders, each in order of names.

    Hidden files, lock files of open documents, words beside pictures, JSON files that Docling did not write
    and folders with the pictures of those that it wrote are passed over; links to folders, links that lead
    out or to nothing, and folders that cannot be listed are refused.

    Args:
        folder: The folder.
        passed_over: Takes up the endings of files of other kinds, with counts.
        without: Files and folders that are passed over, in the folder or not.
    """
    root = _real(folder)
    skipped = {_real(path) for path in without}
    names: set[str] = set()
    unlisted: list[OSError] = []
    for parent, folders, files in os.walk(folder, onerror=unlisted.append):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in [name for name in folders if os.path.islink(os.path.join(parent, name))]:
            yield _refused(Path(parent) / name, folder, "a link to a folder; links are not followed")
        folders[:] = [
            name
            for name in folders
            if _real(Path(parent) / name) not in skipped and not _has_artifacts(Path(parent) / name)
        ]
        for name in sorted(files):
            path = Path(parent) / name
            if name.startswith((".", "~$")) or name.endswith(WORDS_ENDING):
                continue  # "~$" is the lock file of an open office document
            if not _real(path).is_relative_to(root):
                yield _refused(path, folder, "a link that leads out of the folder")
            elif os.path.islink(path) and not os.path.exists(path):
                yield _refused(path, folder, "a link that leads to nothing; remove it")
            elif not os.path.exists(path):
                yield _refused(path, folder, "cannot be reached: its path is too long, or it was removed")
            elif _real(path) in skipped or not path.is_file():
                continue
            elif path.suffix.lower() not in _SUFFIXES or _is_other_json(path):
                passed_over[path.suffix.lower() or "no suffix"] += 1
            elif (shown := writable(path.relative_to(folder).as_posix())) in names:
                yield _refused(path, folder, "another file has the same name in its visible form: rename one")
            else:
                names.add(shown)
                yield OwnFile(path, shown)
    for error in unlisted:
        reason = f"the folder cannot be listed ({error.strerror}): check its permissions"
        yield _refused(Path(error.filename), folder, reason)


def digest(path: Path) -> str:
    """Hex SHA-256 of what a file's document depends on: its bytes, and the words beside a picture."""
    words = path.with_name(path.name + WORDS_ENDING)
    return sha256_file(path) + (f"+{sha256_file(words)}" if words.is_file() else "")


def writable(text: str) -> str:
    """The text with what cannot be written as UTF-8 (odd bytes of a file's name) in visible form, and control
    characters too, which no id may hold."""
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return re.sub(r"[\x00-\x1f\x7f]", lambda match: match[0].encode("unicode_escape").decode(), text)


def _is_other_json(path: Path) -> bool:
    """Whether a file is JSON, and no document of Docling."""
    try:
        return path.suffix.lower() == ".json" and not is_docling(path)
    except UserError:
        return False  # what cannot be read is told when it is to be read


def _has_artifacts(path: Path) -> bool:
    """Whether a folder holds the pictures of a document of Docling beside it, which belong to that."""
    stem = path.name.removesuffix(_ARTIFACTS)
    document = path.with_name(f"{stem}.json")
    return stem != path.name and document.is_file() and not _is_other_json(document)


def _real(path: Path) -> Path:
    """The path without links; one of links that lead in a circle stays as it is."""
    return Path(os.path.realpath(path))


def _refused(path: Path, folder: Path, reason: str) -> OwnFile:
    return OwnFile(path, writable(path.relative_to(folder).as_posix()), reason)
