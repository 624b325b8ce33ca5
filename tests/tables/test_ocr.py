"""Words of pictures: OCR and people's own words and boxes (report B01)."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageOps

from tabrag.errors import UserError
from tabrag.tables.boxes import enclosing_box, normalise_box
from tabrag.tables.ocr import load_words, read_words
from tabrag.tables.ocr_engine import line_words
from tabrag.tables.render import render
from tabrag.types import Grid, Table, Word


class TestNormaliseBox:
    @pytest.mark.parametrize(
        ("box", "expected"),
        [
            ((-5, 0, 50, 20), (0, 0, 250, 200)),
            ((190, 90, 230, 130), (950, 900, 1000, 1000)),
            ((50, 50, 40, 60), (200, 500, 250, 600)),
            ((0, 0, 0, 0), (0, 0, 0, 0)),
            ((12.7, 12.7, 112.7, 50.2), (64, 127, 564, 502)),
            ((300, 400, 500, 600), (1000, 1000, 1000, 1000)),
        ],
    )
    def test_boxes_of_the_report(self, box: tuple[float, ...], expected: tuple[int, ...]) -> None:
        result = normalise_box(box, 200, 100)
        assert result == expected
        assert all(type(value) is int for value in result)

    @given(
        st.lists(st.floats(-1e6, 1e6), min_size=4, max_size=4),
        st.integers(1, 10_000),
        st.integers(1, 10_000),
    )
    def test_any_box_ends_in_range_and_order(self, box: list[float], width: int, height: int) -> None:
        x0, y0, x1, y1 = normalise_box(box, width, height)
        assert 0 <= x0 <= x1 <= 1000 and 0 <= y0 <= y1 <= 1000

    @pytest.mark.parametrize(
        "box", [(math.nan, 0, 1, 1), (0, math.inf, 1, 1), (1, 2, 3), (1, 2, 3, 4, 5), ("1", 0, 1, 1)]
    )
    def test_no_numbers(self, box: tuple[float, ...]) -> None:
        with pytest.raises(UserError, match="four finite numbers"):
            normalise_box(box, 200, 100)

    def test_picture_without_area(self) -> None:
        with pytest.raises(UserError, match="no area"):
            normalise_box((0, 0, 1, 1), 0, 100)

    def test_thin_ink_keeps_an_area(self) -> None:
        assert enclosing_box((10, 10, 11, 11), (20_000, 30_000)) == (0, 0, 1, 1)


class TestLoadWords:
    @staticmethod
    def _file(folder: Path, record: object) -> Path:
        path = folder / "words.json"
        path.write_text(json.dumps(record), encoding="utf-8")
        return path

    def test_pixels(self, tmp_path: Path) -> None:
        path = self._file(tmp_path, {"words": ["a", "ü"], "boxes": [[0, 0, 50, 20], [190, 90, 230, 130]]})
        assert load_words(path, (200, 100)) == [
            Word(text="a", box=(0, 0, 250, 200)),
            Word(text="ü", box=(950, 900, 1000, 1000)),
        ]

    def test_thousandths(self, tmp_path: Path) -> None:
        path = self._file(tmp_path, {"words": ["a"], "boxes": [[10, 20, 1200, 40]], "unit": "thousandths"})
        assert load_words(path, (200, 100)) == [Word(text="a", box=(10, 20, 1000, 40))]

    @pytest.mark.parametrize(
        ("record", "message"),
        [
            ([], "lists 'words' and 'boxes'"),
            ({"boxes": []}, "lists 'words' and 'boxes'"),
            ({"words": ["a", "b"], "boxes": [[0, 0, 1, 1]]}, "2 words but 1 boxes"),
            ({"words": ["a"]}, "1 words but 0 boxes"),
            ({"words": ["a"], "boxes": [[0, 0, 1, 1]], "unit": "inch"}, "unknown unit 'inch'"),
            ({"words": [3], "boxes": [[0, 0, 1, 1]]}, "word 0 is no text"),
            ({"words": ["a", "b"], "boxes": [[0, 0, 1, 1], [0, 0, None, 1]]}, r"word 1 \('b'\).*four finite"),
            ({"words": ["a"], "boxes": [[0, 0, math.nan, 1]]}, "word 0.*four finite"),
            ({"words": ["a"], "boxes": [7]}, "word 0.*four finite"),
        ],
    )
    def test_faults_name_file_and_index(self, tmp_path: Path, record: object, message: str) -> None:
        path = self._file(tmp_path, record)
        with pytest.raises(UserError, match=message) as error:
            load_words(path, (200, 100))
        assert str(path) in str(error.value)


class TestReadWords:
    """The packaged models read what the renderer printed."""

    @pytest.fixture(scope="class")
    def printed(self) -> Table:
        pytest.importorskip("rapidocr")
        cells = [["Region", "Sales", "Growth"], ["North", "1,234", "5.6%"], ["South", "987", "12.0%"]]
        grid = Grid(cells=cells, num_header_rows=1, num_header_cols=1)
        return Table(id="t", title="Sales by region", grid=grid)

    def test_reads_a_rendered_table(self, printed: Table) -> None:
        rendered = render(printed, "ruled", scale=1.5)
        words = read_words(rendered.image)
        assert sorted(word.text for word in words) == sorted(word.text for word in rendered.words)
        for word in words:
            same = [other for other in rendered.words if other.text == word.text]
            errors = [max(abs(a - b) for a, b in zip(word.box, other.box, strict=True)) for other in same]
            assert min(errors) < 40, (word, same)

    def test_reads_light_ink_on_a_dark_ground(self, printed: Table) -> None:
        rendered = render(printed, "borderless", scale=1.5)
        words = read_words(ImageOps.invert(rendered.image))
        assert {"North", "1,234", "12.0%"} <= {word.text for word in words}

    @pytest.mark.parametrize("size", [(1, 1), (3, 90), (200, 7), (64, 64)])
    def test_pictures_without_text(self, printed: Table, size: tuple[int, int]) -> None:
        assert read_words(Image.new("RGB", size, "white")) == []

    def test_missing_package_is_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from tabrag.tables import ocr_engine

        monkeypatch.setitem(sys.modules, "rapidocr", None)
        # Not the engine that is loaded, which later tests read with.
        monkeypatch.setattr(ocr_engine, "_engine", ocr_engine._engine.__wrapped__)
        with pytest.raises(UserError, match=r"rapidocr.*tabrag\[ocr\]"):
            read_words(Image.new("RGB", (50, 50), "white"))


def test_importing_the_module_loads_no_ocr() -> None:
    code = "import sys, tabrag.tables.ocr; print([m for m in ('rapidocr', 'torch') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


class TestLineWords:
    _BOX = (0.0, 0.0, 100.0, 10.0)

    @staticmethod
    def _part(text: str, x0: float, x1: float) -> tuple[str, float, list[list[float]]]:
        return (text, 0.99, [[x0, 0], [x1, 0], [x1, 10], [x0, 10]])

    def test_characters_are_joined_to_words(self) -> None:
        parts = [self._part(char, i * 10, i * 10 + 9) for i, char in enumerate("温度°C")]
        words = list(line_words("温度 °C", self._BOX, parts))
        assert words == [("温度", (0, 0, 19, 10)), ("°C", (20, 0, 39, 10))]

    def test_parts_that_do_not_add_up_share_the_line(self) -> None:
        words = list(line_words("ab cde", self._BOX, [self._part("x", 0, 5)]))
        assert [word for word, _ in words] == ["ab", "cde"]
        assert words[0][1][2] < words[1][1][0] and words[1][1][2] == 100

    def test_line_without_parts(self) -> None:
        assert list(line_words("one", self._BOX, ())) == [("one", self._BOX)]
