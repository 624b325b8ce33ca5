"""List-wise ranking by a language model: its order is kept, what it says wrongly does no harm."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from tiny_chat import save
from tiny_tables import sales

from tabrag.chat.config import LocalChatConfig
from tabrag.chat.local import LocalChat
from tabrag.chat.protocol import Conversation, Reply
from tabrag.documents.whole import WholeDocument
from tabrag.errors import UserError
from tabrag.inference.config import RerankConfig
from tabrag.inference.rerank import Rerank
from tabrag.types import Block, Candidate, Document, Query, Run


class Says:
    """A model that replies what it is told to, and keeps what it was asked."""

    def __init__(self, *replies: str) -> None:
        self.replies = list(replies)
        self.asked: list[str] = []

    def num_tokens(self, text: str) -> int:
        return len(text.split())

    def generate_batch(
        self, conversations: Sequence[Conversation], *, max_new_tokens: int = 64, stop: Sequence[str] = ()
    ) -> list[Reply]:
        self.asked += ["".join(part.text for part in one[-1].parts) for one in conversations]  # type: ignore[union-attr]
        return [Reply(self.replies.pop(0), None) for _ in conversations]


def items() -> dict[str, object]:
    document = Document(id="doc", title="Report", blocks=[Block(kind="text", text="Fruit sold well.")])
    found = {"doc": WholeDocument(document, {}), sales().id: sales()}
    for name in ("second", "third"):
        table = sales()
        table.id = name
        found[name] = table
    return found


def run_of(*ids: str) -> Run:
    return {"q": [Candidate(item_id=one, score=1.0, stage="fused") for one in ids]}


QUERIES = [Query(id="q", text="what was sold?")]


def ranked(chat: Says, run: Run, **settings: object) -> list[tuple[str, float]]:
    config = RerankConfig(mode="listwise", **settings)  # type: ignore[arg-type]
    found = Rerank(config, chat=chat)(QUERIES, run, items())  # type: ignore[arg-type]
    return [(one.item_id, one.score) for one in found["q"]]


def test_the_order_of_the_reply_is_kept_and_the_rest_follows():
    ids = list(items())[:4]
    chat = Says("3, 1")
    found = ranked(chat, run_of(*ids), depth=3)
    assert [name for name, _ in found] == [ids[2], ids[0], ids[1], ids[3]]
    assert [score for _, score in found] == [1, 1 / 2, 1 / 3, -1]
    assert "[1] Report\nFruit sold well." in chat.asked[0] and "[4]" not in chat.asked[0]


def test_an_unreadable_reply_is_asked_for_once_more_then_the_order_stays():
    ids = list(items())[:3]
    chat = Says("I cannot say", "2")
    assert [name for name, _ in ranked(chat, run_of(*ids))] == [ids[1], ids[0], ids[2]]
    assert len(chat.asked) == 2 and chat.asked[1].startswith(chat.asked[0]) and chat.asked[1] != chat.asked[0]
    assert [name for name, _ in ranked(Says("no", "no"), run_of(*ids))] == ids
    assert ranked(Says(), {"q": []}) == []


def test_a_local_model_goes_through(tmp_path: Path):
    chat = LocalChat(
        LocalChatConfig(
            model=str(save(tmp_path / "m", "llama", positions=1024)), device="cpu", dtype="float32"
        )
    )
    ids = list(items())
    found = Rerank(RerankConfig(mode="listwise"), chat=chat)(QUERIES, run_of(*ids), items())  # type: ignore[arg-type]
    assert sorted(one.item_id for one in found["q"]) == sorted(ids)
    assert {one.stage for one in found["q"]} == {"listwise"}


def test_settings_out_of_range_are_refused():
    with pytest.raises(UserError, match="num_best"):
        Rerank(RerankConfig(mode="listwise", num_best=0))
    with pytest.raises(UserError, match="leave checkpoint out"):
        Rerank(RerankConfig(mode="listwise", checkpoint="x"))
    for setting in ({"show": "image"}, {"rank_weight": 0.5}):
        with pytest.raises(UserError, match=rf"leave rerank\.{next(iter(setting))}"):
            Rerank(RerankConfig(mode="listwise", **setting))  # type: ignore[arg-type]
