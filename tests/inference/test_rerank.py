"""The rerank stage: order, probabilities, what lies beyond its depth, its mistakes."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch

from tabrag.errors import UserError
from tabrag.inference.config import RerankConfig
from tabrag.inference.rerank import Rerank
from tabrag.inference.score_pairs import PairScorer
from tabrag.models import tiny
from tabrag.models.blend import RERANKED, Blend, ScoreBlend
from tabrag.models.config import CrossEncoderConfig, WordRerankerConfig
from tabrag.models.cross_encoder import CrossEncoder
from tabrag.models.word_reranker import WordReranker
from tabrag.representations import RepresentationConfig
from tabrag.tables.grid import make_grid
from tabrag.types import Candidate, Query, Run, Table

TABLES = {
    name: Table(id=name, title=name, grid=make_grid([["a", name], ["1", "2"]], num_header_rows=1))
    for name in ("ab", "cd", "ef", "gh")
}
QUERIES = [Query(id="q1", text="who is cd"), Query(id="q2", text="who is gh? Answer with one word.")]
RUN: Run = {
    "q1": [Candidate(item_id=name, score=9.0 - n, stage="bm25") for n, name in enumerate(TABLES)],
    "q2": [Candidate(item_id=name, score=2.0, stage="bm25") for name in ("ef", "gh")],
}


class WordScorer:
    """Log-odds by hand: 2 where the question holds the title, -2 elsewhere."""

    def __init__(self, blend: Blend | None = None) -> None:
        self.blend = blend or Blend()
        self.asked: list[tuple[str, str]] = []

    def settings(self) -> dict[str, Any]:
        return {"model": "words"}

    def __call__(self, pairs: Sequence[tuple[str, Table]]) -> list[float]:
        self.asked += [(question, table.id) for question, table in pairs]
        return [2.0 if table.title in question else -2.0 for question, table in pairs]


def _rerank(depth: int = 20, rank_weight: float | None = None, blend: Blend | None = None) -> Rerank:
    config = RerankConfig(checkpoint="none", depth=depth, rank_weight=rank_weight)
    return Rerank(config, scorer=WordScorer(blend))


def test_the_likeliest_stands_first_with_its_probability() -> None:
    found = _rerank()(QUERIES, RUN, TABLES)
    assert [one.item_id for one in found["q1"]] == ["cd", "ab", "ef", "gh"]  # equal ones keep their order
    assert [one.item_id for one in found["q2"]] == ["gh", "ef"]
    assert {one.stage for one in found["q1"]} == {RERANKED}
    chances = [one.score for one in found["q1"]]
    assert math.isclose(chances[0], 1 / (1 + math.exp(-2))) and math.isclose(
        chances[1], 1 / (1 + math.exp(2))
    )
    assert RUN["q1"][0].item_id == "ab"  # what came in is as it was


def test_candidates_beyond_the_depth_follow_in_their_order() -> None:
    rerank = _rerank(depth=2)
    found = rerank(QUERIES, RUN, TABLES)["q1"]
    assert [(one.item_id, one.stage) for one in found] == [
        ("cd", RERANKED), ("ab", RERANKED), ("ef", "bm25"), ("gh", "bm25"),
    ]  # fmt: skip
    scores = [one.score for one in found]
    assert scores == sorted(scores, reverse=True) and scores[1] > 0 > scores[2]
    assert len(rerank.scorer.asked) == 4  # type: ignore[attr-defined]


def test_the_rank_before_counts_as_the_checkpoint_or_the_settings_say() -> None:
    strong = Blend(rank_weight=100.0, scale=0.5, bias=-1.0)
    kept = _rerank(blend=strong)(QUERIES, RUN, TABLES)["q1"]
    assert [one.item_id for one in kept] == ["ab", "cd", "ef", "gh"]
    assert math.isclose(kept[0].score, 1 / (1 + math.exp(0.5 * 2 + 1)))
    alone = _rerank(blend=strong, rank_weight=0.0)
    assert alone(QUERIES, RUN, TABLES)["q1"][0].item_id == "cd"
    assert alone.settings() != _rerank(blend=strong).settings()


def test_scores_before_count_behind_the_runs_that_they_were_fitted_on() -> None:
    blend = Blend(scores=ScoreBlend("bm25", score_weight=3.0))
    assert [one.item_id for one in _rerank(blend=blend)(QUERIES, RUN, TABLES)["q1"]] == [
        "cd",
        "ab",
        "ef",
        "gh",
    ]
    strong = Blend(scores=ScoreBlend("bm25", score_weight=9.0))
    assert _rerank(blend=strong)(QUERIES, RUN, TABLES)["q1"][0].item_id == "ab"
    other = {"q1": [dataclasses.replace(one, stage="convex") for one in RUN["q1"]]}
    assert _rerank(blend=strong)(QUERIES, other, TABLES)["q1"][0].item_id == "cd"
    assert _rerank(blend=strong, rank_weight=0.0)(QUERIES, RUN, TABLES)["q1"][0].item_id == "cd"


def test_instructions_are_not_scored() -> None:
    rerank = _rerank()
    rerank(QUERIES, RUN, TABLES)
    assert ("who is gh?", "ef") in rerank.scorer.asked  # type: ignore[attr-defined]


def test_queries_without_candidates_and_unknown_tables() -> None:
    assert _rerank()(QUERIES, {"q1": []}, TABLES) == {"q1": [], "q2": []}
    strange = {"q1": [Candidate(item_id="zz", score=1.0, stage="bm25")]}
    with pytest.raises(UserError, match="'zz'"):
        _rerank()(QUERIES, strange, TABLES)


def test_settings_out_of_range() -> None:
    for change in ({"depth": 0}, {"rank_weight": -1.0}):
        with pytest.raises(UserError, match=next(iter(change))):
            Rerank(RerankConfig(checkpoint="none", **change))  # type: ignore[arg-type]


def test_one_reranker_behind_another_is_as_one_after_the_other(scorer: PairScorer, tmp_path: Path) -> None:
    words = WordReranker(WordRerankerConfig())
    with torch.no_grad():
        words.facts.weight.normal_(generator=torch.Generator().manual_seed(1))
    words.blend = Blend(rank_weight=0.3)
    words.save_pretrained(tmp_path / "words")
    scorer.model.blend = Blend(scores=ScoreBlend(stage=RERANKED, score_weight=0.5))
    scorer.model.save_pretrained(tmp_path / "cross")
    scorer.model.blend = Blend()

    def rerank(name: str, **settings: Any) -> Rerank:
        config = RerankConfig(checkpoint=str(tmp_path / name), depth=3, device="cpu", **settings)
        return Rerank(config)

    first = rerank("words")(QUERIES, RUN, TABLES)
    then = rerank("cross")(QUERIES, first, TABLES)
    both = rerank("cross", behind=str(tmp_path / "words"))
    both.open()
    assert both(QUERIES, RUN, TABLES) == then
    assert then not in (first, rerank("cross")(QUERIES, RUN, TABLES))  # each of the two counts
    alone = rerank("cross").settings()
    assert both.settings() == {**alone, "behind": rerank("words").settings()} and "behind" not in alone


@pytest.fixture(scope="module")
def scorer(tmp_path_factory: pytest.TempPathFactory) -> PairScorer:
    path = tmp_path_factory.mktemp("bert")
    tiny.bert(path)
    torch.manual_seed(0)
    representation = RepresentationConfig(options={"windows": True})
    config = CrossEncoderConfig(backbone=str(path), table_length=24, representation=representation)
    model = CrossEncoder.from_config(config)
    with torch.no_grad():
        for parameter in model.head.parameters():
            parameter.normal_(std=0.3)
    return PairScorer(model)


def _pairs() -> list[tuple[str, Table]]:
    names = [f"{letter}{number}" for letter in "abcdefgh" for number in range(10, 14)]
    tables = [
        Table(id=str(n), title=f"t{n}", grid=make_grid([names[: n + 1], ["1"] * (n + 1)], num_header_rows=1))
        for n in range(0, 32, 4)
    ]
    return [(f"what is {table.id} " + "x " * n, table) for n, table in enumerate(tables * 2)]


def test_a_score_does_not_depend_on_its_batch_mates(scorer: PairScorer) -> None:
    pairs = _pairs()
    assert max(len(scorer.model.inputs.windows(table)) for _, table in pairs) > 2
    alone = [scorer([pair])[0] for pair in pairs]
    assert max(alone) - min(alone) > 0.01
    for batch_tokens in (64, 4096):
        together = PairScorer(scorer.model, batch_tokens=batch_tokens)(pairs)
        assert max(abs(a - b) for a, b in zip(alone, together, strict=True)) < 1e-4
    assert scorer([]) == []


def test_the_window_that_fits_the_question_is_read(scorer: PairScorer) -> None:
    _, table = _pairs()[7]
    inputs = scorer.model.inputs
    windows = inputs.windows(table)
    assert len(windows) > 2
    question = f"about {windows[-1].text}"
    assert inputs.best_window(question, windows) == windows[-1] != inputs.best_window("?", windows)
    named, facts = inputs.named(question, table), inputs.facts(question, table)
    features = [inputs.features(question, entry, named, facts) for entry in windows]
    with torch.inference_mode():
        scores = scorer.model.eval()(**inputs.collate(features)).tolist()
    assert max(scores) - min(scores) > 1e-3
    assert math.isclose(scorer([(question, table)])[0], scores[-1], abs_tol=1e-5)


def test_half_precision_keeps_the_order(scorer: PairScorer) -> None:
    pairs = _pairs()
    whole, half = scorer(pairs), PairScorer(scorer.model, dtype="bfloat16")(pairs)
    spread = max(whole) - min(whole)
    assert 0 < max(abs(a - b) for a, b in zip(whole, half, strict=True)) < 0.1 * spread
    numbers = range(len(pairs))
    signs = [
        ((whole[a] < whole[b]) == (half[a] < half[b])) * 2 - 1 for a in numbers for b in numbers if a < b
    ]
    assert len(signs) > 100 and sum(signs) / len(signs) >= 0.9  # Kendall's tau


def test_training_mode_is_as_it_was(scorer: PairScorer) -> None:
    scorer.model.train()
    first, second = scorer(_pairs()[:2]), scorer(_pairs()[:2])
    assert first == second and scorer.model.training
