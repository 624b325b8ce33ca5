"""Sources of data sets: one file each. A source is imported when it is asked for."""

from __future__ import annotations

import importlib
from types import ModuleType

from tabrag.errors import UserError

SOURCES = {
    name: f"tabrag.data.sources.{name}"
    for name in (
        *("hitab", "aitqa", "wtq", "tabfact", "infotabs", "fetaqa", "ottqa", "imtqa"),
        *("tatqa", "finqa", "hybridqa", "multihiertt"),
        *("tabrag_open", "docrag_open"),
    )
} | {"synthetic": "tabrag.data.synthetic"}
"""Name -> module with ``read(folder, limit) -> Dataset``; ``synthetic`` has ``make(num_tables, seed)``."""


def source(name: str) -> ModuleType:
    """The module of a source.

    Raises:
        UserError: There is no source of this name; the message lists those that there are.
    """
    if name not in SOURCES:
        raise UserError(f"unknown source '{name}'; choose from {', '.join(SOURCES)}")
    return importlib.import_module(SOURCES[name])
