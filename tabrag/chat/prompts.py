"""The texts that a chat model is asked with. Tables come first: their part does not depend on the question.

Whoever changes a text raises :data:`VERSION`: stored answers name it, and a batch job refuses to go on under
another one. :data:`RANK_VERSION` is that of the texts that rerankers are trained and asked with, which their
checkpoints name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tabrag.chat.protocol import Message, Part, Picture, Text

VERSION = 2
RANK_VERSION = 1
NOT_FOUND = "not in the table"
SUPPORTED, REFUTED, NOT_ENOUGH_INFO = "SUPPORTED", "REFUTED", "NOT ENOUGH INFO"
RANK_LABELS = ("True", "False")
NONE_RELEVANT = "None"

_VALUE = (
    "Reply with the value only, as it stands in the table, without a sentence;"
    f" reply '{NOT_FOUND}' when it is not there."
)
_SENTENCE = (
    "Reply with one or two sentences that say what the table says, with its numbers as they stand there;"
    f" reply '{NOT_FOUND}' when it does not say it."
)
_ASKED_FORM = f"Use the table alone; the answer is '{NOT_FOUND}' when it is not there."
_TWO_LABELS = f"Does the table support the statement? Reply with one word: {SUPPORTED} or {REFUTED}."
_THREE_LABELS = (
    f"Does the table support the statement? Reply {SUPPORTED} when it does, {REFUTED} when it says otherwise,"
    f" or {NOT_ENOUGH_INFO} when it does not tell."
)
_RANK = (
    "Does the table hold the information that answers the question?"
    f" Reply with one word: {RANK_LABELS[0]} or {RANK_LABELS[1]}."
)
_RELEVANT = (
    "Which tables hold the information that answers the question?"
    f" Reply with their numbers, or {NONE_RELEVANT}."
)


@dataclass(frozen=True, slots=True)
class Shown:
    """What a model sees of one table or document.

    Attributes:
        item_id: Its id, for messages.
        title: Its title, or empty.
        text: Its text form, or empty.
        picture: Path of its picture, or None where the picture is not shown.
        body: Texts and pictures (paths) of a document in reading order, in place of ``text`` and ``picture``.
        name: What it is called in a prompt.
    """

    item_id: str
    title: str = ""
    text: str = ""
    picture: str | None = None
    body: tuple[str | Picture, ...] = ()
    name: str = "Table"

    @property
    def texts(self) -> list[str]:
        """All that it says, in pieces."""
        own = [text for text in (self.title, self.text) if text]
        return own + [piece for piece in self.body if isinstance(piece, str)]


def answer_prompt(question: str, tables: Sequence[Shown], *, instruction: str = "") -> list[Message]:
    """Ask for the value that answers ``question``, in the form that ``instruction`` asks for, if any."""
    return _prompt(tables, "Question", question, _form(instruction, _VALUE))


def describe_prompt(request: str, tables: Sequence[Shown], *, instruction: str = "") -> list[Message]:
    """Ask for a sentence or two about the tables."""
    return _prompt(tables, "Request", request, _form(instruction, _SENTENCE))


def verify_prompt(statement: str, tables: Sequence[Shown], *, can_be_open: bool = False) -> list[Message]:
    """Ask whether the tables support ``statement``; the reply is one of :func:`verify_labels`."""
    return _prompt(tables, "Statement", statement, _THREE_LABELS if can_be_open else _TWO_LABELS)


def verify_labels(*, can_be_open: bool) -> tuple[str, ...]:
    """The replies that :func:`verify_prompt` allows; each begins with a token of its own."""
    return (SUPPORTED, REFUTED, NOT_ENOUGH_INFO) if can_be_open else (SUPPORTED, REFUTED)


def rank_prompt(question: str, tables: Sequence[Shown]) -> list[Message]:
    """Ask whether a table answers ``question``; the reply is one of :data:`RANK_LABELS`, the first for yes.

    TabRAG's context ranking (Xu et al., 2026, section 3.2), after RankRAG (Yu et al., 2024).
    """
    return _prompt(tables, "Question", question, _RANK)


def relevant_prompt(question: str, tables: Sequence[Shown]) -> list[Message]:
    """Ask which of several tables answer ``question``; the reply is :func:`relevant_reply` of their places.

    TabRAG's retrieval-augmented ranking, see :func:`rank_prompt`.
    """
    return _prompt(tables, "Question", question, _RELEVANT)


def read_prompt(what: str, table: Shown) -> list[Message]:
    """Ask for ``what`` stands in the picture of a table; its title, which may be asked for, is not told."""
    return [Message("user", (*shown_parts([replace(table, title="", text="")]), Text(f"\nRead {what}.")))]


def relevant_reply(places: Sequence[int]) -> str:
    """The reply that names the tables at ``places`` (from 1): ``2``, ``1, 3`` or ``None``."""
    return ", ".join(map(str, sorted(places))) or NONE_RELEVANT


def _form(instruction: str, otherwise: str) -> str:
    if not instruction.strip():
        return otherwise
    return f"{_ASKED_FORM} {instruction.strip()}"


def _prompt(tables: Sequence[Shown], kind: str, asked: str, form: str) -> list[Message]:
    return [Message("user", (*shown_parts(tables), Text(f"\n{kind}: {asked.strip()}\n{form}")))]


def shown_parts(tables: Sequence[Shown]) -> list[Part]:
    """The parts of a message that show tables: title, picture, text of each."""
    parts: list[Part] = []
    for number, table in enumerate(tables, start=1):
        name = f"{table.name} {number}" if len(tables) > 1 else table.name
        parts.append(Text(f"{name}: {table.title}\n"))
        for piece in table.body:
            parts.append(Text(f"{piece}\n", item_id=table.item_id) if isinstance(piece, str) else piece)
        if table.picture is not None:
            parts.append(Picture(table.picture))
        if table.text:
            parts.append(Text(f"{table.text}\n", item_id=table.item_id))
    return parts
