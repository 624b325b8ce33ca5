"""Tables of CSV and TSV files: encoding, delimiter, titles, notes and headers are found out.

Blank records part tables where what follows has a header of its own; other blank records are dropped.
"""

from __future__ import annotations

import csv
import io
import logging
import re
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from tabrag.errors import UserError
from tabrag.tables.decode import decode
from tabrag.tables.headers import begins_table, infer_table, is_note
from tabrag.types import Source, Table

logger = logging.getLogger(__name__)

_Record = tuple[int, list[str]]
"""The number of a record, from 1, and its fields."""
_DELIMITERS = ("\t", ";", "|", ",")
"""Rarer in running text first: a tie goes to the first one."""
_SAMPLE_CHARS = 1 << 16
_MAX_BYTES = 1 << 28
_MAX_HEAD = 250
"""Records that tell whether a header stands at the top."""
_MAX_NAMED = 5
"""Records that a warning names one by one."""


def read_csv(path: str | Path, *, fill_right: bool = False) -> list[Table]:
    """Read a file of delimited text: one table, or several with blank records and their own headers between.

    Short records are padded; records of another length are named in a warning, which also stands in
    ``metadata["warning"]``. Titles above the header become the caption, notes below the data
    ``metadata["notes"]``.

    Raises:
        UserError: The file cannot be read, is empty, over 256 MB, or has a field of over 131072 characters.
    """
    path = Path(path)
    text, encoding = decode(_content(path))
    warnings = []
    if "\x00" in text:
        count = text.count("\x00")
        warnings.append(f"{count} NUL byte{'s' if count > 1 else ''} dropped")
        text = text.replace("\x00", "")
    delimiter = None
    if hint := re.match(r"sep=(.)\r?\n?", text, re.IGNORECASE):
        delimiter, text = hint[1], text[hint.end() :]
    delimiter = delimiter or find_delimiter(text)
    records, fault = _parse(path, text, delimiter)
    warnings += [fault] if fault else []
    if not any(any(record) for _, record in records):
        raise UserError(f"{path}: holds no text; drop it or export the table again")
    tables = []
    for number, part in enumerate(_parted(records), start=1):
        inferred = infer_table(_padded(part), fill_right=fill_right)
        metadata = {"encoding": encoding, "delimiter": delimiter}
        if inferred.notes:
            metadata["notes"] = inferred.notes
        if found := "; ".join(warnings + _odd_lengths(part)):
            metadata["warning"] = found
            logger.warning("%s: %s", path, found)
        tables.append(
            Table(
                id=f"{path.stem}#t{number}",
                title=inferred.caption or path.stem,
                caption=inferred.caption,
                grid=inferred.grid,
                source=Source(file=str(path)),
                metadata=metadata,
            )
        )
    return tables


def find_delimiter(text: str) -> str:
    """The delimiter that splits most records of the beginning into one number of fields above one."""
    sample = text[:_SAMPLE_CHARS]
    best, best_share = ",", 0.0
    for delimiter in _DELIMITERS:
        try:
            records = [
                record
                for record in csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter)
                if record
            ]
        except csv.Error:
            continue
        if len(records) > 2 and len(text) > len(sample):
            records.pop()
        widths = Counter(len(record) for record in records)
        wide = {width: count for width, count in widths.items() if width > 1}
        share = round(max(wide.values(), default=0) / max(1, len(records)), 1)
        if share > best_share:
            best, best_share = delimiter, share
    return best


def _content(path: Path) -> bytes:
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise UserError(f"{path}: larger than {_MAX_BYTES >> 20} MB; split it into smaller tables")
        data = path.read_bytes()
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}): check the path") from error
    if not data.strip():
        raise UserError(f"{path}: the file is empty; drop it or export the table again")
    return data


def _parse(path: Path, text: str, delimiter: str) -> tuple[list[_Record], str]:
    """Records with their 1-based numbers, and a fault that was got over."""
    fault = ""
    attempts = ({"strict": True}, {"strict": False})
    for options in attempts:
        try:
            return _records(text, delimiter, **options), fault
        except csv.Error as error:
            if "field larger" in str(error):
                raise UserError(
                    f"{path}: a field has over {csv.field_size_limit()} characters: is a quote never closed?"
                ) from error
            if "unexpected end" in str(error):
                fault = "a quote is never closed: quotes are read as ordinary characters"
                return _records(text, delimiter, quoting=csv.QUOTE_NONE), fault
    raise AssertionError("the lenient reading raises nothing but what is handled above")


def _records(text: str, delimiter: str, **options: int) -> list[_Record]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, **options)
    return [
        (
            number,
            [
                _indent(field) * (place == 0) + field.strip().replace("\r\n", "\n").replace("\r", "\n")
                for place, field in enumerate(record)
            ],
        )
        for number, record in enumerate(reader, start=1)
    ]


def _indent(field: str) -> str:
    """The blanks before a label of a row: they can show its level."""
    text = field.lstrip(" \t\u00a0\u2003\u3000")
    return field[: len(field) - len(text)] if text.strip() else ""


def _parted(records: list[_Record]) -> Iterator[list[_Record]]:
    """The records of each table; lone texts between two tables are titles of the second, or notes."""
    table: list[_Record] = []
    titles: list[_Record] = []
    has_header = False
    for is_blank, members in groupby(records, key=lambda record: not any(record[1])):
        group = list(members)
        if is_blank:
            continue
        if all(sum(map(bool, record)) == 1 for _, record in group):
            first = next(filter(None, group[0][1]))
            (table if has_header and not titles and is_note(first) else titles).extend(group)
            continue
        begins = begins_table(_padded(group[:_MAX_HEAD]))
        if begins and has_header:
            yield table
            table = []
        table += titles + group
        titles, has_header = [], has_header or begins
    yield table + titles


def _padded(records: list[_Record]) -> list[list[str]]:
    width = max(len(record) for _, record in records)
    return [record + [""] * (width - len(record)) for _, record in records]


def _odd_lengths(records: list[_Record]) -> list[str]:
    """A warning on the records that are neither blank, nor one text alone, nor as long as most."""
    lengths = Counter(len(record) for _, record in records if sum(map(bool, record)) > 1)
    if not lengths:
        return []
    expected = lengths.most_common(1)[0][0]
    odd = [
        f"record {number} has {len(record)} fields"
        for number, record in records
        if any(record[1:]) and (len(record) < expected or any(record[expected:]))
    ]
    if not odd:
        return []
    more = f" and {len(odd) - _MAX_NAMED} more" if len(odd) > _MAX_NAMED else ""
    return [f"{', '.join(odd[:_MAX_NAMED])}{more}, most have {expected}: short ones are padded"]
