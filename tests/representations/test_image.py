"""The picture representation with parts taken away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from tabrag.errors import UserError
from tabrag.index.exact import ExactIndex
from tabrag.index.items import search_items
from tabrag.index.partial import content_hash
from tabrag.inference.encode import encode
from tabrag.models.config import EmbedderConfig
from tabrag.models.embedder import Embedder
from tabrag.representations import RepresentationConfig, build
from tabrag.tables.grid import make_grid
from tabrag.tables.ocr_cache import keep_words
from tabrag.tables.render import render
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


@pytest.fixture(scope="module")
def long_tables(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Table]]:
    """Pictures of tables of few, many and no words; and the many as a scan whose cells nobody knows."""
    path, tables = tmp_path_factory.mktemp("long"), []
    for name, rows in (("short", 2), ("long", 120), ("bare", 3)):
        cells = [[f"row {row}", f"{row * 7919 % 1000 / 7:.3f}"] for row in range(rows)]
        grid = make_grid(cells, num_header_rows=1, num_header_cols=1)
        drawn = render(Table(id=name, grid=grid), "ruled")
        drawn.image.save(path / f"{name}.png")
        words = [] if name == "bare" else drawn.words
        tables.append(Table(id=name, grid=grid, image=f"{name}.png", words=words))
    read = [Word(text=word.text, box=word.box) for word in tables[1].words or ()]
    return path, [*tables, Table(id="scan", image="long.png", words=read)]


def _entries(tables: Sequence[Table], path: Path, embedder: Embedder, **options: Any) -> list[Entry]:
    represent = build(RepresentationConfig(name="image", options=options), measure=embedder.inputs)
    return [entry for table in tables for entry in represent(table, folder=path)]


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    torch.manual_seed(0)
    config = EmbedderConfig(backbone="offline:tiny-layoutlmv3", inputs="layoutlmv3", max_length=48)
    return Embedder.from_config(config).eval()


def test_windows_leave_no_token_out(long_tables: tuple[Path, list[Table]], embedder: Embedder) -> None:
    path, tables = long_tables
    entries = _entries(tables, path, embedder, windows=True)
    inputs = embedder.inputs
    before = (inputs.num_cut, inputs.num_tokens)
    features = inputs.features(entries)
    assert inputs.num_cut == before[0] and max(map(len, features)) <= 48 + features[0].num_patches
    inputs.features(_entries(tables, path, embedder))
    assert inputs.num_cut > before[0]
    for table in tables:
        own = [entry for entry in entries if entry.item_id == table.id]
        shown = {word.text for entry in own for word in entry.words or ()}
        assert shown == {word.text for word in table.words or ()}
        assert [entry.id for entry in own] == [
            table.id,
            *(f"{table.id}#w{n}" for n in range(2, len(own) + 1)),
        ]
    counts = Counter(entry.item_id for entry in entries)
    assert counts["short"] == counts["bare"] == 1 and min(counts["long"], counts["scan"]) > 10
    cells = {cell for entry in entries if entry.item_id == "long" for cell in entry.cells or ()}
    assert cells == {(row, col) for row in range(120) for col in range(2)}


def test_every_window_has_pixels_of_its_own(
    long_tables: tuple[Path, list[Table]], embedder: Embedder
) -> None:
    path, tables = long_tables
    entries = _entries(tables, path, embedder, windows=True)
    batch = embedder.inputs(entries)
    assert len(batch["pixel_values"]) == len(batch["input_ids"]) == len(batch["bbox"]) == len(entries)
    own = [n for n, entry in enumerate(entries) if entry.item_id == "long"]
    assert len({batch["pixel_values"][n].numpy().tobytes() for n in own}) == len(own)
    assert len({content_hash(entries[n]) for n in own}) == len(own)
    blank = _entries(tables, path, embedder, windows=True, picture="blank", boxes="zeroed")
    assert [len(entry.words or ()) for entry in blank] == [len(entry.words or ()) for entry in entries]
    assert all(entry.strips is None for entry in blank)
    assert {word.box for entry in blank for word in entry.words or ()} == {(0, 0, 0, 0)}


def test_tables_of_one_and_many_windows_are_found_by_their_best_in_order(
    long_tables: tuple[Path, list[Table]], embedder: Embedder
) -> None:
    path, tables = long_tables
    entries = _entries(tables[:3], path, embedder, windows=True)
    vectors = encode(embedder, entries, progress=False, dtype="float32")
    alone = encode(
        embedder, _entries(tables[1:2], path, embedder, windows=True), progress=False, dtype="float32"
    )
    own = [row for row, entry in enumerate(entries) if entry.item_id == "long"]
    assert np.allclose(vectors[own], alone, atol=1e-5)
    found = search_items(
        ExactIndex(metric="cosine").build(vectors).search,
        alone[[len(alone) // 2]],
        3,
        item_of=lambda row: entries[row].item_id,
        num_entries=len(entries),
        num_items=3,
    )
    assert [item for item, _ in found[0]][0] == "long" and len({item for item, _ in found[0]}) == 3
    assert found[0][0][1] == pytest.approx(1.0, abs=1e-5)


def test_inputs_that_look_at_no_words_have_one_window(long_tables: tuple[Path, list[Table]]) -> None:
    path, tables = long_tables
    config = EmbedderConfig(backbone="offline:tiny-layoutlmv3", inputs="layoutlmv3", max_length=0)
    entries = _entries(tables, path, Embedder.from_config(config), windows=True)
    assert [entry.id for entry in entries] == ["short", "long", "bare", "scan"]
    assert all(entry.strips is None for entry in entries)
