"""Representations: what of an item is searched. One file each; this folder is the registry.

A representation's module has ``entries(table, *, folder, ...options) -> list[Entry]``. The first entry of an
item has the item's id, further ones ``ITEM#2``, ``ITEM#3``.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any

from tabrag.errors import UserError
from tabrag.types import Entry, Table

Representation = Callable[..., list[Entry]]
"""``representation(table, folder=FOLDER) -> entries``; can be pickled."""


@dataclass(kw_only=True)
class RepresentationConfig:
    """Which representation, with which options.

    Attributes:
        name: ``headers``, ``markdown`` or ``image``.
        options: The representation's own options, for example ``{"fields": ["title", "top"]}`` for
            ``headers``.
    """

    name: str = "headers"
    options: dict[str, Any] = field(default_factory=dict)


@cache
def names() -> tuple[str, ...]:
    """All representations there are."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__)))


def build(config: RepresentationConfig) -> Representation:
    """The representation as a function of a table and the data set folder that holds it.

    Raises:
        UserError: The name or an option does not exist.
    """
    if config.name not in names():
        raise UserError(f"unknown representation '{config.name}'; choose from {', '.join(names())}")
    function = importlib.import_module(f"{__name__}.{config.name}").entries
    known = [name for name in inspect.signature(function).parameters if name not in ("table", "folder")]
    unknown = [name for name in config.options if name not in known]
    if unknown:
        raise UserError(
            f"representation '{config.name}' has no option '{unknown[0]}'; "
            f"its options are: {', '.join(known) or 'none'}"
        )
    return partial(function, **config.options)


def entries(table: Table, config: RepresentationConfig, *, folder: str | Path) -> list[Entry]:
    """The entries of one table of the data set folder ``folder``."""
    return build(config)(table, folder=Path(folder))
