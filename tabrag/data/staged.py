"""One file, read and put on disk: its records and pictures in a folder of its own.

The folder is done once it holds ``done.json``; until then it counts for nothing. This is what the worker
processes of an ingestion write, and what is left of their work when the ingestion is killed.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tabrag.data.document_records import document_to_record
from tabrag.data.pictures import draw_table, picture_name
from tabrag.data.records import table_to_record
from tabrag.data.validate_document import document_faults
from tabrag.data.validate_table import table_faults
from tabrag.documents.parse import parse_file
from tabrag.documents.parsed import Parsed, ParseOptions, Pictures
from tabrag.errors import UserError
from tabrag.files import read_json
from tabrag.types import Table

TABLES, DOCUMENT, DONE = "tables.jsonl", "document.json", "done.json"
PICTURE_FOLDERS = ("images", "pages")
_HALF = re.compile("[\ud800-\udfff]")
_MAX_REASON = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A file to be read.

    Attributes:
        path: The file.
        name: Id of its document.
        stage: Folder for what is read of it; an older one of that name is replaced.
        options: How to read it.
        style: How to draw tables that have no picture, see :func:`tabrag.data.pictures.render_tables`; None:
            they are not drawn.
    """

    path: Path
    name: str
    stage: Path
    options: ParseOptions
    style: str | None = None


def read_job(job: Job) -> dict[str, Any]:
    """Read a file into its folder.

    Returns:
        What ``done.json`` says: ``status`` (``ok`` or ``partial``), ``notes``, ids of the ``tables``, and
        numbers of ``pages`` and ``pictures``; where the time was over before its end, the ``timeout``.

    Raises:
        UserError: It cannot be read, or nothing stands in it.
    """
    shutil.rmtree(job.stage, ignore_errors=True)
    job.stage.mkdir(parents=True)
    pictures = Pictures(job.stage, picture_name(job.name, ""))
    parsed = parse_file(job.path, job.name, pictures=pictures, options=job.options)
    if not parsed.tables and not any(block.text.strip() or block.image for block in parsed.document.blocks):
        raise UserError(f"{job.path}: neither text nor tables nor pictures were found in it")
    if job.style is not None:
        parsed = _drawn(parsed, job, job.style)
    parsed, tables = _write_tables(parsed, job.stage)
    record = document_to_record(parsed.document)
    for fault in document_faults(record, folder=job.stage, known=set(tables), decode_images=False):
        raise UserError(f"{job.path}: was read wrongly: {fault}")
    (job.stage / DOCUMENT).write_text(_line(record), encoding="utf-8")
    done = {
        "status": "partial" if parsed.partial else "ok",
        "notes": [_HALF.sub("\ufffd", note) for note in parsed.notes],
        "tables": tables,
        "pages": len(parsed.document.pages),
        "pictures": sum(path.is_file() for name in PICTURE_FOLDERS for path in (job.stage / name).rglob("*")),
    }
    if parsed.cut:
        done["timeout"] = job.options.timeout
    done["bytes"] = _sizes(job.stage)
    (job.stage / "done.tmp").write_text(json.dumps(done, ensure_ascii=False), encoding="utf-8")
    os.replace(job.stage / "done.tmp", job.stage / DONE)
    return done


def staged(stage: Path) -> dict[str, Any] | None:
    """What ``done.json`` of a folder says; None where it is not done.

    Nothing is forced to disk for each file, which would take longer than to read it: after a power cut a file
    may be cut off, which its size tells.
    """
    try:
        done = read_json(stage / DONE)
        return done if done["bytes"] == _sizes(stage) else None
    except (UserError, OSError, KeyError, TypeError):
        return None


def reason_of(notes: list[str]) -> str:
    """Notes as one reason."""
    return "; ".join(notes)[:_MAX_REASON]


def _write_tables(parsed: Parsed, stage: Path) -> tuple[Parsed, list[str]]:
    """Write the tables; one whose record no data set may hold is left out, and its block too.

    Returns:
        What is left, and the ids of the tables that were written.
    """
    names: list[str] = []
    faults: dict[str, str] = {}
    with (stage / TABLES).open("w", encoding="utf-8") as file:
        for table in parsed.tables:
            record = table_to_record(table)
            found = table_faults(record, folder=stage, decode_images=False)
            if found or table.id in names:
                faults[table.id] = found[0] if found else "its id occurs twice"
                continue
            file.write(_line(record))
            names.append(table.id)
    if not faults:
        return parsed, names
    kept = [block for block in parsed.document.blocks if block.table is None or block.table in names]
    lost = [f"table '{name}' is left out: {fault}" for name, fault in faults.items()]
    document = replace(parsed.document, blocks=kept)
    return replace(parsed, document=document, notes=parsed.notes + lost, partial=True), names


def _sizes(stage: Path) -> list[int]:
    return [(stage / name).stat().st_size for name in (TABLES, DOCUMENT)]


def _line(record: dict[str, Any]) -> str:
    # A parser may give half a surrogate pair from a broken font or encoding; no file in UTF-8 can hold it.
    text = json.dumps(record, ensure_ascii=False, allow_nan=False)
    return _HALF.sub("\ufffd", text) + "\n"


def _drawn(parsed: Parsed, job: Job, style: str) -> Parsed:
    """The document with a picture of each of its tables that had none and can be drawn."""
    notes: list[str] = []

    def drawn(table: Table) -> Table:
        if table.image is not None:
            return table
        relative = f"images/{picture_name(job.name, '')}/{table.id.rpartition('#')[2]}.png"
        try:
            words = draw_table(table, job.stage / relative, style=style)
        except UserError as error:
            notes.append(f"table '{table.id}' is not drawn: {error}")
            return table
        return replace(table, image=relative, words=words)

    tables = [drawn(table) for table in parsed.tables]
    return replace(parsed, tables=tables, notes=parsed.notes + notes)
