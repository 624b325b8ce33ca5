"""What is kept of items and texts is bounded by its size, and never another item's."""

from __future__ import annotations

import tracemalloc

from tabrag.models.config import CrossEncoderConfig
from tabrag.models.inputs.kept import Kept, KeptIds, item_size
from tabrag.models.inputs.pairs import PairInputs
from tabrag.models.inputs.tokens import Tokenization
from tabrag.models.io import resolve
from tabrag.representations import RepresentationConfig
from tabrag.tables.grid import make_grid
from tabrag.types import Table


def _table(number: int, rows: int) -> Table:
    body = [[f"place {number} {row}", str(row), str(7 * row + number)] for row in range(rows)]
    grid = make_grid([["place", "2019", "2020"], *body], num_header_rows=1, num_header_cols=1)
    return Table(id=f"t{number}", title="places", grid=grid)


def _inputs() -> PairInputs:
    config = CrossEncoderConfig(
        backbone="x", representation=RepresentationConfig(name="markdown", options={"windows": True})
    )
    return PairInputs.load(resolve("offline:tiny-bert"), config)


def test_all_go_where_one_finds_no_room() -> None:
    values: Kept[str] = Kept(max_bytes=10)
    for key, size in (("a", 4), ("b", 4), ("a", 5)):
        values.put(key, key.upper(), size=size)
    assert (values.get("a"), values.get("b"), values.get("c"), len(values)) == ("A", "B", None, 2)
    values.put("c", "C", size=2)  # 4 + 5 + 2: no room
    assert (values.get("a"), values.get("c"), len(values)) == (None, "C", 1)
    values.put("large", "L", size=99)
    assert values.get("large") == "L" and len(values) == 1
    values.put("d", "D", size=1)
    assert values.get("large") is None and values.get("d") == "D"


def test_ids_are_those_of_the_tokenizer_however_little_is_kept() -> None:
    tokenization = Tokenization.load(resolve("offline:tiny-bert"), max_length=64)
    texts = ["how many", "lemons", "", "lemons", "in the north"] * 3
    expected = [tuple(ids) for ids in tokenization.pieces(texts)]
    assert len(set(expected)) == 4
    for size in (1, 300, 10**6):
        ids = KeptIds(tokenization, _kept=Kept(max_bytes=size))
        assert ids(texts) == expected == ids(texts) and ids([]) == []
    never_empty = KeptIds(tokenization, is_never_empty=True)
    assert never_empty(["", "lemons"]) == [(tokenization.pad_id,), expected[1]]


PLACES = ("_windows", "_ids._kept", "facts._items")


def test_long_tables_are_kept_as_long_as_there_is_room() -> None:
    inputs, bound = _inputs(), 600_000
    assert 2 * item_size(_table(0, 300)) < bound < 3 * item_size(_table(0, 300))
    for place in PLACES:
        assert _at(inputs, place).max_bytes == 128 << 20
        _at(inputs, place).max_bytes = bound
    for number in range(7):
        table = _table(number, 300)
        first = inputs.pair("2020 in place 3 7?", table)
        assert list(inputs.pair("2020 in place 3 7?", table).ids) == list(first.ids)
        assert all(0 < _at(inputs, place)._size <= bound for place in PLACES)
        assert 1 <= len(inputs._windows) <= 2
    assert inputs.windows(_table(6, 300)) != inputs.windows(_table(5, 300))


def _at(inputs: PairInputs, place: str) -> Kept[object]:
    value: object = inputs
    for name in place.split("."):
        value = getattr(value, name)
    assert isinstance(value, Kept)
    return value


def test_sizes_are_about_those_in_memory() -> None:
    inputs = _inputs()
    inputs.pair("warm", _table(0, 3))
    tables = [_table(number, 200) for number in range(1, 5)]
    tracemalloc.start()
    try:
        for table in tables:
            inputs.windows(table)
        windows = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    told = inputs._windows._size + inputs._ids._kept._size
    assert 0.3 * windows < told < 5 * windows
