"""Descriptions of all entries of a representation by a chat model, into a file that indexes then use."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tabrag.chat.config import LocalChatConfig, ServerChatConfig
from tabrag.chat.describe import DESCRIBE_VERSION, describe_prompt
from tabrag.chat.open import open_chat
from tabrag.data.folder import DataFolder
from tabrag.documents.descriptions import description_key
from tabrag.errors import UserError
from tabrag.inference.jobs import rows_or_errors, run_job
from tabrag.representations import RepresentationConfig, build, item_kind


def describe_folder(
    data: str | Path,
    out: str | Path,
    *,
    representation: RepresentationConfig,
    chat: LocalChatConfig,
    server: ServerChatConfig | None = None,
    max_new_tokens: int = 96,
    batch_size: int = 64,
    force: bool = False,
) -> dict[str, Any]:
    """Describe each different entry once; started again after a kill, or with new tables, it continues.

    Args:
        data: Data set folder.
        out: File of descriptions to write, for ``representation.written``.
        representation: Whose texts are described, for example ``hrcl`` or ``summary``.
        chat: The model.
        server: A served model in its place.
        max_new_tokens: Length of a description at most.
        batch_size: Entries between two saves.
        force: Start anew where the file was begun with other settings.

    Returns:
        ``entries`` (different ones), ``new``, ``failed``, ``seconds``, ``entries_per_second``.

    Raises:
        UserError: A setting or the folder is not usable, or nothing is there to describe.
    """
    if representation.written is not None:
        raise UserError("representation.written names descriptions that exist: leave it out here")
    if item_kind(representation) != "table":
        raise UserError(
            f"representation '{representation.name}' has sentences, which need no description: describe that "
            "of its tables (hrcl, summary, ...); an index of documents takes the same file"
        )
    folder = DataFolder(data)
    represent = build(representation)
    texts = {
        description_key(entry.text): entry.text
        for table in folder.tables
        for entry in represent(table, folder=folder.path)
        if entry.text.strip()
    }
    if not texts:
        raise UserError(f"{data}: representation '{representation.name}' has no text to describe")
    model = open_chat(chat, server)

    def process(keys: list[str]) -> list[dict[str, Any]]:
        prompts = [describe_prompt(texts[key]) for key in keys]
        replies = model.generate_batch(prompts, max_new_tokens=max_new_tokens)
        return [
            {"_id": key, "text": " ".join(reply.text.split())}
            for key, reply in zip(keys, replies, strict=True)
        ]

    figures = run_job(
        out,
        texts,
        lambda keys: rows_or_errors(keys, process, lambda key: {"_id": key}),
        settings={
            "chat": (chat if server is None else server).identity(),
            "max_new_tokens": max_new_tokens,
            "prompt_version": DESCRIBE_VERSION,
        },
        batch_size=batch_size,
        force=force,
        description="describe",
        unit="entries",
    )
    return {
        "entries": figures["rows"],
        "new": figures["new"],
        "failed": figures["failed"],
        "seconds": figures["seconds"],
        "entries_per_second": figures["rows_per_second"],
    }
