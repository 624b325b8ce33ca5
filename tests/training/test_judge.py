"""Figures while training: pooled, and of each data set."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from tabrag.data.folder import DataFolder
from tabrag.data.prepare import prepare
from tabrag.data.synthetic import make
from tabrag.inference.encode import encode
from tabrag.models.config import EmbedderConfig, RetrieverConfig
from tabrag.models.retriever import Retriever
from tabrag.representations import RepresentationConfig, build
from tabrag.training.config import DevConfig
from tabrag.training.judge import by_data_set, judge
from tabrag.types import Entry

NAMES = ("Hit@1", "Hit@5", "Hit@10", "Hit@50", "MRR@10")


def _figures(value: float) -> dict[str, float]:
    return dict.fromkeys(NAMES, value)


def test_each_set_its_mean_and_the_mean_over_the_sets() -> None:
    figures = {f"a{n}": _figures(1.0) for n in range(3)} | {"b0": _figures(0.5), "c0": _figures(0.0)}
    sets = {query_id: {"a": "wtq", "b": "hitab", "c": ""}[query_id[0]] for query_id in figures}
    found = by_data_set(figures, sets)
    assert found["MRR@10"] == pytest.approx(0.7) and found["MRR@10/mean"] == pytest.approx(0.5)
    assert [found[f"Hit@5/{name}"] for name in ("hitab", "unnamed", "wtq")] == [0.5, 0.0, 1.0]
    assert list(found)[:5] == list(NAMES) and len(found) == 4 * 5 + 1


def test_one_set_has_the_pooled_figures_alone() -> None:
    assert by_data_set({"a": _figures(0.25)}, {"a": "wtq"}) == _figures(0.25)


def test_vectors_that_keep_their_length_are_judged_by_the_inner_product(tmp_path: Path) -> None:
    prepare(make(20, 0), tmp_path / "data")
    folder = DataFolder(tmp_path / "data")
    torch.manual_seed(0)
    text = EmbedderConfig(backbone="offline:tiny-bert", max_length=48, normalize=False)
    representation = RepresentationConfig(name="headers")
    config = RetrieverConfig(query=text, item=text, share_towers=True)
    retriever = Retriever.from_config(config, representation).eval()
    with torch.no_grad():
        for parameter in retriever.item.parameters():  # else all lengths are about the same
            parameter.add_(0.3 * torch.randn_like(parameter))
        entries = [e for t in folder.tables for e in build(representation)(t, folder=folder.path)]
        vectors = torch.from_numpy(encode(retriever.item, entries, progress=False))
        assert vectors.norm(dim=1).std() > 0.01
        mrr = {"ip": 0.0, "cosine": 0.0}
        qrels = folder.qrels("dev")
        for query_id, grades in qrels.items():
            asked = Entry(id="q", item_id="q", text=folder.queries[query_id].text)
            scores = vectors @ torch.from_numpy(encode(retriever.query, [asked], progress=False))[0]
            for name, ranked in (("ip", scores), ("cosine", scores / vectors.norm(dim=1))):
                best = [entries[row].item_id for row in ranked.argsort(descending=True)[:10].tolist()]
                ranks = [rank for rank, item_id in enumerate(best, start=1) if grades.get(item_id, 0) > 0]
                mrr[name] += 1 / min(ranks) / len(qrels) if ranks else 0.0
    found = judge(retriever, folder, DevConfig(), split="dev")
    assert mrr["ip"] != pytest.approx(mrr["cosine"]) and found["MRR@10"] == pytest.approx(mrr["ip"])


def test_a_pooled_folder_is_judged_by_set(tmp_path: Path) -> None:
    prepare(make(20, 0), tmp_path / "data")
    folder = DataFolder(tmp_path / "data")
    torch.manual_seed(0)
    text = EmbedderConfig(backbone="offline:tiny-bert", max_length=48)
    representation = RepresentationConfig(name="headers")
    retriever = Retriever.from_config(RetrieverConfig(query=text, item=text), representation).eval()
    with torch.no_grad():
        pooled = judge(retriever, folder, DevConfig(), split="dev")
        assert set(pooled) == set(NAMES) and 0 < pooled["MRR@10"] < 1
        judged = list(folder.qrels("dev"))
        for number, query_id in enumerate(judged):
            folder.queries[query_id].data_set = "first" if number < 2 else "second"
        found = judge(retriever, folder, DevConfig(), split="dev")
    assert {name: found[name] for name in NAMES} == pooled
    weighted = (2 * found["MRR@10/first"] + (len(judged) - 2) * found["MRR@10/second"]) / len(judged)
    assert weighted == pytest.approx(pooled["MRR@10"])
    assert found["MRR@10/mean"] == pytest.approx((found["MRR@10/first"] + found["MRR@10/second"]) / 2)
