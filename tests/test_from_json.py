from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tabrag.errors import UserError
from tabrag.from_json import from_json, value_from_json


@dataclass(frozen=True)
class Inner:
    rate: float = 0.5

    def __post_init__(self) -> None:
        if self.rate < 0:
            raise UserError(f"rate {self.rate} is less than 0")


@dataclass(kw_only=True)
class Outer:
    name: str
    count: int = 1
    is_on: bool = True
    kind: Literal["a", "b"] = "a"
    limit: int | None = None
    inner: Inner = field(default_factory=Inner)
    more: Inner | None = None
    counts: dict[str, int] = field(default_factory=dict)
    lists: list[list[int]] = field(default_factory=list)
    anything: dict[str, Any] = field(default_factory=dict)
    option: str | bool | int | float | list[Any] | None = None


FULL = Outer(
    name="x",
    count=3,
    limit=7,
    more=Inner(2),
    counts={"lemon": 2},
    lists=[[1], []],
    anything={"a": [None]},
    option=0.5,
)


def test_what_was_written_comes_back() -> None:
    for made in (FULL, Outer(name="")):
        again = from_json(Outer, json.loads(json.dumps(asdict(made))), where="f.json")
        assert again == made and type(again.inner) is Inner
    assert from_json(Outer, {"name": "x"}, where="f.json") == Outer(name="x")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"name": None}, "'name' is None, expected a text"),
        ({"count": 2.0}, "'count' is 2.0, expected a whole number"),
        ({"count": True}, "'count' is True, expected a whole number"),
        ({"count": "3"}, "'count' is '3', expected a whole number"),
        ({"is_on": 1}, "'is_on' is 1, expected true or false"),
        ({"kind": "c"}, "'kind' is 'c', expected a or b"),
        ({"limit": "many"}, "'limit' is 'many', expected a whole number"),
        ({"inner": {"rate": math.nan}}, r"'inner\.rate' is nan, expected a finite number"),
        ({"inner": {"rate": math.inf}}, r"'inner\.rate' is inf, expected a finite number"),
        ({"inner": {"rate": 10**400}}, r"'inner\.rate' is 1000.*\.\.\., expected a finite number"),
        ({"inner": {"rate": -1}}, "'inner': rate -1 is less than 0"),
        ({"more": {"rate": -1}}, "'more': rate -1 is less than 0"),
        ({"inner": {"colour": 1}}, r"'inner\.colour' is unknown"),
        ({"inner": []}, r"'inner' is \[\], expected names with values"),
        ({"more": {"rate": "x"}}, r"'more\.rate' is 'x', expected a finite number"),
        ({"counts": {"lemon": 2.5}}, r"'counts\.lemon' is 2\.5, expected a whole number"),
        ({"counts": [1]}, "'counts' is .1., expected names with values"),
        ({"lists": [[1], ["x"]]}, r"'lists\[1\]\[0\]' is 'x', expected a whole number"),
        ({"lists": {}}, "'lists' is {}, expected a list"),
        ({"option": {}}, "'option' is {}"),
        ({"option": math.nan}, "'option' is nan"),
        ({"colour": 1}, "'colour' is unknown"),
        ({"name": 10**400}, r"'name' is 1000.*\.\.\., expected a text"),
    ],
)
def test_a_wrong_value_is_named_with_file_and_key(change: dict[str, Any], said: str) -> None:
    with pytest.raises(UserError, match=f"^f.json: .*{said}"):
        from_json(Outer, {**asdict(FULL), **change}, where="f.json")


@pytest.mark.parametrize("values", [None, [], "x", 3, {}])
def test_other_things_than_a_mapping_and_a_missing_key(values: Any) -> None:
    with pytest.raises(UserError, match=r"^f\.json: ('name' is missing|expected names with values)"):
        from_json(Outer, values, where="f.json")


def test_a_single_value() -> None:
    assert value_from_json(float | None, None, where="f", key="k") is None
    with pytest.raises(UserError, match="f: 'k' is True, expected a finite number"):
        value_from_json(float | None, True, where="f", key="k")
    for value, said in (
        ([], "expected names with values"),
        ({"a": "x"}, "'a' is 'x', expected a whole numb"),
    ):
        with pytest.raises(UserError, match=f"^f: {said}"):
            value_from_json(dict[str, int], value, where="f", key="")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda some: st.lists(some, max_size=3) | st.dictionaries(st.text(max_size=3), some, max_size=3),
    max_leaves=6,
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(st.sampled_from([*asdict(FULL), "x"]), JSON))
def test_any_json_is_read_or_refused(values: dict[str, Any]) -> None:
    try:
        found = from_json(Outer, values, where="f.json")
    except UserError as error:
        assert str(error).startswith("f.json: ")
    else:
        assert {name: asdict(found)[name] for name in values} == {
            name: asdict(found)[name] if name in ("inner", "more") else value
            for name, value in values.items()
        }
