"""The mix of tasks: shares, ratios, replies that are right, and what is odd about the data."""

from __future__ import annotations

import logging
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rerank_data import write_data

from tabrag.chat.prompts import RANK_LABELS, Shown
from tabrag.chat.protocol import Picture, Text
from tabrag.data.chat_batches import ChatBatches
from tabrag.data.config import RankingDataConfig, RankingTasksConfig
from tabrag.data.pairs import TrainingPairs
from tabrag.data.ranking_tasks import RankingTasks
from tabrag.errors import UserError
from tabrag.types import Table


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_data(tmp_path_factory.mktemp("work"))


@pytest.fixture(scope="module")
def pairs(work: Path) -> TrainingPairs:
    return TrainingPairs(
        RankingDataConfig(folder=str(work / "data"), negatives=str(work / "train.jsonl"), num_negatives=3)
    )


def make(pairs: TrainingPairs, *, num_negatives: int = 3, seed: int = 0, **mix: Any) -> RankingTasks:
    return RankingTasks(
        pairs,
        config=RankingTasksConfig(**mix),
        num_negatives=num_negatives,
        show=lambda item_id: Shown(item_id, item_id, f"cells of {item_id}"),
        seed=seed,
    )


SHARE = st.floats(0.1, 4)


@settings(max_examples=25, deadline=None)
@given(shares=st.tuples(*[SHARE] * 4), num_negatives=st.integers(1, 4), none=st.floats(0, 1))
def test_shares_and_ratios_hold(
    pairs: TrainingPairs, shares: tuple[float, ...], num_negatives: int, none: float
) -> None:
    mix = {**dict(zip(("answer", "judge", "choose", "read"), shares, strict=True)), "none_relevant": none}
    tasks = make(pairs, num_negatives=num_negatives, **mix)
    plan = tasks.plan(3)
    assert len(plan) == len(pairs) > 50
    counts = Counter(task for task, _ in plan)
    total = sum(shares)
    for task in ("answer", "judge", "choose", "read"):
        assert abs(counts[task] - len(plan) * mix[task] / total) <= 1.5, task
    true = sum(is_positive for task, is_positive in plan if task == "judge")
    assert abs(true - counts["judge"] / (1 + num_negatives)) <= 1
    nothing = sum(not is_positive for task, is_positive in plan if task == "choose")
    assert abs(nothing - counts["choose"] * none) <= 1
    assert tasks.plan(3) == make(pairs, num_negatives=num_negatives, **mix).plan(3) != tasks.plan(4)


@settings(max_examples=40, deadline=None)
@given(row=st.integers(0, 40), epoch=st.integers(0, 5), num_tables=st.integers(2, 5), seed=st.integers(0, 3))
def test_replies_say_what_is_relevant_and_tables_come_first(
    pairs: TrainingPairs, row: int, epoch: int, num_tables: int, seed: int
) -> None:
    example = make(pairs, num_tables=num_tables, seed=seed).example(row, epoch=epoch)
    assert example == make(pairs, num_tables=num_tables, seed=seed).example(row, epoch=epoch)
    positives = pairs.positives[row]
    assert example.relevant == tuple(item in positives for item in example.items)
    assert len(set(example.items)) == len(example.items) <= num_tables
    if example.task == "judge":
        assert example.reply == RANK_LABELS[0 if example.relevant[0] else 1] and len(example.items) == 1
    elif example.task == "choose":
        places = [n for n, is_relevant in enumerate(example.relevant, start=1) if is_relevant]
        assert example.reply == (", ".join(map(str, places)) or "None") and len(example.items) >= 2
    else:
        query = pairs.folder.queries[pairs.query_ids[row]]
        assert any(example.relevant)
        assert example.reply == (query.label if query.task == "verify" else ", ".join(query.answers))
    parts = example.messages[0].parts
    shown = [part.item_id for part in parts if isinstance(part, Text) and part.item_id]
    assert shown == [pairs.item_ids[item] for item in example.items]
    assert pairs.texts[row] in parts[-1].text  # type: ignore[union-attr]
    assert all(pairs.texts[row] not in part.text for part in parts[:-1])  # type: ignore[union-attr]


def test_reading_tells_nothing_but_the_picture(pairs: TrainingPairs) -> None:
    def show(item_id: str) -> Shown:
        return Shown(item_id, "its title", "its cells", f"{item_id}.png")

    mix = RankingTasksConfig(answer=0, judge=0, choose=0, read=1)
    tasks = RankingTasks(pairs, config=mix, num_negatives=0, show=show, seed=0)
    asked = set()
    for row in range(len(pairs)):
        example = tasks.example(row, epoch=1)
        assert example.task == "read" and example.relevant == (True,) and example.reply
        table = pairs.folder.tables[pairs.item_ids[example.items[0]]]
        assert example.items[0] in pairs.positives[row]
        parts = example.messages[0].parts
        assert [part.path for part in parts if isinstance(part, Picture)] == [f"{table.id}.png"]
        told = " ".join(part.text for part in parts if isinstance(part, Text))
        assert "its" not in told.split() and table.title not in told and pairs.texts[row] not in told
        asked.add(told.partition("Read the ")[2].split()[0].rstrip("."))
    assert asked == {"title", "column", "row", "value"}


def test_a_table_of_which_nothing_is_known_cannot_be_read(work: Path) -> None:
    bare = TrainingPairs(RankingDataConfig(folder=str(work / "data")))
    item_id = bare.item_ids[bare.positives[0][0]]
    bare.folder.tables = {
        **{one: bare.folder.tables[one] for one in bare.item_ids},
        item_id: Table(id=item_id),
    }  # type: ignore[assignment]
    with pytest.raises(UserError, match=f"table '{item_id}' has neither title nor cells.*tasks.read=0"):
        make(bare, read=1)
    make(bare)


def test_negatives_come_from_the_run_and_differ_between_epochs(pairs: TrainingPairs) -> None:
    tasks = make(pairs, answer=0, choose=0)
    seen: dict[int, set[int]] = {}
    for epoch in range(8):
        for row in range(30):
            example = tasks.example(row, epoch=epoch)
            if not example.relevant[0]:
                assert example.items[0] in pairs.negatives[row]
                seen.setdefault(row, set()).add(example.items[0])
    assert max(map(len, seen.values())) > 1


def test_without_a_run_other_tables_are_negatives(work: Path) -> None:
    plain = TrainingPairs(RankingDataConfig(folder=str(work / "data")))
    examples = [make(plain).example(row, epoch=0) for row in range(len(plain))]
    false = [one for one in examples if one.reply == "False"]
    assert len(false) > 10 and not any(one.relevant[0] for one in false)


def test_what_is_odd_about_the_data_is_told(pairs: TrainingPairs, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        facts = make(pairs).facts(is_cut=lambda item: item % 2 == 0)
    assert not caplog.records
    assert facts["positives"] == pytest.approx(0.25, abs=0.02) and 0.3 < facts["cut tables"] < 0.7
    assert facts["duplicates"] == 0
    with caplog.at_level(logging.WARNING):
        facts = make(pairs, num_negatives=0).facts()
    assert facts["positives"] == 1 and "learns to say True whatever it sees" in caplog.text


def test_repeated_pairs_are_counted(work: Path) -> None:
    again = TrainingPairs(RankingDataConfig(folder=str(work / "data")))
    again.texts = [again.texts[0]] * 2 + again.texts[2:]
    again.positives = [again.positives[0]] * 2 + again.positives[2:]
    assert make(again).facts()["duplicates"] == pytest.approx(1 / len(again), abs=1e-3)


def test_queries_without_an_answer_take_part_in_the_other_tasks(work: Path) -> None:
    few = TrainingPairs(RankingDataConfig(folder=str(work / "data")))
    for number, query_id in enumerate(few.query_ids):
        if number % 4:
            few.folder.queries[query_id].answers = []
            few.folder.queries[query_id].label = None
    tasks = make(few, answer=8, judge=1, choose=1)
    plan = tasks.plan(0)
    answering = [row for row, (task, _) in enumerate(plan) if task == "answer"]
    assert answering and all(row % 4 == 0 for row in answering)
    assert {task for task, _ in plan} == {"answer", "judge", "choose"}
    with pytest.raises(UserError, match="have no answer"):
        make(few, judge=0, choose=0)
    assert all(task != "answer" for task, _ in make(few, answer=0).plan(0))


def test_settings_out_of_range_are_refused() -> None:
    for wrong in ({"answer": -1}, {"answer": 0, "judge": 0, "choose": 0}, {"num_tables": 1}):
        with pytest.raises(UserError):
            RankingTasksConfig(**wrong)
    with pytest.raises(UserError, match="distractors"):
        RankingTasksConfig(distractors=1.5)


class _Lengths:
    """Inputs that keep the examples themselves."""

    reads_pictures = False

    def features(self, messages: Any, reply: str) -> str:
        return "".join(part.text for part in messages[0].parts) + reply

    def collate(self, some: list[str]) -> list[str]:
        return some


def test_processes_share_an_epoch_and_chunks_hold_like_lengths(pairs: TrainingPairs) -> None:
    def batches(rank: int, processes: int) -> list[dict[str, Any]]:
        own = ChatBatches(
            make(pairs),
            inputs=_Lengths(),  # type: ignore[arg-type]
            chunk_size=2,
            batch_size=4 // processes,
            num_processes=processes,
            rank=rank,
            seed=0,
            epoch=1,
        )
        return [own[step] for step in range(len(own))]

    one, (first, second) = batches(0, 1), (batches(0, 2), batches(1, 2))
    for whole, left, right in zip(one, first, second, strict=True):
        assert set(whole["query_ids"]) == {*left["query_ids"], *right["query_ids"]}
        assert not set(left["query_ids"]) & set(right["query_ids"])
        lengths = [len(text) for chunk in whole["chunks"] for text in chunk]
        assert lengths == sorted(lengths) and [len(chunk) for chunk in whole["chunks"]] == [2, 2]
