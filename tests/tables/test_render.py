"""Rendered tables: every word is printed, its box lies on its ink, and one seed gives one picture."""

from __future__ import annotations

import gzip
import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from tabrag.errors import UserError
from tabrag.tables import fonts
from tabrag.tables.render import STYLES, Rendered, render
from tabrag.tables.styles import choose_look
from tabrag.types import Grid, Table, Word


def _table(**changes: object) -> Table:
    grid = Grid(
        cells=[
            ["region", "people", "", "notes"],
            ["", "2019", "2020", ""],
            ["north", "1,234", "-5.6", "the count of the northern region was revised twice in the year"],
            ["south", "99", "(1,000)", "none"],
            ["total", "1,333", "-1,005.6", "-"],
        ],
        merged=[(0, 1, 0, 0), (0, 0, 1, 2), (0, 1, 3, 3)],
        num_header_rows=2,
        num_header_cols=1,
    )
    values: dict[str, object] = {"id": "t1", "title": "People by region", "caption": "Table 3", "grid": grid}
    return Table(**(values | changes))  # type: ignore[arg-type]


def _plain(cells: list[list[str]], **sizes: int) -> Table:
    return Table(id="x", grid=Grid(cells=cells, **sizes))  # type: ignore[arg-type]


def _pixel_box(word: Word, image: Image.Image) -> tuple[int, int, int, int]:
    x0, y0, x1, y1 = word.box
    width, height = image.size
    return (x0 * width // 1000, y0 * height // 1000, -(-x1 * width // 1000), -(-y1 * height // 1000))


def _contrast(word: Word, image: Image.Image) -> int:
    pixels = np.asarray(image.crop(_pixel_box(word, image)).convert("L"), dtype=int)
    return int(pixels.max() - pixels.min()) if pixels.size else 0


def _overlap(first: Word, second: Word) -> float:
    (a0, b0, a1, b1), (c0, d0, c1, d1) = first.box, second.box
    shared = max(0, min(a1, c1) - max(a0, c0)) * max(0, min(b1, d1) - max(b0, d0))
    return shared / max(1, min((a1 - a0) * (b1 - b0), (c1 - c0) * (d1 - d0)))


@pytest.mark.parametrize("style", STYLES)
class TestEveryStyle:
    def test_boxes_lie_on_the_ink(self, style: str) -> None:
        rendered = render(_table(), style, seed=3)
        assert len(rendered.words) > 25
        for word in rendered.words:
            x0, y0, x1, y1 = word.box
            assert 0 <= x0 < x1 <= 1000 and 0 <= y0 < y1 <= 1000
            assert all(type(value) is int for value in word.box)
            assert _contrast(word, rendered.image) > 80, word

    def test_boxes_of_different_words_stay_apart(self, style: str) -> None:
        limit = 0.5 if style == "scanned" else 0.2
        for first, second in combinations(render(_table(), style).words, 2):
            assert _overlap(first, second) <= limit, (first, second)

    def test_boxes_are_tight(self, style: str) -> None:
        """Pictures with and without one word differ inside its box, and nowhere else (clean styles)."""
        style = "ruled" if style == "scanned" else style
        table, without = _table(), _table()
        assert table.grid is not None and without.grid is not None
        without.grid.cells[3][3] = ""
        whole, rest = render(table, style), render(without, style)
        assert whole.image.size == rest.image.size
        changed = np.argwhere(np.asarray(whole.image) != np.asarray(rest.image))
        (word,) = (word for word in whole.words if word.cell == (3, 3))
        x0, y0, x1, y1 = _pixel_box(word, whole.image)
        assert len(changed) > 20
        assert changed[:, 1].min() >= x0 and changed[:, 1].max() < x1
        assert changed[:, 0].min() >= y0 and changed[:, 0].max() < y1

    def test_every_word_is_printed_once_in_reading_order(self, style: str) -> None:
        words = render(_table(), style).words
        titles = [word.text for word in words if word.cell is None]
        assert titles == ["People", "by", "region", "Table", "3"]
        cells = [word.cell for word in words[5:]]
        top = [cell for cell in cells if cell is not None and cell[0] < 2]
        side = [(2, 0), (3, 0), (4, 0)]
        assert cells[: len(top)] == top == [(0, 0), (0, 1), (0, 3), (1, 1), (1, 2)]
        assert cells[len(top) : len(top) + 3] == side
        body = cells[len(top) + 3 :]
        assert body == sorted(body)
        notes = " ".join(word.text for word in words if word.cell == (2, 3))
        assert notes == "the count of the northern region was revised twice in the year"

    def test_same_seed_same_picture(self, style: str) -> None:
        first, again = render(_table(), style, seed=5), render(_table(), style, seed=5)
        assert first.image.tobytes() == again.image.tobytes() and first.words == again.words
        others = {render(_table(), style, seed=seed).image.tobytes() for seed in range(8)}
        assert len(others) > 2

    def test_scale_enlarges_the_picture(self, style: str) -> None:
        small, large = render(_table(), style), render(_table(), style, scale=2)
        assert 1.7 < large.image.width / small.image.width < 2.3
        assert [word.text for word in large.words] == [word.text for word in small.words]

    def test_merged_header_stands_over_its_columns(self, style: str) -> None:
        words = {word.cell: word for word in render(_table(), style).words if word.cell and word.cell[0] < 2}
        middle = (words[0, 1].box[0] + words[0, 1].box[2]) / 2
        assert words[1, 1].box[0] < middle < words[1, 2].box[2]
        assert words[0, 0].box[1] > words[0, 1].box[1], "a row span stands in the middle of its rows"

    def test_odd_grids(self, style: str) -> None:
        assert render(_plain([[""]]), style).words == []
        assert [word.text for word in render(_plain([["a"]]), style).words] == ["a"]
        only_header = render(_plain([["a", "b"]], num_header_rows=1, num_header_cols=1), style)
        assert [word.cell for word in only_header.words] == [(0, 0), (0, 1)]


def test_styles_look_different() -> None:
    pictures = [np.asarray(render(_table(), style).image.resize((200, 120)), dtype=int) for style in STYLES]
    assert len(STYLES) >= 8
    for first, second in combinations(pictures, 2):
        assert np.abs(first - second).mean() > 1


def test_scanned_boxes_follow_the_rotation() -> None:
    words = render(_table(), "scanned", seed=1).words
    row = [word for word in words if word.cell and word.cell[0] == 3]
    bottoms = [word.box[3] for word in sorted(row, key=lambda word: word.box[0])]
    assert len(set(bottoms)) > 1, "a turned row has boxes at different heights"


def test_figures_stand_at_the_right_and_texts_at_the_left() -> None:
    words = render(_plain([["k", "v"], ["a", "1"], ["bbb", "22,000"]], num_header_rows=1)).words
    by_cell = {word.cell: word.box for word in words}
    assert abs(by_cell[1, 1][2] - by_cell[2, 1][2]) <= 3 and by_cell[1, 1][0] > by_cell[2, 1][0]
    assert abs(by_cell[1, 0][0] - by_cell[2, 0][0]) <= 3


def test_long_words_are_cut_into_pieces_that_fit() -> None:
    text = "https://example.org/" + "very-long-address/" * 12
    words = render(_plain([[text, "1"]])).words
    pieces = [word.text for word in words if word.cell == (0, 0)]
    assert len(pieces) > 2 and "".join(pieces) == text
    assert max(word.box[2] for word in words) <= 1000


@pytest.mark.skipif(fonts.missing_characters("ЖЗИЙЙ") != "", reason="no installed font has Cyrillic")
def test_marks_stay_with_their_letters() -> None:
    text = "И\u0306" * 60
    pieces = [word.text for word in render(_plain([[text]])).words]
    assert len(pieces) > 1 and "".join(pieces) == text
    assert not any(piece.startswith("\u0306") for piece in pieces)


def test_line_ends_of_a_cell_are_kept() -> None:
    words = render(_plain([["first\nsecond", "x"]])).words
    assert words[0].box[3] <= words[1].box[1] + 20 and words[1].text == "second"
    assert abs(words[0].box[0] - words[1].box[0]) < 12


def test_title_lines_are_not_repeated() -> None:
    table = _table(title="Results", page_title="Results", section="", caption="Season")
    assert [word.text for word in render(table).words if word.cell is None] == ["Results", "Season"]


class TestScripts:
    @staticmethod
    def _row(text: str) -> Rendered:
        return render(_plain([[text]]), "borderless")

    @pytest.mark.skipif(fonts.missing_characters("שלום") != "", reason="no installed font has Hebrew")
    def test_hebrew_runs_from_right_to_left(self) -> None:
        words = self._row("שלום עולם 2016 גדול").words
        assert [word.text for word in words] == ["שלום", "עולם", "2016", "גדול"]
        lefts = [word.box[0] for word in words]
        assert lefts == sorted(lefts, reverse=True)

    @pytest.mark.skipif(fonts.missing_characters("السلام") != "", reason="no installed font has Arabic")
    def test_arabic_letters_are_joined(self) -> None:
        face = fonts.get_face("sans", 30)
        whole = face.glyphs("سلام", right_to_left=True).advance
        apart = sum(face.glyphs(char, right_to_left=True).advance for char in "سلام")
        assert whole < 0.9 * apart

    def test_english_words_inside_hebrew_keep_their_order(self) -> None:
        from tabrag.tables.reading_order import visual_order

        line = ["אב", "New", "York", "12", "גד"]
        assert visual_order(line, True) == [4, 1, 2, 3, 0]
        assert visual_order(["one", "אב", "גד", "two"], False) == [0, 2, 1, 3]
        assert visual_order(["אב", "-", "גד"], True) == [2, 1, 0]
        assert visual_order(["אב", "5", "גד"], False) == [2, 1, 0]
        assert visual_order(["a", "b"], False) == [0, 1]

    def test_missing_glyph_is_an_error_that_says_what_to_install(self) -> None:
        unassigned = "\U0002fa20"
        assert fonts.missing_characters(f"a{unassigned}") == unassigned
        with pytest.raises(UserError, match=r"table 'x': no installed font covers .*U\+2FA20.*install"):
            self._row(f"good {unassigned}")

    def test_missing_chinese_names_the_package(self, monkeypatch: pytest.MonkeyPatch) -> None:
        dejavu = tuple(file for file in fonts.installed_fonts() if "DejaVu" in file)
        monkeypatch.setattr(fonts, "installed_fonts", lambda: dejavu)
        fonts._fallback_files.cache_clear()
        fonts.get_face.cache_clear()
        with pytest.raises(UserError, match="script CJK.*fonts-noto-cjk"):
            self._row("温度")
        fonts._fallback_files.cache_clear()
        fonts.get_face.cache_clear()

    def test_machine_without_fonts_draws_latin_text(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(fonts, "installed_fonts", lambda: ())
        fonts._fallback_files.cache_clear()
        fonts.get_face.cache_clear()
        try:
            rendered = render(_table(), "serif")
            assert all(_contrast(word, rendered.image) > 80 for word in rendered.words)
            assert len(rendered.words) > 25
            with pytest.raises(UserError, match="no installed font covers"):
                self._row("שלום")
        finally:
            fonts._fallback_files.cache_clear()
            fonts.get_face.cache_clear()

    def test_invisible_characters_need_no_glyph(self) -> None:
        words = self._row("soft\u00adhyphen \u200b \u200e12 \ufeff").words
        assert [word.text for word in words] == ["soft\u00adhyphen", "\u200e12"]
        assert fonts.drawable("soft\u00adhyphen") == "softhyphen"


class TestErrors:
    def test_no_grid(self) -> None:
        with pytest.raises(UserError, match="table 'x' has no grid"):
            render(Table(id="x", title="only a title"))
        with pytest.raises(UserError, match="no grid"):
            render(_plain([]))

    def test_unknown_style(self) -> None:
        with pytest.raises(UserError, match="unknown style 'fancy': choose one of ruled"):
            render(_table(), "fancy")

    @pytest.mark.parametrize("scale", [0, -1, 100, float("nan")])
    def test_bad_scale(self, scale: float) -> None:
        with pytest.raises(UserError, match="outside 0.3..8"):
            render(_table(), scale=scale)

    def test_too_large_a_table_is_an_error_and_not_cut(self) -> None:
        with pytest.raises(UserError, match="3000 rows and 1 columns.*limit of 32000.*split the table"):
            render(_plain([["x"]] * 3000))

    def test_a_huge_table_is_refused_at_once(self) -> None:
        with pytest.raises(UserError, match="100000 rows.*at least"):
            render(_plain([[f"value {i}", "x"] for i in range(100_000)]))

    def test_a_blob_without_blanks_takes_linear_time(self) -> None:
        blob = "Zm9v" * 2500
        assert "".join(word.text for word in render(_plain([[blob]])).words) == blob

    def test_many_rows_are_all_drawn(self) -> None:
        rendered = render(_plain([[str(i)] for i in range(400)]))
        assert [word.text for word in rendered.words] == [str(i) for i in range(400)]
        assert rendered.image.height > 4000


def test_look_depends_on_the_key() -> None:
    looks = {choose_look("sans", key=str(i), scale=1) for i in range(40)}
    assert len(looks) > 10
    assert choose_look("sans", key="7", scale=1) == choose_look("sans", key="7", scale=1)


_TEXTS = st.text(st.characters(codec="latin-1", categories=["L", "N", "P", "Zs"]), max_size=30)


@given(
    cells=st.integers(1, 4).flatmap(
        lambda width: st.lists(st.lists(_TEXTS, min_size=width, max_size=width), min_size=1, max_size=4)
    ),
    style=st.sampled_from(STYLES),
    headers=st.integers(0, 1),
)
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_latin_text_is_printed_in_whole(cells: list[list[str]], style: str, headers: int) -> None:
    rendered = render(_plain(cells, num_header_rows=headers, num_header_cols=headers), style)
    for row, texts in enumerate(cells):
        for col, text in enumerate(texts):
            printed = "".join(word.text for word in rendered.words if word.cell == (row, col))
            assert printed == "".join("".join(word for word in text.split() if fonts.drawable(word)))
    for word in rendered.words:
        assert 0 <= word.box[0] <= word.box[2] <= 1000 and 0 <= word.box[1] <= word.box[3] <= 1000


def test_real_tables_fit_their_pictures(data_root: Path) -> None:
    """HiTab: all words of all cells are printed inside the picture, on visible ink."""
    with gzip.open(data_root / "hitab" / "tables.jsonl.gz", "rt", encoding="utf-8") as file:
        records = [json.loads(line) for line, _ in zip(file, range(44), strict=False)]
    num_merged = 0
    for index, record in enumerate(records):
        grid = Grid(
            cells=record["cells"],
            merged=[tuple(region) for region in record["merged_regions"]],
            num_header_rows=record["top_header_rows"],
            num_header_cols=record["left_header_cols"],
        )
        num_merged += len(grid.merged)
        rendered = render(
            Table(id=record["id"], title=record["title"], grid=grid), STYLES[index % len(STYLES)]
        )
        printed = sorted("".join(word.text for word in rendered.words))
        assert printed == sorted(
            "".join("".join([record["title"], *(t for row in grid.cells for t in row)]).split())
        )
        faint = [word for word in rendered.words if _contrast(word, rendered.image) < 60]
        assert not faint, (record["id"], faint[:3])
    assert num_merged > 50


@pytest.mark.parametrize("family", ["sans", "serif", "mono", "condensed"])
@pytest.mark.parametrize("size", [9, 13, 17, 30])
def test_numbers_set_from_single_figures_look_as_if_drawn_whole(family: str, size: int) -> None:
    face = fonts.get_face(family, size)
    for text in ("1,234.5", "(12.3%)", "-57", "2009-10", "$1,111"):
        whole = fonts._ink(text, fonts._load(face._files[0], size, False), None)
        found = face.glyphs(text)
        assert (found.left, found.top, found.advance) == (whole.left, whole.top, whole.advance)
        assert whole.mask.getbbox() and found.mask.tobytes() == whole.mask.tobytes()
