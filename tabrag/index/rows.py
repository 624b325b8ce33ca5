"""The rows of an index: which entry of which item stands where, and what it was made from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tabrag.errors import UserError
from tabrag.files import read_jsonl, write_jsonl

ENTRIES = "entries.jsonl"


@dataclass(slots=True)
class Row:
    """One entry of an index."""

    id: str
    item_id: str
    hash: str
    text: str | None = None
    """The text itself, for BM25 only: an index that changes needs the texts of the items that stay."""
    metadata: dict[str, str] = field(default_factory=dict)
    """What is known of its item to filter by."""


def read_rows(folder: Path) -> list[Row]:
    """The rows of an index folder, in order."""
    return [
        Row(record["id"], record["item_id"], record["hash"], record.get("text"), record.get("metadata", {}))
        for record in read_jsonl(folder / ENTRIES)
    ]


def write_rows(folder: Path, rows: Sequence[Row]) -> None:
    """Write the rows into an index folder."""
    records = (
        {"id": row.id, "item_id": row.item_id, "hash": row.hash}
        | ({} if row.text is None else {"text": row.text})
        | ({"metadata": row.metadata} if row.metadata else {})
        for row in rows
    )
    write_jsonl(folder / ENTRIES, records)


def merge_rows(kept: Sequence[Row], new: Iterable[Row]) -> list[Row]:
    """Kept rows without the items that are new, and the new ones, by item id; entry ids must be unique."""
    new = list(new)
    replaced = {row.item_id for row in new}
    rows = [row for row in kept if row.item_id not in replaced] + new
    seen: set[str] = set()
    for row in rows:
        if row.id in seen:
            raise UserError(f"entry id '{row.id}' occurs twice (item '{row.item_id}'): ids must be unique")
        seen.add(row.id)
    return sorted(rows, key=lambda row: row.item_id)


def item_hashes(rows: Sequence[Row]) -> dict[str, list[str]]:
    """The content hashes of the entries of each item."""
    hashes: dict[str, list[str]] = {}
    for row in rows:
        hashes.setdefault(row.item_id, []).append(row.hash)
    return hashes
