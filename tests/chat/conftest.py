"""A tiny model, and a server of it that listens on this machine."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from chat_server import ChatServer, serve
from tiny_chat import TEMPLATE, save

from tabrag.chat.config import LocalChatConfig
from tabrag.chat.local import LocalChat


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> LocalChat:
    folder = save(tmp_path_factory.mktemp("served") / "qwen", "qwen", template=TEMPLATE, positions=4096)
    return LocalChat(
        LocalChatConfig(model=str(folder), device="cpu", dtype="float32", max_length=4000, batch_size=1)
    )


@pytest.fixture
def server(local: LocalChat) -> Iterator[ChatServer]:
    with serve(local) as served:
        yield served
