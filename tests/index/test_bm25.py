from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tabrag.errors import UserError
from tabrag.index.bm25 import Bm25Index
from tabrag.index.config import Bm25Config
from tabrag.index.tokens import tokenize

TEXTS = [
    "federal spending by agency",
    "population of towns by year | 1990 | 2000",
    "",
    "spending on schools by town and year",
    "売上高の推移",
]


def rows_of(index: Bm25Index, query: str, k: int = 10) -> list[int]:
    return index.search([query], k)[1][0].tolist()


def formula(texts: list[str], query: str, *, k1: float, b: float) -> dict[int, float]:
    """Lucene's BM25, written out."""
    words = [tokenize(text) for text in texts]
    mean = sum(map(len, words)) / len(words)
    scores: dict[int, float] = {}
    for word in tokenize(query):
        holders = [row for row, one in enumerate(words) if word in one]
        idf = math.log(1 + (len(words) - len(holders) + 0.5) / (len(holders) + 0.5))
        for row in holders:
            count = Counter(words[row])[word]
            weight = count / (count + k1 * (1 - b + b * len(words[row]) / mean))
            scores[row] = scores.get(row, 0.0) + idf * weight
    return scores


@settings(deadline=None)
@given(
    st.lists(
        st.lists(st.sampled_from("apple bread cider dates 12".split()), max_size=6), min_size=1, max_size=8
    ),
    st.lists(st.sampled_from("apple bread cider dates 12 eggplant".split()), max_size=4),
)
def test_equals_the_formula(texts: list[list[str]], query: list[str]) -> None:
    joined, question = [" ".join(one) for one in texts], " ".join(query)
    scores, rows = Bm25Index(Bm25Config(k1=1.2, b=0.6)).build(joined).search([question], 20)
    if any(texts):
        expected = formula(joined, question, k1=1.2, b=0.6)
        assert dict(zip(rows[0].tolist(), scores[0].tolist(), strict=True)) == pytest.approx(
            expected, rel=1e-4
        )
    assert (scores[0] > 0).all()
    pairs = list(zip((-scores[0]).tolist(), rows[0].tolist(), strict=True))
    assert pairs == sorted(pairs)


@pytest.mark.parametrize(("texts", "hits"), [([], []), ([""], []), (["", "a"], [1])])
def test_empty_texts_collections_and_queries(texts: list[str], hits: list[int]) -> None:
    index = Bm25Index().build(texts)
    assert len(index) == len(texts)
    assert rows_of(index, "a") == hits
    for query in ("", "???", "what is the", "   \n"):
        assert rows_of(index, query) == []


def test_only_matching_texts_each_once_for_large_k() -> None:
    index = Bm25Index().build(TEXTS[:4])
    assert sorted(rows_of(index, "spending by agency and town, year", k=10)) == [0, 1, 3]
    assert rows_of(index, "spending", k=1) == rows_of(index, "spending", k=10)[:1]
    with pytest.raises(UserError, match="set k >= 1"):
        index.search(["spending"], 0)


def test_ties_by_row_also_at_the_cut() -> None:
    index = Bm25Index().build(["same text"] * 50 + ["same text same"])
    assert rows_of(index, "same", k=5) == [50, 0, 1, 2, 3]


def test_a_saved_index_gives_the_same_without_pickle(tmp_path: Path) -> None:
    index = Bm25Index(Bm25Config(k1=1.0, stem=False)).build(TEXTS)
    names = index.save(tmp_path)
    assert sorted(names) == sorted(path.name for path in tmp_path.iterdir())
    assert all(
        np.load(tmp_path / name, allow_pickle=False).dtype != object for name in names if ".npy" in name
    )
    opened = Bm25Index.load(tmp_path)
    for query in ("spending by year", "売上", ""):
        mine, theirs = index.search([query], 9), opened.search([query], 9)
        assert mine[1][0].tolist() == theirs[1][0].tolist()
        assert mine[0][0].tolist() == theirs[0][0].tolist()
    assert opened.config == index.config and len(opened) == 5
    (tmp_path / "empty").mkdir()
    Bm25Index().build([""]).save(tmp_path / "empty")
    assert rows_of(Bm25Index.load(tmp_path / "empty"), "a") == []


def test_settings_out_of_range() -> None:
    for values in ({"k1": -1.0}, {"b": 1.5}, {"k1": math.nan}):
        with pytest.raises(UserError, match="k1"):
            Bm25Config(**values)
