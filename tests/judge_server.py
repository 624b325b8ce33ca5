"""Canned replies of a judge from the real test server, and a data set with answers to judge."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from chat_server import ChatServer, Fault

from tabrag.data.card import Card
from tabrag.data.folder import write_folder
from tabrag.tables.grid import make_grid
from tabrag.types import Query, Table, Turn

NUMBER = 10


def completion(text: str) -> Fault:
    """An answer of the server with this reply."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    return Fault(body=json.dumps({"object": "chat.completion", "choices": [choice]}).encode())


def asked(body: dict[str, Any]) -> tuple[str, str]:
    """Question and answer that a request shows."""
    content = body["messages"][0]["content"]
    text = content if isinstance(content, str) else "".join(part["text"] for part in content)
    return tuple(
        re.search(rf"<<<{name} (\w+)>>>\n(.*?)\n<<<END {name} \1>>>", text, re.DOTALL)[2]  # type: ignore[index]
        for name in ("QUESTION", "ANSWER")
    )  # type: ignore[return-value]


def is_repair(body: dict[str, Any]) -> bool:
    return len(body["messages"]) == 3


def say(server: ChatServer, reply: Callable[[str, str, bool], str | Fault]) -> None:
    """Let the server reply by question, answer, and whether a reply is to be repaired."""

    def fault(number: int, body: dict[str, Any]) -> Fault:
        found = reply(*asked(body), is_repair(body))
        return completion(found) if isinstance(found, str) else found

    server.fault = fault


def judgement(covered: str, supported: str) -> str:
    """A reply from flags: ``10`` is a fact that holds and one that does not."""
    return json.dumps(
        {
            "ref_facts": [{"fact": f"r{i}", "covered": flag == "1"} for i, flag in enumerate(covered)],
            "pred_facts": [{"fact": f"p{i}", "supported": flag == "1"} for i, flag in enumerate(supported)],
        }
    )


def write_data(folder: Path) -> Path:
    """Ten questions with answers, the last one unanswerable, and a statement, which has none."""
    queries = [Query(id=f"q{i}", text=f"what is x{i}?", answers=[f"value {i}"]) for i in range(NUMBER - 1)]
    queries[8].history = [Turn(question="what is x7?", answer="value 7")]
    queries.append(Query(id="q9", text="what is x9?", answers=["Not answerable"], evidence="none"))
    queries.append(Query(id="s", text="x1 is 1", task="verify", label="SUPPORTED"))
    write_folder(
        folder,
        tables=[Table(id="t", grid=make_grid([["a"], ["1"]], num_header_rows=1))],
        queries=queries,
        qrels={"dev": {query.id: {"t": 1} for query in queries}},
        card=Card(name="x", licence="x", citation="x"),
    )
    return folder


def write_answers(path: Path, answers: dict[str, str | None]) -> Path:
    """An answers file; None is a query that could not be answered."""
    rows = [
        {"query_id": query_id, "error": "no picture"}
        if text is None
        else {"query_id": query_id, "answer": text}
        for query_id, text in answers.items()
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


ANSWERS: dict[str, str | None] = {
    **{f"q{i}": f"value {i}" for i in range(NUMBER - 1)},
    "q9": "Not answerable",
    "s": "SUPPORTED",
}
