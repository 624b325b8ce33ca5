"""The picture representation with parts taken away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from tabrag.errors import UserError
from tabrag.index.partial import content_hash
from tabrag.representations import RepresentationConfig, build
from tabrag.tables.ocr_cache import keep_words
from tabrag.types import Entry, Table, Word

WORDS = [Word(text=text, box=(10 * n, 5, 10 * n + 8, 9), cell=(0, n)) for n, text in enumerate("abcdefgh")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("data")
    Image.new("RGB", (40, 10), "red").save(path / "t.png")
    return path


def entry(folder: Path, *, own: Sequence[Word] | None = tuple(WORDS), **options: Any) -> Entry:
    table = Table(id="t", title="Title", image="t.png", words=None if own is None else list(own))
    (made,) = build(RepresentationConfig(name="image", options=options))(table, folder=folder)
    assert (made.id, made.item_id, made.text) == ("t", "t", "Title")
    return made


def test_the_defaults_are_the_whole_picture(folder: Path) -> None:
    plain = entry(folder)
    assert plain == entry(folder, picture="full", words="printed", boxes="printed")
    assert plain.words == WORDS and plain.image == str((folder / "t.png").resolve())


def test_a_blank_picture_is_white_and_the_same_for_all(folder: Path) -> None:
    blank = entry(folder, picture="blank")
    with Image.open(str(blank.image)) as image:
        assert (np.asarray(image.convert("RGB")) == 255).all()
    assert blank.words == WORDS
    assert content_hash(blank) != content_hash(entry(folder))


def test_zeroed_boxes_keep_texts_and_their_order(folder: Path) -> None:
    zeroed = entry(folder, boxes="zeroed")
    assert [word.text for word in zeroed.words or ()] == list("abcdefgh")
    assert {word.box for word in zeroed.words or ()} == {(0, 0, 0, 0)}
    assert WORDS[1].box == (10, 5, 18, 9)  # the table's own words are left alone


@given(st.lists(st.sampled_from("abcdef"), max_size=12))
def test_shuffled_words_deal_the_same_texts_to_the_same_places(texts: list[str]) -> None:
    words = [Word(text=text, box=(n, n, n + 1, n + 1), cell=(n, 0)) for n, text in enumerate(texts)]
    folder = Path(__file__).parent
    represent = build(RepresentationConfig(name="image", options={"words": "shuffled"}))
    tables = [Table(id="t", image=Path(__file__).name, words=words) for _ in range(2)]
    first, second = (represent(table, folder=folder)[0].words for table in tables)
    assert first == second and first is not None
    assert Counter(word.text for word in first) == Counter(texts)
    assert [(word.box, word.cell) for word in first] == [(word.box, word.cell) for word in words]


def test_the_order_is_another_one_and_depends_on_the_table(folder: Path) -> None:
    represent = build(RepresentationConfig(name="image", options={"words": "shuffled"}))
    orders = set()
    for name in ("t", "u", "v"):
        (made,) = represent(Table(id=name, image="t.png", words=WORDS), folder=folder)
        orders.add("".join(word.text for word in made.words or ()))
    assert len(orders) == 3 and "abcdefgh" not in orders


def test_without_words_or_with_those_of_ocr(folder: Path, tmp_path: Path) -> None:
    assert entry(folder, words="none").words == []
    assert entry(folder, own=None, boxes="zeroed", words="shuffled").words is None
    read = [Word(text="Abc", box=(1, 2, 30, 40))]
    keep_words(read, folder / "t.png", tmp_path)
    assert entry(folder, words="ocr", ocr_folder=str(tmp_path)).words == read


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"picture": "white"}, "picture is 'white': use one of full, blank"),
        ({"words": "all"}, "words is 'all': use one of printed, none, shuffled, ocr"),
        ({"boxes": "none"}, "boxes is 'none'"),
        ({"words": "ocr"}, "needs ocr_folder"),
    ],
)
def test_what_is_refused(folder: Path, options: dict[str, str], message: str) -> None:
    with pytest.raises(UserError, match=message):
        entry(folder, **options)
