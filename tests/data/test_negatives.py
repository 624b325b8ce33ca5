"""Hard negatives: what is chosen, what is dropped and why, and that no device changes it."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabrag.data.answer_cells import answer_keys, cell_keys
from tabrag.data.candidates import in_order, mixed, too_near
from tabrag.data.card import Card
from tabrag.data.config import MiningConfig
from tabrag.data.folder import DataFolder, write_folder
from tabrag.data.negatives import Miner
from tabrag.errors import UserError
from tabrag.tables.grid import make_grid
from tabrag.types import Candidate, Qrels, Query, Run, Table


def _table(table_id: str, *cells: str, title: str = "") -> Table:
    grid = make_grid([["item", "value"], *([text, "7"] for text in cells)], num_header_rows=1)
    return Table(id=table_id, title=title, grid=grid)


def _folder(path: Path, tables: list[Table], queries: list[Query], qrels: dict[str, Qrels]) -> DataFolder:
    write_folder(path, tables=tables, queries=queries, qrels=qrels, card=Card(name="Tiny", licence="mit"))
    return DataFolder(path)


def _run(scores: dict[str, float]) -> list[Candidate]:
    return [Candidate(item_id=item_id, score=score, stage="x") for item_id, score in scores.items()]


def _falling(ids: list[str]) -> list[Candidate]:
    return _run({item_id: 10.0 - place for place, item_id in enumerate(ids)})


def _mine(folder: DataFolder, *runs: Run, **settings) -> tuple[dict[str, list[str]], dict]:
    miner = Miner(folder, MiningConfig(**settings), split="train", runs=runs)
    found = {query_id: [candidate.item_id for candidate in miner(query_id)] for query_id in miner.query_ids}
    return found, miner.report()


def test_three_positives_of_ten_tables_leave_five_negatives_and_none_is_a_copy(tmp_path: Path) -> None:
    tables = [_table(f"t{n}", f"row {n}") for n in range(9)] + [_table("copy", "row 1", title="Other title")]
    qrels = {"train": {"q": {"t0": 1, "t1": 1, "t2": 0}}, "test": {"q": {"t3": 2}}}
    folder = _folder(tmp_path / "data", tables, [Query(id="q", text="which?")], qrels)
    run = {"q": _falling(["t0", "copy", "t3", "t1", "t2", "t4", "t5", "t6", "t7", "t8"])}
    found, report = _mine(folder, run, num_negatives=5, depth=10)
    assert found == {"q": ["t2", "t4", "t5", "t6", "t7"]}
    assert report["dropped"]["positive"] == 3 and report["dropped"]["same_content"] == 1
    assert (report["short"], report["negatives"]) == (0, 5)
    short, _ = _mine(folder, run, num_negatives=5, depth=3)
    assert short == {"q": ["t2", "t4", "t5"]}  # what is relevant takes up no rank


def test_a_corpus_of_four_leaves_one_and_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    tables = [_table(f"t{n}", f"row {n}") for n in range(4)]
    qrels = {"train": {"q": {"t0": 1, "t1": 1, "t2": 1}}}
    folder = _folder(tmp_path / "data", tables, [Query(id="q", text="which?")], qrels)
    found, report = _mine(folder, {"q": _falling(["t0", "t1", "t2", "t3"])}, num_negatives=5)
    assert found == {"q": ["t3"]} and report["short"] == 1 and report["without"] == 0
    assert "1 of 1 queries have fewer than 5 negatives, the first is 'q'" in caplog.text


def test_a_table_that_a_run_names_several_times_counts_once(tmp_path: Path) -> None:
    tables = [_table(f"t{n}", f"row {n}") for n in range(4)]
    folder = _folder(tmp_path / "data", tables, [Query(id="q", text="?")], {"train": {"q": {"t0": 1}}})
    candidates = [*_run({"t1": 5.0, "t0": 4.0}), *_run({"t1": 9.0, "t0": 3.0, "t2": 6.0}), *_run({"t1": 1.0})]
    found, report = _mine(folder, {"q": candidates}, depth=2)
    assert found == {"q": ["t1", "t2"]} and report["dropped"]["positive"] == 1


def test_a_question_that_stands_twice_has_the_positives_of_both(tmp_path: Path) -> None:
    tables = [_table(f"t{n}", f"row {n}") for n in range(4)]
    queries = [
        Query(id="q1", text="Which  one?"),
        Query(id="q2", text="which one?"),
        Query(id="q3", text="x"),
    ]
    qrels = {"train": {"q1": {"t0": 1}, "q3": {"t2": 1}}, "dev": {"q2": {"t1": 1}}}
    folder = _folder(tmp_path / "data", tables, queries, qrels)
    run = {query_id: _falling(["t0", "t1", "t2", "t3"]) for query_id in ("q1", "q2", "q3")}
    assert _mine(folder, run)[0] == {"q1": ["t2", "t3"], "q3": ["t0", "t1", "t3"]}


def test_each_rule_drops_what_it_says(tmp_path: Path) -> None:
    names = "north south east west centre coast hills lakes".split()
    tables = [
        _table("gold", *names, "8,189"),
        _table("first", "alpha"),
        _table("second", "beta"),
        _table("near", "gamma"),
        _table("answer", "delta", "8189.0"),
        _table("likeness", *names, "12"),
        _table("last", "zeta", "12"),
    ]
    queries = [Query(id="q", text="how many?", answers=["8189"])]
    folder = _folder(tmp_path / "data", tables, queries, {"train": {"q": {"gold": 1}}})
    order = ["first", "near", "gold", "second", "answer", "likeness", "last"]
    run = {"q": _run(dict(zip(order, [9.0, 8.0, 8.0, 7.7, 7.0, 6.0, 5.0], strict=True)))}
    everything = {"skip": 1, "relative_margin": 0.03, "near_duplicates": 0.7}
    found, report = _mine(folder, run, **everything)
    assert found == {"q": ["second", "last"]}
    rules = ("positive", "skipped", "margin", "answer", "near_duplicate")
    assert [report["dropped"][rule] for rule in rules] == [1, 1, 1, 1, 1]
    assert _mine(folder, run, **everything, drop_answers=False)[0] == {"q": ["second", "answer", "last"]}
    assert _mine(folder, run, **{**everything, "near_duplicates": None})[0] == {
        "q": ["second", "likeness", "last"]
    }
    assert _mine(folder, run, **{**everything, "relative_margin": 0.05})[0] == {"q": ["last"]}
    assert _mine(folder, run, drop_answers=False)[0] == {"q": [name for name in order if name != "gold"]}


@pytest.mark.parametrize(
    ("answers", "dropped"),
    [
        (["8189"], True),
        (["8,189.00"], True),
        (["Mount Everest"], True),
        (["mount everest", "12"], True),  # all parts stand there, one is specific
        (["mount everest", "13"], False),
        (["12"], False),
        (["1200"], False),
        (["1999"], False),
        (["yes"], False),
        (["Total"], False),
        (["8188"], False),
        ([], False),
    ],
)
def test_only_a_specific_answer_in_cells_of_its_own_drops_a_table(answers: list[str], dropped: bool) -> None:
    cells = ["Mount Everest", "8,189", "12", "1,200", "1999", "yes", "Total", "about 8188 m high"]
    held = cell_keys({"grid": {"cells": [cells]}})
    keys = answer_keys(answers)
    assert (bool(keys) and keys <= held) is dropped
    assert cell_keys({"grid": None, "words": cells[:3]}) == cell_keys({"grid": {"cells": [cells[:3]]}})


def test_answers_of_a_statement_drop_nothing(tmp_path: Path) -> None:
    tables = [_table("gold", "a"), _table("other", "Mount Everest")]
    for task, expected in (("qa", []), ("describe", ["other"])):
        query = Query(id="q", text="?", answers=["Mount Everest"], task=task)
        folder = _folder(tmp_path / task, tables, [query], {"train": {"q": {"gold": 1}}})
        assert _mine(folder, {"q": _falling(["gold", "other"])})[0] == {"q": expected}


def test_margins_hold_within_each_run_and_say_what_a_missing_positive_means() -> None:
    scores = {"above": 12.0, "gold": 10.0, "close": 9.8, "far": 4.0}

    def near(
        relevant: tuple[str, ...] = ("gold",), values: dict[str, float] = scores, **settings
    ) -> set[str]:
        return too_near(values, relevant, MiningConfig(**settings))

    assert near() == set()
    assert near(relative_margin=0.0) == {"above"}  # an equal score is not above; the gold one is not either
    assert near(relative_margin=0.05) == {"above", "gold", "close"} == near(absolute_margin=0.5)
    assert near(relative_margin=0.0, absolute_margin=7.0) == set(scores)
    assert near(("far", "gold"), relative_margin=0.0) == {"above"}  # the best of several counts
    negative = {"gold": -1.0, "above": -1.02, "far": -1.2}
    assert near(values=negative, relative_margin=0.05) == {"gold", "above"}
    assert near(("absent",), relative_margin=0.05) == set()
    assert near(("absent",), relative_margin=0.05, missing_positive="drop") == set(scores)
    assert near(("absent",), missing_positive="drop") == set()


def test_runs_are_mixed_by_rank_alone() -> None:
    rankings = [["a", "b", "c"], ["c", "d", "a", "e"], []]
    assert mixed(rankings, MiningConfig()) == ["a", "c", "b", "d", "e"]
    assert mixed(rankings, MiningConfig(mix="rrf")) == ["a", "c", "b", "d", "e"]
    assert mixed(rankings, MiningConfig(mix="rrf", rrf_k=0)) == ["a", "c", "b", "d", "e"]
    assert mixed([["a", "b"], ["b", "x"]], MiningConfig(mix="rrf")) == ["b", "a", "x"]
    assert mixed([["a", "b"], ["b", "x"]], MiningConfig()) == ["a", "b", "x"]
    assert mixed([[], []], MiningConfig(mix="rrf")) == []


@given(
    levels=st.lists(st.integers(1, 30), min_size=1, max_size=25),
    seed=st.integers(0, 99),
    scale=st.sampled_from([1e-3, 1.0, 300.0]),
)
def test_noise_below_the_tolerance_changes_no_order(levels: list[int], seed: int, scale: float) -> None:
    noise = random.Random(seed)
    exact = {f"t{n}": scale * level for n, level in enumerate(levels)}
    names = list(exact)
    noise.shuffle(names)
    noisy = {name: exact[name] + max(exact.values()) * noise.uniform(-1e-7, 1e-7) for name in names}
    assert noisy != exact
    order = in_order(exact, tolerance=1e-5)
    assert in_order(noisy, tolerance=1e-5) == order == sorted(exact, key=lambda name: (-exact[name], name))
    for margin in (0.0, 0.5):
        config = MiningConfig(relative_margin=margin)
        assert too_near(noisy, ["t0"], config) == too_near(exact, ["t0"], config)


def test_scores_without_a_tolerance_order_by_their_last_digit() -> None:
    scores = {"b": 1.0 + 1e-9, "a": 1.0}
    assert in_order(scores, tolerance=0.0) == ["b", "a"] != in_order(scores, tolerance=1e-5)
    assert in_order({}, tolerance=1e-5) == []


def test_faults_are_named(tmp_path: Path) -> None:
    folder = _folder(
        tmp_path / "data", [_table("t0", "a")], [Query(id="q", text="?")], {"train": {"q": {"t0": 1}}}
    )
    with pytest.raises(UserError, match="hold no query with a relevant table of split 'train'"):
        _mine(folder, {"other": _falling(["t0"])})
    with pytest.raises(UserError, match="candidate 'nobody' of query 'q' is not an item"):
        _mine(folder, {"q": _falling(["nobody"])})
    for settings, message in (
        ({"num_negatives": 0}, "num_negatives must be 1"),
        ({"skip": 5, "depth": 5}, "skip=5 and depth=5"),
        ({"relative_margin": -0.1}, "relative_margin must be"),
        ({"near_duplicates": 1.5}, "near_duplicates is a share"),
        ({"tolerance": float("nan")}, "tolerance must be"),
    ):
        with pytest.raises(UserError, match=message):
            MiningConfig(**settings)
