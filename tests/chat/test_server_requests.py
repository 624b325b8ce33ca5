"""What is sent to a server and how: key, fields, order, settings."""

from __future__ import annotations

import json
import logging
import threading

import pytest
from chat_server import ChatServer, Fault
from served_chats import CHOICES, prompts, served

from tabrag.chat.config import LocalChatConfig, ServerChatConfig
from tabrag.chat.local import LocalChat
from tabrag.chat.open import open_chat
from tabrag.chat.server import ServerChat
from tabrag.errors import UserError


def test_requests_run_at_once_but_not_more_than_allowed_and_results_keep_their_order(
    local: LocalChat, server: ChatServer
):
    first = threading.Barrier(3)

    def fault(number: int, body: object) -> Fault:
        if number < 3:
            first.wait(60)  # none is answered before three are under way
        return Fault(sleep=0.04 - 0.01 * (number % 4))

    server.fault = fault
    expected = local.score_batch(prompts(12), CHOICES)
    chat = served(server, max_concurrency=3)
    other: list[list[list[float]]] = []
    thread = threading.Thread(target=lambda: other.append(chat.score_batch(prompts(4), CHOICES)))
    thread.start()
    got = chat.score_batch(prompts(12), CHOICES)
    thread.join()
    assert server.most_at_once == 3
    assert [row[0] for row in got] == pytest.approx([row[0] for row in expected], abs=1e-5)
    assert [row[0] for row in other[0]] == pytest.approx([row[0] for row in expected[:4]], abs=1e-5)


def test_the_key_is_sent_and_never_shown(
    server: ChatServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    key = "sk-secret-0123"
    server.api_key = key
    monkeypatch.setenv("CHAT_KEY", f" {key}\n")
    with caplog.at_level(logging.DEBUG):
        chat = served(server, api_key_env="CHAT_KEY")
        assert chat.num_tokens("the total") == 2
        assert {r.headers["Authorization"] for r in server.requests} == {f"Bearer {key}"}
        monkeypatch.setenv("CHAT_KEY", key + "x")
        with pytest.raises(UserError, match="status 401.*api_key_env") as caught:
            served(server, api_key_env="CHAT_KEY").num_tokens("the total")
    assert "Incorrect API key provided: Bearer ***" in str(caught.value)
    assert key not in str(caught.value) and key not in caplog.text
    assert key not in repr(chat.config) and key not in json.dumps(chat.config.identity())
    monkeypatch.setenv("CHAT_KEY", "sk\nother")
    with pytest.raises(UserError, match="no header may hold") as caught:
        served(server, api_key_env="CHAT_KEY")
    assert "other" not in str(caught.value)
    monkeypatch.delenv("CHAT_KEY")
    with pytest.raises(UserError, match="CHAT_KEY, which is not set"):
        served(server, api_key_env="CHAT_KEY")


def test_proxies_of_the_environment_are_not_used(server: ChatServer, monkeypatch: pytest.MonkeyPatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert served(server).num_tokens("the total") == 2


def test_extra_fields_are_sent(server: ChatServer):
    served(server, extra={"chat_template_kwargs": {"enable_thinking": False}}).generate(prompts()[0])
    assert server.chats[0].body["chat_template_kwargs"] == {"enable_thinking": False}
    assert "repetition_penalty" not in server.chats[0].body
    served(server).generate(prompts()[0])
    assert server.chats[1].body["repetition_penalty"] == 1.0


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"url": "ftp://host/v1"}, "must be like http"),
        ({"url": "localhost:8000/v1"}, "must be like http"),
        ({"url": "http://"}, "must be like http"),
        ({"url": "http://host:notaport/v1"}, "must be like http"),
        ({"url": "http://me:word@host/v1"}, "user name, a password"),
        ({"url": "http://host/v1?key=1"}, "a query"),
        ({"model": ""}, "server.model is empty"),
        ({"timeout": 0}, "server.timeout is 0"),
        ({"timeout": float("inf")}, "server.timeout is inf"),
        ({"retries": -1}, "server.retries is -1"),
        ({"max_concurrency": 0}, "server.max_concurrency is 0"),
        ({"max_length": 0}, "server.max_length is 0"),
        ({"top_logprobs": 0}, "server.top_logprobs is 0"),
    ],
)
def test_settings_are_checked_before_anything_is_sent(settings: dict, said: str):
    config = ServerChatConfig(**{"url": "http://127.0.0.1:9/v1", "model": "tiny", **settings})
    with pytest.raises(UserError, match=said) as caught:
        open_chat(LocalChatConfig(), config)
    assert "word" not in str(caught.value).replace("password", "")


def test_who_opens_which():
    assert isinstance(open_chat(LocalChatConfig(), None), LocalChat)
    config = ServerChatConfig(url="http://127.0.0.1:9/v1/", model="tiny")
    assert isinstance(open_chat(LocalChatConfig(), config), ServerChat)
