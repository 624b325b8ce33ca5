"""A person's own file of questions about their tables: JSONL, CSV or TSV.

Columns: ``question``; ``answer`` (one) or ``answers`` (a list; in CSV separated by ``|``); ``table``: the id
of a table, a file's path, or a file's name where it is unique, blank where unknown (of a file with several
tables or none the document is meant); ``split`` (train where blank); ``id``; ``label`` for statements.
Columns of other names are passed over with a warning.
"""

from __future__ import annotations

import csv
import io
import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tabrag.data.dataset import Dataset
from tabrag.data.records import LABELS, lone_half
from tabrag.errors import UserError
from tabrag.files import read_jsonl
from tabrag.types import Query

logger = logging.getLogger(__name__)

_COLUMNS = ("id", "question", "answer", "answers", "table", "split", "label")


def add_questions(data: Dataset, path: Path, *, documents: Mapping[str, Sequence[str]]) -> None:
    """Add the questions of ``path`` to a data set; a row that cannot be used goes to ``data.failed``, the
    others go on.

    Args:
        data: Its queries, judgements and failures grow.
        path: The file.
        documents: The documents there are, with the ids of their tables.

    Raises:
        UserError: The file is missing or broken, has no ``question`` column, or gives an id twice.
    """
    known = {query.id for query in data.queries}
    items = _items(documents)
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
        matches = _matches(name, items)
        if len(matches) != 1:
            found = (
                f"several have that name: {', '.join(matches[:5])}" if matches else "no such table or file"
            )
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


def _items(documents: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """What a question may name -> the item that is meant: tables, and the files that they stand in."""
    items = {table: table for tables in documents.values() for table in tables}
    for document, tables in documents.items():
        items.setdefault(document, tables[0] if len(tables) == 1 else document)
    return items


def _matches(name: str, items: Mapping[str, str]) -> list[str]:
    """The item of that name, or those whose files are called so in some folder."""
    name = name if name in items else name.replace("\\", "/").removeprefix("./")
    if name in items:
        return [items[name]]
    return list(dict.fromkeys(item for key, item in items.items() if key.rsplit("/", 1)[-1] == name))


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
