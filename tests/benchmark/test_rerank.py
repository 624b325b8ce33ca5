"""Reranking is timed on real scores, which all ways agree on."""

from __future__ import annotations

from typing import Any

import pytest
from tiny_chat import TEMPLATE, save

from tabrag.benchmark.rerank import compare_reranking
from tabrag.errors import UserError


@pytest.fixture(scope="module")
def setting(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    model = save(tmp_path_factory.mktemp("chat") / "qwen", "qwen", template=TEMPLATE, positions=1024)
    return {"model": str(model), "num_tables": 20, "num_questions": 6, "num_candidates": 4, "max_length": 600}


def test_all_ways_give_the_same_scores(setting: dict[str, Any]) -> None:
    found = compare_reranking(**setting, rounds=2, num_tables_a_round=3, split="all")
    assert found["max_score_difference"] < 1e-4 and found["same_order"]
    assert found["measured_pairs"]["loop"] == 8 and found["measured_pairs"]["warm"] == 8
    assert found["all_pairs"] == 24 and 4 <= found["different_tables"] <= 20
    tokens = found["tokens_per_pair"]
    assert 0 < tokens["warm"] < tokens["engine"] < tokens["loop"]
    asked = found["prompt_tokens_per_pair"]
    assert asked["warm"] == asked["cold"] == tokens["cold"] and tokens["engine"] < asked["engine"]
    assert tokens["batch"] == tokens["cold"] > 300
    assert set(found["pairs_per_s"]) == {"engine", "loop", "batch", "cold", "warm"}
    assert all(value["cpu"] > 0 for value in found["ratio"].values())


def test_nothing_to_measure(setting: dict[str, Any]) -> None:
    with pytest.raises(UserError, match="at least 1"):
        compare_reranking(**{**setting, "num_questions": 0})
    with pytest.raises(UserError, match="4 candidates of 3 tables"):
        compare_reranking(**{**setting, "num_tables": 3})
    with pytest.raises(UserError, match="split 'dve'"):
        compare_reranking(**setting, split="dve")
