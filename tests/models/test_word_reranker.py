"""The word reranker: one folder, exact tensors, its mistakes; it learns and is used as any reranker."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from rerank_data import as_documents, write_data
from tiny_tables import sales

from tabrag.data.config import RankingDataConfig
from tabrag.data.folder import DataFolder
from tabrag.errors import UserError
from tabrag.evaluation.ranking import evaluate
from tabrag.evaluation.runs import read_run
from tabrag.inference.config import RerankConfig
from tabrag.inference.rerank import Rerank
from tabrag.inference.score_pairs import PairScorer
from tabrag.models.blend import Blend
from tabrag.models.config import WordRerankerConfig
from tabrag.models.pair_model import load_pair_model
from tabrag.models.word_reranker import WordReranker
from tabrag.training.accelerator import make_accelerator
from tabrag.training.config import RankingLossConfig, TrainConfig
from tabrag.training.loop import train
from tabrag.training.pair_task import PairTask
from tabrag.types import Table

pytestmark = pytest.mark.usefixtures("new_accelerator")

QUESTIONS = ("how many lemons in the north", "who won in 2019", "")


def _scores(model: WordReranker) -> list[float]:
    return PairScorer(model)([(question, sales()) for question in QUESTIONS])


@pytest.mark.parametrize("hidden", [0, 8])
def test_round_trip(tmp_path: Path, hidden: int) -> None:
    model = WordReranker(WordRerankerConfig(hidden=hidden)).eval()
    torch.nn.init.normal_(model.facts.weight)
    model.inputs.weigh([sales(), Table(id="t", title="fruit"), Table(id="d", title="fruit of the north")])
    scores = _scores(model)
    assert len({round(score, 5) for score in scores}) == 3
    model.blend = Blend(rank_weight=0.5, scale=2.0, bias=-1.0)
    model.save_pretrained(tmp_path / "out")
    again = WordReranker.from_pretrained(tmp_path / "out")
    assert _scores(again) == scores and again.blend == model.blend and again.config == model.config
    assert again.inputs.facts.weights == model.inputs.facts.weights and again.inputs.facts.weights.counts
    assert again.fingerprint() == model.fingerprint()
    again.blend = Blend()
    assert again.fingerprint() != model.fingerprint()
    again.blend = model.blend
    again.inputs.weigh([sales()])
    assert again.fingerprint() != model.fingerprint() and _scores(again) != scores


def test_other_folders_and_broken_ones_are_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match=r"word_reranker\.json"):
        WordReranker.from_pretrained(tmp_path / "empty")
    WordReranker(WordRerankerConfig()).save_pretrained(tmp_path / "out")
    path = tmp_path / "out/word_reranker.json"
    values = json.loads(path.read_text())
    faults = ({"format_version": 9}, {"colour": 1}, {"blend": {"x": 1}}, {"blend": None}, {"hidden": -1})
    for change in faults:
        path.write_text(json.dumps({**values, **change}))
        with pytest.raises(UserError, match=r"word_reranker\.json|hidden -1"):
            WordReranker.from_pretrained(tmp_path / "out")
    path.write_text(json.dumps({**values, "hidden": 5}))
    with pytest.raises(UserError, match=r"word_reranker\.safetensors"):
        WordReranker.from_pretrained(tmp_path / "out")
    path.write_text(json.dumps(values))
    with pytest.raises(UserError, match=r"none of cross_encoder\.json, word_reranker\.json, chat_reranker\."):
        load_pair_model(tmp_path / "empty")
    (tmp_path / "empty/chat_reranker.json").write_text("{}")
    with pytest.raises(UserError, match=r"a chat model \(chat_reranker\.json\), neither"):
        load_pair_model(tmp_path / "empty")
    assert isinstance(load_pair_model(tmp_path / "out"), WordReranker)
    (tmp_path / "out/word_weights.json").unlink()
    with pytest.raises(UserError, match=r"word_weights\.json is missing"):
        WordReranker.from_pretrained(tmp_path / "out")


@pytest.mark.parametrize("kind", ["tables", "documents"])
def test_it_learns_and_is_judged_as_it_is_used(tmp_path: Path, kind: str) -> None:
    work = write_data(tmp_path / "work")
    if kind == "documents":
        work = as_documents(work, tmp_path / "documents")
    data = RankingDataConfig(
        folder=str(work / "data"),
        negatives=str(work / "train.jsonl"),
        num_negatives=2,
        dev_run=str(work / "dev.jsonl"),
    )
    torch.manual_seed(0)
    task = PairTask(
        WordReranker(WordRerankerConfig(hidden=0)),
        data=data,
        loss=RankingLossConfig(),
        batch_size=8,
        seed=0,
        settings={},
    )
    before = task.evaluate()
    config = TrainConfig(batch_size=8, epochs=4, lr=0.01, lr_factors={"facts": 10.0}, precision="float32")
    figures = train(task, config, accelerator=make_accelerator("float32"), out=tmp_path / "run", settings={})
    assert before["alone/Hit@1"] == 0 and figures["alone/Hit@1"] > 0.8  # at first all are equal
    assert figures["MRR"] > figures["before/MRR"] == 0.5
    folder, run = DataFolder(work / "data"), read_run(work / "dev.jsonl")
    rerank = Rerank(RerankConfig(checkpoint=str(tmp_path / "run/export"), device="cpu"))
    found = rerank([folder.queries[query_id] for query_id in run], run, folder.items)
    assert evaluate(found, folder.qrels("dev"))["Hit@1"] == pytest.approx(figures["Hit@1"])
