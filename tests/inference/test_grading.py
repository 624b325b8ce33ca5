"""Grades of candidates: the mean with the score before, both ways of asking, replies that hold no grade."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path

import pytest
from chat_server import Fault, serve
from hypothesis import given
from hypothesis import strategies as st
from processes import run_distributed
from tiny_chat import TEMPLATE, save
from tiny_tables import sales

from tabrag.chat.config import LocalChatConfig, ServerChatConfig
from tabrag.chat.endpoint import Refused
from tabrag.chat.local import LocalChat
from tabrag.chat.protocol import Conversation, Reply
from tabrag.documents.whole import WholeDocument
from tabrag.errors import UserError
from tabrag.inference.config import RerankConfig
from tabrag.inference.grading import STAGE, graded, scores_before
from tabrag.inference.rerank import Rerank
from tabrag.types import Block, Candidate, Document, Query, Run, Table

QUERIES = [Query(id="q", text="what was sold? Answer with one word.")]


def run_of(stage: str, *scores: float) -> list[Candidate]:
    return [
        Candidate(item_id=name, score=score, stage=stage)
        for name, score in zip(("doc", "sales", "other", "last"), scores, strict=False)
    ]


def test_a_model_that_reads_no_pictures_is_refused_before_it_is_asked(tmp_path: Path) -> None:
    chat = LocalChatConfig(model=str(save(tmp_path, "qwen", template=TEMPLATE)), device="cpu")
    for mode in ("graded", "pointwise"):
        with pytest.raises(UserError, match=r"rerank\.chat\.model=.* reads text alone"):
            Rerank(RerankConfig(mode=mode, show="image", chat=chat)).open()  # type: ignore[arg-type]
        Rerank(RerankConfig(mode=mode, show="text", chat=chat)).open()  # type: ignore[arg-type]


def items() -> dict[str, Table | WholeDocument]:
    document = Document(id="doc", title="Report", blocks=[Block(kind="text", text="Fruit sold well.")])
    found: dict[str, Table | WholeDocument] = {"doc": WholeDocument(document, {})}
    for name in ("sales", "other", "last"):
        found[name] = sales()
        found[name].id = name  # type: ignore[misc]
    return found


class Grades:
    """A model that is sure of the given letters, or replies what it is told to."""

    def __init__(self, letters: str = "", replies: Sequence[str] = ()) -> None:
        self.letters = list(letters)
        self.replies = list(replies)
        self.asked: list[str] = []

    def num_tokens(self, text: str) -> int:
        return len(text.split())

    def score_batch(self, conversations: Sequence[Conversation], choices: Sequence[str]) -> list[list[float]]:
        self.asked += ["".join(part.text for part in one[-1].parts) for one in conversations]  # type: ignore[union-attr]
        letters = [self.letters.pop(0) for _ in conversations]
        return [[0.0 if choice == letter else -100.0 for choice in choices] for letter in letters]

    def generate_batch(
        self, conversations: Sequence[Conversation], *, max_new_tokens: int = 64, stop: Sequence[str] = ()
    ) -> list[Reply]:
        self.asked += ["".join(part.text for part in one[-1].parts) for one in conversations]  # type: ignore[union-attr]
        return [Reply(self.replies.pop(0), None) for _ in conversations]


def rerank(chat: Grades, candidates: list[Candidate], **settings: object) -> list[Candidate]:
    config = RerankConfig(mode="graded", **settings)  # type: ignore[arg-type]
    return Rerank(config, chat=chat)(QUERIES, {"q": candidates}, items())["q"]  # type: ignore[arg-type]


def test_seven_tenths_of_the_grade_and_three_of_the_cosine() -> None:
    chat = Grades("CKA")  # 0.2, 1.0, 0.0
    found = rerank(chat, run_of("dense", 0.9, 0.5, -0.4))
    assert [one.item_id for one in found] == ["sales", "doc", "other"]
    expected = [0.7 * 1.0 + 0.3 * 0.5, 0.7 * 0.2 + 0.3 * 0.9, 0.0]
    assert all(
        math.isclose(one.score, score, abs_tol=1e-6) for one, score in zip(found, expected, strict=True)
    )
    assert {one.stage for one in found} == {STAGE}
    assert "what was sold?" in chat.asked[0] and "one word" not in chat.asked[0]
    assert "Document: Report\nFruit sold well." in chat.asked[0]


def test_scores_that_are_no_cosines_count_by_where_they_lie() -> None:
    assert scores_before(run_of("rrf(k=60)", 0.03, 0.02, 0.01)) == pytest.approx([1, 0.5, 0])
    assert scores_before(run_of("bm25", 20.0, 10.0, 0.0)) == pytest.approx([1, 0.5, 0])
    assert scores_before(run_of("dense", 35.0, 30.0, 25.0)) == pytest.approx([1, 0.5, 0])  # inner products
    assert scores_before(run_of("dense", 1.0005, 0.5, -1)) == [1, 0.5, 0]
    assert scores_before(run_of("bm25", 3.0, 3.0)) == [1, 1]
    assert scores_before([]) == []
    mixed = [*run_of("dense", 0.9), Candidate(item_id="x", score=-1.0, stage="dense-below")]
    assert scores_before(mixed) == [1, 0]


@given(
    st.lists(st.tuples(st.floats(-5, 50), st.none() | st.floats(0, 1)), max_size=8),
    st.sampled_from(["dense", "bm25"]),
    st.floats(0, 1),
)
def test_every_candidate_once_with_a_score_from_0_to_1(
    pairs: list[tuple[float, float | None]], stage: str, weight: float
) -> None:
    candidates = [
        Candidate(item_id=str(number), score=score, stage=stage) for number, (score, _) in enumerate(pairs)
    ]
    found = graded(candidates, [grade for _, grade in pairs], model_weight=weight)
    assert sorted(one.item_id for one in found) == sorted(one.item_id for one in candidates)
    scores = [one.score for one in found]
    assert scores == sorted(scores, reverse=True) and all(0 <= score <= 1 + 1e-9 for score in scores)


def test_the_weight_and_what_lies_beyond_the_depth() -> None:
    candidates = run_of("dense", 0.9, 0.8, 0.7)
    assert [one.item_id for one in rerank(Grades("AKK"), candidates, model_weight=0.0)] == [
        "doc", "sales", "other",
    ]  # fmt: skip
    found = rerank(Grades("AK"), candidates, depth=2)
    assert [(one.item_id, one.stage) for one in found] == [
        ("sales", STAGE), ("doc", STAGE), ("other", "dense"),
    ]  # fmt: skip
    assert found[2].score < 0


def test_reasons_first_and_one_repair(caplog: pytest.LogCaptureFixture) -> None:
    chat = Grades(replies=['It says so.\n{"grade": 0.9}', "A good one!", "hm", '{"grade": 0.5}', "still hm"])
    found = rerank(chat, run_of("dense", 0.5, 0.4, 0.3), grade_by="generate")
    scores = {one.item_id: one.score for one in found}
    assert scores == pytest.approx({"doc": 0.7 * 0.9 + 0.15, "sales": 0.7 * 0.5 + 0.12, "other": 0.3})
    assert len(chat.asked) == 5 and chat.asked[3] == chat.asked[4]
    assert "1 of 3 replies" in caplog.text


def test_local_and_served_models_go_through(tmp_path: Path) -> None:
    folder = save(tmp_path / "qwen", "qwen", template=TEMPLATE, positions=4096)
    local = LocalChatConfig(model=str(folder), device="cpu", dtype="float32", max_length=4000)
    run: Run = {"q": run_of("bm25", 4, 3, 2, 1)}
    here = Rerank(RerankConfig(mode="graded", chat=local))(QUERIES, run, items())["q"]
    assert len({round(one.score, 4) for one in here}) > 1
    with serve(LocalChat(local)) as server:
        served = ServerChatConfig(url=server.url, model="tiny", retries=0, top_logprobs=400)
        config = RerankConfig(mode="graded", server=served)
        there = Rerank(config)(QUERIES, run, items())["q"]
        assert [one.item_id for one in there] == [one.item_id for one in here]
        assert [one.score for one in there] == pytest.approx([one.score for one in here], abs=1e-3)
        reasons = RerankConfig(mode="graded", grade_by="generate", max_reasoning_tokens=6, server=served)
        said = Rerank(reasons)(QUERIES, run, items())["q"]
        assert [one.score for one in said] == pytest.approx([1, 2 / 3, 1 / 3, 0])  # random weights: no grade


@pytest.mark.parametrize(("mode", "num_asked"), [("graded", 7), ("listwise", 2)])
def test_several_processes_agree_with_one_and_share_a_refusal(
    mode: str, num_asked: int, tmp_path: Path
) -> None:
    folder = save(tmp_path / "qwen", "qwen", template=TEMPLATE, positions=4096)
    local = LocalChatConfig(model=str(folder), device="cpu", dtype="float32", max_length=4000)
    queries = [*QUERIES, Query(id="r", text="which fruit?"), Query(id="none", text="what?")]
    run: Run = {"q": run_of("bm25", 4, 3, 2, 1), "r": run_of("dense", 0.9, 0.8, 0.7)}
    said = {"choices": [{"message": {"content": "3, 1"}, "finish_reason": "stop"}]}
    answer = Fault(body=json.dumps(said).encode()) if mode == "listwise" else None

    with serve(LocalChat(local)) as server:
        served = ServerChatConfig(url=server.url, model="tiny", retries=0, top_logprobs=400)
        config = RerankConfig(mode=mode, server=served)  # type: ignore[arg-type]

        def ranked(rank: int) -> Run:
            return Rerank(config)(queries, run, items())

        def refused(rank: int) -> str:
            with pytest.raises(Refused) as caught:
                ranked(rank)
            return f"{caught.value.status} {caught.value}"

        server.fault = lambda number, body: answer
        alone = ranked(0)
        assert len({one.score for one in alone["q"]}) > 1 and alone["none"] == []
        assert run_distributed(ranked, 2) == [alone, alone]
        contents = [chat.body["messages"][0]["content"] for chat in server.chats]
        asked = [content for content in contents if content != "Hello"]  # whether the server is there
        assert len(asked) == 2 * num_asked, "by one process and by two: no candidate is asked for twice"
        server.fault = lambda number, body: Fault(status=400) if "which fruit" in str(body) else answer
        first, second = run_distributed(refused, 2)
        assert first == second and first.startswith("400 ")


def test_settings() -> None:
    made = [
        Rerank(RerankConfig(mode="graded", **change)).settings()  # type: ignore[arg-type]
        for change in ({}, {"grade_by": "generate"}, {"model_weight": 0.5}, {"show": "both"}, {"depth": 5})
    ]
    assert all(one != other for n, one in enumerate(made) for other in made[:n])
    for change, message in (
        ({"model_weight": 1.5}, "model_weight"),
        ({"max_reasoning_tokens": 0}, "max_reasoning_tokens"),
        ({"checkpoint": "x"}, "leave checkpoint out"),
        ({"rank_weight": 1.0}, r"leave rerank\.rank_weight out"),
    ):
        with pytest.raises(UserError, match=message):
            Rerank(RerankConfig(mode="graded", **change))  # type: ignore[arg-type]
