"""The cross-encoder: one folder, exact tensors, its switches, its mistakes."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
import torch
from tiny_tables import sales

from tabrag.errors import UserError
from tabrag.inference.score_pairs import PairScorer
from tabrag.models import tiny
from tabrag.models.blend import Blend
from tabrag.models.config import CrossEncoderConfig, EmbedderConfig, RetrieverConfig
from tabrag.models.cross_encoder import CrossEncoder
from tabrag.models.retriever import Retriever
from tabrag.representations import RepresentationConfig
from tabrag.types import Table


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("bert")
    tiny.bert(path)
    return str(path)


def _scores(model: CrossEncoder) -> list[float]:
    questions = ("how many lemons in the north", "who won", "")
    return PairScorer(model)([(question, sales()) for question in questions])


@pytest.mark.parametrize("switch", [True, False])
def test_round_trip(bert: str, tmp_path: Path, switch: bool) -> None:
    torch.manual_seed(0)
    config = CrossEncoderConfig(
        backbone=bert,
        num_layers=1,
        representation=RepresentationConfig(options={"windows": True}),
        table_length=40,
        marks=switch,
        matches=switch,
        named_cells=switch,
        word_facts=switch,
    )
    model = CrossEncoder.from_config(config).eval()
    model.inputs.weigh([sales(), Table(id="t", title="fruit"), Table(id="d", title="fruit of the north")])
    scores = _scores(model)
    assert len({round(score, 5) for score in scores}) == 3
    assert model.blend == Blend()
    model.blend = Blend(rank_weight=0.5, scale=2.0, bias=-1.0)
    model.save_pretrained(tmp_path / "out")
    again = CrossEncoder.from_pretrained(tmp_path / "out")
    assert _scores(again) == scores and again.blend == model.blend and not again.training
    assert again.config.representation == config.representation
    assert (tmp_path / "out/word_weights.json").is_file() == (again.inputs.facts is not None) == switch
    if again.inputs.facts is not None and model.inputs.facts is not None:
        assert again.inputs.facts.weights == model.inputs.facts.weights
        assert again.inputs.facts.weights.counts
    assert again.config.backbone == Path(bert).name  # no path of this machine
    assert again.fingerprint() == model.fingerprint()
    again.blend = Blend()
    assert again.fingerprint() != model.fingerprint()
    again.blend = model.blend
    again.inputs.weigh([sales()])
    assert (again.fingerprint() != model.fingerprint()) == switch


def test_marks_begin_at_nothing(bert: str) -> None:
    """A backbone that was trained without them sees at first what it knows."""
    scores = []
    for marks in (True, False):
        torch.manual_seed(0)
        model = CrossEncoder.from_config(CrossEncoderConfig(backbone=bert, marks=marks)).eval()
        torch.manual_seed(1)
        for name, parameter in sorted(model.head.named_parameters()):
            if not name.startswith("mark"):
                torch.nn.init.normal_(parameter)
        scores.append(_scores(model))
    assert scores[0] == scores[1]
    model = CrossEncoder.from_config(CrossEncoderConfig(backbone=bert)).eval()
    before = _scores(model)
    assert model.head.mark is not None
    torch.nn.init.normal_(model.head.mark.weight)
    assert _scores(model) != before


def test_words_of_the_whole_table_count(bert: str) -> None:
    """A cell that no window shows, from the first step on; alone or among others."""
    torch.manual_seed(0)
    model = CrossEncoder.from_config(CrossEncoderConfig(backbone=bert, named_cells=False)).eval()
    assert model.head.facts is not None and not model.head.facts.weight.any()
    torch.nn.init.ones_(model.head.facts.weight)
    other = dataclasses.replace(sales(), grid=dataclasses.replace(sales().grid, cells=[
        [*row[:3], "plums" if row[3] == "3 %" else row[3]] for row in sales().grid.cells]))  # fmt: skip
    pairs = [
        (question, table) for question in ("who ate plums in 2019", "x " * 40) for table in (sales(), other)
    ]
    scores = PairScorer(model)(pairs)
    assert scores[1] > scores[0] + 0.1
    single = [PairScorer(model)([pair])[0] for pair in pairs]
    assert single == pytest.approx(scores, abs=1e-5)


def test_a_retrievers_tower_is_a_beginning_that_names_its_own(bert: str, tmp_path: Path) -> None:
    tower = EmbedderConfig(backbone=bert, max_length=64)
    retriever = Retriever.from_config(
        RetrieverConfig(query=tower, item=tower), RepresentationConfig(name="headers")
    )
    retriever.save_pretrained(tmp_path / "retriever")
    model = CrossEncoder.from_config(CrossEncoderConfig(backbone=str(tmp_path / "retriever/query")))
    theirs = retriever.query.backbone.get_input_embeddings().weight
    assert torch.equal(model.backbone.get_input_embeddings().weight, theirs)
    model.save_pretrained(tmp_path / "reranker")
    written = json.loads((tmp_path / "reranker/cross_encoder.json").read_text())
    assert written["backbone"] == Path(bert).name


def test_other_folders_and_broken_ones_are_refused(bert: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"cross_encoder\.json"):
        CrossEncoder.from_pretrained(bert)
    CrossEncoder.from_config(CrossEncoderConfig(backbone=bert)).save_pretrained(tmp_path / "out")
    path = tmp_path / "out/cross_encoder.json"
    values = json.loads(path.read_text())
    for change in ({"format_version": 9}, {"colour": 1}, {"blend": {"x": 1}}):
        path.write_text(json.dumps({**values, **change}))
        with pytest.raises(UserError, match=r"cross_encoder\.json"):
            CrossEncoder.from_pretrained(tmp_path / "out")
    for switch in ("matches", "word_facts"):
        path.write_text(json.dumps({**values, switch: False}))
        with pytest.raises(UserError, match="head"):
            CrossEncoder.from_pretrained(tmp_path / "out")
    path.write_text(json.dumps(values))
    for text in ("[]", '{"num_items": 0, "counts": {}}', '{"num_items": 2, "counts": {"a": "2"}}'):
        (tmp_path / "out/word_weights.json").write_text(text)
        with pytest.raises(UserError, match=r"word_weights\.json"):
            CrossEncoder.from_pretrained(tmp_path / "out")
    (tmp_path / "out/word_weights.json").unlink()
    with pytest.raises(UserError, match=r"word_weights\.json"):
        CrossEncoder.from_pretrained(tmp_path / "out")


def test_settings_out_of_range(bert: str) -> None:
    for change in ({"num_layers": 0}, {"table_length": 2}, {"question_length": 0}, {"dropout": 1.0}):
        with pytest.raises(UserError):
            CrossEncoderConfig(backbone=bert, **change)  # type: ignore[arg-type]
    with pytest.raises(UserError, match="512 positions"):
        CrossEncoder.from_config(CrossEncoderConfig(backbone=bert, table_length=600))
