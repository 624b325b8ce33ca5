"""Descriptions by a chat model, into a file that indexes then use.

Described are all entries of a representation of tables, or the tables and pictures of one of documents.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tabrag import distributed
from tabrag.chat.config import LocalChatConfig, ServerChatConfig
from tabrag.chat.describe import (
    DESCRIBE_VERSION,
    PICTURE_KINDS,
    PICTURE_VERSION,
    describe_prompt,
    kind_prompt,
    picture_prompt,
)
from tabrag.chat.open import open_chat
from tabrag.chat.protocol import ChatModel
from tabrag.data.folder import DataFolder
from tabrag.documents.descriptions import description_key
from tabrag.errors import UserError
from tabrag.inference.jobs import rows_or_errors, run_job
from tabrag.representations import (
    RepresentationConfig,
    build,
    entries_of,
    item_kind,
    takes_descriptions,
)

Asked = Mapping[str, tuple[str, Path | None]]
"""Key of a description to the text, and of a picture its path, that it is written from."""


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
        representation: Whose texts are described, for example ``hrcl`` or ``summary``; of ``chunks`` and
            ``pages`` those of their tables and pictures. A picture is described from the picture itself, by a
            model that reads pictures.
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
    if not takes_descriptions(representation):
        raise UserError(
            f"representation '{representation.name}' has sentences, which need no description: describe that "
            "of its tables (hrcl, summary, ...); an index of documents takes the same file"
        )
    folder = DataFolder(data)
    wanted = _Wanted()
    represent = build(representation, written=wanted)
    for item_id in (folder.tables if item_kind(representation) == "table" else folder.documents).ids:
        entries_of(represent, folder.items[item_id], folder=folder.path)
    if not wanted.asked:
        raise UserError(f"{data}: representation '{representation.name}' has nothing to describe")
    model = open_chat(chat, server)

    def process(keys: list[str]) -> list[dict[str, Any]]:
        def describe(some: Sequence[str]) -> list[dict[str, Any]]:
            return _described(model, {key: wanted.asked[key] for key in some}, max_new_tokens)

        return distributed.shared(describe, keys)

    figures = run_job(
        out,
        {
            key: text if picture is None else [text, PICTURE_VERSION]
            for key, (text, picture) in wanted.asked.items()
        },
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


class _Wanted:
    """Notes what a representation would take descriptions of."""

    def __init__(self) -> None:
        self.asked: dict[str, tuple[str, Path | None]] = {}

    def of(self, text: str, picture: Path | None = None) -> None:
        """None: nothing is written yet."""
        if text.strip() or picture is not None:
            self.asked.setdefault(description_key(text, picture), (text, picture))


def _described(model: ChatModel, asked: Asked, max_new_tokens: int) -> list[dict[str, Any]]:
    """One row a key; of a picture it names the kind. An empty reply is a failure."""
    pictures = {key: (text, str(picture)) for key, (text, picture) in asked.items() if picture is not None}
    asked_kinds = [kind_prompt(path, text) for text, path in pictures.values()]
    scores = model.score_batch(asked_kinds, PICTURE_KINDS) if pictures else []
    kinds = {
        key: max(zip(of_each, PICTURE_KINDS, strict=True), key=lambda pair: pair[0])[1]
        for key, of_each in zip(pictures, scores, strict=True)
    }
    prompts = [
        picture_prompt(str(picture), text, kinds[key]) if picture is not None else describe_prompt(text)
        for key, (text, picture) in asked.items()
    ]
    replies = model.generate_batch(prompts, max_new_tokens=max_new_tokens)
    rows: list[dict[str, Any]] = []
    for key, reply in zip(asked, replies, strict=True):
        row = {"_id": key, "text": " ".join(reply.text.split())}
        row |= {"kind": kinds[key]} if key in kinds else {}
        row |= {} if row["text"] else {"error": "the model says nothing"}
        rows.append(row)
    return rows
