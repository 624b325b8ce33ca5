"""The texts that a chat model is asked with: tables, then what is to be done, then the question.

All before the question is the same for all questions about the same tables, so that it runs once for them.

Whoever changes a text raises :data:`VERSION`: stored answers name it, and a batch job refuses to go on under
another one. :data:`RANK_VERSION` is that of the texts that rerankers are trained and asked with, which their
checkpoints name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tabrag.chat.protocol import Message, Part, Picture, Text
from tabrag.documents.placeholders import unmarked

VERSION = 4
RANK_VERSION = 2
NOT_ANSWERABLE = "Not answerable"
"""What a reader answers where there is no answer, whatever the model was asked to say then."""
NOT_FOUND = "not in the table"
SUPPORTED, REFUTED, NOT_ENOUGH_INFO = "SUPPORTED", "REFUTED", "NOT ENOUGH INFO"
RANK_LABELS = ("True", "False")
NONE_RELEVANT = "None"


@dataclass(frozen=True, slots=True)
class _Nouns:
    """How a prompt speaks of what it shows.

    Attributes:
        the: With its article.
        many: The plural.
        it: The pronoun.
        does: The verb that goes with it.
        s: The ending of other verbs.
        not_found: What a model is asked to reply where the answer is not there.
    """

    the: str
    many: str
    it: str
    does: str
    s: str
    not_found: str

    @property
    def value(self) -> str:
        return (
            f"Reply with the value only, as it stands in {self.the}, without a sentence;"
            f" reply '{self.not_found}' when it is not there."
        )

    @property
    def sentence(self) -> str:
        return (
            f"Reply with one or two sentences that say what {self.the} say{self.s}, with its numbers as they"
            f" stand there; reply '{self.not_found}' when {self.it} {self.does} not say it."
        )

    @property
    def asked_form(self) -> str:
        return f"Use {self.the} alone; the answer is '{self.not_found}' when it is not there."

    @property
    def two_labels(self) -> str:
        return (
            f"{self.does.capitalize()} {self.the} support the statement?"
            f" Reply with one word: {SUPPORTED} or {REFUTED}."
        )

    @property
    def three_labels(self) -> str:
        return (
            f"{self.does.capitalize()} {self.the} support the statement? Reply {SUPPORTED} when {self.it}"
            f" {self.does}, {REFUTED} when {self.it} say{self.s} otherwise, or {NOT_ENOUGH_INFO} when"
            f" {self.it} {self.does} not tell."
        )

    @property
    def rank(self) -> str:
        return (
            f"{self.does.capitalize()} {self.the} hold the information that answers the question?"
            f" Reply with one word: {RANK_LABELS[0]} or {RANK_LABELS[1]}."
        )

    @property
    def relevant(self) -> str:
        return (
            f"Which {self.many} hold the information that answers the question?"
            f" Reply with their numbers, or {NONE_RELEVANT}."
        )


_TABLE = _Nouns("the table", "tables", "it", "does", "s", NOT_FOUND)
_DOCUMENTS = _Nouns("the documents", "documents", "they", "do", "", "not in the documents")


@dataclass(frozen=True, slots=True)
class Shown:
    """What a model sees of one table or document.

    Attributes:
        item_id: Its id, for messages; empty for a note about the others, which has no number in a prompt.
        title: Its title, or empty.
        text: Its text form, or empty.
        picture: Path of its picture, or None where the picture is not shown.
        body: Texts and pictures of a document in reading order, in place of ``text`` and ``picture``.
        name: What it is called in a prompt, ``Table`` or another; others are spoken of as documents.
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
    return _prompt(tables, "Question", question, _form(tables, instruction, _nouns_of(tables).value))


def describe_prompt(request: str, tables: Sequence[Shown], *, instruction: str = "") -> list[Message]:
    """Ask for a sentence or two about the tables."""
    return _prompt(tables, "Request", request, _form(tables, instruction, _nouns_of(tables).sentence))


def verify_prompt(statement: str, tables: Sequence[Shown], *, can_be_open: bool = False) -> list[Message]:
    """Ask whether the tables support ``statement``; the reply is one of :func:`verify_labels`."""
    nouns = _nouns_of(tables)
    return _prompt(tables, "Statement", statement, nouns.three_labels if can_be_open else nouns.two_labels)


def verify_labels(*, can_be_open: bool) -> tuple[str, ...]:
    """The replies that :func:`verify_prompt` allows; each begins with a token of its own."""
    return (SUPPORTED, REFUTED, NOT_ENOUGH_INFO) if can_be_open else (SUPPORTED, REFUTED)


def rank_prompt(question: str, tables: Sequence[Shown]) -> list[Message]:
    """Ask whether a table answers ``question``; the reply is one of :data:`RANK_LABELS`, the first for yes.

    TabRAG's context ranking (Xu et al., 2026, section 3.2), after RankRAG (Yu et al., 2024).
    """
    return _prompt(tables, "Question", question, _nouns_of(tables).rank)


def relevant_prompt(question: str, tables: Sequence[Shown]) -> list[Message]:
    """Ask which of several tables answer ``question``; the reply is :func:`relevant_reply` of their places.

    TabRAG's retrieval-augmented ranking, see :func:`rank_prompt`.
    """
    return _prompt(tables, "Question", question, _nouns_of(tables).relevant)


def read_prompt(what: str, table: Shown) -> list[Message]:
    """Ask for ``what`` stands in the picture of a table; its title, which may be asked for, is not told."""
    return [Message("user", (*shown_parts([replace(table, title="", text="")]), Text(f"\nRead {what}.")))]


def relevant_reply(places: Sequence[int]) -> str:
    """The reply that names the tables at ``places`` (from 1): ``2``, ``1, 3`` or ``None``."""
    return ", ".join(map(str, sorted(places))) or NONE_RELEVANT


def not_found(shown: Sequence[Shown]) -> str:
    """What a model is asked to reply where the answer is not in what is shown."""
    return _nouns_of(shown).not_found


def _nouns_of(shown: Sequence[Shown]) -> _Nouns:
    """How a prompt speaks of what it shows."""
    return _TABLE if all(one.name == "Table" for one in shown) else _DOCUMENTS


def _form(shown: Sequence[Shown], instruction: str, otherwise: str) -> str:
    if not instruction.strip():
        return otherwise
    return f"{_nouns_of(shown).asked_form} {instruction.strip()}"


def _prompt(tables: Sequence[Shown], kind: str, asked: str, form: str) -> list[Message]:
    question = Text(f"{kind}: {asked.strip()}", question=asked.strip())
    return [Message("user", (*shown_parts(tables), Text(f"\n{form}\n"), question))]


def shown_parts(tables: Sequence[Shown]) -> list[Part]:
    """The parts of a message that show tables: title, picture, text of each."""
    parts: list[Part] = []
    several = sum(bool(table.item_id) for table in tables) > 1
    for number, table in enumerate(tables, start=1):
        name = f"{table.name} {number}" if several and table.item_id else table.name
        title = unmarked(" ".join(table.title.split())) if table.body else table.title
        parts.append(Text(f"{name}: {title}\n"))
        for piece in table.body:
            parts.append(Text(f"{piece}\n", item_id=table.item_id) if isinstance(piece, str) else piece)
        if table.picture is not None:
            parts.append(Picture(table.picture))
        if table.text:
            parts.append(Text(f"{table.text}\n", item_id=table.item_id))
    return parts
