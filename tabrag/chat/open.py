"""The chat model that settings ask for."""

from __future__ import annotations

from tabrag.chat.config import LocalChatConfig, ServerChatConfig
from tabrag.chat.protocol import ChatModel
from tabrag.errors import UserError


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


def refuse_text_alone(chat: ChatModel, model: str, *, setting: str = "") -> None:
    """Raise where a model that is to be shown pictures reads none; a local one is loaded for that.

    A served model says so only when it is shown one.

    Args:
        chat: The model.
        model: Its name.
        setting: What stands before the names of its settings, for example ``reader.visual.``.

    Raises:
        UserError: It reads text alone.
    """
    if not getattr(chat, "reads_pictures", True):
        raise UserError(
            f"{setting}chat.model={model} reads text alone: name an image-text model in"
            f" {setting}chat.model or {setting}server"
        )
