"""A served chat model and prompts, which several tests ask."""

from __future__ import annotations

from chat_server import ChatServer
from tiny_chat import WORDS

from tabrag.chat.config import ServerChatConfig
from tabrag.chat.protocol import Message, Picture, Text
from tabrag.chat.server import ServerChat

CHOICES = ["True", "False"]


def served(server: ChatServer, **options: object) -> ServerChat:
    settings = {"timeout": 60.0, "retries": 2, "backoff": 0.01, "top_logprobs": 1000, **options}
    return ServerChat(ServerChatConfig(url=server.url, model="tiny", **settings))  # type: ignore[arg-type]


def user(*parts: Text | Picture | str) -> list[Message]:
    return [Message("user", tuple(Text(part) if isinstance(part, str) else part for part in parts))]


def prompts(number: int = 8) -> list[list[Message]]:
    words = WORDS.split()
    return [user(" ".join(words[i % 7 : i % 7 + 5] * (1 + i % 4)), f" {i}?") for i in range(number)]
