"""The synthetic data set as a whole: determinism, splits, near-duplicates, sizes."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections import Counter
from dataclasses import asdict
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tabrag.data.folder import DataFolder, write_folder
from tabrag.data.synthetic import make
from tabrag.data.validate import validate
from tabrag.errors import UserError

ATTRIBUTES = ("topic", "subject", "entity", "years")
DIGEST = """
import hashlib, json
from dataclasses import asdict
from tabrag.data.synthetic import make
d = make(40, 7)
parts = (
    [asdict(t) for t in d.tables],
    [asdict(q) for q in d.queries],
    d.qrels,
    [asdict(g) for g in d.gold_headers],
)
print(hashlib.sha256(json.dumps(parts).encode()).hexdigest())
"""


def digest(num_tables: int, seed: int) -> str:
    made = make(num_tables, seed)
    parts = (
        [asdict(table) for table in made.tables],
        [asdict(query) for query in made.queries],
        made.qrels,
        [asdict(gold) for gold in made.gold_headers],
    )
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def test_the_same_numbers_give_the_same_data_in_every_process() -> None:
    expected = digest(40, 7)
    assert digest(40, 8) != expected and digest(41, 7) != expected
    for hash_seed in ("0", "4242"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        found = subprocess.run(
            [sys.executable, "-c", DIGEST], env=environment, capture_output=True, text=True, check=True
        )
        assert found.stdout.strip() == expected


def test_making_a_corpus_loads_no_heavy_library() -> None:
    code = (
        "import sys; from tabrag.data.synthetic import make; make(20, 0);"
        "print([n for n in ('torch', 'transformers', 'datasets') if n in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


@given(num_tables=st.integers(20, 120), seed=st.integers(0, 2**40))
@settings(max_examples=8, deadline=None)
def test_shape_of_the_data_set(num_tables: int, seed: int) -> None:
    made = make(num_tables, seed)
    tables = {table.id: table for table in made.tables}
    assert len(tables) == num_tables
    assert set(made.qrels) == {"train", "dev", "test"}
    judged = [query_id for qrels in made.qrels.values() for query_id in qrels]
    assert sorted(judged) == sorted(query.id for query in made.queries)
    assert all(made.qrels.values())
    assert 4 <= len(judged) / num_tables <= 6
    golds = {gold.query_id: gold.table_id for gold in made.gold_headers}
    for qrels in made.qrels.values():
        for query_id, grades in qrels.items():
            assert grades == {golds[query_id]: 1}
    titles = Counter(table.title for table in made.tables)
    assert max(titles.values()) == 1
    assert (
        all(count >= 3 for count in Counter(golds.values()).values())
        and len(set(golds.values())) == num_tables
    )


def test_splits_have_their_share_and_share_no_topic() -> None:
    for seed in range(5):
        made = make(300, seed)
        topics = {table.id: table.metadata["topic"] for table in made.tables}
        seen = {
            split: {topics[next(iter(grades))] for grades in qrels.values()}
            for split, qrels in made.qrels.items()
        }
        for first, second in combinations(seen.values(), 2):
            assert first and second and not first & second
        share = {split: len(qrels) / len(made.queries) for split, qrels in made.qrels.items()}
        assert 0.6 <= share["train"] <= 0.8 and share["dev"] >= 0.1 and share["test"] >= 0.1, share


def test_near_duplicates_differ_in_one_attribute_and_stand_in_one_split() -> None:
    made = make(300, 0)
    split_of = {
        item: split for split, qrels in made.qrels.items() for grades in qrels.values() for item in grades
    }
    differences: Counter[str] = Counter()
    partners: Counter[str] = Counter()
    for first, second in combinations(made.tables, 2):
        unlike = [name for name in ATTRIBUTES if first.metadata[name] != second.metadata[name]]
        assert unlike, "no two tables are about the same thing"
        if len(unlike) == 1 and first.metadata["family"] == second.metadata["family"]:
            differences[unlike[0]] += 1
            partners.update((first.id, second.id))
            assert split_of[first.id] == split_of[second.id]
    assert min(differences[name] for name in ("subject", "entity", "years")) > 30
    assert len(partners) > 0.9 * len(made.tables)


def test_a_share_of_the_queries_are_statements_of_both_kinds() -> None:
    queries = make(200, 0).queries
    labels = Counter(query.label for query in queries if query.task == "verify")
    assert set(labels) == {"SUPPORTED", "REFUTED"}
    assert 0.08 <= sum(labels.values()) / len(queries) <= 0.25
    assert 0.35 <= labels["SUPPORTED"] / sum(labels.values()) <= 0.65
    assert {query.task for query in queries} == {"qa", "verify"}


def test_the_folder_is_valid_and_reads_back(tmp_path: Path) -> None:
    made = make(30, 0)
    folder = tmp_path / "synthetic"
    write_folder(
        folder,
        tables=made.tables,
        queries=made.queries,
        qrels=made.qrels,
        gold_headers=made.gold_headers,
        card=made.card,
    )
    assert validate(folder) == []
    read = DataFolder(folder)
    assert [read.tables[table.id] for table in made.tables] == list(made.tables)
    assert {split: read.qrels(split) for split in read.splits} == made.qrels
    assert read.gold_headers[made.gold_headers[0].query_id] == [made.gold_headers[0]]


def test_too_few_tables_is_one_clear_message() -> None:
    with pytest.raises(UserError, match="at least 20"):
        make(19)


def test_bm25_finds_some_tables_at_once_and_others_not() -> None:
    import bm25s

    from tabrag.tables.text import headers_text

    made = make(200, 0)
    index = bm25s.BM25()
    texts = [headers_text(table) for table in made.tables]
    index.index(bm25s.tokenize(texts, show_progress=False), show_progress=False)
    gold = {query: next(iter(items)) for qrels in made.qrels.values() for query, items in qrels.items()}
    tokens = bm25s.tokenize([query.text for query in made.queries], show_progress=False)
    rows, _ = index.retrieve(tokens, k=1, show_progress=False)
    hits = [
        made.tables[row].id == gold[query.id] for query, row in zip(made.queries, rows[:, 0], strict=True)
    ]
    assert 0.35 <= sum(hits) / len(hits) <= 0.75
