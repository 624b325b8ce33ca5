"""Candidates and a corpus that do not belong together: told before the work, not once a query."""

from __future__ import annotations

from collections.abc import Container, Iterable

from tabrag.documents.part import parse_part_id
from tabrag.errors import UserError


def is_held(item_id: str, items: Container[str]) -> bool:
    """Whether a corpus holds a candidate, without opening it: an item, or a part of one of its documents.

    Args:
        item_id: The candidate.
        items: The tables and documents of the corpus, by id.
    """
    if item_id in items:
        return True
    part = parse_part_id(item_id)
    return part is not None and part.document in items


def refuse_foreign(item_ids: Iterable[str], items: Container[str], *, name: str) -> None:
    """Raise :class:`UserError` where a corpus holds none of the candidates; nothing where there are none.

    Args:
        item_ids: The candidates; looked at until one is found.
        items: The tables and documents of the corpus, by id.
        name: Where the candidates come from, for the message.
    """
    first = None
    for item_id in item_ids:
        if is_held(item_id, items):
            return
        first = item_id if first is None else first
    if first is not None:
        raise UserError(
            f"{name}: the data set folder holds none of its items (the first one is '{first}'): "
            "it belongs to another one, name that"
        )
