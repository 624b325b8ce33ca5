from __future__ import annotations

import json
from typing import Any

import pytest
from effort import within
from hypothesis import given
from hypothesis import strategies as st

from tabrag.evaluation.loose_json import MAX_DEPTH, LooseJsonError, find_objects, read_strict

VALUES = st.recursive(
    st.none() | st.booleans() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(max_size=4), VALUES, max_size=3)


@given(OBJECTS)
def test_what_is_strictly_written_reads_the_same(value: dict[str, Any]) -> None:
    for text in (json.dumps(value), json.dumps(value, ensure_ascii=False, indent=1)):
        assert read_strict(text) == value
        found = find_objects(f"Here: {text} so.")
        assert found.objects == (value,) and found.fault is None
        assert found.rest == "Here:  so."


@given(OBJECTS.filter(bool), st.data())
def test_no_beginning_of_an_object_is_one(value: dict[str, Any], data: st.DataObject) -> None:
    text = json.dumps(value)
    cut = text[: data.draw(st.integers(1, len(text) - 1))]
    found = find_objects(cut)
    if cut == text[:-1]:
        assert found.objects == (value,)  # nothing but the last brace can be lost
    else:
        assert value not in found.objects


@given(st.text(alphabet="{}[]\"'“”‘’\\:,/*# \nabtrue1.", max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    found = find_objects(text)
    assert all(isinstance(one, dict) for one in found.objects)
    assert found.fault is None or found.fault.kind in ("syntax", "cut_off", "repeated_key")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{'a': 'it's', b: None}", {"a": "it's", "b": None}),
        ('{"a": "x", // one\n "b": [1.5, -2e3,],}', {"a": "x", "b": [1.5, -2000.0]}),
        ('{"a": "\\u00e9\\q\\n\\u12"}', {"a": "éq\nu12"}),
        ('{"a": {"b": 1} "c": [2] "d": true', {"a": {"b": 1.0}, "c": [2.0], "d": True}),
        ("{“a”: ‘b’, /* {} */ # x\n 'c': FALSE}", {"a": "b", "c": False}),
    ],
)
def test_writing_that_is_mended(text: str, value: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        read_strict(text)
    assert find_objects(text).objects == (value,)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('{"a": 1, "a": 1}', "repeated_key"),
        ('{"a": {"b": 1}', None),
        ('{"a": {"b": 1', "cut_off"),
        ('{"a": [1', "cut_off"),
        ('{"a": 1 2}', "syntax"),
        ('{"a": .}', "syntax"),
        ("{a: b}", "syntax"),
        ('{"a":' * (MAX_DEPTH + 2) + "1" + "}" * (MAX_DEPTH + 2), "syntax"),
    ],
)
def test_faults(text: str, kind: str | None) -> None:
    fault = find_objects(text).fault
    assert (fault and fault.kind) == kind


def test_strict_reading_refuses_what_json_has_not() -> None:
    for text in ('{"a": NaN}', "[Infinity]", "[" * 100_000, "9" * 5000, ""):
        with pytest.raises(ValueError):
            read_strict(text)
    with pytest.raises(LooseJsonError, match="'a' stands twice"):
        read_strict('{"b": {"a": 1, "a": 2}}')


@pytest.mark.parametrize(
    "text",
    [
        '{"a":' * 30_000,
        "{" * 150_000,
        '{"a' * 50_000,
        '{"a": ' + "[" * 150_000,
        '{"a": "' + '" ' * 75_000,
        "{'a" + " " * 150_000,
        '{"a": 1, /*' * 15_000,
        '{a: x} {"b": "' * 10_000,
    ],
    ids=range(8),
)
def test_hostile_texts_take_little_time(text: str) -> None:
    with within(2):
        find_objects(text)
