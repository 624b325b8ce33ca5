"""The model card: complete, public, and its code runs."""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
import yaml

from tabrag.errors import UserError
from tabrag.models import tiny
from tabrag.models.card import DataSource, data_source, model_card, rewrite_metrics, write_card
from tabrag.models.card_kinds import kind_of
from tabrag.models.cell_reader import CellReader
from tabrag.models.chat_reranker import ChatReranker
from tabrag.models.config import (
    CellReaderConfig,
    ChatRerankerConfig,
    CrossEncoderConfig,
    EmbedderConfig,
    HeaderClassifierConfig,
    RetrieverConfig,
    WordRerankerConfig,
)
from tabrag.models.cross_encoder import CrossEncoder
from tabrag.models.header_classifier import HeaderClassifier
from tabrag.models.retriever import Retriever
from tabrag.models.word_reranker import WordReranker
from tabrag.representations import RepresentationConfig


def _retriever(tmp_path: Path, *, representation: str) -> Path:
    backbones = {}
    for name, make in (("bert", tiny.bert), ("layoutlmv3", tiny.layoutlmv3)):
        backbones[name] = tmp_path / name
        backbones[name].mkdir()
        make(backbones[name])
    item = (
        EmbedderConfig(backbone=str(backbones["layoutlmv3"]), inputs="layoutlmv3", max_length=128)
        if representation == "image"
        else EmbedderConfig(backbone=str(backbones["bert"]), max_length=128)
    )
    config = RetrieverConfig(query=EmbedderConfig(backbone=str(backbones["bert"]), prefix="q: "), item=item)
    Retriever.from_config(config, RepresentationConfig(name=representation)).save_pretrained(
        tmp_path / "export"
    )
    return tmp_path / "export"


@pytest.mark.parametrize("representation", ["headers", "image"])
def test_card_says_all_and_its_code_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], representation: str
) -> None:
    folder = _retriever(tmp_path, representation=representation)
    write_card(
        folder,
        settings={"out": "/home/me/runs/x", "train": {"lr": 1e-4}, "data": {"folder": "~/data/hitab"}},
        metrics={"Hit@1": 0.5123456, "MRR@10": 0.61},
        data=[DataSource(name="HiTab", licence="c-uda")],
    )
    card = (folder / "README.md").read_text(encoding="utf-8")
    front = yaml.safe_load(card.split("---\n")[1])
    assert front["library_name"] == "tabrag" and "table-retrieval" in front["tags"]
    for part in ("HiTab", "c-uda", "| Hit@1 | 0.5123 |", "lr: 0.0001", "bert", representation):
        assert part in card
    assert "/home/me" not in card and "folder: hitab" in card
    code = re.search(r"```python\n(.*?)```", card, re.DOTALL)
    assert code is not None
    monkeypatch.chdir(tmp_path)
    exec(compile(code[1], "card", "exec"), {})
    assert re.fullmatch(r"\[\[-?\d\.\d+\]\]", capsys.readouterr().out.splitlines()[-1])
    assert "from_pretrained('someone/tables')" in model_card(folder, name="someone/tables")


def test_licences_of_base_models(tmp_path: Path) -> None:
    folder = _retriever(tmp_path, representation="headers")

    def with_backbones(query: str, item: str) -> tuple[dict, str]:
        for tower, backbone in (("query", query), ("item", item)):
            path = folder / tower / "embedder.json"
            path.write_text(re.sub(r'"backbone": ".*?"', f'"backbone": "{backbone}"', path.read_text()))
        card = model_card(folder)
        return yaml.safe_load(card.split("---\n")[1]), card

    front, card = with_backbones("offline:minilm", "offline:minilm")
    assert front["license"] == "apache-2.0"
    assert front["base_model"] == ["sentence-transformers/all-MiniLM-L6-v2"]
    assert "commercial" not in card
    front, card = with_backbones("offline:minilm", "microsoft/layoutlmv3-base")
    assert front["license"] == "other" and "cc-by-nc-sa-4.0" in card and "forbids commercial use" in card
    front, card = with_backbones("someone/else", "someone/else")
    assert front["license"] == "other" and "look it up" in card and front["base_model"] == ["someone/else"]


def test_data_source_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("---\npretty_name: HiTab\nlicense: c-uda\n---\n\n# HiTab\n")
    assert data_source(tmp_path) == DataSource(name="HiTab", licence="c-uda")
    assert data_source(tmp_path / "absent") == DataSource(name="absent", licence="unknown")
    for front in ("", "- a", "license: ["):
        (tmp_path / "README.md").write_text(f"---\n{front}\n---\n")
        assert data_source(tmp_path) == DataSource(name=tmp_path.name, licence="unknown")
    (tmp_path / "README.md").write_text("---\npretty_name: 2024\nlicense: [mit, c-uda]\n---\n")
    assert data_source(tmp_path) == DataSource(name="2024", licence="mit, c-uda")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"metrics": {"MRR": "high"}}, r"'metrics\.MRR' is 'high', expected a finite number"),
        ({"metrics": [0.5]}, r"'metrics' is \[0\.5\], expected names with values"),
        ({"settings": None}, "'settings' is None, expected names with values"),
        ({"data": [{"name": "HiTab", "licence": 7}]}, r"'data\[0\]\.licence' is 7, expected a text"),
        ({"colour": 1}, "'colour' is unknown"),
        ({}, "'data' is missing"),
    ],
)
def test_what_a_card_is_made_of_is_read_strictly(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    WordReranker(WordRerankerConfig()).save_pretrained(tmp_path / "export")
    path = tmp_path / "export/training.json"
    whole = {"settings": {}, "metrics": {"MRR": 0.5}, "data": []}
    if not change:
        del whole["data"]
    path.write_text(json.dumps({**whole, **change}))
    for use in (model_card, partial(rewrite_metrics, metrics={}, name="x")):
        with pytest.raises(UserError, match=rf"training\.json: {said}"):
            use(tmp_path / "export")


@pytest.mark.parametrize("name", ["header classifier", "cell reader", "reranker", "word reranker"])
def test_cards_of_other_models(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    (tmp_path / "bert").mkdir()
    tiny.bert(tmp_path / "bert")
    folder = tmp_path / "export"
    torch.manual_seed(0)
    if name == "cell reader":
        CellReader.from_config(CellReaderConfig(backbone=str(tmp_path / "bert"))).save_pretrained(folder)
    elif name == "reranker":
        config = CrossEncoderConfig(backbone=str(tmp_path / "bert"))
        CrossEncoder.from_config(config).save_pretrained(folder)
    elif name == "word reranker":
        WordReranker(WordRerankerConfig()).save_pretrained(folder)
    else:
        config = HeaderClassifierConfig(backbone=str(tmp_path / "bert"))
        HeaderClassifier.from_config(config).save_pretrained(folder)
    write_card(folder, settings={"out": "/home/me/x"}, metrics={"kept@75": 0.5}, data=[])
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert "| kept@75 | 0.5 |" in card and "/home/me" not in card
    assert ("| hidden | 0 |" if name == "word reranker" else "| backbone | bert |") in card
    assert name.endswith(kind_of(folder).name)
    code = re.search(r"```python\n(.*?)```", card, re.DOTALL)
    assert code is not None
    exec(compile(code[1], "card", "exec"), {})
    printed = capsys.readouterr().out.splitlines()[-1]
    begins = {"header classifier": r"\{1: 0\.", "cell reader": r"Found\(text=", "reranker": r"\[-?\d\.\d"}
    assert re.match(begins[kind_of(folder).name], printed)


@pytest.mark.parametrize(("model", "show"), [("tiny-llama", "text"), ("tiny-llava", "image")])
def test_cards_of_language_models(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], model: str, show: str
) -> None:
    monkeypatch.chdir(tmp_path)
    config = ChatRerankerConfig(model=f"offline:{model}", show=show)  # type: ignore[arg-type]
    reranker = ChatReranker.from_config(config)
    reranker.mix = {"judge": 2.0}
    reranker.save_pretrained("export")
    write_card("export", settings={}, metrics={"MRR": 0.5}, data=[])
    card = Path("export/README.md").read_text(encoding="utf-8")
    for part in (
        "| LoRA | rank 16, alpha 32 |",
        "| tasks | judge 2 |",
        f"| show | {show} |",
        "| MRR | 0.5 |",
    ):
        assert part in card
    assert kind_of(Path("export")).name == "reranker and reader"
    code = re.search(r"```python\n(.*?)```", card, re.DOTALL)
    assert code is not None
    exec(compile(code[1], "card", "exec"), {})
    assert re.match(r"\[-?\d\.\d", capsys.readouterr().out.splitlines()[-1])
    assert kind_of(Path("export")).load(Path("export")) is not None


def test_other_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="retriever.json"):
        model_card(tmp_path)
