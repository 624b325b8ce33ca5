"""A real HTTP server on loopback that serves a local chat model through the OpenAI API, for tests.

Its replies and log-probabilities are computed here step by step from the model's logits, not by the code that
is under test. It can be told to misbehave: see :class:`Fault`.
"""

from __future__ import annotations

import base64
import json
import math
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import torch

from tabrag.chat.encoding import render
from tabrag.chat.local import LocalChat
from tabrag.chat.protocol import Message, Part, Picture, Text


@dataclass(frozen=True, slots=True)
class Fault:
    """What happens in place of a reply, or before it.

    Attributes:
        sleep: Seconds to wait first.
        stall: Answer nothing until the client has hung up.
        status: Answer with this status and nothing else.
        headers: Headers of that answer.
        body: Answer 200 with these bytes.
        drop: Close the connection without an answer.
    """

    sleep: float = 0.0
    stall: bool = False
    status: int | None = None
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    drop: bool = False


@dataclass(frozen=True, slots=True)
class Request:
    """A request as it came in."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class ChatServer:
    """What is served, how, and what was asked.

    Attributes:
        url: Where the API begins (``.../v1``).
        fault: From the number of a chat request (0-based) and its body to what goes wrong with it.
        log_probs: Whether replies carry log-probabilities.
        max_log_probs: More first tokens than that are refused with 400, as by vLLM.
        max_model_len: Prompt and reply together take at most that many tokens; more are refused with 400.
        tokenize: Whether there is a ``/tokenize``.
        api_key: Requests without it are refused with 401.
        requests: All requests in the order of their arrival.
        most_at_once: The most chat requests that were ever under way together.
    """

    model_name = "tiny"

    def __init__(self, chat: LocalChat, folder: Path) -> None:
        self.url = ""
        self.fault: Callable[[int, dict[str, Any]], Fault | None] = lambda number, body: None
        self.log_probs = True
        self.max_log_probs = 1000
        self.max_model_len = 100_000
        self.tokenize = True
        self.api_key: str | None = None
        self.requests: list[Request] = []
        self.most_at_once = 0
        self._chat = chat
        self._folder = folder
        self._under_way = 0
        self._num_chats = 0
        self._state = threading.Lock()
        self._model = threading.Lock()

    @property
    def chats(self) -> list[Request]:
        """The requests for replies."""
        return [request for request in self.requests if request.path == "/v1/chat/completions"]

    def next_chat(self) -> int:
        with self._state:
            self._num_chats += 1
            return self._num_chats - 1

    @contextmanager
    def counted(self) -> Iterator[None]:
        with self._state:
            self._under_way += 1
            self.most_at_once = max(self.most_at_once, self._under_way)
        try:
            yield
        finally:
            with self._state:
                self._under_way -= 1

    def count(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        if not self.tokenize:
            return 404, {"detail": "Not Found"}
        if "messages" in body:
            count = self._encode(body)["input_ids"].shape[1]
        else:
            tokenizer = self._chat._loaded[1]
            count = len(tokenizer(body["prompt"], add_special_tokens=False)["input_ids"])
        return 200, {"count": count, "max_model_len": self.max_model_len, "tokens": [0] * count}

    def reply(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        top = body.get("top_logprobs", 0)
        if top > self.max_log_probs:
            return _refused(
                f"Requested sample logprobs of {top}, which is greater than max allowed: {self.max_log_probs}"
            )
        with self._model:
            inputs = self._encode(body)
            length = inputs["input_ids"].shape[1]
            asked = length + body["max_tokens"]
            if asked > self.max_model_len:
                return _refused(
                    f"This model's maximum context length is {self.max_model_len} tokens. However, you "
                    f"requested {asked} tokens ({length} in the messages, {body['max_tokens']} in the "
                    "completion). Please reduce the length of the messages or completion."
                )
            text, reason, entries = self._generate(inputs, body["max_tokens"], body.get("stop") or [], top)
        listed = {"content": entries} if self.log_probs and body.get("logprobs") else None
        choice = {
            "index": 0,
            "message": {"role": "assistant", "content": text},
            "finish_reason": reason,
            "logprobs": listed,
        }
        return 200, {"object": "chat.completion", "model": self.model_name, "choices": [choice]}

    def _encode(self, body: dict[str, Any]) -> dict[str, Any]:
        _, tokenizer, processor = self._chat._loaded
        text, images = render([self._message(one) for one in body["messages"]], tokenizer, processor)
        if processor is None:
            return dict(tokenizer([text], add_special_tokens=False, return_tensors="pt"))
        from PIL import Image

        pictures = [Image.open(path) for path in images] or None
        return dict(processor(text=[text], images=pictures, add_special_tokens=False, return_tensors="pt"))

    def _message(self, message: dict[str, Any]) -> Message:
        if isinstance(message["content"], str):
            return Message(message["role"], (Text(message["content"]),))
        parts: list[Part] = []
        for part in message["content"]:
            if part["type"] == "text":
                parts.append(Text(part["text"]))
                continue
            head, _, data = part["image_url"]["url"].partition(",")
            assert head in ("data:image/png;base64", "data:image/jpeg;base64"), head
            path = self._folder / f"{len(list(self._folder.iterdir()))}.{head[11:14]}"
            path.write_bytes(base64.b64decode(data, validate=True))
            parts.append(Picture(str(path)))
        return Message(message["role"], tuple(parts))

    @torch.inference_mode()
    def _generate(
        self, inputs: dict[str, Any], max_tokens: int, stop: list[str], top: int
    ) -> tuple[str, str, list[dict[str, Any]]]:
        """Greedy text (a stop text ends it, wherever it stands), why it ends, and its tokens."""
        model, tokenizer, _ = self._chat._loaded
        inputs = {name: tensor for name, tensor in inputs.items() if name != "token_type_ids"}
        ids: list[int] = []
        entries: list[dict[str, Any]] = []
        for _ in range(max_tokens):
            log_probs = model(**inputs).logits[0, -1].float().log_softmax(-1)
            ids.append(int(log_probs.argmax()))
            best = log_probs.topk(min(top, len(log_probs)))
            listed = zip(best.values.tolist(), best.indices.tolist(), strict=True)
            entries.append(
                _entry(tokenizer, ids[-1], float(log_probs.max()))
                | {"top_logprobs": [_entry(tokenizer, token, value) for value, token in listed]}
            )
            text = tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)
            if ids[-1] == tokenizer.eos_token_id:
                return text, "stop", entries
            ends = [text.find(one) for one in stop if one in text]
            if ends:
                return text[: min(ends)], "stop", entries
            more = torch.tensor([[ids[-1]]])
            inputs["input_ids"] = torch.cat([inputs["input_ids"], more], dim=1)
            inputs["attention_mask"] = torch.ones_like(inputs["input_ids"])
        return text, "length", entries


def _entry(tokenizer: Any, token: int, log_prob: float) -> dict[str, Any]:
    text = tokenizer.decode([token], clean_up_tokenization_spaces=False)
    value = log_prob if math.isfinite(log_prob) else -9999.0
    return {"token": text, "logprob": value, "bytes": list(text.encode())}


def _refused(message: str) -> tuple[int, dict[str, Any]]:
    return 400, {"error": {"message": message, "type": "BadRequestError", "code": 400}}


@contextmanager
def serve(chat: LocalChat) -> Iterator[ChatServer]:
    """Serve ``chat`` on a free port of the loopback until the block ends."""
    with tempfile.TemporaryDirectory() as folder:
        served = ChatServer(chat, Path(folder))
        http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(served))
        http.daemon_threads = True
        served.url = f"http://127.0.0.1:{http.server_address[1]}/v1"
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield served
        finally:
            http.shutdown()
            http.server_close()


def _handler(served: ChatServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:  # noqa: N802
            served.requests.append(Request(self.path, dict(self.headers), {}))
            if self.path == "/v1/models":
                model = {"id": served.model_name, "object": "model", "max_model_len": served.max_model_len}
                self._send(200, {"object": "list", "data": [model]})
            else:
                self._send(404, {"detail": "Not Found"})

        def do_POST(self) -> None:  # noqa: N802
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            served.requests.append(Request(self.path, dict(self.headers), body))
            if served.api_key and self.headers.get("Authorization") != f"Bearer {served.api_key}":
                given = self.headers.get("Authorization", "")
                self._send(401, {"error": {"message": f"Incorrect API key provided: {given}"}})
            elif self.path == "/tokenize":
                self._send(*served.count(body))
            elif self.path != "/v1/chat/completions":
                self._send(404, {"detail": "Not Found"})
            elif body["model"] != served.model_name:
                self._send(404, {"error": {"message": f"The model `{body['model']}` does not exist."}})
            else:
                with served.counted():
                    self._chat(body)

        def _chat(self, body: dict[str, Any]) -> None:
            fault = served.fault(served.next_chat(), body) or Fault()
            time.sleep(fault.sleep)
            if fault.stall:
                while self.rfile.read(1):
                    pass
            if fault.drop or fault.stall:
                self.close_connection = True
            elif fault.status is not None:
                message = {"error": {"message": "not now"}}
                self._send_bytes(fault.status, json.dumps(message).encode(), fault.headers)
            elif fault.body is not None:
                self._send_bytes(200, fault.body)
            else:
                self._send(*served.reply(body))

        def _send(self, status: int, body: dict[str, Any]) -> None:
            self._send_bytes(status, json.dumps(body).encode())

        def _send_bytes(self, status: int, content: bytes, headers: dict[str, str] | None = None) -> None:
            try:
                self.send_response(status)
                for name, value in (headers or {}).items():
                    self.send_header(name, value)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True  # the client did not wait

        def log_message(self, *_: Any) -> None:
            """Tests need no log of requests."""

    return Handler
