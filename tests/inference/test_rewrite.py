"""The stage before retrieval: what passes, what is rewritten, what a model that talks nonsense does."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from chat_server import serve
from tiny_chat import TEMPLATE, save

from tabrag.chat.config import LocalChatConfig, ServerChatConfig
from tabrag.chat.local import LocalChat
from tabrag.chat.protocol import Conversation, Reply
from tabrag.errors import UserError
from tabrag.inference.config import RewriteConfig
from tabrag.inference.retrieve import searched_text
from tabrag.inference.rewrite import BY_RULE, NO_STEP_BACK, Rewrite, query_content, warn_of_history
from tabrag.types import Query, Turn

HISTORY = [Turn(question="What was the revenue of Acme Corp in 2021?", answer="12.3 million")]
BY_RULES = "What was the revenue of Acme Corp in 2022?"
ALONE = Query(id="alone", text="What was the revenue of Borealis Inc in 2022?", history=HISTORY)
FIRST = Query(id="first", text="Who won? Answer with one word.")
FOLLOW_UP = Query(id="next", text="And in 2022? Answer with one number.", history=HISTORY)
QUERIES = [FIRST, ALONE, FOLLOW_UP]


class Says:
    """A model that replies what it is told to, and keeps what it was asked."""

    def __init__(self, *replies: str) -> None:
        self.replies = list(replies)
        self.asked: list[str] = []

    def generate_batch(
        self, conversations: Sequence[Conversation], *, max_new_tokens: int = 64, stop: Sequence[str] = ()
    ) -> list[Reply]:
        self.asked += ["".join(part.text for part in one[-1].parts) for one in conversations]  # type: ignore[union-attr]
        return [Reply(self.replies.pop(0), None) for _ in conversations]


def test_by_rule_without_a_model() -> None:
    rewrite = Rewrite(RewriteConfig())
    made = rewrite(QUERIES)
    assert made[:2] == [FIRST, ALONE]
    assert made[2].text == f"{BY_RULES} Answer with one number." and made[2].history == HISTORY
    assert searched_text(made[2]) == BY_RULES and FOLLOW_UP.text.startswith("And")
    assert not rewrite.needs_model and "chat" not in rewrite.settings() and rewrite.notes == {}


def test_a_model_is_asked_for_conversations_alone_and_its_nonsense_does_no_harm() -> None:
    chat = Says("What was the revenue of Borealis Inc in 2022?", "It was 13.1 million.")
    rewrite = Rewrite(RewriteConfig(by="chat"), chat=chat)  # type: ignore[arg-type]
    made = rewrite(QUERIES)
    assert len(chat.asked) == 2 and "12.3 million" in chat.asked[0]
    assert "one number" not in chat.asked[1]  # instructions are not the model's to rewrite
    assert made[2].text == f"{BY_RULES} Answer with one number."
    assert rewrite.notes == {"next": [BY_RULE]}
    echo = Says(*(query.text.split(" Answer")[0] for query in QUERIES[1:]))
    rewrite = Rewrite(RewriteConfig(by="chat"), chat=echo)  # type: ignore[arg-type]
    assert rewrite(QUERIES) == made and rewrite.notes == {"next": [BY_RULE]}
    open_one = Says(*["How high was the revenue of the company in 2022?"] * 2)
    assert Rewrite(RewriteConfig(by="chat"), chat=open_one)(QUERIES) == made  # type: ignore[arg-type]
    good = Says("How much revenue did Acme Corp make in 2022?")
    rewrite = Rewrite(RewriteConfig(by="chat"), chat=good)  # type: ignore[arg-type]
    (made_by_model,) = rewrite([FOLLOW_UP])
    assert made_by_model.text == "How much revenue did Acme Corp make in 2022? Answer with one number."
    assert rewrite.notes == {}


def test_step_back_is_searched_for_and_not_asked() -> None:
    chat = Says("General question: Who takes part?\nKeywords: cup, final", "nothing to say")
    rewrite = Rewrite(RewriteConfig(step_back=True), chat=chat)  # type: ignore[arg-type]
    first, follow_up = rewrite([FIRST, FOLLOW_UP])
    assert first.text == FIRST.text and first.search == "Who won? Who takes part? cup final"
    assert searched_text(first) == first.search
    assert "Question: " + BY_RULES in chat.asked[1]
    assert follow_up.search == "" and rewrite.notes == {"next": [NO_STEP_BACK]}


def test_the_question_before_is_searched_for_with_a_rewritten_one() -> None:
    made = Rewrite(RewriteConfig(search_previous=True))(QUERIES)
    assert made[:2] == [FIRST, ALONE]
    assert made[2].search == f"{BY_RULES} {HISTORY[0].question}" and made[2].text.startswith(BY_RULES)
    chat = Says("How did revenue develop?")
    config = RewriteConfig(search_previous=True, step_back=True)
    (both,) = Rewrite(config, chat=chat)([FOLLOW_UP])  # type: ignore[arg-type]
    assert both.search == f"{made[2].search} How did revenue develop?"


def test_no_model_is_opened_where_no_query_needs_one() -> None:
    nowhere = LocalChatConfig(model="./no_such_folder")
    rewrite = Rewrite(RewriteConfig(by="chat", chat=nowhere))
    assert rewrite([FIRST]) == [FIRST]
    with pytest.raises(UserError):
        rewrite([FOLLOW_UP])


def test_only_the_last_turns_are_read() -> None:
    turns = [*HISTORY, *(Turn(question=f"Who is n{n}?", answer="x") for n in range(3))]
    query = Query(id="q", text="What was its profit?", history=turns)
    assert "Acme Corp" in Rewrite(RewriteConfig())([query])[0].text
    assert "Acme Corp" not in Rewrite(RewriteConfig(max_turns=3))([query])[0].text
    assert query_content(query, RewriteConfig()) != query_content(query, RewriteConfig(max_turns=3))
    assert query_content(FIRST, RewriteConfig()) == FIRST.text


def test_local_and_served_models_go_through(tmp_path: Path) -> None:
    folder = save(tmp_path / "qwen", "qwen", template=TEMPLATE, positions=4096)
    local = LocalChatConfig(model=str(folder), device="cpu", dtype="float32", max_length=4000)
    config = RewriteConfig(by="chat", step_back=True, chat=local, max_new_tokens=8)
    here = Rewrite(config)
    made = here(QUERIES)
    assert made[2].text == f"{BY_RULES} Answer with one number."  # random weights say nothing of use
    assert BY_RULE in here.notes["next"]
    with serve(LocalChat(local)) as server:
        served = RewriteConfig(
            by="chat",
            step_back=True,
            max_new_tokens=8,
            server=ServerChatConfig(url=server.url, model="tiny", retries=0),
        )
        there = Rewrite(served)
        assert there(QUERIES) == made and len(server.chats) == 2 + len(QUERIES)
    assert there.settings() != here.settings()


def test_settings_name_all_that_questions_depend_on() -> None:
    changes = [
        {"by": "chat"},
        {"step_back": True},
        {"search_previous": True},
        {"max_turns": 2},
        {"by": "chat", "max_new_tokens": 5},
    ]
    made = [Rewrite(RewriteConfig(**change)).settings() for change in [{}, *changes]]  # type: ignore[arg-type]
    assert len({json.dumps(one) for one in made}) == len(made)
    for change in ({"max_turns": 0}, {"max_new_tokens": 0}):
        with pytest.raises(UserError, match=next(iter(change))):
            Rewrite(RewriteConfig(**change))


def test_conversations_that_nothing_reads_are_told(caplog: pytest.LogCaptureFixture) -> None:
    warn_of_history([FIRST])
    assert not caplog.records
    warn_of_history(QUERIES)
    assert "2 queries" in caplog.text and "rewrite.by=rule" in caplog.text
