"""The chat model that settings ask for."""

from __future__ import annotations

from tabrag.chat.config import LocalChatConfig, ServerChatConfig
from tabrag.chat.protocol import ChatModel


def open_chat(local: LocalChatConfig, server: ServerChatConfig | None) -> ChatModel:
    """The served model where ``server`` is given, else the local one.

    Neither weights are loaded nor a connection is made before the first call of the model.

    Raises:
        UserError: A setting of the server is not usable.
    """
    if server is not None:
        from tabrag.chat.server import ServerChat

        return ServerChat(server)
    from tabrag.chat.local import LocalChat

    return LocalChat(local)
