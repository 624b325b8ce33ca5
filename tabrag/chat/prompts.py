"""The texts that a chat model is asked with. Tables come first: their part does not depend on the question.

Whoever changes a text raises :data:`VERSION`: stored answers name it, and a batch job refuses to go on under
another one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tabrag.chat.protocol import Message, Part, Picture, Text

VERSION = 1
NOT_FOUND = "not in the table"
LABELS = ("SUPPORTED", "REFUTED")

_ANSWER = (
    "\nQuestion: {question}\n"
    "Reply with the value only, as it stands in the table, without a sentence;"
    f" reply '{NOT_FOUND}' when it is not there."
)
_VERIFY = (
    "\nStatement: {statement}\n"
    f"Does the table support the statement? Reply with one word: {LABELS[0]} or {LABELS[1]}."
)


@dataclass(frozen=True, slots=True)
class Shown:
    """What a model sees of one table.

    Attributes:
        item_id: The table's id, for messages.
        title: Its title, or empty.
        text: Its text form, or empty.
        picture: Path of its picture, or None where the picture is not shown.
    """

    item_id: str
    title: str = ""
    text: str = ""
    picture: str | None = None


def answer_prompt(question: str, tables: Sequence[Shown]) -> list[Message]:
    """Ask for the value that answers ``question``."""
    return [Message("user", (*_tables(tables), Text(_ANSWER.replace("{question}", question.strip()))))]


def verify_prompt(statement: str, tables: Sequence[Shown]) -> list[Message]:
    """Ask whether the tables support ``statement``; the reply is one of :data:`LABELS`."""
    return [Message("user", (*_tables(tables), Text(_VERIFY.replace("{statement}", statement.strip()))))]


def _tables(tables: Sequence[Shown]) -> list[Part]:
    parts: list[Part] = []
    for number, table in enumerate(tables, start=1):
        name = f"Table {number}" if len(tables) > 1 else "Table"
        parts.append(Text(f"{name}: {table.title}\n"))
        if table.picture is not None:
            parts.append(Picture(table.picture))
        if table.text:
            parts.append(Text(f"{table.text}\n", item_id=table.item_id))
    return parts
