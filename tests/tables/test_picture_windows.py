"""Windows of pictures: nothing is lost, everything fits, and pixels, words and boxes agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from tabrag.tables.grid import make_grid
from tabrag.tables.picture_windows import PictureWindow, WordMeter, picture_windows
from tabrag.tables.render import Rendered, render
from tabrag.tables.strips import enclosing, holds, moved, paste
from tabrag.types import Grid, Table, Word


def _count(batch: Sequence[Sequence[Word]]) -> list[int]:
    """A token for three letters, two special ones."""
    return [2 + sum(-(-len(word.text) // 3) for word in words) for words in batch]


def _cut(words: Sequence[Word], grid: Grid | None, limit: int) -> list[PictureWindow]:
    windows = picture_windows(words, grid, WordMeter(limit, _count))
    assert max(_count([window.words for window in windows])) <= limit
    return windows


def _table(num_rows: int, num_cols: int, *, heads: int = 1, stubs: int = 1, merged: Sequence = ()) -> Table:
    rows = [[f"c{row}x{col}" for col in range(num_cols)] for row in range(num_rows)]
    grid = make_grid(rows, merged=merged, num_header_rows=heads, num_header_cols=stubs)
    return Table(id="t", title="Output of the works", grid=grid)


def _ink(image: Image.Image, word: Word) -> np.ndarray:
    """The grey values in a word's box."""
    width, height = image.size
    x0, y0, x1, y1 = word.box
    corners = (x0 * width // 1000, y0 * height // 1000, -(-x1 * width // 1000), -(-y1 * height // 1000))
    return np.asarray(image.crop(corners).convert("L"), dtype=float)


def _assert_pixels_agree(drawn: Rendered, windows: Sequence[PictureWindow]) -> None:
    by_name = {(word.text, word.cell): word for word in drawn.words}
    for window in windows:
        image = drawn.image if window.strips is None else paste(drawn.image, window.strips)
        for word in window.words:
            was = _ink(drawn.image, by_name[word.text, word.cell])
            now = _ink(image, word)
            assert np.allclose(was.shape, now.shape, atol=4), word
            # As dark as in the whole picture: the word stands where its box says, and all of it.
            assert (255 - now).sum() > 0.9 * (255 - was).sum(), word
            assert now.min() <= was.min() + 8, word


@settings(max_examples=12, deadline=None)
@given(
    st.integers(3, 14),
    st.integers(2, 7),
    st.integers(0, 2),
    st.integers(0, 2),
    st.integers(16, 60),
    st.sampled_from(["ruled", "scanned", "borderless", "spreadsheet"]),
    st.data(),
)
def test_every_word_is_in_a_window_that_fits(
    num_rows: int, num_cols: int, heads: int, stubs: int, limit: int, style: str, data: st.DataObject
) -> None:
    row, col = data.draw(st.integers(0, num_rows - 2)), data.draw(st.integers(0, num_cols - 2))
    merged = data.draw(st.sampled_from([[], [(row, row + 1, col, col)], [(row, row, col, col + 1)]]))
    table = _table(num_rows, num_cols, heads=heads, stubs=min(stubs, num_cols), merged=merged)
    drawn = render(table, style, seed=1)
    windows = _cut(drawn.words, table.grid, limit)
    seen = {(word.text, word.cell) for window in windows for word in window.words}
    assert seen == {(word.text, word.cell) for word in drawn.words}
    for window in windows:
        names = Counter((word.text, word.cell) for word in window.words)
        assert names and max(names.values()) == 1
        assert window.cells is None or {word.cell for word in window.words} - {None} <= window.cells
        assert all(0 <= edge <= 1000 for word in window.words for edge in word.box)
    if style != "scanned":  # noise is dark too
        _assert_pixels_agree(drawn, windows)


def test_title_headers_and_row_headers_stand_in_each_window() -> None:
    table = _table(30, 4)
    drawn = render(table, "ruled")
    windows = _cut(drawn.words, table.grid, 60)
    assert len(windows) > 2
    for window in windows:
        texts = [word.text for word in window.words]
        assert texts[:8] == ["Output", "of", "the", "works", "c0x0", "c0x1", "c0x2", "c0x3"]
        rows = {word.cell[0] for word in window.words if word.cell is not None}
        assert {word.cell for word in window.words} >= {(row, 0) for row in rows}
        assert window.words == sorted(
            window.words, key=lambda word: [w.text for w in drawn.words].index(word.text)
        )
    body = [row for window in windows for row in sorted({c[0] for c in window.cells or ()} - {0})]
    assert body == list(range(1, 30))


def test_many_columns_are_parted_too() -> None:
    table = _table(6, 20)
    drawn = render(table, "ruled")
    windows = _cut(drawn.words, table.grid, 48)
    assert all({cell for cell in window.cells or () if cell[1] == 0} for window in windows)
    assert {cell for window in windows for cell in window.cells or ()} == {
        (row, col) for row in range(6) for col in range(20)
    }
    assert max(len({col for _, col in window.cells or ()}) for window in windows) < 20
    _assert_pixels_agree(drawn, windows)


def test_a_merged_row_header_is_shown_with_each_of_its_rows() -> None:
    table = _table(25, 3, stubs=2, merged=[(1, 24, 0, 0)])
    drawn = render(table, "ruled")
    windows = _cut(drawn.words, table.grid, 50)
    assert len(windows) > 2
    assert all("c1x0" in [word.text for word in window.words] for window in windows)
    _assert_pixels_agree(drawn, windows)


def test_words_without_cells_are_parted_between_lines() -> None:
    drawn = render(_table(12, 5), "scanned")
    read = [Word(text=word.text, box=word.box) for word in drawn.words]
    windows = _cut(read, None, 40)
    assert len(windows) > 2 and all(window.cells is None for window in windows)
    found = [word.text for window in windows for word in window.words]
    assert sorted(found) == sorted(word.text for word in read)
    tops = [window.strips[0][0] for window in windows if window.strips]
    assert tops == sorted(tops) and len(tops) == len(windows)
    lines = [{word.text[: word.text.index("x")] for word in w.words if "x" in word.text} for w in windows]
    assert sum(map(len, lines)) == 12  # no line is in two windows


def test_a_word_that_is_too_long_is_parted_between_letters() -> None:
    words = [Word(text="n" * 100, box=(100, 100, 300, 200)), Word(text="end", box=(100, 300, 200, 400))]
    windows = _cut(words, None, 12)
    assert "".join(word.text for window in windows for word in window.words) == "n" * 100 + "end"
    assert windows[0].strips == windows[1].strips == [(100, 200, ((100, 300),))]
    assert windows[0].words[0].box == (0, 0, 1000, 1000)


def test_what_fits_stays_whole() -> None:
    drawn = render(_table(3, 3), "ruled")
    (window,) = _cut(drawn.words, _table(3, 3).grid, 500)
    assert window == PictureWindow(drawn.words)
    (nothing,) = picture_windows(drawn.words, None, WordMeter(2, _count))  # no room for anything
    assert nothing.words == drawn.words


@pytest.mark.parametrize(
    "box",
    [
        *((-5, 0, 50, 20), (400, 400, 300, 350), (0, 0, 0, 0), (990, 990, 1000, 1000)),
        *((1000, 1000, 1000, 1000), (2000, 1500, 2100, 1600)),
    ],
)
def test_odd_boxes_give_sound_ones(box: tuple[int, int, int, int]) -> None:
    words = [Word(text=f"word{n}", box=box, cell=(n, 0)) for n in range(9)]
    grid = make_grid([[f"word{n}"] for n in range(9)], num_header_rows=1)
    for cut in (_cut(words, grid, 9), _cut([Word(text=w.text, box=w.box) for w in words], None, 9)):
        assert {word.text for window in cut for word in window.words} == {f"word{n}" for n in range(9)}
        for window in cut:
            assert window.strips
            for top, bottom, spans in window.strips:
                assert all(0 <= low < high <= 1000 for low, high in ((top, bottom), *spans))
            assert paste(Image.new("RGB", (30, 20)), window.strips).size > (0, 0)
            for word in window.words:
                x0, y0, x1, y1 = word.box
                assert 0 <= x0 <= x1 <= 1000 and 0 <= y0 <= y1 <= 1000


@pytest.mark.parametrize("size", [(30, 20), (1, 1), (1003, 7)])
def test_strips_show_the_pixels_of_their_places(size: tuple[int, int]) -> None:
    pixels = np.random.default_rng(0).integers(0, 200, size=(size[1], size[0], 3), dtype=np.uint8)
    picture = Image.fromarray(pixels)
    assert np.array_equal(paste(picture, [(0, 1000, ((0, 1000),))]), pixels)
    assert np.array_equal(paste(picture, [(0, 1000, ((0, 500), (500, 1000)))]), pixels)
    corner = paste(picture, [(999, 1000, ((999, 1000),))])
    assert np.array_equal(np.asarray(corner)[-1, -1], pixels[-1, -1])


def test_strips_move_words() -> None:
    words = [Word(text="a", box=(100, 100, 200, 200)), Word(text="b", box=(700, 500, 800, 600))]
    strips = [(50, 250, ((0, 300), (600, 800))), (500, 600, ((700, 900),))]
    assert holds(strips[0], words[0]) and not holds(strips[0], words[1]) and holds(strips[1], words[1])
    first, second = moved(words, [0, 1], strips)
    assert first.box == (200, 166, 400, 500)
    assert second.box == (0, 666, 200, 1000)
    assert enclosing(words) == (100, 600, ((100, 800),))
    picture = Image.new("RGB", (100, 100), "blue")
    picture.paste("red", (70, 50, 80, 60))
    made = paste(picture, strips)
    assert made.size == (50, 30)
    assert made.getpixel((5, 25)) == (255, 0, 0) and made.getpixel((15, 25)) == (0, 0, 255)
    assert made.getpixel((45, 25)) == (255, 255, 255)
