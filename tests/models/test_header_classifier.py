"""The header classifier: one folder, exact tensors, fewer layers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from tiny_tables import sales

from tabrag.errors import UserError
from tabrag.models import tiny
from tabrag.models.config import HeaderClassifierConfig
from tabrag.models.header_classifier import HeaderClassifier


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("bert")
    tiny.bert(path)
    return str(path)


def _logits(model: HeaderClassifier) -> torch.Tensor:
    grid = sales().grid
    assert grid is not None
    _, windows = model.inputs.windows("how many lemons in the north", grid, "col")
    batch = model.inputs.collate(windows)
    with torch.inference_mode():
        logits_BT = model(**batch)
    return logits_BT[batch["window"], batch["start"]]


@pytest.mark.parametrize("word_facts", [True, False])
def test_round_trip(bert: str, tmp_path: Path, word_facts: bool) -> None:
    config = HeaderClassifierConfig(
        backbone=bert,
        scoring="softmax",
        parents="repeat",
        named_cells=False,
        word_facts=word_facts,
        max_length=64,
    )
    model = HeaderClassifier.from_config(config).eval()
    logits = _logits(model)
    assert logits.shape == (3,) and logits.std() > 0
    assert model.threshold is None
    model.threshold = 0.25
    model.save_pretrained(tmp_path / "out")
    again = HeaderClassifier.from_pretrained(tmp_path / "out")
    assert torch.equal(_logits(again), logits) and again.threshold == 0.25
    assert again.config.scoring == "softmax" and not again.inputs.named_cells
    assert again.config.backbone == Path(bert).name  # no path of this machine
    assert again.fingerprint() == model.fingerprint()
    with torch.no_grad():
        next(again.score.parameters()).add_(1.0)
    assert again.fingerprint() != model.fingerprint()


def test_the_first_layers_alone(bert: str, tmp_path: Path) -> None:
    whole = HeaderClassifier.from_config(HeaderClassifierConfig(backbone=bert))
    first = HeaderClassifier.from_config(HeaderClassifierConfig(backbone=bert, num_layers=1))
    assert len(whole.backbone.encoder.layer) == 2 and len(first.backbone.encoder.layer) == 1
    for name, tensor in first.backbone.state_dict().items():
        assert torch.equal(tensor, whole.backbone.state_dict()[name])
    first.save_pretrained(tmp_path / "first")
    again = HeaderClassifier.from_pretrained(tmp_path / "first")
    assert torch.equal(_logits(again), _logits(first.eval()))
    with pytest.raises(UserError, match="num_layers is 3, but the model has 2"):
        HeaderClassifier.from_config(HeaderClassifierConfig(backbone=bert, num_layers=3))


def test_broken_folders_are_refused(bert: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no header_classifier\.json"):
        HeaderClassifier.from_pretrained(bert)
    folder = tmp_path / "out"
    HeaderClassifier.from_config(HeaderClassifierConfig(backbone=bert)).save_pretrained(folder)
    values = json.loads((folder / "header_classifier.json").read_text())
    (folder / "header_classifier.json").write_text(json.dumps({**values, "colour": "red"}))
    with pytest.raises(UserError, match="colour"):
        HeaderClassifier.from_pretrained(folder)
    (folder / "header_classifier.json").write_text(json.dumps({**values, "format_version": 9}))
    with pytest.raises(UserError, match="format version 9"):
        HeaderClassifier.from_pretrained(folder)
    (folder / "header_classifier.json").write_text("[]")
    with pytest.raises(UserError, match="format version None"):
        HeaderClassifier.from_pretrained(folder)
    for threshold in ("high", 7.0, float("nan")):
        (folder / "header_classifier.json").write_text(json.dumps({**values, "threshold": threshold}))
        with pytest.raises(UserError, match=r"header_classifier\.json: 'threshold' is"):
            HeaderClassifier.from_pretrained(folder)
    (folder / "header_classifier.json").write_text(json.dumps(values))
    (folder / "score.safetensors").unlink()
    with pytest.raises(UserError, match=r"score\.safetensors: file not found"):
        HeaderClassifier.from_pretrained(folder)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"scoring": "max"}, "neither 'sigmoid' nor 'softmax'"),
        ({"parents": "never"}, "neither 'repeat' nor 'once'"),
        ({"num_layers": 0}, "num_layers 0"),
        ({"max_length": 8}, "max_length 8"),
        ({"dropout": 1.0}, "dropout 1.0"),
    ],
)
def test_wrong_settings(values: dict[str, object], message: str) -> None:
    with pytest.raises(UserError, match=message):
        HeaderClassifierConfig(backbone="x", **values)  # type: ignore[arg-type]


def test_inputs_longer_than_the_position_table_are_refused(bert: str) -> None:
    with pytest.raises(UserError, match="max_length 600 is more than the 512 positions"):
        HeaderClassifier.from_config(HeaderClassifierConfig(backbone=bert, max_length=600))


def test_facts_change_scores_where_they_are_read(bert: str) -> None:
    for word_facts in (True, False):
        torch.manual_seed(0)
        config = HeaderClassifierConfig(backbone=bert, word_facts=word_facts)
        model = HeaderClassifier.from_config(config).eval()
        grid = sales().grid
        assert grid is not None
        _, windows = model.inputs.windows("how many lemons in the north", grid, "col")
        batch = model.inputs.collate(windows)
        assert batch["facts"].abs().sum() > 0
        with torch.inference_mode():
            as_is = model(**batch)
            without = model(**{**batch, "facts": torch.zeros_like(batch["facts"])})
        assert torch.equal(as_is, without) != word_facts
