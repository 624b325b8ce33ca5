from __future__ import annotations

import pickle
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from PIL import Image
from tiny_tables import photo, sales, tables

from tabrag.errors import UserError
from tabrag.models.inputs.text import TextInputs
from tabrag.models.io import resolve
from tabrag.representations import RepresentationConfig, build, names
from tabrag.tables.grid import make_grid
from tabrag.types import Entry, Table, Word


def test_the_folder_is_the_registry() -> None:
    assert {"headers", "markdown", "cells", "image"} <= set(names())
    with pytest.raises(
        UserError, match=r"unknown representation 'pixels'; choose from .*headers, hrcl, image"
    ):
        build(RepresentationConfig(name="pixels"))


def test_an_unknown_option_is_an_error_that_names_the_options() -> None:
    config = RepresentationConfig(name="markdown", options={"span": "first"})
    with pytest.raises(
        UserError, match=r"'markdown' has no option 'span'; its options are: title, spans, windows"
    ):
        build(config)


def test_headers_hold_title_and_paths_but_no_data(tmp_path: Path) -> None:
    (entry,) = build(RepresentationConfig(name="headers"))(sales(), folder=tmp_path)
    assert (entry.id, entry.item_id) == (sales().id, sales().id)
    for text in ('Sales of "Weird" fruit', "Trade > Fruit", "citrus > lemon", "2019 > south"):
        assert text in entry.text
    assert "1,200" not in entry.text


def test_order_of_the_fields_can_be_chosen() -> None:
    config = RepresentationConfig(name="headers", options={"fields": ["top", "title"]})
    text = build(config)(sales())[0].text
    assert 0 <= text.index("2019 > north") < text.index("Weird")
    assert "lemon" not in text


def test_markdown_holds_title_and_cells() -> None:
    (entry,) = build(RepresentationConfig(name="markdown"))(sales())
    assert entry.text.startswith('Sales of "Weird" fruit')
    assert "| lemon | 1,200 | – | 3 % |" in entry.text
    bare = build(RepresentationConfig(name="markdown", options={"title": False, "spans": "repeat"}))(sales())
    assert "Weird" not in bare[0].text and bare[0].text.count("2019") == 2 > entry.text.count("2019")


def test_markdown_of_a_picture_without_a_grid_holds_its_words() -> None:
    table = Table(id="scan", title="Scan", image="images/scan.png")
    build_markdown = build(RepresentationConfig(name="markdown"))
    assert build_markdown(table)[0].text == "Scan"
    table.words = [Word(text=text, box=(0, 0, 9, 9)) for text in ("Invoice", "4711")]
    assert build_markdown(table)[0].text == "Scan\nInvoice 4711"


def test_image_holds_path_words_and_title(tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    Image.new("RGB", (2, 2)).save(tmp_path / "images" / "photo.png")
    table = photo()
    table.title = "Scores"
    (entry,) = build(RepresentationConfig(name="image"))(table, folder=tmp_path)
    assert entry == Entry(
        id="photo",
        item_id="photo",
        text="Scores",
        image=str((tmp_path / "images" / "photo.png").resolve()),
        words=table.words,
    )


def test_a_table_without_a_usable_picture_is_an_error_with_the_way_out(tmp_path: Path) -> None:
    represent = build(RepresentationConfig(name="image"))
    with pytest.raises(UserError, match=r"'csv/200-csv/0.csv' has no picture .*prepare_data.py .* --render"):
        represent(sales(), folder=tmp_path)
    with pytest.raises(UserError, match=r"photo\.png: the picture of table 'photo' is missing"):
        represent(photo(), folder=tmp_path)
    with pytest.raises(UserError, match="leads out of the folder"):
        represent(Table(id="t", image="../x.png"), folder=tmp_path)


@given(tables())
def test_text_representations_take_any_table(table: Table) -> None:
    for name in ("headers", "markdown", "cells"):
        (entry,) = build(RepresentationConfig(name=name))(table)
        assert entry.item_id == table.id and entry.image is None


def test_a_representation_can_be_sent_to_a_worker() -> None:
    represent = build(RepresentationConfig(name="headers", options={"fields": ("title",)}))
    again = pickle.loads(pickle.dumps(represent))
    assert again(sales()) == represent(sales())
    assert represent(sales())[0].text


class _Letters:
    """An encoder of 60 tokens, a letter each."""

    limit = 60

    def count(self, entries: Sequence[Entry]) -> list[int]:
        return [len(entry.text) for entry in entries]


@pytest.mark.parametrize("name", ["markdown", "headers"])
def test_windows_are_entries_of_one_item_that_fit_and_a_short_table_has_one(name: str) -> None:
    cells = [["name", "count"], *([f"row {row}", str(row)] for row in range(20))]
    grid = make_grid(cells, num_header_rows=1, num_header_cols=1)
    table = Table(id="long", title="Long", grid=grid)
    config = RepresentationConfig(name=name, options={"windows": True})
    represent = pickle.loads(pickle.dumps(build(config, measure=_Letters())))
    windows = represent(table)
    assert [entry.id for entry in windows[:3]] == ["long", "long#w2", "long#w3"]
    assert {entry.item_id for entry in windows} == {"long"} and len(windows) > 4
    assert max(_Letters().count(windows)) <= 60
    assert {(row, 0) for row in range(21)} <= {cell for entry in windows for cell in entry.cells or ()}
    plain = build(RepresentationConfig(name=name))
    short = Table(id="short", title="Short", grid=make_grid([["a", "b"]], num_header_rows=1))
    assert represent(short) == plain(short)
    assert build(config)(table) == plain(table), "nothing limits the entries: BM25 takes a table whole"
    assert build(RepresentationConfig(name=name), measure=_Letters())(table) == plain(table)


def test_windows_do_not_take_the_id_of_the_next_table_of_a_file() -> None:
    grid = make_grid([["a"], *([f"value {row}"] for row in range(20))], num_header_rows=1)
    config = RepresentationConfig(name="markdown", options={"windows": True})
    represent = build(config, measure=_Letters())
    ids = [entry.id for name in ("a.xlsx", "a.xlsx#2") for entry in represent(Table(id=name, grid=grid))]
    assert len(ids) == len(set(ids)) > 4


def test_a_dense_table_of_many_numbers_is_seen_whole_by_a_real_encoder() -> None:
    cells = [[f"{row}{col}.{col}" for col in range(20)] for row in range(40)]
    table = Table(id="t", title="Numbers", grid=make_grid(cells, num_header_rows=1, num_header_cols=1))
    inputs = TextInputs.load(resolve("offline:tiny-bert"), max_length=64)
    config = RepresentationConfig(name="markdown", options={"windows": True})
    windows = build(config, measure=inputs)(table)
    inputs.features(windows)
    assert inputs.num_cut == 0 and len(windows) > 20
    inputs.features(build(RepresentationConfig(name="markdown"))(table))
    assert inputs.num_cut > 1000


def test_separators_of_headers_can_be_chosen() -> None:
    options = {
        "fields": ["title", "left", "top"],
        "field_separator": " [SEP] ",
        "header_separator": " / ",
        "path_separator": ": ",
    }
    (entry,) = build(RepresentationConfig(name="headers", options=options))(sales())
    left, top = "citrus: lemon", "fruit / 2019: north / 2019: south / 2020: north"
    assert entry.text == f'Sales of "Weird" fruit - Trade > Fruit [SEP] {left} [SEP] {top}'
    inputs = TextInputs.load(resolve("offline:tiny-bert"), max_length=200)
    (tokens,) = inputs.features([entry])
    assert inputs.tokenization.tokenizer.decode(tokens.ids).count("[SEP]") == 3, "a token between the fields"
    assert list(tokens.ids).count(inputs.tokenization.tokenizer.sep_token_id) == 3


@pytest.mark.parametrize("parents", ["repeat", "once"])
def test_windows_of_headers_have_the_chosen_separators(parents: str) -> None:
    cells = [["", "x", "y"], ["north", "", ""], *([f"row {row}", "1", "2"] for row in range(9))]
    grid = make_grid(cells, num_header_rows=1, num_header_cols=1)
    table = Table(id="t", title="Title", grid=grid)
    options = {"parents": parents, "field_separator": " @ ", "header_separator": " / ", "windows": True}
    windows = build(
        RepresentationConfig(name="headers", options={**options, "path_separator": "::"}), measure=_Letters()
    )(table)
    assert len(windows) > 2 and max(_Letters().count(windows)) <= 60
    for window in windows:
        assert window.text.startswith("Title @ north") and window.text.endswith(" @ x / y")
        assert ("north::row" if parents == "repeat" else "north / row") in window.text


def test_an_option_given_by_itself_on_a_command_line_has_its_type() -> None:
    typed = {"windows": True, "fields": ["top"], "field_separator": "3"}
    texts = {"windows": "true", "fields": "[top]", "field_separator": "3"}
    first, second = (
        build(RepresentationConfig(name="headers", options=options)) for options in (typed, texts)
    )
    assert first.keywords == second.keywords and second.keywords["windows"] is True  # type: ignore[attr-defined]


def _rows(num_rows: int) -> Table:
    cells = [["name", "count"], *([f"row {row}", str(row)] for row in range(num_rows))]
    return Table(id="t", title="Long", grid=make_grid(cells, num_header_rows=1, num_header_cols=1))


def test_chunks_of_cells_by_the_encoders_tokens() -> None:
    inputs = TextInputs.load(resolve("offline:tiny-bert"), max_length=64)
    whole = build(RepresentationConfig(name="cells"), measure=inputs)(_rows(40))
    assert len(whole) == 1 and inputs.count(whole)[0] > 200
    for chunk in (32, 64):
        config = RepresentationConfig(name="cells", options={"chunk": chunk})
        chunks = pickle.loads(pickle.dumps(build(config, measure=inputs)))(_rows(40))
        counts = inputs.count(chunks)
        assert [entry.id for entry in chunks[:2]] == ["t", "t#w2"] and {e.item_id for e in chunks} == {"t"}
        assert max(counts) <= chunk and min(counts[:-1]) > chunk - 8, "full, and nothing is cut"
        shown = {cell for entry in chunks for cell in entry.cells or ()}
        assert shown == {(row, col) for row in range(41) for col in range(2)}


def test_chunks_of_cells_without_an_encoder_count_words_and_signs() -> None:
    chunks = build(RepresentationConfig(name="cells", options={"chunk": 32}))(_rows(40))
    assert len(chunks) > 5 and all(20 < len(entry.text.split()) <= 32 for entry in chunks[:-1])


def test_a_chunk_that_cannot_be_is_an_error_that_says_why() -> None:
    inputs = TextInputs.load(resolve("offline:tiny-bert"), max_length=64)
    with pytest.raises(UserError, match=r"a chunk of 65 tokens is longer than the encoder's input of 64"):
        build(RepresentationConfig(name="cells", options={"chunk": 65}), measure=inputs)(_rows(1))
    with pytest.raises(UserError, match=r"chunk is 15: set 16 or more"):
        build(RepresentationConfig(name="cells", options={"chunk": 15}))(_rows(1))
    for options in ({"chunk": "many"}, {"chunk": 16.5}, {"row_separator": 5}):
        with pytest.raises(UserError, match=f"option '{next(iter(options))}' is .* must be of type"):
            build(RepresentationConfig(name="cells", options=options))
