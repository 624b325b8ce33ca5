"""Levels of labels from places and from blanks."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tabrag.tables.indents import BLANKS, indented, label_text, levels_by_place, with_levels


def _levels(cells: list[list[str]]) -> list[int]:
    labels = [row[0] for row in cells]
    return [(len(label) - len(label.lstrip(" "))) // len(BLANKS) for label in labels]


def test_places_that_lie_close_are_one_level() -> None:
    assert levels_by_place({3: 10.0, 4: 11.5, 5: 18.0, 6: 10.2, 8: 30.0}) == {3: 0, 4: 0, 5: 1, 6: 0, 8: 2}
    assert levels_by_place({0: 10.0, 1: 11.5}, 1.0) == {0: 0, 1: 1} and levels_by_place({}) == {}


def test_typed_blanks_and_indents_add_up() -> None:
    assert indented("\u00a0\u00a0 Cash ", 6.0) == " " * 15 + "Cash"
    assert indented("\tCash") == indented("\u2003Cash") == indented("    Cash") == " " * 12 + "Cash"
    assert indented("  ", 20.0) == "" and indented("Cash", -9.0) == "Cash"


def test_one_blank_is_a_slip_and_other_columns_stay() -> None:
    rows = [["Europe", " 1"], [" Asia", ""], ["   Japan", "2"], ["      Tokyo", "3"]]
    cells = [[indented(label), value] for label, value in rows]
    assert with_levels(cells) == [["Europe", " 1"], ["Asia", ""], ["  Japan", "2"], ["    Tokyo", "3"]]


def test_a_label_of_several_lines_is_indented_as_its_first_one() -> None:
    assert label_text(["", indented("Cash and", 9), indented("similar\tones", 18)]) == (
        " " * 9 + "Cash and\nsimilar ones"
    )
    assert label_text(["", " "]) == ""


@given(st.lists(st.floats(0, 120), min_size=2, max_size=12))
def test_levels_rise_with_places(starts: list[float]) -> None:
    found = _levels(with_levels([[indented("a", start), "1"] for start in starts]))
    assert min(found) == 0 and len(set(found)) == max(found) + 1
    for start, level in zip(starts, found, strict=True):
        for other, deeper in zip(starts, found, strict=True):
            assert start < other + 1 or level >= deeper
