"""Reading order of boxes on a slide."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tabrag.documents.office.slide_order import reading_order


def test_rows_before_columns() -> None:
    boxes = [(60, 12, 90, 20), (10, 10, 40, 20), (10, 40, 90, 50)]
    assert reading_order(boxes) == [1, 0, 2]


def test_columns_of_other_heights_are_read_one_after_the_other() -> None:
    left, right = [(0, 0, 40, 30), (0, 32, 40, 60)], [(50, 0, 90, 16), (50, 18, 90, 46), (50, 48, 90, 60)]
    assert reading_order([right[1], left[0], right[2], left[1], right[0]]) == [1, 3, 4, 0, 2]


def test_what_lies_behind_all_comes_first() -> None:
    boxes = [(50, 10, 90, 20), (0, 0, 100, 100), (10, 10, 40, 20)]
    assert reading_order(boxes) == [1, 2, 0]


_boxes = st.lists(
    st.tuples(*[st.integers(0, 20)] * 4).map(lambda box: (box[0], box[1], box[0] + box[2], box[1] + box[3])),
    max_size=12,
)


@given(boxes=_boxes)
def test_every_box_once(boxes: list[tuple[int, int, int, int]]) -> None:
    assert sorted(reading_order(boxes)) == list(range(len(boxes)))
