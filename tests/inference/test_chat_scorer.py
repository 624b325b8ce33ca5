"""Log-odds of pairs by a chat model: two-way, the table first and the same under every question."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tiny_chat import TEMPLATE, save, save_llava
from tiny_tables import sales

from tabrag.chat.config import LocalChatConfig
from tabrag.chat.local import LocalChat
from tabrag.chat.protocol import Conversation, Text, probabilities
from tabrag.errors import UserError
from tabrag.inference.chat_scorer import ChatPairScorer
from tabrag.inference.config import ContextConfig
from tabrag.inference.show import TableShower
from tabrag.models.blend import Blend
from tabrag.tables.grid import make_grid
from tabrag.tables.render import render
from tabrag.types import Table

_TOTAL = math.exp(2) + math.exp(1) + math.exp(9)


class Stub:
    """A chat model with the logits 2 for True, 1 for False and 9 for a third token."""

    def __init__(self) -> None:
        self.asked: list[list[Conversation]] = []

    def num_tokens(self, text: str) -> int:
        return len(text.split())

    def score_batch(self, conversations: Sequence[Conversation], choices: Sequence[str]) -> list[list[float]]:
        assert list(choices) == ["True", "False"]
        self.asked.append(list(conversations))
        return [[2 - math.log(_TOTAL), 1 - math.log(_TOTAL)] for _ in conversations]


def long_table(rows: int = 60) -> Table:
    cells = [["year", "count"], *([str(1900 + row), str(row)] for row in range(rows))]
    return Table(id="long", title="Counts", grid=make_grid(cells, num_header_rows=1, num_header_cols=1))


def test_the_score_is_two_way_and_the_other_reading_can_be_had() -> None:
    scorer = ChatPairScorer(Stub())  # type: ignore[arg-type]
    (score,) = scorer([("How many?", sales())])
    assert score == pytest.approx(1)
    assert scorer.blend.probability(score, 1) == pytest.approx(0.7311, abs=1e-4)
    (logs,) = scorer.log_probabilities([("How many?", sales())])
    assert probabilities(logs)[0] == pytest.approx(0.7311, abs=1e-4)
    assert probabilities(logs, among="vocabulary")[0] == pytest.approx(0.0009, abs=1e-4)
    assert scorer([]) == []


@pytest.mark.parametrize("scores", [[math.nan, -1.0], [-math.inf, -math.inf]])
def test_a_score_that_is_no_number_names_its_pair(scores: list[float]) -> None:
    class Broken(Stub):
        def score_batch(self, conversations: Sequence[Conversation], choices: Sequence[str]) -> Any:
            return [*super().score_batch(conversations, choices)[:-1], scores]

    scorer = ChatPairScorer(Broken())  # type: ignore[arg-type]
    with pytest.raises(UserError, match="NaN for 1 of 2 pairs: 'long' for 'How many.'"):
        scorer([("How many?", sales()), ("How many?", long_table())])


def test_all_pairs_are_asked_at_once_and_tables_do_not_depend_on_questions() -> None:
    chat = Stub()
    scorer = ChatPairScorer(chat, context=ContextConfig(max_tokens=40))  # type: ignore[arg-type]
    pairs = [
        (f"What was counted in {year}?", table) for table in (sales(), long_table()) for year in (1910, 1950)
    ]
    scorer(pairs)
    (asked,) = chat.asked
    assert len(asked) == 4
    for first, second in (asked[:2], asked[2:]):
        assert first[0].parts[:-1] == second[0].parts[:-1] != ()
        assert first[0].parts[-1] != second[0].parts[-1]
    assert "1950" not in "".join(part.text for part in asked[3][0].parts[:-1] if isinstance(part, Text))
    shower = TableShower("text", ContextConfig(max_tokens=40), chat.num_tokens)
    assert shower.is_cut(long_table()) and not shower.is_cut(long_table(3))


def test_a_local_model_scores_as_pair_by_pair(tmp_path: Path) -> None:
    folder = save(tmp_path / "qwen", "qwen", template=TEMPLATE, positions=1024)
    scorer, single = (
        ChatPairScorer(LocalChat(LocalChatConfig(model=str(folder), device="cpu", dtype="float32")))
        for _ in range(2)
    )
    pairs = [
        (f"{word} in the table?", table)
        for word in ("Lemons", "Years", "Sums")
        for table in (sales(), long_table(5))
    ]
    scores = scorer(pairs)
    assert len({round(score, 3) for score in scores}) == len(pairs)
    assert scores == pytest.approx([single([pair])[0] for pair in pairs], abs=1e-4)
    assert scorer.chat.counts.prefix > 0  # type: ignore[attr-defined]


def test_pictures(tmp_path: Path) -> None:
    chat = LocalChat(
        LocalChatConfig(model=str(save_llava(tmp_path / "llava")), device="cpu", dtype="float32")
    )
    tables = [sales(), long_table(4)]
    for table in tables:
        table.image = f"{table.id.replace('/', '-')}.png"
        render(table).image.save(tmp_path / table.image)
    scorer = ChatPairScorer(chat, show="image", image_path=lambda table: tmp_path / str(table.image))
    first, second = scorer([("Lemons?", table) for table in tables])
    assert abs(first - second) > 1e-3
    with pytest.raises(UserError, match="'long' has no picture to show"):
        ChatPairScorer(chat, show="both")([("Lemons?", long_table())])
    (tmp_path / str(tables[1].image)).write_bytes(b"nothing")
    with pytest.raises(UserError, match=r"long\.png"):
        scorer([("Years?", tables[1])])


def test_settings_name_all_that_a_score_depends_on() -> None:
    one = ChatPairScorer(Stub(), identity={"model": "m"}, blend=Blend(1.0)).settings()  # type: ignore[arg-type]
    assert one["model"] == "m" and one["show"] == "text" and one["prompt_version"] == 2
    assert one["blend"]["rank_weight"] == 1 and one["context"]["max_tokens"] == 280
    other = ChatPairScorer(Stub(), identity={"model": "m"}, context=ContextConfig(max_tokens=9)).settings()  # type: ignore[arg-type]
    assert other != one
    with pytest.raises(UserError, match="folder not found"):
        ChatPairScorer.from_pretrained("./no_such_dir")
