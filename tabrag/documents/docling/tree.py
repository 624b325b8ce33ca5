"""The items of a ``DoclingDocument`` by reference, whatever is wrong with them.

The format is docling-core's (versions 1.0 to 1.10 were looked at): lists of ``texts``, ``tables``,
``pictures``, ``groups`` and some more, whose items name their children by ``{"$ref": "#/texts/0"}``; ``body``
is the root of the reading order and ``furniture`` that of what stands on page after page.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

_REFERENCE = re.compile(r"#/([a-z_]{1,40})(?:/(\d{1,9}))?", re.ASCII)
_ROOTS = ("body", "furniture")
_CONTENT = ("texts", "tables", "pictures")


class DoclingTree:
    """The items of one document.

    Args:
        data: The document as JSON gives it.
    """

    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data
        self._missing: set[tuple[int, str, int]] = set()

    @property
    def num_missing(self) -> int:
        """References that were followed and lead to nothing, each counted once."""
        return len(self._missing)

    def item(self, reference: str) -> dict[str, Any] | None:
        """What a reference (``#/texts/0``) leads to; None where it leads to nothing."""
        match = _REFERENCE.fullmatch(reference)
        if match is None:
            return None
        name, place = match[1], match[2]
        if place is None:
            return objects_or_none(self.data.get(name)) if name in _ROOTS else None
        values = self.data.get(name)
        if not isinstance(values, list) or int(place) >= len(values):
            return None
        return objects_or_none(values[int(place)])

    def references(self, item: dict[str, Any], key: str) -> list[str]:
        """The references in a list of an item (``children``, ``captions``) that lead to an item."""
        found = []
        for place, value in enumerate(list_of(item, key)):
            reference = reference_of(value)
            if reference is not None and self.item(reference) is not None:
                found.append(reference)
            else:
                self._missing.add((id(item), key, place))
        return found

    def content(self) -> Iterator[str]:
        """References of all texts, tables and pictures in the order in which they are stored."""
        for name in _CONTENT:
            for place in range(len(list_of(self.data, name))):
                if self.item(f"#/{name}/{place}") is not None:
                    yield f"#/{name}/{place}"


def kind_of_reference(reference: str) -> str:
    """The list that a reference leads into: ``texts``, ``tables``, ``groups``, ..."""
    return reference.removeprefix("#/").partition("/")[0]


def reference_of(value: Any) -> str | None:
    """The reference in ``{"$ref": ...}``; None where there is none."""
    if not isinstance(value, dict):
        return None
    reference = value.get("$ref", value.get("cref"))
    return reference if isinstance(reference, str) else None


def objects_or_none(value: Any) -> dict[str, Any] | None:
    """The value where it is a JSON object."""
    return value if isinstance(value, dict) else None


def list_of(item: dict[str, Any], key: str) -> list[Any]:
    """A list of an item; empty where there is none."""
    value = item.get(key)
    return value if isinstance(value, list) else []


def object_of(item: dict[str, Any] | None, key: str) -> dict[str, Any]:
    """An object of an item; empty where there is none."""
    value = (item or {}).get(key)
    return value if isinstance(value, dict) else {}


def text_of(item: dict[str, Any], key: str) -> str:
    """A text of an item without NUL bytes; empty where there is none."""
    value = item.get(key)
    return value.replace("\x00", "") if isinstance(value, str) else ""


def whole_of(item: dict[str, Any], key: str) -> int | None:
    """A whole number of an item; None where there is none."""
    value = item.get(key)
    return value if type(value) is int and abs(value) < 1 << 31 else None


def number_of(item: dict[str, Any], key: str) -> float | None:
    """A finite number of an item; None where there is none."""
    value = item.get(key)
    if type(value) not in (int, float) or not -1e12 < value < 1e12 or math.isnan(value):  # type: ignore[operator]
        return None
    return float(value)  # type: ignore[arg-type]
