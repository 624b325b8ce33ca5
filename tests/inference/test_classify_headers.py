"""Scores of many pairs at once equal those of one at a time."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from tiny_tables import sales

from tabrag.errors import UserError
from tabrag.inference.classify_headers import HeaderScorer
from tabrag.models import tiny
from tabrag.models.config import HeaderClassifierConfig
from tabrag.models.header_classifier import HeaderClassifier
from tabrag.models.token_match import NUM_MATCHES
from tabrag.tables.grid import make_grid
from tabrag.types import Grid


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bert")
    tiny.bert(path)
    return path


def _model(bert: Path, **values: object) -> HeaderClassifier:
    torch.manual_seed(0)
    return HeaderClassifier.from_config(HeaderClassifierConfig(backbone=str(bert), **values))  # type: ignore[arg-type]


def _grids() -> list[Grid]:
    long = make_grid(
        [["h", "a", "b"], *[[f"row {n}", str(n), "x"] for n in range(40)]],
        num_header_rows=1,
        num_header_cols=1,
    )
    first = sales().grid
    assert first is not None
    return [first, long, make_grid([["1"]]), make_grid([["a", "b"]], num_header_rows=1)]


@pytest.mark.parametrize("scoring", ["sigmoid", "softmax"])
def test_batches_equal_single_pairs(bert: Path, scoring: str) -> None:
    model = _model(bert, scoring=scoring, max_length=64)
    pairs = [(question, grid) for question in ("how many", "which row 7 has x") for grid in _grids()]
    together = HeaderScorer(model, batch_tokens=200)(pairs)
    assert len(together) == len(pairs)
    for pair, found in zip(pairs, together, strict=True):
        alone = HeaderScorer(model)([pair])[0]
        assert found.rows.keys() == alone.rows.keys() and found.cols.keys() == alone.cols.keys()
        assert found.rows == pytest.approx(alone.rows, abs=1e-6)
        assert found.cols == pytest.approx(alone.cols, abs=1e-6)
        assert all(0 <= value <= 1 for value in (*found.rows.values(), *found.cols.values()))
    assert len(set(together[1].rows.values())) > 10  # the model does tell rows apart
    assert together[0] != together[4]  # and questions
    if scoring == "softmax":
        assert sum(together[1].rows.values()) == pytest.approx(1, abs=1e-5)


def test_a_shorter_number_format_moves_chances_a_little(bert: Path) -> None:
    model = _model(bert)
    pairs = [("which row 7 has x", grid) for grid in _grids()]
    exact, short = (HeaderScorer(model, dtype=dtype)(pairs) for dtype in ("float32", "bfloat16"))
    assert exact == HeaderScorer(model)(pairs)  # what a CPU takes by itself
    assert exact != short
    for one, other in zip(exact, short, strict=True):
        assert one.rows == pytest.approx(other.rows, abs=0.01)
        assert one.cols == pytest.approx(other.cols, abs=0.01)
    with pytest.raises(UserError, match="dtype float16 does not work on a CPU"):
        HeaderScorer(model, dtype="float16")


def test_cosines_keep_their_digits_in_a_shorter_number_format(bert: Path) -> None:
    model = _model(bert)
    seen: list[torch.Tensor] = []
    assert isinstance(model.score, torch.nn.Sequential)
    model.score.register_forward_pre_hook(lambda _, given: seen.append(given[0]))
    for dtype in ("float32", "bfloat16"):
        HeaderScorer(model, dtype=dtype)([("which row 7 has x", _grids()[1])])
    exact, short = torch.cat(seen[: len(seen) // 2]), torch.cat(seen[len(seen) // 2 :])
    of_words = slice(-2 * NUM_MATCHES, -NUM_MATCHES)  # the words' own vectors pass through no layer
    assert torch.equal(exact[:, of_words], short[:, of_words])
    assert not torch.equal(exact, short)


def test_positions_are_those_of_the_body(bert: Path) -> None:
    found = HeaderScorer(_model(bert))([("q", grid) for grid in _grids()])
    assert list(found[0].rows) == [3] and list(found[0].cols) == [1, 2, 3]
    assert list(found[1].rows) == list(range(1, 41))
    assert list(found[2].rows) == [0] and list(found[2].cols) == [0]
    assert found[3].rows == {} and list(found[3].cols) == [0, 1]


def test_no_pairs(bert: Path) -> None:
    assert HeaderScorer(_model(bert))([]) == []


def test_a_header_in_several_pieces_has_the_best_of_them(bert: Path) -> None:
    text = " ".join(f"{a}{b}" for a in "abcdef" for b in "uvwxyz")
    grid = make_grid([["h", text, "so"], ["r", "1", "2"]], num_header_rows=1, num_header_cols=1)
    model = _model(bert, max_length=20)
    scorer = HeaderScorer(model)
    _, windows = model.inputs.windows("is it", grid, "col")
    logits = [
        float(score)
        for window, scores in zip(windows, scorer._logits(windows), strict=True)
        for number, score in zip(window.headers, scores, strict=True)
        if number == 0
    ]
    assert len(logits) > 1 and max(logits) > min(logits)
    found = scorer([("is it", grid)])[0].cols[1]
    assert found == pytest.approx(torch.tensor(max(logits)).sigmoid().item(), abs=1e-6)
