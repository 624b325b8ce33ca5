"""Search among some items only: conditions on what is known of an item besides its content."""

from __future__ import annotations

import fnmatch
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tabrag.documents.part import block_pages, page_span, parse_part_id, table_pages
from tabrag.documents.units import units_of
from tabrag.documents.whole import Item, WholeDocument
from tabrag.errors import UserError
from tabrag.index.config import FilterValue

_LONGEST = 200
"""Characters of a value that an index keeps: longer ones are texts, which a search is for."""
_BOUND = re.compile(r"\s*(>=|<=|>|<)\s*(-?\d+(?:\.\d+)?)\s*")
_NAMES_SHOWN = 20


@dataclass(frozen=True, slots=True)
class _Bound:
    sign: str
    number: float

    def holds(self, value: str) -> bool:
        try:
            number = float(value)
        except ValueError:
            return False
        match self.sign:
            case ">=":
                return number >= self.number
            case "<=":
                return number <= self.number
            case ">":
                return number > self.number
            case _:
                return number < self.number


class Filter:
    """Which items may be found: all conditions must hold.

    A condition is a name and what its value must be: a text (``*``, ``?`` and ``[...]`` stand for others as
    in file names, capitals count), a number, a bound (``">=2023"``), several bounds (``">=2020 <2023"``), or
    a list, one of which is enough. An item that lacks the name does not pass. What is known of an item are
    ``file``, ``page``, ``sheet`` and ``title``, and the entries of its ``metadata``. One page of several that
    an item stands on is enough, and ``page`` may be several itself: ``"7-9"`` is ``">=7 <=9"``.
    """

    def __init__(self, conditions: Mapping[str, FilterValue]) -> None:
        """Read the conditions.

        Raises:
            UserError: One is empty, or of a kind that cannot be compared.
        """
        if not conditions:
            raise UserError(
                "an empty filter: name a condition, for example {file: 'reports/*'}, or leave it out"
            )
        self.names = tuple(conditions)
        self._choices = {name: _choices(name, value) for name, value in conditions.items()}

    def __call__(self, known: Mapping[str, str]) -> bool:
        """Whether an item passes.

        Args:
            known: What is known of it, see :func:`facts_of`.
        """
        return all(
            name in known and any(_holds(one, value) for value in _values(name, known) for one in choices)
            for name, choices in self._choices.items()
        )

    def check_names(self, names: Iterable[str], *, where: str) -> None:
        """Refuse a name that no item has: a misspelt one would find nothing without a word.

        Args:
            names: Those of all items together.
            where: What the items stand in, for the message.
        """
        known = sorted(set(names))
        for name in self.names:
            if name not in known:
                shown = (
                    ", ".join(known[:_NAMES_SHOWN]) or "nothing, it was built before filters: build it again"
                )
                raise UserError(f"{where}: no item has '{name}' to filter by; known of them: {shown}")


def facts_of(item: Item, item_ids: Sequence[str]) -> list[dict[str, str]]:
    """What an index keeps of an item's entries to filter by.

    Args:
        item: A table, or a document.
        item_ids: For each entry the id of the item, or that of a part of the document.

    Returns:
        For each entry names and values: the item's metadata, ``file``, ``page`` (``3``, or ``3-5`` for what
        runs over several), ``sheet`` and ``title`` where known. These four are never those of the metadata.
    """
    record = item.document if isinstance(item, WholeDocument) else item
    made = []
    for pages in _pages(item, item_ids):
        own = {
            "title": record.title,
            "file": record.source.file,
            "page": "" if pages is None else "-".join(map(str, sorted(set(pages)))),
            "sheet": record.source.sheet,
        }
        found = {**record.metadata, **own}
        made.append({name: value for name, value in found.items() if value and len(value) <= _LONGEST})
    return made


def _pages(item: Item, item_ids: Sequence[str]) -> list[tuple[int, int] | None]:
    """First and last page of an item's entries, where known."""
    if not isinstance(item, WholeDocument):
        return [table_pages(item)] * len(item_ids)
    parts = [parse_part_id(item_id) for item_id in item_ids]
    units = units_of(item.document) if any(part is not None and part.units for part in parts) else []
    page = item.document.source.page
    found: list[tuple[int, int] | None] = []
    for part in parts:
        if part is None or part.node is not None:
            found.append(None if page is None else (page, page))
        elif part.page is not None:
            found.append((part.page, part.page))
        else:
            first, last = part.units or (1, 0)
            blocks = {unit.block for unit in units[first - 1 : last]}
            spans = [block_pages(item.document.blocks[place], item.tables) for place in sorted(blocks)]
            known = [span for span in spans if span is not None]
            found.append((min(a for a, _ in known), max(b for _, b in known)) if known else None)
    return found


def _values(name: str, known: Mapping[str, str]) -> list[str]:
    """The values that an item has under a name: all its pages, or the only one."""
    span = page_span(known[name]) if name == "page" else None
    return [known[name]] if span is None else [str(page) for page in range(span[0], span[1] + 1)]


def _choices(name: str, value: FilterValue) -> list[str | tuple[_Bound, ...]]:
    values = value if isinstance(value, list) else [value]
    if not values:
        raise UserError(f"filter '{name}': an empty list lets nothing pass: name at least one value")
    return [_choice(name, one) for one in values]


def _choice(name: str, value: str | int | float | bool) -> str | tuple[_Bound, ...]:
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str | int | float):
        raise UserError(f"filter '{name}': {value!r} is no text, number or list of these")
    if not isinstance(value, str):
        if abs(value) > sys.float_info.max:
            raise UserError(f"filter '{name}': the number is too large to be compared")
        return (_Bound(">=", float(value)), _Bound("<=", float(value)))
    if not value.strip():
        raise UserError(f"filter '{name}': an empty text lets nothing pass: name a value")
    if value.lstrip()[0] in "<>":
        return _bounds(name, value)
    if name == "page" and (span := page_span("".join(value.split()))) is not None:
        return (_Bound(">=", float(span[0])), _Bound("<=", float(span[1])))
    return value


def _bounds(name: str, value: str) -> tuple[_Bound, ...]:
    bounds, place = [], 0
    while place < len(value):
        found = _BOUND.match(value, place)
        if found is None:
            raise UserError(
                f"filter '{name}': cannot read the bound {value!r}: "
                "write for example '>=2020' or '>=2020 <2023'"
            )
        bounds.append(_Bound(found[1], float(found[2])))
        place = found.end()
    return tuple(bounds)


def _holds(choice: str | tuple[_Bound, ...], value: str) -> bool:
    if isinstance(choice, str):
        return value == choice or fnmatch.fnmatchcase(value, choice)
    return all(bound.holds(value) for bound in choice)
