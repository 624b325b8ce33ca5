"""What a language model that reranks and answers is trained on: TabRAG's tasks in one mix.

Xu et al., 2026 ("TabRAG"), section 3.2, after RankRAG (Yu et al., 2024): answer a question from tables, judge
whether one table answers it, choose those that do among several. Each training query takes part in one task
an epoch. The tables come first in a prompt, in a form that does not depend on the question.
"""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from tabrag.chat.prompts import (
    NOT_ENOUGH_INFO,
    RANK_LABELS,
    Shown,
    answer_prompt,
    describe_prompt,
    rank_prompt,
    read_prompt,
    relevant_prompt,
    relevant_reply,
    verify_prompt,
)
from tabrag.chat.protocol import Message
from tabrag.data.config import RankingTasksConfig
from tabrag.data.pairs import TrainingPairs
from tabrag.data.reading import reading
from tabrag.data.sampling import whole_parts
from tabrag.errors import UserError
from tabrag.types import Query

logger = logging.getLogger(__name__)

Task = Literal["answer", "judge", "choose", "read"]


@dataclass(frozen=True, slots=True)
class Example:
    """What the model is asked, and the reply that it learns.

    Attributes:
        task: ``answer``, ``judge``, ``choose`` or ``read``.
        query_id: The training query.
        items: Numbers of the tables that are shown, in their order.
        relevant: Whether each is relevant.
        messages: The prompt.
        reply: The reply.
    """

    task: Task
    query_id: str
    items: tuple[int, ...]
    relevant: tuple[bool, ...]
    messages: list[Message]
    reply: str


class RankingTasks:
    """Makes the examples of an epoch; each is a function of (seed, epoch, query).

    Args:
        pairs: The training queries, with hard negatives where there are some: other tables of the training
            data stand in for those that are lacking.
        config: The mix.
        num_negatives: Tables that are judged False for each one that is judged True.
        show: Item id -> what the model sees of its table.
        seed: Seed of the run.

    Raises:
        UserError: Answers are asked for, but no training query has one (or, where nothing else is asked for,
            not each has one); or there is no table that is not relevant.
    """

    def __init__(
        self,
        pairs: TrainingPairs,
        *,
        config: RankingTasksConfig,
        num_negatives: int,
        show: Callable[[str], Shown],
        seed: int,
    ) -> None:
        self.pairs = pairs
        self.config = config
        self.num_negatives = num_negatives
        self.show = show
        self.seed = seed
        queries = [pairs.folder.queries[query_id] for query_id in pairs.query_ids]
        self._replies = [_reply(query) for query in queries]
        self._pool = sorted({item for line in (*pairs.positives, *pairs.negatives) for item in line})
        self._can_be_open = any(query.label == NOT_ENOUGH_INFO for query in queries)
        without = self._replies.count("")
        others = config.judge or config.choose or config.read
        if config.answer and (without == len(queries) or (without and not others)):
            raise UserError(
                f"{pairs.folder.path}: {without} of {len(queries)} training queries have no answer: give "
                "tasks.judge or tasks.choose a share for them, and where none has one set tasks.answer=0"
            )
        if config.read:
            self._check_readable()
        contents = set(map(pairs.content_number, self._pool))
        if (config.choose or num_negatives) and len(contents) < 2:
            raise UserError(f"{pairs.folder.path}: all tables of the training data are the same one")
        self._plan: tuple[int, list[tuple[Task, bool]]] | None = None

    def _check_readable(self) -> None:
        for item in sorted({item for line in self.pairs.positives for item in line}):
            item_id = self.pairs.item_ids[item]
            if reading(self.pairs.folder.tables[item_id], random.Random(0)) is None:
                raise UserError(
                    f"{self.pairs.folder.path}: table '{item_id}' has neither title nor cells, so nobody "
                    "knows what its picture says: set tasks.read=0"
                )

    def plan(self, epoch: int) -> list[tuple[Task, bool]]:
        """By query: its task in ``epoch``, and whether a relevant table is shown.

        The shares hold exactly, but for rounding, and but for ``answer`` where fewer queries have one.
        """
        if self._plan is not None and self._plan[0] == epoch:
            return self._plan[1]
        draw = random.Random(f"{self.seed}/{epoch}/tasks")
        order = list(range(len(self.pairs)))
        draw.shuffle(order)
        shares = self.config.shares()
        num_answer = whole_parts(_normalised(list(shares.values())), len(order))[0]
        answering = [row for row in order if self._replies[row]][:num_answer]
        taken = set(answering)
        left = [row for row in order if row not in taken]
        tasks: dict[int, tuple[Task, bool]] = {row: ("answer", True) for row in answering}
        if left:
            others = _normalised([shares[task] for task in ("judge", "choose", "read")])
            num_judge, num_choose, _ = whole_parts(others, len(left))
            for some, task, share in (
                (left[:num_judge], "judge", 1 / (1 + self.num_negatives)),
                (left[num_judge : num_judge + num_choose], "choose", 1 - self.config.none_relevant),
                (left[num_judge + num_choose :], "read", 1.0),
            ):
                num_positive, _ = whole_parts([share, 1 - share], len(some))
                tasks |= {row: (task, place < num_positive) for place, row in enumerate(some)}  # type: ignore[misc]
        planned = [tasks[row] for row in range(len(self.pairs))]
        self._plan = (epoch, planned)
        return planned

    def example(self, row: int, *, epoch: int) -> Example:
        """The example of query number ``row`` in ``epoch``."""
        task, is_positive = self.plan(epoch)[row]
        draw = random.Random(f"{self.seed}/{epoch}/{row}/example")
        positives = list(self.pairs.positives[row])
        gold = draw.choice(positives)
        if task == "judge":
            items = [gold] if is_positive else self._others(row, 1, draw)
        elif task == "answer":
            has_distractors = draw.random() < self.config.distractors
            num_others = draw.randint(1, self.config.num_tables - 1) if has_distractors else 0
            items = [gold, *self._others(row, num_others, draw)]
        elif task == "read":
            items = [gold]
        else:
            count = draw.randint(2, self.config.num_tables)
            num_gold = draw.randint(1, min(len(positives), count)) if is_positive else 0
            items = [*draw.sample(positives, num_gold), *self._others(row, count - num_gold, draw)]
        items = items or [gold]  # all tables there are may be relevant
        draw.shuffle(items)
        relevant = [item in positives for item in items]
        shown = [self.show(self.pairs.item_ids[item]) for item in items]
        if task == "read":
            table = self.pairs.folder.tables[self.pairs.item_ids[gold]]
            what, reply = reading(table, draw) or ("", "")  # the tables are checked before
            messages = read_prompt(what, shown[0])
            return Example(task, self.pairs.query_ids[row], (gold,), (True,), messages, reply)
        messages, reply = self._asked(row, task, relevant, shown)
        return Example(task, self.pairs.query_ids[row], tuple(items), tuple(relevant), messages, reply)

    def _asked(
        self, row: int, task: Task, relevant: Sequence[bool], shown: Sequence[Shown]
    ) -> tuple[list[Message], str]:
        query = self.pairs.folder.queries[self.pairs.query_ids[row]]
        if task == "judge":
            return rank_prompt(query.text, shown), RANK_LABELS[0 if relevant[0] else 1]
        if task == "choose":
            places = [place for place, is_relevant in enumerate(relevant, start=1) if is_relevant]
            return relevant_prompt(query.text, shown), relevant_reply(places)
        if query.task == "verify":
            return verify_prompt(query.text, shown, can_be_open=self._can_be_open), self._replies[row]
        make = describe_prompt if query.task == "describe" else answer_prompt
        return make(query.text, shown), self._replies[row]

    def _others(self, row: int, count: int, draw: random.Random) -> list[int]:
        """``count`` tables, or all there are, that are not relevant to a query; hard negatives first."""
        hard = self.pairs.negatives[row]
        chosen = draw.sample(hard, min(count, len(hard)))
        known = set(map(self.pairs.content_number, (*self.pairs.relevant[row], *chosen)))
        if len(chosen) < count:
            for item in draw.sample(self._pool, len(self._pool)):
                if self.pairs.content_number(item) not in known:
                    chosen.append(item)
                    known.add(self.pairs.content_number(item))
                    if len(chosen) == count:
                        break
        return chosen

    def facts(self, *, is_cut: Callable[[int], bool] | None = None, sample: int = 200) -> dict[str, float]:
        """What to look at before a training, as shares 0..1 (rounded); a warning where all are positive.

        Args:
            is_cut: Whether the table of an item does not fit into its budget; None: not told.
            sample: Items that are looked at for this, evenly spread.

        Returns:
            ``positives`` among the tables that are judged, ``duplicates`` among the pairs of question and
            relevant table, and ``cut tables``.
        """
        judged = [is_positive for task, is_positive in self.plan(0) if task == "judge"]
        positives = sum(judged) / len(judged) if judged else 0.0
        if judged and positives == 1:
            logger.warning(
                "all tables that are judged in training answer their question: the model learns to say %s "
                "whatever it sees; set data.num_negatives to 1 or more",
                RANK_LABELS[0],
            )
        pairs = [
            (text, self.pairs.content_number(item))
            for text, items in zip(self.pairs.texts, self.pairs.positives, strict=True)
            for item in items
        ]
        facts = {"positives": positives, "duplicates": 1 - len(set(pairs)) / len(pairs)}
        if is_cut is not None:
            some = self._pool[:: max(1, len(self._pool) // sample)]
            facts["cut tables"] = sum(map(is_cut, some)) / len(some)
        return {name: round(value, 4) for name, value in facts.items()}


def _reply(query: Query) -> str:
    """What the model learns to answer; empty where nobody knows."""
    if query.task == "verify":
        return query.label or ""
    return ", ".join(query.answers) if query.task == "qa" else next(iter(query.answers), "")


def _normalised(shares: Sequence[float]) -> list[float]:
    total = sum(shares)
    return [share / total for share in shares]
