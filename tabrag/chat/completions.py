"""One chat completion of a served model, with its tables shortened until the server takes the prompt."""

from __future__ import annotations

import functools
import logging
import threading
from typing import Any

from tabrag.chat.config import ServerChatConfig
from tabrag.chat.encoding import fit
from tabrag.chat.endpoint import Endpoint, Refused, ServerUnavailable
from tabrag.chat.protocol import Conversation, Picture, Text
from tabrag.chat.wire import request_messages, said_limit, says_too_long
from tabrag.errors import UserError
from tabrag.files import encodable
from tabrag.tables.token_estimate import estimate_tokens

logger = logging.getLogger(__name__)

_SHARES = (1.0, 0.8, 0.6, 0.4, 0.25)
"""How much of the room a prompt is allowed in each attempt to shorten it: tokens are only estimated where the
server counts none, and the template's own are."""
_TOKENS_A_MESSAGE = 16
_TOKENS_A_PICTURE = 1000
_MAX_COUNTED = 8192
"""Texts whose number of tokens is remembered: tables come again with each question."""


class Completions:
    """Asks ``POST {url}/chat/completions`` and, for counting tokens, ``/tokenize`` beside ``/v1``.

    Raises:
        UserError: A setting is not usable.
    """

    def __init__(self, config: ServerChatConfig) -> None:
        self._config = config
        self._endpoint = Endpoint(config)
        self._counts_tokens = True
        self._text_tokens = functools.lru_cache(maxsize=_MAX_COUNTED)(self._count_text)
        self._checked = False

    @property
    def interrupted(self) -> threading.Event:
        """While set, pauses between tries end at once with an error."""
        return self._endpoint.interrupted

    def ask(self, messages: Conversation, *, max_tokens: int, **fields: Any) -> dict[str, Any]:
        """The first choice of the answer to one conversation.

        Where the prompt is longer than ``max_length``, or than the server says it may be, lines are dropped
        from the end of table texts, and a warning names the tables.

        Args:
            messages: The conversation.
            max_tokens: Tokens of the reply at most.
            **fields: Further fields of the request.

        Raises:
            ServerUnavailable: The server is dead.
            Refused: The server refuses the prompt. The message begins with the ids of the tables in it.
            UserError: The prompt is too long without its tables, a picture does not open, or the answer has
                no reply.
        """
        given, limit = messages, self._config.max_length
        if limit is not None:
            messages = self._fit(given, limit)
        for share in _SHARES:
            try:
                sent = request_messages(messages, max_pixels=self._config.max_image_pixels)
                return self._complete(sent, max_tokens=max_tokens, **fields)
            except Refused as error:
                if error.status not in (400, 413, 422) or not says_too_long(error.said):
                    raise _named(error, given) from error
                refusal = error
            told = said_limit(refusal.said)
            # Without a number from the server, the prompt that it has just refused is the bound.
            room = told - max_tokens if told else self._length(messages) - 1
            messages = self._fit(given, int(min(room, limit or room) * share))
        raise _named(refusal, given)

    def num_tokens(self, text: str) -> int:
        """Tokens of a text, counted by the server, or estimated where it counts none.

        The first call also has the model say one token, so that a wrong url, key or model shows.
        """
        if not self._checked:
            self._complete([{"role": "user", "content": "Hello"}], max_tokens=1)
            self._checked = True
        return self._text_tokens(encodable(text))

    def close(self) -> None:
        """Close the connections."""
        self._endpoint.close()

    def _count_text(self, text: str) -> int:
        counted = self._count(
            # The names of vLLM and SGLang, and those of llama.cpp.
            {"prompt": text, "add_special_tokens": False, "content": text, "add_special": False}
        )
        if counted is not None:
            return counted
        return estimate_tokens(text)

    def _complete(self, messages: list[dict[str, Any]], **fields: Any) -> dict[str, Any]:
        body = {"model": self._config.model, "messages": messages, "temperature": 0, **fields}
        answer = self._endpoint.post("chat/completions", {**self._config.extra, **body})
        choices = answer.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, dict) or not isinstance(choice.get("message"), dict):
            raise UserError(
                f"{self._config.url} answers with JSON that holds no reply (its fields are"
                f" {', '.join(answer)[:200]}): set server.url to the base of an OpenAI-compatible API, which"
                " mostly ends in /v1"
            )
        return choice

    def _fit(self, messages: Conversation, limit: int) -> Conversation:
        try:
            return fit(messages, limit=limit, count=self._length)
        except ServerUnavailable:
            raise
        except UserError as error:
            raise _named(error, messages) from error

    def _length(self, messages: Conversation) -> int:
        """Tokens of a prompt, template included; those of pictures are always estimated."""
        parts = [part for message in messages for part in message.parts]
        num_pictures = sum(isinstance(part, Picture) for part in parts)
        if not num_pictures:
            sent = request_messages(messages, max_pixels=self._config.max_image_pixels)
            counted = self._count({"messages": sent, "add_generation_prompt": True})
            if counted is not None:
                return counted
        texts = [part.text for part in parts if isinstance(part, Text)]
        extra = _TOKENS_A_MESSAGE * len(messages) + _TOKENS_A_PICTURE * num_pictures
        return sum(map(self.num_tokens, texts)) + extra

    def _count(self, fields: dict[str, Any]) -> int | None:
        """What ``/tokenize`` counts; None where the server has none or does not know the fields."""
        if not self._counts_tokens:
            return None
        try:
            answer = self._endpoint.post("/tokenize", {"model": self._config.model, **fields})
        except ServerUnavailable:
            raise
        except UserError as error:
            if "messages" not in fields:
                self._counts_tokens = False
                logger.info("%s: tokens are estimated (%s)", self._config.url, error)
            return None
        count, tokens = answer.get("count"), answer.get("tokens")
        if isinstance(count, int):
            return count
        # A server that does not know `messages` may have counted an empty text.
        return len(tokens) if isinstance(tokens, list) and "messages" not in fields else None


def _named(error: UserError, messages: Conversation) -> UserError:
    """The error with the tables that the prompt shows before it."""
    parts = [part for message in messages for part in message.parts]
    shown = [part.item_id for part in parts if isinstance(part, Text) and part.item_id]
    shown += [part.path for part in parts if isinstance(part, Picture)]
    text = f"{', '.join(shown)}: {error}" if shown else str(error)
    return (
        Refused(text, status=error.status, said=error.said) if isinstance(error, Refused) else UserError(text)
    )
