"""What is to be done with each file of an ingestion, and the side folder for what is read of them."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tabrag import __version__
from tabrag.data.own_files import OwnFile, digest
from tabrag.data.previous import Previous
from tabrag.data.staged import Job, staged
from tabrag.documents.parsed import ParseOptions
from tabrag.errors import UserError
from tabrag.files import sha256_json

_FORMAT = 3
"""Grows when the same file would be read otherwise: then all files are read anew."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """A file and what is to be done: it is refused, kept, taken from its stage, or read."""

    file: OwnFile
    sha256: str = ""
    size: int = 0
    kept: dict[str, Any] | None = None
    job: Job | None = None
    done: dict[str, Any] | None = None


def options_key(options: ParseOptions, style: str | None) -> str:
    """16 hex digits of all that a file's records depend on besides its bytes."""
    return sha256_json(
        {
            **{"format": _FORMAT, "version": __version__, "style": style},
            **{"ocr": options.ocr, "page_images": options.page_images, "dpi": options.dpi},
            "fill_right": options.fill_right,
            **({} if options.converter == "own" else _program(options)),
        }
    )[:16]


def _program(options: ParseOptions) -> dict[str, str]:
    """What another program's result depends on: the program and its models."""
    program = shutil.which(options.docling) or options.docling
    models = Path(options.docling_models).resolve() if options.docling_models else ""
    return {"converter": options.converter, "program": os.path.realpath(program), "models": str(models)}


@contextmanager
def work_folder(out: Path) -> Iterator[Path]:
    """The side folder for what is read; it goes when all went well. One ingestion at a time uses it.

    Raises:
        UserError: Another one does, or the folder cannot be made.
    """
    work = out.parent / f".{out.name}.work"
    try:
        work.mkdir(parents=True, exist_ok=True)
        lock = os.open(work / "lock", os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise UserError(f"{work} cannot be written ({error.strerror}): name another --out") from error
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise UserError(
                f"another program is writing {out}: wait for it, or name another --out"
            ) from error
        for left in out.parent.glob(f".{out.name}.*"):  # of an ingestion that was killed
            if re.fullmatch(rf"\.{re.escape(out.name)}\.[a-z0-9_]{{8}}\.(tmp|old)", left.name):
                shutil.rmtree(left, ignore_errors=True)
        yield work
        shutil.rmtree(work, ignore_errors=True)
    finally:
        os.close(lock)


def planned_file(
    file: OwnFile,
    key: str,
    *,
    work: Path,
    previous: Previous,
    options: ParseOptions,
    style: str | None,
) -> Planned:
    """What is to be done with a file.

    Args:
        file: The file.
        key: Of the options, see :func:`options_key`.
        work: The side folder.
        previous: The data set folder that there is.
        options: How files are read.
        style: Of drawn tables.
    """
    if file.refused:
        return Planned(file=file)
    try:
        size, sha256 = file.path.stat().st_size, digest(file.path)
    except OSError as error:
        return Planned(file=OwnFile(file.path, file.name, f"cannot be read ({error.strerror})"))
    row = previous.row(file.name)
    if row is not None and (row["sha256"], row["options"]) == (sha256, key) and not _was_cut(row, options):
        return Planned(file=file, sha256=sha256, size=size, kept=row)
    stage = work / sha256_json([file.name, sha256, key])[:32]
    job = Job(path=file.path, name=file.name, stage=stage, options=options, style=style)
    done = staged(stage)
    if done is not None and _was_cut(done, options):
        done = None
    return Planned(file=file, sha256=sha256, size=size, job=job, done=done)


def _was_cut(done: dict[str, Any], options: ParseOptions) -> bool:
    """Whether there was not enough time for all of a file, and there is more now."""
    return done.get("timeout", options.timeout) < options.timeout


def forget(work: Path, stages: set[Path]) -> None:
    """Remove what was read of files that have changed or gone since."""
    for path in work.iterdir():
        if path.is_dir() and path not in stages:
            shutil.rmtree(path, ignore_errors=True)
