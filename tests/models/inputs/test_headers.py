"""Question and headers to token ids: nothing of a header is lost, each is known by the right token."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tiny_tables import sales

from tabrag.models import tiny
from tabrag.models.inputs.headers import NUM_FACTS, HeaderInputs, HeaderWindow
from tabrag.tables.axes import AXES, axis_headers
from tabrag.tables.grid import make_grid
from tabrag.types import Grid


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bert")
    tiny.bert(path)
    return path


def _inputs(
    bert: Path, *, max_length: int = 128, parents: str = "once", named_cells: bool = True
) -> HeaderInputs:
    return HeaderInputs.load(bert, max_length=max_length, parents=parents, named_cells=named_cells)


def _words(inputs: HeaderInputs, window: HeaderWindow) -> str:
    return inputs.tokenization.tokenizer.decode(window.ids.tolist())


def _known(inputs: HeaderInputs, window: HeaderWindow) -> list[str]:
    tokens = inputs.tokenization.tokenizer.convert_ids_to_tokens(window.ids.tolist())
    return [tokens[start] for start in window.starts]


def _regions() -> Grid:
    return make_grid(
        [["", "up", "", "old"], ["", "in", "on", "of"], ["go", "12", "55", "1"], ["no", "34", "56", "2"]],
        merged=[(0, 0, 1, 2)],
        num_header_rows=2,
        num_header_cols=1,
    )


def test_the_form_of_an_input(bert: Path) -> None:
    inputs = _inputs(bert, named_cells=False)
    headers, windows = inputs.windows("is it so", _regions(), "col")
    assert [header.position for header in headers] == [1, 2, 3]
    expected = "[CLS] is it so [SEP] up > in | on | old > of [SEP]"
    assert [_words(inputs, window) for window in windows] == [expected]
    assert _known(inputs, windows[0]) == ["in", "on", "of"]
    assert windows[0].headers.tolist() == [0, 1, 2]
    assert windows[0].owners.tolist()[5:] == [-1, -1, 0, -1, 1, -1, -1, -1, -1, 2, -1]


def test_whole_paths_are_known_by_their_first_token(bert: Path) -> None:
    inputs = _inputs(bert, parents="repeat", named_cells=False)
    _, windows = inputs.windows("is it so", _regions(), "col")
    assert _words(inputs, windows[0]) == "[CLS] is it so [SEP] up > in | up > on | old > of [SEP]"
    assert windows[0].owners.tolist()[5:] == [0, 0, 0, -1, 1, 1, 1, -1, 2, 2, 2, 2, -1]
    assert windows[0].question == (1, 4)
    assert _known(inputs, windows[0]) == ["up", "up", "ol"]


def test_cells_that_the_question_names_follow_their_header(bert: Path) -> None:
    inputs = _inputs(bert)
    _, windows = inputs.windows("who has 34 and 56", _regions(), "row")
    assert _words(inputs, windows[0]) == "[CLS] who has 34 and 56 [SEP] go | no : 34, 56 [SEP]"
    _, windows = inputs.windows("who has 34", _regions(), "col")
    assert _words(inputs, windows[0]) == "[CLS] who has 34 [SEP] up > in : 34 | on | old > of [SEP]"


def test_a_long_axis_comes_in_windows_that_repeat_the_parents(bert: Path) -> None:
    grid = make_grid(
        [["h", "v"], ["all", ""], *[[f"{a}{b}", "1"] for a in "abcdefgh" for b in "xyz"]],
        num_header_rows=1,
        num_header_cols=1,
    )
    inputs = _inputs(bert, max_length=24, named_cells=False)
    headers, windows = inputs.windows("is it so", grid, "row")
    assert len(headers) == 24 and len(windows) > 2
    assert all(len(window) <= 24 for window in windows)
    assert np.concatenate([window.headers for window in windows]).tolist() == list(range(24))
    assert all(_words(inputs, window).startswith("[CLS] is it so [SEP] all >") for window in windows)
    assert _known(inputs, windows[1])[0] == headers[windows[1].headers[0]].texts[-1][:2]


def test_a_header_longer_than_an_input_comes_in_pieces(bert: Path) -> None:
    text = " ".join(f"{a}{b}" for a in "abcdef" for b in "uvwxyz")
    grid = make_grid([["h", text, "so"], ["r", "1", "2"]], num_header_rows=1, num_header_cols=1)
    inputs = _inputs(bert, max_length=20)
    _, windows = inputs.windows("is it", grid, "col")
    assert len(windows) > 2 and {int(n) for window in windows for n in window.headers} == {0, 1}
    shown = [_words(inputs, window).split(" [SEP] ")[1].removesuffix(" [SEP]") for window in windows]
    assert " ".join(shown).split(" | ")[0] == text


def test_a_long_question_leaves_room_for_headers(bert: Path, caplog: pytest.LogCaptureFixture) -> None:
    inputs = _inputs(bert, max_length=20)
    with caplog.at_level(logging.WARNING):
        _, windows = inputs.windows("is it so " * 40, _regions(), "col")
        inputs.windows("is it so " * 40, _regions(), "col")
    assert [int(n) for window in windows for n in window.headers] == [0, 1, 2]
    assert all(len(window) <= 20 for window in windows)
    assert len(caplog.records) == 1 and "question" in caplog.text


@pytest.mark.parametrize("axis", ["row", "col"])
def test_odd_tables(bert: Path, axis: str) -> None:
    inputs = _inputs(bert)
    for grid in (
        make_grid([[""]]),
        make_grid([["x"]]),
        make_grid([["a", "a"], ["", ""]], num_header_rows=1),
        make_grid([["all", ""], ["", ""]], merged=[(0, 1, 0, 1)], num_header_rows=1, num_header_cols=1),
        make_grid([["\u200b", "\u00ad"], ["\u200b", "1"]], num_header_rows=1),
    ):
        headers, windows = inputs.windows("", grid, axis)  # type: ignore[arg-type]
        assert [int(n) for window in windows for n in window.headers] == list(range(len(headers)))
    assert inputs.windows("q", make_grid([["a", "b"]], num_header_rows=1), "row") == ([], [])


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    texts=st.lists(st.text("abc 12", max_size=30), min_size=1, max_size=12),
    question=st.text("abc 12", max_size=40),
    max_length=st.integers(16, 60),
    parents=st.sampled_from(["once", "repeat"]),
)
def test_every_header_is_seen_and_nothing_is_too_long(
    bert: Path, texts: list[str], question: str, max_length: int, parents: str
) -> None:
    grid = make_grid([["", *texts], ["r", *["1"] * len(texts)]], num_header_rows=1, num_header_cols=1)
    inputs = _inputs(bert, max_length=max_length, parents=parents)
    headers, windows = inputs.windows(question, grid, "col")
    seen = [int(n) for window in windows for n in window.headers]
    assert sorted(set(seen)) == list(range(len(texts))) and seen == sorted(seen)
    assert all(len(window) <= max_length for window in windows)
    assert all(0 < start < len(window) - 1 for window in windows for start in window.starts)
    batch = inputs.collate(windows)
    assert batch["input_ids"].shape == batch["attention_mask"].shape
    assert len(batch["window"]) == len(batch["start"]) == len(batch["facts"]) == len(seen)
    owners = batch["owner"][batch["window"], batch["start"]]
    assert owners.tolist() == list(range(len(seen)))  # the token of a header is its own
    assert not (batch["question"] & (batch["owner"] >= 0)).any()


def test_headers_with_the_same_words_stay_apart(bert: Path) -> None:
    grid = make_grid([["", "total", "total"], ["r", "1", "2"]], num_header_rows=1, num_header_cols=1)
    headers, windows = _inputs(bert).windows("is it", grid, "col")
    assert len(headers) == 2 and windows[0].starts[0] != windows[0].starts[1]


def test_facts_say_how_words_fit(bert: Path) -> None:
    grid = make_grid(
        [["", "sold", "bought"], ["north", "149", "2"], ["south", "3", "4"], ["north sea", "5", "6"]],
        num_header_rows=1,
        num_header_cols=1,
    )
    _, (rows,) = _inputs(bert).windows("who sold 149 in the north sea", grid, "row")
    _, (cols,) = _inputs(bert).windows("who sold 149 in the north sea", grid, "col")
    assert rows.facts.shape == (3, NUM_FACTS)
    score, relative, is_best, alone, any_score, named, _, share = rows.facts.T
    assert score[2] > score[0] > score[1] == 0
    assert relative.tolist()[2] == 1 and 0 < relative[0] < 1 and relative[1] == 0
    assert is_best.tolist() == alone.tolist() == [0, 0, 1] and any_score.tolist() == [1, 1, 1]
    assert named.tolist() == [1, 0, 0] and share[0] == pytest.approx(1 / 3)
    assert cols.facts[:, 2].tolist() == [1, 0] and cols.facts[:, 5].tolist() == [1, 0]
    _, (none,) = _inputs(bert).windows("why", grid, "row")
    assert none.facts[:, :6].any() == False  # noqa: E712


def test_both_axes_at_once_are_those_of_each(bert: Path) -> None:
    inputs, grid, question = _inputs(bert), _regions(), "who has 34 and 56"
    headers = {axis: axis_headers(grid, axis) for axis in AXES}
    both = inputs.windows_of(question, grid, headers)
    assert list(both) == ["row", "col"]
    for axis in AXES:
        _, alone = inputs.windows(question, grid, axis)
        assert [_words(inputs, one) for one in both[axis]] == [_words(inputs, one) for one in alone]
        assert [one.facts.tolist() for one in both[axis]] == [one.facts.tolist() for one in alone]
    assert ": 34" in _words(inputs, both["row"][0]) and ": 34" in _words(inputs, both["col"][0])


def test_sales_has_its_section_in_the_path(bert: Path) -> None:
    grid = sales().grid
    assert grid is not None
    inputs = _inputs(bert, named_cells=False)
    _, windows = inputs.windows("is it", grid, "row")
    assert _words(inputs, windows[0]) == "[CLS] is it [SEP] citrus > lemon [SEP]"
