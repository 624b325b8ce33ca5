"""How fast a chat model scores (question, table) pairs: whole prompts beside shared beginnings."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import torch

from tabrag.chat.config import LocalChatConfig
from tabrag.chat.local import LocalChat
from tabrag.chat.protocol import Message, Text
from tabrag.data.synthetic import make
from tabrag.errors import UserError
from tabrag.index.bm25 import Bm25Index
from tabrag.tables.text import headers_text, markdown, title_text
from tabrag.types import Query, Table

CHOICES = ("True", "False")
_ASKED = "\nDoes the table above hold the answer to the question? Reply True or False.\n"

Pair = tuple[int, int]
"""A question and a table, by their places."""


def compare_reranking(
    *,
    model: str = "offline:smollm2",
    num_tables: int = 300,
    num_questions: int = 200,
    num_candidates: int = 10,
    split: str = "dev",
    rounds: int = 3,
    num_tables_a_round: int = 8,
    max_length: int = 1024,
    prefix_cache_mb: int = 512,
    device: str = "cpu",
) -> dict[str, Any]:
    """Score each question of a synthetic split with BM25's best tables for it, four ways, float32.

    ``loop``: whole prompts, one pair at a time. ``batch``: whole prompts, the pairs of a question as one
    padded batch. ``engine``: pairs of all questions at once, each table run once. ``warm``: one question
    whose tables have all been run before, beside ``loop`` of the same pairs.

    Questions of a split are about some of the topics, so that tables of these come up more often than others;
    ``split="all"`` spreads them evenly over the pool. Each round measures a sample with all four in turn, so
    that what else the machine does meets all alike: some tables (evenly spaced among all candidates, in the
    order of how often they come up) with *all* their questions for ``engine``; as many pairs as a question
    has, evenly spaced among those same pairs, for ``loop``; one question for ``batch`` and ``warm``.

    Args:
        model: A text model, folder, hub id or ``offline:NAME``.
        num_tables: Size of the pool.
        num_questions: Questions, evenly spaced among those of the split.
        num_candidates: Tables a question.
        split: ``train``, ``dev``, ``test`` or ``all``.
        rounds: Samples measured.
        num_tables_a_round: Tables of a sample.
        max_length: Tokens of a prompt at most; longer tables are shortened.
        prefix_cache_mb: See :class:`LocalChatConfig`.
        device: See :class:`LocalChatConfig`.

    Returns:
        ``pairs_per_s`` and ``cpu_s_per_pair`` of each way; ``ratio`` of ``engine`` and ``warm`` to the others
        (above 1: ours is faster) in tokens of whole prompts a second, so that samples with longer tables do
        not count for more, by the clock and by CPU seconds; ``max_score_difference`` of log-probabilities;
        ``same_order`` of P(True) in the questions of ``warm``; tokens a pair that went through the model, and
        those of the whole prompts; how many pairs each figure is from; the setting.

    Raises:
        UserError: Nothing to measure is asked for.
    """
    if min(num_questions, num_candidates, rounds, num_tables_a_round) < 1:
        raise UserError("questions, candidates, rounds and tables a round must be at least 1")
    if num_candidates > num_tables:
        raise UserError(f"{num_candidates} candidates of {num_tables} tables: ask for fewer")
    tables, questions = _data(num_tables, num_questions, split)
    pairs = _pairs(tables, questions, num_candidates)
    messages = {pair: _messages(questions[pair[0]], tables[pair[1]]) for pair in pairs}
    settings = {"model": model, "device": device, "dtype": "float32", "max_length": max_length}
    whole = LocalChat(LocalChatConfig(**settings, batch_size=num_candidates, prefix_cache_mb=0))
    engine = LocalChat(LocalChatConfig(**settings, prefix_cache_mb=prefix_cache_mb))
    for chat in (whole, engine):  # loads the model
        chat.score_batch([messages[pairs[0]]], CHOICES)
        chat.prefixes.clear()

    def all_at_once(chat: LocalChat) -> Callable[[Sequence[Pair]], list[list[float]]]:
        return lambda some: chat.score_batch([messages[pair] for pair in some], CHOICES)

    def one_by_one(some: Sequence[Pair]) -> list[list[float]]:
        return [whole.score(messages[pair], CHOICES) for pair in some]

    clock = _Clock()
    difference, same_order = 0.0, True
    asked_of = Counter(table for _, table in pairs)
    different = sorted(asked_of, key=lambda table: (asked_of[table], table))
    chosen = _spaced(different, rounds * num_tables_a_round)
    asked = _spaced(range(len(questions)), rounds)
    for turn in range(rounds):
        some_tables = set(chosen[turn::rounds])
        theirs = [pair for pair in pairs if pair[1] in some_tables]
        of_one = [pair for pair in pairs if pair[0] == asked[turn % len(asked)]]
        engine.prefixes.clear()
        fast = clock.run("engine", all_at_once(engine), theirs, engine)
        slow = clock.run("loop", one_by_one, _spaced(theirs, num_candidates), whole)
        batch = clock.run("batch", all_at_once(whole), of_one, whole)
        cold = clock.run("cold", one_by_one, of_one, whole)
        engine.prefixes.clear()
        all_at_once(engine)(of_one)
        warm = clock.run("warm", all_at_once(engine), of_one, engine)
        for left, right in ((fast, slow), (batch, cold), (warm, cold)):
            difference = max([difference, *(_distance(left[pair], right[pair]) for pair in right)])
        same_order = same_order and _order(warm) == _order(cold)
    return {
        "pairs_per_s": clock.pairs_per_s(),
        "cpu_s_per_pair": {name: round(value, 3) for name, value in clock.cpu_s_per_pair.items()},
        "ratio": {
            name: {
                "clock": round(clock.ratio(*sides, clock.seconds), 2),
                "cpu": round(clock.ratio(*sides, clock.cpu), 2),
            }
            for name, sides in {
                "engine to loop": ("engine", "loop"),
                "engine to batch": ("engine", "batch"),
                "warm to loop": ("warm", "cold"),
            }.items()
        },
        "max_score_difference": difference,
        "same_order": same_order,
        "tokens_per_pair": clock.per_pair(clock.tokens),
        "prompt_tokens_per_pair": clock.per_pair(clock.asked),
        "measured_pairs": clock.num_pairs,
        "all_pairs": len(pairs),
        "different_tables": len(different),
        "num_tables": num_tables,
        "num_questions": len(questions),
        "split": split,
        "model": model,
        "max_length": max_length,
        "prefix_cache_mb": prefix_cache_mb,
        "threads": torch.get_num_threads(),
    }


class _Clock:
    """Seconds, CPU seconds, pairs, tokens run and tokens of the whole prompts, of each way."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.cpu: dict[str, float] = {}
        self.num_pairs: dict[str, int] = {}
        self.tokens: dict[str, int] = {}
        self.asked: dict[str, int] = {}

    def run(
        self,
        name: str,
        score: Callable[[Sequence[Pair]], list[list[float]]],
        pairs: Sequence[Pair],
        chat: LocalChat,
    ) -> dict[Pair, list[float]]:
        """Score the pairs and add what it took to the account of ``name``."""
        run_before, asked_before = chat.counts.total, chat.counts.asked
        since, cpu_since = time.perf_counter(), time.process_time()
        scores = score(pairs)
        for account, value in (
            (self.seconds, time.perf_counter() - since),
            (self.cpu, time.process_time() - cpu_since),
            (self.num_pairs, len(pairs)),
            (self.tokens, chat.counts.total - run_before),
            (self.asked, chat.counts.asked - asked_before),
        ):
            account[name] = account.get(name, 0) + value  # type: ignore[assignment, operator]
        return dict(zip(pairs, scores, strict=True))

    @property
    def cpu_s_per_pair(self) -> dict[str, float]:
        return {name: value / self.num_pairs[name] for name, value in self.cpu.items()}

    def pairs_per_s(self) -> dict[str, float]:
        return {name: round(self.num_pairs[name] / value, 3) for name, value in self.seconds.items()}

    def per_pair(self, tokens: dict[str, int]) -> dict[str, float]:
        return {name: round(value / self.num_pairs[name], 1) for name, value in tokens.items()}

    def ratio(self, ours: str, other: str, seconds: dict[str, float]) -> float:
        """How many times as many tokens of whole prompts a second as ``other``."""
        return (self.asked[ours] / seconds[ours]) / (self.asked[other] / seconds[other])


def _data(num_tables: int, num_questions: int, split: str) -> tuple[list[Table], list[Query]]:
    data = make(num_tables, 0)
    if split not in (*data.qrels, "all"):
        raise UserError(f"split '{split}': it must be all or one of {', '.join(data.qrels)}")
    queries = [query for query in data.queries if split == "all" or query.id in data.qrels[split]]
    return list(data.tables), _spaced(queries, num_questions)


def _pairs(tables: Sequence[Table], questions: Sequence[Query], num_candidates: int) -> list[Pair]:
    index = Bm25Index().build([headers_text(table) for table in tables])
    _, rows = index.search([question.text for question in questions], num_candidates)
    return [(number, int(row)) for number, found in enumerate(rows) for row in found]


def _messages(question: Query, table: Table) -> list[Message]:
    title, text = Text(f"Table: {title_text(table)}\n"), Text(f"{markdown(table)}\n", item_id=table.id)
    return [Message("user", (title, text, Text(_ASKED), Text(f"Question: {question.text}")))]


def _spaced(items: Sequence[Any], count: int) -> list[Any]:
    """At most ``count`` of the items, evenly spaced."""
    count = min(count, len(items))
    return [items[i * len(items) // count] for i in range(count)]


def _distance(left: Sequence[float], right: Sequence[float]) -> float:
    return max(abs(a - b) for a, b in zip(left, right, strict=True))


def _order(scores: dict[Pair, list[float]]) -> list[Pair]:
    """Pairs by P(True)."""
    return sorted(scores, key=lambda pair: scores[pair][0] - scores[pair][1])
