from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny_tables import sales

from tabrag.data.pictures import picture_name, render_tables
from tabrag.errors import UserError
from tabrag.tables.image import open_image
from tabrag.tables.render import STYLES
from tabrag.types import Table


def test_plain_ids_keep_their_name_and_odd_ones_stay_readable() -> None:
    assert picture_name("0_1_nsf21326-tab001") == "0_1_nsf21326-tab001.png"
    assert picture_name("csv/200-csv/0.csv").startswith("csv_200-csv_0.csv-")
    assert picture_name('"Weird_Al"_Yankovic_2').startswith("Weird_Al_Yankovic_2-")
    assert picture_name("..").endswith(".png") and not picture_name("..").startswith(".")
    assert picture_name("Data").lower() != picture_name("data").lower()


@given(
    st.lists(
        st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=200), unique=True, max_size=8
    )
)
def test_names_are_safe_and_differ(ids: list[str]) -> None:
    names = [picture_name(table_id) for table_id in ids]
    assert len({name.lower() for name in names}) == len(ids)
    for name in names:
        assert len(name) <= 100 and not name.startswith(".")
        assert all(character.isascii() and (character.isalnum() or character in "._-") for character in name)


def test_drawing_is_the_same_in_one_and_in_two_processes(tmp_path: Path) -> None:
    tables = [replace(sales(), id=f"T/{number}") for number in range(3)]
    drawn = {}
    for workers in (1, 2):
        folder = tmp_path / str(workers)
        folder.mkdir()
        drawn[workers] = list(render_tables(tables, folder, num_workers=workers))
    assert drawn[1] == drawn[2]
    assert [table.id for table in drawn[1]] == ["T/0", "T/1", "T/2"]
    words = drawn[1][0].words
    assert words is not None and {"lemon", "1,200"} <= {word.text for word in words}
    assert [word.cell for word in words if word.text == "lemon"] == [(3, 0)]
    for table in drawn[1]:
        assert table.image is not None
        pixels = [np.asarray(open_image(tmp_path / str(workers) / table.image)) for workers in (1, 2)]
        assert pixels[0].std() > 5  # something is drawn
        np.testing.assert_array_equal(pixels[0], pixels[1])


def test_mixed_takes_several_styles_and_a_named_style_one(tmp_path: Path) -> None:
    tables = [replace(sales(), id=f"t{number}") for number in range(6)]

    def pictures(style: str) -> list[bytes]:
        folder = tmp_path / style
        folder.mkdir()
        list(render_tables(tables, folder, style=style, num_workers=1))
        return [open_image(folder / "images" / f"t{number}.png").tobytes() for number in range(6)]

    assert len(set(pictures("mixed"))) > 3
    assert "mixed" not in STYLES
    with pytest.raises(UserError, match="unknown style 'baroque'; choose from mixed, "):
        next(render_tables(tables, tmp_path, style="baroque"))


def test_tables_with_a_picture_pass_and_undrawable_ones_are_named(tmp_path: Path) -> None:
    has_picture = Table(id="photo", image="images/photo.png")
    no_grid = Table(id="none")
    undrawn: dict[str, str] = {}
    tables = render_tables([has_picture, no_grid, sales()], tmp_path, num_workers=1, undrawn=undrawn)
    assert [table.id for table in tables] == ["photo", sales().id]
    assert list(undrawn) == ["none"] and "no grid" in undrawn["none"]
    with pytest.raises(UserError, match="'none' has no grid"):
        list(render_tables([no_grid], tmp_path, num_workers=1))
