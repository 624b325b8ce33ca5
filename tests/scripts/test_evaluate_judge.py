from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from chat_server import ChatServer, serve
from entry_points import ROOT, call
from judge_server import say
from tiny_chat import TEMPLATE, save

from tabrag.chat.config import LocalChatConfig
from tabrag.chat.local import LocalChat
from tabrag.evaluation.fastrageval import judgement_record
from tabrag.evaluation.judge_agreement import read_labelled

LABELLED = {
    one.question + one.prediction.strip(): one
    for one in read_labelled(ROOT / "scripts/labelled_answers.jsonl")
}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ChatServer]:
    folder = save(tmp_path / "qwen", "qwen", template=TEMPLATE, positions=4096)
    with serve(LocalChat(LocalChatConfig(model=str(folder), device="cpu"))) as served:
        yield served


def test_agreement_of_a_judge(server: ChatServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def reply(question: str, answer: str, again: bool) -> str:
        one = LABELLED[question + ("" if answer == "(no text)" else answer)]
        if one.kind == "rounding":
            return "unsure"
        record = judgement_record(one.gold)
        if one.kind == "negation":
            for fact in record["ref_facts"]:
                fact["covered"] = True
        return json.dumps(record)

    say(server, reply)
    out = tmp_path / "out.jsonl"
    served = [f"--out={out}", f"--server.url={server.url}", "--server.model=tiny"]
    found = call("scripts/evaluate_judge.py", *served, capsys=capsys)
    agreement, judgements = found["agreement"], found["judgements"]
    assert agreement["settled"] == judgements["settled"] == 1 and agreement["items"] > 60
    assert agreement["items"] - 1 - agreement["read"] == judgements["unparsed"] == 5
    assert 0.8 < agreement["recall"]["pearson"] < 1 and agreement["precision"]["pearson"] == pytest.approx(1)
    assert agreement["by_kind"]["negation"]["recall_error"] > 0.5
    assert agreement["by_kind"]["exact"] == {"items": 4, "read": 4, "recall_error": 0, "f1_error": 0}
    assert agreement["by_kind"]["rounding"]["recall_error"] is None
