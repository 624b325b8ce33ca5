"""Dataclasses from JSON values, strictly: what a saved file says must be of the kind that its field names.

``json`` reads ``NaN``, and a dataclass takes what it is given: without a look at each value a damaged file
gives a model that computes something else, or fails far from it.
"""

from __future__ import annotations

import dataclasses
import sys
import types
from functools import cache
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from tabrag.errors import UserError

T = TypeVar("T")

_WORDS = {str: "a text", int: "a whole number", float: "a finite number", bool: "true or false"}
_LONGEST = 60


class _UnfitError(Exception):
    """A value that is not of the kind that was expected: its key, and what was."""

    def __init__(self, key: str, value: Any, expected: str) -> None:
        text = repr(value)
        shown = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
        super().__init__(f"'{key}' is {shown}, expected {expected}" if key else f"expected {expected}")


def from_json(kind: type[T], values: Any, *, where: object) -> T:
    """The dataclass that ``dataclasses.asdict`` gave, with the dataclasses in it.

    Args:
        kind: The dataclass. Its fields are texts, numbers, truths, literals, lists, mappings, dataclasses and
            unions of these.
        values: What the file says.
        where: The file, for messages.

    Raises:
        UserError: A key is missing or unknown, a value is not of its field's kind or not finite, or the
            dataclass refuses it; file and key are named.
    """
    try:
        return _dataclass(kind, values, "")
    except (_UnfitError, UserError) as error:
        raise UserError(f"{where}: {error}") from error


def value_from_json(kind: Any, value: Any, *, where: object, key: str) -> Any:
    """A single value of a file, of a kind that a field of :func:`from_json` may have.

    Raises:
        UserError: It is of another kind, or not finite.
    """
    try:
        return _value(kind, value, key)
    except (_UnfitError, UserError) as error:
        raise UserError(f"{where}: {error}") from error


@cache
def _fields(kind: type) -> dict[str, tuple[Any, bool]]:
    """Name -> annotation and whether it must be given, of each field."""
    hints = get_type_hints(kind)
    none = dataclasses.MISSING
    return {
        field.name: (hints[field.name], field.default is none and field.default_factory is none)
        for field in dataclasses.fields(kind)
    }


def _dataclass(kind: Any, values: Any, key: str) -> Any:
    if not isinstance(values, dict):
        raise _UnfitError(key, values, "names with values")
    fields, before = _fields(kind), f"{key}." if key else ""
    for name in values:
        if name not in fields:
            raise UserError(f"'{before}{name}' is unknown")
    for name, (_, is_needed) in fields.items():
        if is_needed and name not in values:
            raise UserError(f"'{before}{name}' is missing")
    found = {name: _value(fields[name][0], value, before + name) for name, value in values.items()}
    try:
        return kind(**found)
    except UserError as error:
        raise UserError(f"'{key}': {error}" if key else str(error)) from error


def _value(kind: Any, value: Any, key: str) -> Any:
    origin, arguments = get_origin(kind), get_args(kind)
    if kind is Any:
        return value
    if dataclasses.is_dataclass(kind):
        return _dataclass(kind, value, key)
    if origin in (types.UnionType, Union):
        return _one_of(arguments, value, key)
    if origin is Literal:
        if any(value == one and type(value) is type(one) for one in arguments):
            return value
        raise _UnfitError(key, value, " or ".join(map(str, arguments)))
    if origin is list:
        if not isinstance(value, list):
            raise _UnfitError(key, value, "a list")
        return [_value(arguments[0], one, f"{key}[{place}]") for place, one in enumerate(value)]
    if origin is dict:
        if not isinstance(value, dict):
            raise _UnfitError(key, value, "names with values")
        before = f"{key}." if key else ""
        return {name: _value(arguments[1], one, before + name) for name, one in value.items()}
    return _plain(kind, value, key)


def _plain(kind: type, value: Any, key: str) -> Any:
    is_right = type(value) is kind or (kind is float and type(value) is int)
    if is_right and kind is float:
        is_right = abs(value) <= sys.float_info.max  # of NaN, too, this is not true
    if not is_right:
        raise _UnfitError(key, value, _WORDS[kind])
    return value


def _one_of(kinds: tuple[Any, ...], value: Any, key: str) -> Any:
    if value is None and type(None) in kinds:
        return None
    others = [kind for kind in kinds if kind is not type(None)]
    for kind in others[:-1]:
        try:
            return _value(kind, value, key)
        except _UnfitError:
            continue
    return _value(others[-1], value, key)
