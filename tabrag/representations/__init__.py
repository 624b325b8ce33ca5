"""Representations: what of an item is searched. One file each; this folder is the registry.

A representation's module has ``entries(table, *, folder, measure, ...options) -> list[Entry]``, or
``entries(document, ...)`` where a document is represented; ``tables`` is then all tables by id. The first
entry of a table has the table's id, further ones ``ITEM#w2``, ``ITEM#w3`` (``FILE#2`` is the second table of
a file, an item of its own).

The entries of a document need not be of the document: those of ``chunks``, ``pages`` and ``tree`` are of its
parts (:mod:`tabrag.documents.part`), each with the part's id as ``item_id``. A description of a table or a
picture is an entry of the chunk that it stands in. Ids of entries begin with the document's.

With the option ``windows: true`` a table that is longer than the encoder's input becomes several entries,
each with its headers, in place of one that the encoder cuts; of a picture each has its own part. The option
is saved with a retriever, so that its index and its judging have the same entries as its training. It is off
by default: the entries of indexes and checkpoints that exist stay as they are. Where there is no limit, as in
BM25, a table is one entry all the same.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import Any, Protocol

from tabrag.documents.descriptions import Descriptions, Written
from tabrag.documents.whole import Item, WholeDocument
from tabrag.errors import UserError
from tabrag.tables.verbalise import Statement
from tabrag.tables.windows import Meter, Window, pack
from tabrag.types import Entry, Table

_GIVEN = ("folder", "measure", "tables", "written")
_PLAIN: dict[str, tuple[type, ...]] = {
    "str": (str,),
    "bool": (bool,),
    "int": (int,),
    "int | None": (int, type(None)),
}
"""Types of options that are checked, by their annotation."""

Option = str | bool | int | float | list[Any] | dict[str, Any] | None
"""Text comes first: the parser would read the separator ``" [SEP] "`` as a list otherwise."""

Representation = Callable[..., list[Entry]]
"""``representation(table, folder=FOLDER) -> entries``; can be pickled."""


@dataclass(kw_only=True)
class RepresentationConfig:
    """Which representation, with which options.

    Attributes:
        name: Of tables ``headers``, ``markdown``, ``cells``, ``image``, ``summary``, ``rcl`` or ``hrcl``; of
            documents ``sentences`` or ``document``; of their parts ``chunks``, ``pages`` or ``tree``.
        options: The representation's own options, for example ``{"fields": ["title", "top"]}`` for
            ``headers``. ``{"windows": true}`` makes several entries of a table that is longer than the
            encoder's input, in place of one that is cut; ``{"chunk": 128}`` cuts ``cells`` into pieces.
        written: File of descriptions that a chat model wrote of these entries, or of the tables and pictures
            of parts (``infer/describe.py``); they take the place of the texts that they were written from.
    """

    name: str = "headers"
    options: dict[str, Option] = field(default_factory=dict)
    written: str | None = None

    def parts_items(self) -> bool:
        """Whether an item may have several entries, each with a part of its cells."""
        return bool(self.options.get("windows") or self.options.get("chunk"))


class Measure(Protocol):
    """What fits into an encoder; the inputs of an embedder (:class:`tabrag.models.inputs.Inputs`) are one."""

    @property
    def limit(self) -> int | None:
        """Most tokens of an entry; None where its text and words are not looked at."""

    def count(self, entries: Sequence[Entry]) -> list[int]:
        """Tokens that each entry would take if nothing were cut."""


@cache
def names() -> tuple[str, ...]:
    """All representations there are."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__)))


def item_kind(config: RepresentationConfig) -> str:
    """What the entries are of: ``table`` or ``document``.

    Raises:
        UserError: There is no representation of this name.
    """
    return next(iter(inspect.signature(_function(config.name)).parameters))


def takes_descriptions(config: RepresentationConfig) -> bool:
    """Whether a chat model may describe what is represented: not the sentences of a document.

    Raises:
        UserError: There is no representation of this name.
    """
    parameters = inspect.signature(_function(config.name)).parameters
    return item_kind(config) == "table" or "written" in parameters


def has_option(name: str, option: str) -> bool:
    """Whether a representation has an option of this name.

    Raises:
        UserError: There is no such representation.
    """
    return option in _options(inspect.signature(_function(name)).parameters)


def build(
    config: RepresentationConfig, *, measure: Measure | None = None, written: Written | None = None
) -> Representation:
    """The representation as a function of a table and the data set folder that holds it.

    Args:
        config: Name and options.
        measure: The inputs of the encoder that the entries are for; None where nothing limits them.
        written: What a chat model wrote, in place of ``config.written``.

    Raises:
        UserError: The name or an option does not exist.
    """
    function = _function(config.name)
    parameters = inspect.signature(function).parameters
    known = _options(parameters)
    unknown = [name for name in config.options if name not in known]
    if unknown:
        raise UserError(
            f"representation '{config.name}' has no option '{unknown[0]}'; "
            f"its options are: {', '.join(known) or 'none'}"
        )
    if written is None and config.written is not None:
        written = Descriptions(config.written)
    given: dict[str, Any] = {"measure": measure} if "measure" in parameters else {}
    if "written" in parameters:
        given["written"] = written
    options = {
        name: _typed(name, value, parameters[name].annotation) for name, value in config.options.items()
    }
    made = partial(function, **given, **options)
    return made if written is None or "written" in parameters else _Described(made, written)


@dataclass(frozen=True, slots=True)
class _Described:
    """A representation whose texts give way to what a chat model wrote of them."""

    represent: Representation
    written: Written

    def __call__(self, *args: Any, **options: Any) -> list[Entry]:
        entries = self.represent(*args, **options)
        return [replace(entry, text=self.written.of(entry.text) or entry.text) for entry in entries]


def entries_of(represent: Representation, item: Item, *, folder: Path | None = None) -> list[Entry]:
    """The entries of a table or of a document."""
    if isinstance(item, WholeDocument):
        return represent(item.document, tables=item.tables, folder=folder)
    return represent(item, folder=folder)


def _function(name: str) -> Representation:
    if name not in names():
        raise UserError(f"unknown representation '{name}'; choose from {', '.join(names())}")
    return importlib.import_module(f"{__name__}.{name}").entries


def _options(parameters: Mapping[str, inspect.Parameter]) -> list[str]:
    """Those that are neither the item, which stands first, nor given by the program."""
    return [name for name in list(parameters)[1:] if name not in _GIVEN]


def _typed(name: str, value: Option, annotation: str) -> Option:
    """The value; one that stands by itself on a command line (``options.windows=true``) is text till here."""
    import yaml

    if isinstance(value, str) and not annotation.startswith("str"):
        value = yaml.safe_load(value)
    if annotation in _PLAIN and not isinstance(value, _PLAIN[annotation]):
        raise UserError(f"representation option '{name}' is {value!r}, but it must be of type {annotation}")
    return value


def text_meter(measure: Measure | None, *, windows: bool) -> Meter | None:
    """What fits of a text; None where a table stays one entry."""
    if not windows or measure is None or measure.limit is None:
        return None

    def count(texts: Sequence[str]) -> list[int]:
        return measure.count([Entry(id="", item_id="", text=text) for text in texts])

    return Meter(limit=measure.limit, count=count)


def window_entries(table: Table, windows: Iterable[Window]) -> list[Entry]:
    """The windows of a table as entries."""
    return [
        Entry(id=entry_id(table.id, number), item_id=table.id, text=window.text, cells=window.cells)
        for number, window in enumerate(windows, start=1)
    ]


def statement_entries(
    table: Table, statements: Sequence[Statement], measure: Measure | None, *, windows: bool
) -> list[Entry]:
    """One entry a statement; with windows several, each with its head, where the encoder would cut it."""
    meter = text_meter(measure, windows=windows)
    made: list[Window] = []
    for statement in statements:
        if meter is None or not statement.details or meter.fits(statement.text):
            made.append(Window(statement.text))
        else:
            made += pack([(None, text) for text in statement.details], meter, title=statement.head)
    return window_entries(table, [Window(window.text) for window in made])


def part_entries(part_id: str, texts: Sequence[str], *, head: str = "") -> list[Entry]:
    """The texts of a part of a document as entries, each below a head."""
    return [
        Entry(id=entry_id(part_id, number), item_id=part_id, text=f"{head}\n{text}" if head else text)
        for number, text in enumerate(texts, start=1)
    ]


def entry_id(item_id: str, number: int) -> str:
    """The id of an item's entry; they are numbered from 1."""
    return item_id if number == 1 else f"{item_id}#w{number}"
