"""A person's own file of questions about their tables: JSONL, CSV or TSV.

Columns: ``question``; ``answer`` (one) or ``answers`` (a list; in CSV separated by ``|``); ``table``: the id
of a table, a file's path, or a file's name where it is unique, blank where unknown; ``split`` (train where
blank); ``id``; ``label`` for statements. Columns of other names are passed over with a warning.
"""

from __future__ import annotations

import csv
import io
import logging
import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from tabrag.data.dataset import Dataset
from tabrag.data.records import LABELS, lone_half
from tabrag.errors import UserError
from tabrag.files import read_jsonl
from tabrag.types import Query

logger = logging.getLogger(__name__)

_COLUMNS = ("id", "question", "answer", "answers", "table", "split", "label")


def add_questions(data: Dataset, path: Path, *, table_ids: Collection[str]) -> None:
    """Add the questions of ``path`` to a data set; a row that cannot be used goes to ``data.failed``, the
    others go on.

    Args:
        data: Its queries, judgements and failures grow.
        path: The file.
        table_ids: The tables there are.

    Raises:
        UserError: The file is missing or broken, has no ``question`` column, or gives an id twice.
    """
    known = {query.id for query in data.queries}
    for number, row in enumerate(_rows(path), start=1):
        text = str(row.get("question") or "").strip()
        query_id = str(row.get("id") or "").strip() or f"q{number}"
        if query_id in known:
            raise UserError(f"{path}: question {number} has the id '{query_id}', which another one has too")
        reason = _fault(row, text)
        if reason:
            data.failed.append({"file": f"{path.name}, question {number}", "reason": reason})
            continue
        known.add(query_id)
        label = str(row.get("label") or "").strip().upper() or None
        task = "verify" if label else "qa"
        data.queries.append(Query(id=query_id, text=text, answers=_answers(row), task=task, label=label))
        name = str(row.get("table") or "").strip()
        if not name:
            continue
        matches = _matches(name, table_ids)
        if len(matches) != 1:
            found = f"several tables have that name: {', '.join(matches[:5])}" if matches else "no such table"
            data.failed.append(
                {"file": f"{path.name}, question {number}", "reason": f"table '{name}': {found}"}
            )
            continue
        split = str(row.get("split") or "").strip() or "train"
        data.qrels.setdefault(split, {})[query_id] = {matches[0]: 1}


def _fault(row: dict[str, Any], text: str) -> str:
    if not text:
        return "the question is blank"
    if half := lone_half("".join([text, *map(str, row.values())])):
        return f"half of a character ({half}), which is no text: write it anew"
    split = str(row.get("split") or "train").strip()
    if not re.fullmatch(r"[A-Za-z0-9_]+", split):
        return f"split '{split}' must be made of letters, digits and _"
    label = str(row.get("label") or "").strip().upper()
    if label and label not in LABELS:
        return f"label '{label}' must be one of {', '.join(LABELS)}"
    return ""


def _answers(row: dict[str, Any]) -> list[str]:
    several, one = row.get("answers"), row.get("answer")
    if isinstance(several, str):
        several = several.split("|")
    values = [value for given in (several, one) for value in (given if isinstance(given, list) else [given])]
    return [text for value in values if value is not None and (text := str(value).strip())]


def _matches(name: str, table_ids: Collection[str]) -> list[str]:
    """Tables of that id, or the first tables of the files of that name."""
    if name in table_ids:
        return [name]
    name = name.replace("\\", "/").removeprefix("./")
    return [name] if name in table_ids else [item for item in table_ids if item.rsplit("/", 1)[-1] == name]


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    if path.suffix.lower() in (".jsonl", ".json"):
        yield from read_jsonl(path)
        return
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise UserError(f"{path}: file of questions not found") from error
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: cannot be read ({error}); save it as UTF-8 text") from error
    first_line = text.split("\n", 1)[0]
    delimiter = max("\t;,", key=first_line.count)
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter)
    names = [(name or "").strip().lower() for name in reader.fieldnames or []]
    if "question" not in names:
        raise UserError(f"{path}: no column 'question'; the columns may be {', '.join(_COLUMNS)}")
    if unused := [name for name in names if name not in _COLUMNS]:
        logger.warning(
            "%s: columns that are not used: %s (known: %s)", path, ", ".join(unused), ", ".join(_COLUMNS)
        )
    reader.fieldnames = names
    try:
        yield from reader
    except csv.Error as error:
        raise UserError(f"{path}:{reader.line_num}: {error}; is a quote never closed?") from error
