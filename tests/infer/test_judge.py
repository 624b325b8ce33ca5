"""Judging by the entry point, and its figures beside the classic ones."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from chat_server import ChatServer, serve
from entry_points import call, refuse
from judge_server import ANSWERS, judgement, say, write_answers, write_data
from tiny_chat import TEMPLATE, save

from tabrag.chat.config import LocalChatConfig
from tabrag.chat.local import LocalChat


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ChatServer]:
    folder = save(tmp_path / "qwen", "qwen", template=TEMPLATE, positions=4096)
    with serve(LocalChat(LocalChatConfig(model=str(folder), device="cpu"))) as served:
        yield served


def test_figures_beside_the_classic_ones(
    server: ChatServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = write_data(tmp_path / "data")
    answers = write_answers(tmp_path / "answers.jsonl", {**ANSWERS, "q0": "wrong", "q1": None})
    judgements = tmp_path / "judgements.jsonl"
    say(server, lambda question, answer, again: judgement("10", "1" if answer != "wrong" else "0"))
    arguments = [f"--data={data}", f"--answers={answers}"]
    served = [f"--server.url={server.url}", "--server.model=tiny"]
    figures = call("infer/judge.py", *arguments, *served, f"--out={judgements}", capsys=capsys)
    assert (figures["answers"], figures["coverage"], figures["without_answer"]) == (9, 1, 1)

    plain = call("scripts/evaluate.py", *arguments, capsys=capsys)
    both = call("scripts/evaluate.py", *arguments, f"--judgements={judgements}", capsys=capsys)
    judged = both["qa"].pop("fastrageval")
    assert both == plain and "accuracy" in both["verify"]
    assert (judged["counted"], judged["judged"], judged["without_answer"]) == (10, 9, 1)
    assert judged["recall"] == pytest.approx((8 * 0.5 + 1 + 0) / 10)
    assert judged["precision"] == pytest.approx((7 + 1 + 0 + 0) / 10)
    assert judged["classic"]["exact_match"] == both["qa"]["exact_match"] == 8 / 10
    assert judged["by_evidence"]["none"]["f1"] == 1


def test_faults_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = write_data(tmp_path / "data")
    answers = write_answers(tmp_path / "answers.jsonl", {"q0": "x"})
    missing = [f"--data={data}", "--answers=none.jsonl", f"--out={tmp_path / 'o'}"]
    assert "not found" in refuse("infer/judge.py", *missing, capsys=capsys)
    alone = [f"--data={data}", "--run=x.jsonl", "--judgements=y.jsonl"]
    assert "judgements belong to answers" in refuse("scripts/evaluate.py", *alone, capsys=capsys)
    given = [f"--data={data}", f"--answers={answers}", f"--judgements={answers}"]
    assert "record 1: no query_id" in refuse("scripts/evaluate.py", *given, capsys=capsys)
