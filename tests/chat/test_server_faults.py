"""A server that fails, stalls, dies or refuses: what is tried over, what is kept, what is told."""

from __future__ import annotations

import dataclasses
import json
import math
import socket
import threading
import time
from typing import Any

import httpx
import pytest
from chat_server import ChatServer, Fault
from served_chats import CHOICES, prompts, served, user

from tabrag.chat import endpoint
from tabrag.chat import server as served_chat
from tabrag.chat.config import ServerChatConfig
from tabrag.chat.endpoint import ServerUnavailable
from tabrag.chat.local import LocalChat
from tabrag.chat.protocol import Text
from tabrag.chat.server import ServerChat
from tabrag.errors import UserError


@pytest.mark.parametrize(
    "fault",
    [Fault(status=503), Fault(status=429), Fault(drop=True), Fault(body=b'{"choices": ['), Fault(stall=True)],
    ids=["503", "429", "drop", "malformed", "slow"],
)
def test_a_fault_that_passes_is_tried_over(
    local: LocalChat, server: ChatServer, fault: Fault, monkeypatch: pytest.MonkeyPatch
):
    pause = endpoint.Endpoint._pause

    def patient_at_last(self: endpoint.Endpoint, number: int, retry_after: float) -> None:
        if number == 2:
            _wait_at_most(self, 60.0)  # a busy machine takes its time over what is no fault
        pause(self, number, retry_after)

    monkeypatch.setattr(endpoint.Endpoint, "_pause", patient_at_last)
    server.fault = lambda number, body: fault if number < 2 else None
    got = served(server, timeout=0.2 if fault.stall else 60.0).score(prompts()[0], CHOICES)
    assert got == pytest.approx(local.score(prompts()[0], CHOICES), abs=1e-5)
    assert _num_chats(server, 3) == 3


def _wait_at_most(asked: endpoint.Endpoint, seconds: float) -> None:
    asked._config = dataclasses.replace(asked._config, timeout=seconds)
    asked._http.timeout = httpx.Timeout(seconds, pool=None)


def _num_chats(server: ChatServer, expected: int) -> int:
    """Requests that came in; of a client that has hung up the server may still have to hear."""
    end = time.monotonic() + 60
    while len(server.chats) < expected and time.monotonic() < end:
        time.sleep(0.01)
    return len(server.chats)


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (Fault(status=500), "status 500 .not now."),
        (Fault(drop=True), "connection broke"),
        (Fault(body=b"<html>busy</html>"), "no JSON object .<html>busy"),
        (Fault(body=b"[1]"), "no JSON object"),
        (Fault(body=b"[" * 100_000), "no JSON object"),
        (Fault(stall=True), "no whole answer within 0.2 s"),
    ],
    ids=["500", "drop", "html", "list", "deep", "slow"],
)
def test_a_fault_that_stays_names_url_and_tries(server: ChatServer, fault: Fault, said: str):
    server.fault = lambda number, body: fault
    with pytest.raises(
        UserError, match=f"{server.url}/chat/completions: .*{said}.*after 3 tries.*See whether"
    ):
        served(server, timeout=0.2 if fault.stall else 60.0).score(prompts()[0], CHOICES)
    assert _num_chats(server, 3) == 3


def test_retry_after_is_waited_for_and_pauses_grow(server: ChatServer):
    server.fault = lambda number, body: (
        Fault(status=429, headers={"Retry-After": "0.3"}) if not number else None
    )
    start = time.monotonic()
    served(server).score(prompts()[0], CHOICES)
    assert 0.3 <= time.monotonic() - start < 30
    server.fault = lambda number, body: Fault(status=503)
    start = time.monotonic()
    with pytest.raises(UserError, match="after 4 tries"):
        served(server, retries=3, backoff=0.1).score(prompts()[0], CHOICES)
    assert 0.35 <= time.monotonic() - start < 30  # half of 0.1 + 0.2 + 0.4 at least


def test_a_refusal_is_not_tried_over(server: ChatServer):
    server.fault = lambda number, body: Fault(status=422)
    table = Text("a | b\n", item_id="T7")
    with pytest.raises(UserError, match="T7: .*status 422: not now"):
        served(server).score(user(table, "total?"), CHOICES)
    assert len(server.chats) == 1
    with pytest.raises(
        UserError, match="status 404: The model `other` does not exist.*must be a name it serves"
    ):
        ServerChat(ServerChatConfig(url=server.url, model="other")).num_tokens("")
    server.fault = lambda number, body: Fault(status=302, headers={"Location": "http://elsewhere.test/"})
    with pytest.raises(UserError, match="302.*where the redirect leads"):
        served(server).score(prompts()[0], CHOICES)


def _reply(**choice: Any) -> Fault:
    return Fault(body=json.dumps({"choices": [{"message": {"content": "True"}} | choice]}).encode())


def test_an_error_with_a_status_of_success_is_that_error(server: ChatServer):
    def fault(code: int) -> Fault:
        return Fault(body=json.dumps({"error": {"code": code, "message": "the host says no"}}).encode())

    server.fault = lambda number, body: fault(502)
    with pytest.raises(UserError, match="the host says no.*after 3 tries"):
        served(server).score(prompts()[0], CHOICES)
    assert len(server.chats) == 3
    server.fault = lambda number, body: fault(400)
    with pytest.raises(UserError, match="code 400: the host says no"):
        served(server).score(prompts()[0], CHOICES)
    assert len(server.chats) == 4


@pytest.mark.parametrize("found", [["True"], "True", 0, {"content": None}, {"tokens": ["True"]}])
def test_log_probabilities_in_an_odd_place_are_none(server: ChatServer, found: Any):
    server.fault = lambda number, body: _reply(logprobs=found)
    with pytest.raises(UserError, match="gives no log-probabilities"):
        served(server).score(prompts()[0], CHOICES)
    assert served(server).generate_batch([prompts()[0]])[0].probability is None
    server.fault = lambda number, body: _reply(logprobs={"content": [{"token": "True", "logprob": math.nan}]})
    reply = served(server).generate_batch([prompts()[0]])[0]
    assert (reply.text, reply.probability) == ("True", None)


def test_a_reply_in_parts_is_one_text(server: ChatServer):
    parts = [
        {"type": "thinking", "thinking": []},
        {"type": "text", "text": "Tr"},
        {"type": "text", "text": "ue"},
    ]
    server.fault = lambda number, body: _reply(message={"role": "assistant", "content": parts})
    assert served(server).generate(prompts()[0]) == "True"


def test_json_without_a_reply_is_an_error(server: ChatServer):
    server.fault = lambda number, body: Fault(body=b'{"object": "list", "choices": []}')
    with pytest.raises(UserError, match="holds no reply .*object, choices.*ends in /v1"):
        served(server).score(prompts()[0], CHOICES)


def test_what_was_answered_before_a_server_died_is_kept(local: LocalChat, server: ChatServer):
    expected = local.score_batch(prompts(), CHOICES)
    chat = served(server, max_concurrency=1, retries=1)
    server.fault = lambda number, body: Fault(drop=True) if number >= 5 else None
    with pytest.raises(UserError, match="after 2 tries"):
        chat.score_batch(prompts(), CHOICES)
    asked = len(server.chats)
    got = [chat.score(prompt, CHOICES) for prompt in prompts()[:5]]  # as a job does, one by one
    assert len(server.chats) == asked
    assert [row[0] for row in got] == pytest.approx([row[0] for row in expected[:5]], abs=1e-5)
    with pytest.raises(ServerUnavailable):
        chat.score(prompts()[5], CHOICES)
    assert len(server.chats) == asked  # not asked again: it is known to be dead


def test_a_dead_server_fails_fast_and_is_found_again(
    local: LocalChat, server: ChatServer, monkeypatch: pytest.MonkeyPatch
):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    config = ServerChatConfig(
        url=f"http://127.0.0.1:{port}/v1", model="tiny", retries=3, backoff=0.1, max_concurrency=4
    )
    chat = ServerChat(config)
    start = time.monotonic()
    with pytest.raises(ServerUnavailable, match="no connection .*after 4 tries"):
        chat.score_batch(prompts(400), CHOICES)
    assert 0.3 < time.monotonic() - start < 20  # 35 if each were tried over
    start = time.monotonic()
    for prompt in prompts(100):
        with pytest.raises(ServerUnavailable, match="no connection"):
            chat.generate(prompt)
    assert time.monotonic() - start < 20  # 35 likewise

    dead = served(server, max_concurrency=1, retries=0)
    server.fault = lambda number, body: Fault(status=503) if number < 4 else None
    for _ in range(endpoint.FAILED_IN_A_ROW - 1):
        with pytest.raises(UserError) as caught:
            dead.score(prompts()[0], CHOICES)
        assert not isinstance(caught.value, ServerUnavailable)
        dead._completions._checked = True
        assert dead.num_tokens("the total") == 2
        assert dead._completions._count({"prompt": "a"}) == 1  # what stands before the model still answers
    for _ in range(3):
        with pytest.raises(ServerUnavailable):
            dead.score(prompts()[0], CHOICES)
        with pytest.raises(ServerUnavailable):
            dead.num_tokens("of rows")
        assert dead.num_tokens("the total") == 2  # remembered
    assert len(server.chats) == endpoint.FAILED_IN_A_ROW
    monkeypatch.setattr(endpoint, "PAUSE", 0.0)
    dead._completions._endpoint._ask_again_at = 0.0
    assert dead.num_tokens("of rows") == 2
    with pytest.raises(ServerUnavailable, match="after 1 try"):
        dead.score(prompts()[0], CHOICES)
    assert dead.score(prompts()[0], CHOICES) == pytest.approx(local.score(prompts()[0], CHOICES), abs=1e-5)
    server.fault = lambda number, body: Fault(status=503)
    with pytest.raises(UserError) as caught:
        dead.score(prompts()[0], CHOICES)
    assert not isinstance(caught.value, ServerUnavailable)  # counted anew


def test_one_prompt_that_breaks_the_server_does_not_stop_the_others(local: LocalChat, server: ChatServer):
    server.fault = lambda number, body: Fault(status=500) if " 2?" in str(body["messages"]) else None
    chat = served(server, retries=1, max_concurrency=2)
    for _ in range(2):
        with pytest.raises(UserError, match="status 500") as caught:
            chat.score_batch(prompts(), CHOICES)
        assert not isinstance(caught.value, ServerUnavailable)
    assert len(server.chats) == 7 + 2 + 2


def test_an_answer_that_trickles_in_ends_at_the_time_limit():
    stop = threading.Event()

    def trickle(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(65536)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
            while not stop.wait(0.02):
                connection.sendall(b" ")

    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        thread = threading.Thread(target=trickle, args=(listener,), daemon=True)
        thread.start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        chat = ServerChat(ServerChatConfig(url=url, model="tiny", timeout=0.3, retries=0))
        start = time.monotonic()
        with pytest.raises(UserError, match="no whole answer within 0.3 s, after 1 try"):
            chat.generate(prompts()[0])
        assert time.monotonic() - start < 10  # all that is announced would take 20
        stop.set()
        thread.join()


def test_a_model_that_only_thinks_is_an_error(server: ChatServer):
    message = {"content": None, "reasoning_content": "let me see"}
    answer = {"choices": [{"message": message, "finish_reason": "length"}]}
    server.fault = lambda number, body: Fault(body=json.dumps(answer).encode())
    with pytest.raises(UserError, match="thinks aloud.*enable_thinking"):
        served(server).generate(prompts()[0])


def test_an_interrupt_ends_the_pauses_between_tries(server: ChatServer, monkeypatch: pytest.MonkeyPatch):
    def interrupted(futures: object) -> None:
        while not server.chats:
            time.sleep(0.01)
        raise KeyboardInterrupt

    server.fault = lambda number, body: Fault(status=503)
    chat = served(server, retries=5, backoff=60.0)
    monkeypatch.setattr(served_chat, "wait", interrupted)  # a test cannot send the key stroke to itself
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        chat.score_batch(prompts(), CHOICES)
    chat.close()
    assert time.monotonic() - start < 10
    assert 1 <= len(server.chats) <= 8
