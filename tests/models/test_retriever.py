"""The retriever: two towers, one temperature, one folder."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from tabrag.errors import UserError
from tabrag.models import tiny
from tabrag.models.config import EmbedderConfig, RetrieverConfig
from tabrag.models.retriever import Retriever
from tabrag.representations import RepresentationConfig
from tabrag.types import Entry

REPRESENTATION = RepresentationConfig(name="headers", options={"fields": ["title", "top"]})


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("bert")
    tiny.bert(path)
    return str(path)


def _config(bert: str, *, share: bool = False, **values: float) -> RetrieverConfig:
    return RetrieverConfig(
        query=EmbedderConfig(backbone=bert, prefix="query: ", max_length=32, projection_dim=8),
        item=EmbedderConfig(backbone=bert, prefix="item: ", max_length=64, projection_dim=8),
        share_towers=share,
        **values,
    )


@pytest.mark.parametrize("share", [False, True])
def test_round_trip(bert: str, tmp_path: Path, share: bool) -> None:
    retriever = Retriever.from_config(_config(bert, share=share), REPRESENTATION).eval()
    with torch.no_grad():
        for parameter in retriever.parameters():
            parameter.add_(0.01 * torch.randn_like(parameter))
    retriever.save_pretrained(tmp_path / "out")
    again = Retriever.from_pretrained(tmp_path / "out")
    entries = [Entry(id="e", item_id="e", text="total 2016")]
    for name in ("query", "item"):
        old, new = getattr(retriever, name), getattr(again, name)
        assert torch.equal(new(**new.inputs(entries)), old(**old.inputs(entries)))
        assert new.fingerprint() == old.fingerprint()
        assert (new.config.prefix, new.config.max_length) == (old.config.prefix, old.config.max_length)
    assert not torch.equal(
        again.query(**again.query.inputs(entries)), again.item(**again.item.inputs(entries))
    )
    assert torch.equal(again.log_scale, retriever.log_scale)
    assert again.representation == REPRESENTATION
    assert not any(module.training for module in again.modules())


def test_shared_towers_are_stored_once_and_tied_again(bert: str, tmp_path: Path) -> None:
    sizes = {}
    for share in (False, True):
        retriever = Retriever.from_config(_config(bert, share=share), REPRESENTATION)
        retriever.save_pretrained(tmp_path / str(share))
        sizes[share] = sum(p.stat().st_size for p in (tmp_path / str(share)).rglob("*.safetensors"))
    assert sizes[True] * 2 == sizes[False] and not (tmp_path / "True" / "item").exists()
    again = Retriever.from_pretrained(tmp_path / "True")
    before = again.item.backbone.embeddings.word_embeddings.weight[3, 3].item()
    again.query.backbone.embeddings.word_embeddings.weight.data[3, 3] += 1
    assert again.item.backbone.embeddings.word_embeddings.weight[3, 3].item() == pytest.approx(before + 1)
    assert again.item.projection is again.query.projection
    assert len(list(again.parameters())) == len(list(again.query.parameters())) + 1


def test_loads_in_a_fresh_process(bert: str, tmp_path: Path) -> None:
    retriever = Retriever.from_config(_config(bert, share=True), REPRESENTATION)
    retriever.save_pretrained(tmp_path / "out")
    code = (
        "import sys; from tabrag import Retriever; r = Retriever.from_pretrained(sys.argv[1]);"
        "print(r.query.fingerprint(), r.item.fingerprint())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "out")], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == [retriever.query.fingerprint(), retriever.item.fingerprint()]


def test_temperature_is_bounded_and_keeps_its_gradient(bert: str) -> None:
    retriever = Retriever.from_config(_config(bert, temperature=0.02), REPRESENTATION)
    assert retriever.scale().item() == pytest.approx(50)
    retriever.log_scale.data.fill_(9.0)
    scale = retriever.scale()
    assert scale.item() == pytest.approx(100) and retriever.log_scale.item() == pytest.approx(math.log(100))
    scale.backward()
    assert retriever.log_scale.grad.item() == pytest.approx(100)
    for temperature in (0.0, -1.0, 0.001, float("nan")):
        with pytest.raises(UserError, match="temperature"):
            _config(bert, temperature=temperature)
    assert not Retriever.from_config(
        _config(bert, learn_temperature=False), REPRESENTATION
    ).log_scale.requires_grad


def test_gathered_state_is_saved_and_checked(bert: str, tmp_path: Path) -> None:
    retriever = Retriever.from_config(_config(bert), REPRESENTATION)
    state = {name: tensor + 0.5 for name, tensor in retriever.state_dict().items()}
    retriever.save_pretrained(tmp_path / "out", state_dict=state)
    again = Retriever.from_pretrained(tmp_path / "out")
    assert torch.equal(again.item.projection.weight, retriever.item.projection.weight + 0.5)
    files = {p: p.read_bytes() for p in (tmp_path / "out").rglob("*") if p.is_file()}
    assert len(files) > 10
    with pytest.raises(UserError, match="item.projection.weight"):
        retriever.save_pretrained(
            tmp_path / "out", state_dict=state | {"item.projection.weight": torch.empty(0)}
        )
    assert files == {p: p.read_bytes() for p in (tmp_path / "out").rglob("*") if p.is_file()}


def test_faults_are_named(bert: str, tmp_path: Path) -> None:
    config = _config(bert)
    config.item.projection_dim = 16
    with pytest.raises(UserError, match="8 values and item vectors 16"):
        Retriever.from_config(config, REPRESENTATION)
    with pytest.raises(UserError, match="share_towers"):
        Retriever.from_config(
            RetrieverConfig(query=config.query, item=config.item, share_towers=True), REPRESENTATION
        )
    with pytest.raises(UserError, match="retriever.json"):
        Retriever.from_pretrained(tmp_path)
    Retriever.from_config(_config(bert), REPRESENTATION).save_pretrained(tmp_path / "out")
    path = tmp_path / "out" / "retriever.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"format_version": 7}))
    with pytest.raises(UserError, match="version 7"):
        Retriever.from_pretrained(tmp_path / "out")


def test_cached_hub_id(bert: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commit = "0123456789abcdef0123456789abcdef01234567"
    root = tmp_path / "models--someone--tables"
    retriever = Retriever.from_config(_config(bert), REPRESENTATION)
    retriever.save_pretrained(root / "snapshots" / commit)
    (root / "refs").mkdir()
    (root / "refs" / "main").write_text(commit)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    again = Retriever.from_pretrained("someone/tables")
    assert again.query.fingerprint() == retriever.query.fingerprint() != again.item.fingerprint()
    (root / "snapshots" / commit / "item" / "model.safetensors").unlink()
    with pytest.raises(UserError, match="item: no weights"):
        Retriever.from_pretrained("someone/tables")


@pytest.mark.parametrize("share", [False, True])
def test_another_length_of_the_item_tower_on_the_same_weights(bert: str, share: bool) -> None:
    retriever = Retriever.from_config(_config(bert, share=share), REPRESENTATION).eval()
    shorter = retriever.with_item_length(16)
    assert retriever.with_item_length(64) is retriever
    entries = [Entry(id="e", item_id="e", text="total " * 100)]
    assert [one.item.inputs(entries)["input_ids"].shape[1] for one in (retriever, shorter)] == [64, 16]
    assert (retriever.item.config.max_length, shorter.config.item.max_length) == (64, 16)
    assert shorter.query is retriever.query and not shorter.training
    ours, theirs = dict(retriever.item.named_parameters()), dict(shorter.item.named_parameters())
    assert ours.keys() == theirs.keys() and all(ours[name] is theirs[name] for name in ours)
    with pytest.raises(UserError, match="item_max_length 0 does not fit"):
        retriever.with_item_length(0)
    with pytest.raises(UserError, match="max_length"):
        retriever.with_item_length(100_000)


def test_the_metric_is_what_training_compares(bert: str) -> None:
    cosine = Retriever.from_config(_config(bert), REPRESENTATION)
    config = _config(bert)
    config.query.normalize = config.item.normalize = False
    assert (cosine.metric, Retriever.from_config(config, REPRESENTATION).metric) == ("cosine", "ip")
