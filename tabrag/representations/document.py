"""A document by its tables and its text: a hit on a table's header or on a sentence is a hit on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from tabrag.documents.whole import table_ids
from tabrag.errors import UserError
from tabrag.representations import Measure, Option, RepresentationConfig, build, item_kind
from tabrag.types import Document, Entry, Table


def entries(
    document: Document,
    *,
    tables: Mapping[str, Table],
    folder: Path | None = None,
    measure: Measure | None = None,
    table: str | None = "hrcl",
    table_options: dict[str, Option] | None = None,
    text: str | None = "sentences",
    text_options: dict[str, Option] | None = None,
) -> list[Entry]:
    """All entries of the document's tables, then those of its text; their item is the document.

    Args:
        document: The document.
        tables: All tables by id.
        folder: The data set folder.
        measure: What fits into the encoder.
        table: Representation of its tables; None leaves them out.
        table_options: Options of that representation.
        text: Representation of its text; None leaves it out.
        text_options: Options of that representation.

    Raises:
        UserError: A representation that does not exist, or one of the other kind of item; neither of both.
    """
    if table is None and text is None:
        raise UserError("representation 'document' without table and text has no entries: set one of them")
    found: list[Entry] = []
    for name, options, kind in ((table, table_options, "table"), (text, text_options, "document")):
        if name is None:
            continue
        config = RepresentationConfig(name=name, options=dict(options or {}))
        if item_kind(config) != kind:
            raise UserError(
                f"representation 'document': '{name}' represents a {item_kind(config)}, but here stands one "
                f"of a {kind}"
            )
        represent = build(config, measure=measure)
        if kind == "table":
            made = (represent(tables[item_id], folder=folder) for item_id in table_ids(document))
            found += [replace(entry, item_id=document.id) for part in made for entry in part]
        else:
            found += represent(document, tables=tables, folder=folder)
    return found
