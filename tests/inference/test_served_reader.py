"""Answering jobs over a served chat model, on a real server on loopback."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from chat_server import ChatServer, Fault, serve
from tiny_chat import TEMPLATE, save

from tabrag.chat import endpoint
from tabrag.chat.config import LocalChatConfig, ServerChatConfig
from tabrag.chat.endpoint import ServerUnavailable
from tabrag.chat.local import LocalChat
from tabrag.data.card import Card
from tabrag.data.folder import write_folder
from tabrag.errors import UserError
from tabrag.inference.answer_job import answer_queries
from tabrag.inference.config import ReaderConfig
from tabrag.inference.pipeline_config import PipelineConfig
from tabrag.tables.grid import make_grid
from tabrag.types import Query, Table

NUMBER = 12


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> LocalChat:
    folder = save(tmp_path_factory.mktemp("served") / "qwen", "qwen", template=TEMPLATE, positions=4096)
    return LocalChat(LocalChatConfig(model=str(folder), device="cpu", dtype="float32", max_length=4000))


@pytest.fixture
def server(local: LocalChat) -> Iterator[ChatServer]:
    with serve(local) as served:
        yield served


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data") / "data"
    tables = [
        Table(id=f"t{i}", grid=make_grid([["a", "b"], [f"x{i}", str(i)]], num_header_rows=1))
        for i in range(NUMBER)
    ]
    write_folder(
        folder,
        tables=tables,
        queries=[Query(id=f"q{i}", text=f"what is b of x{i}?") for i in range(NUMBER)],
        qrels={"test": {f"q{i}": {f"t{i}": 1} for i in range(NUMBER)}},
        card=Card(name="x", licence="x", citation="x"),
    )
    return folder


def settings(data: Path, server: ChatServer, **options: object) -> PipelineConfig:
    served = {"url": server.url, "model": "tiny", "retries": 1, "backoff": 0.01, "max_concurrency": 1}
    reader = ReaderConfig(
        reader="chat",
        max_new_tokens=4,
        server=ServerChatConfig(**{**served, **options}),  # type: ignore[arg-type]
    )
    return PipelineConfig(data=str(data), run="gold", reader=reader, batch_size=4)


def rows(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_job_keeps_all_that_a_server_answered_before_it_died(
    data: Path, server: ChatServer, local: LocalChat, tmp_path: Path
):
    reference = answer_queries(settings(data, server), out=tmp_path / "whole.jsonl")
    assert reference["failed"] == 0 and reference["new"] == NUMBER
    expected = [row["answer"] for row in rows(tmp_path / "whole.jsonl")]
    assert len(set(expected)) > 1
    before = len(server.chats)

    out = tmp_path / "out.jsonl"
    asked = 6 + 1  # one to see that the server is there
    first = server.next_chat() + 1
    server.fault = lambda number, body: Fault(drop=True) if number >= first + asked else None
    with pytest.raises(ServerUnavailable, match="What was answered before is kept"):
        answer_queries(settings(data, server), out=out)
    lost = len(server.chats) - before - asked
    assert lost <= 2 * endpoint.FAILED_IN_A_ROW  # two tries each, and no more than it takes to be sure
    kept = rows(tmp_path / "out.jsonl.journal")[1:]
    assert [line["row"]["query_id"] for line in kept if "error" not in line["row"]] == [
        f"q{i}" for i in range(6)
    ]
    assert not out.exists()

    server.fault = lambda number, body: None
    before = len(server.chats)
    figures = answer_queries(settings(data, server, max_concurrency=4), out=out)
    assert len(server.chats) - before == NUMBER - 6 + 1
    assert figures["failed"] == 0
    assert [row["answer"] for row in rows(out)] == expected


def test_a_wrong_model_is_an_error_before_any_work(data: Path, server: ChatServer, tmp_path: Path):
    with pytest.raises(UserError, match="status 404"):
        answer_queries(settings(data, server, model="other"), out=tmp_path / "out.jsonl")
    assert not (tmp_path / "out.jsonl.journal").exists()
    assert len(server.chats) == 1


def test_a_query_that_the_server_refuses_is_marked_and_the_others_answered(
    data: Path, server: ChatServer, tmp_path: Path
):
    server.fault = lambda number, body: Fault(status=400) if "x5?" in str(body["messages"]) else None
    figures = answer_queries(settings(data, server), out=tmp_path / "out.jsonl")
    assert figures["failed"] == 1
    failed = [row for row in rows(tmp_path / "out.jsonl") if "error" in row]
    assert [row["query_id"] for row in failed] == ["q5"] and "t5: " in failed[0]["error"]
    others = [r for r in server.chats if "x5?" not in str(r.body["messages"])]
    assert len(others) == NUMBER - 1 + 1  # each once: answers of a batch that fails are kept
