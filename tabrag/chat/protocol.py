"""What a chat model is: something that replies to messages and that says how likely given replies are.

A local model (:mod:`tabrag.chat.local`) and a served one fulfil the same protocol, so prompts, readers and
rerankers know neither.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from tabrag.chat.thoughts import first_said
from tabrag.errors import UserError


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of a message.

    Attributes:
        text: The text.
        item_id: Set where the text is a table's. Such text is what is shortened first when a prompt is too
            long for the model: whole lines from its end.
        question: The question in the text, or empty. The middle of a long one is left out where that is not
            enough. Where no text names one, the whole last text behind a table or a picture counts as one.
    """

    text: str
    item_id: str | None = None
    question: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture in a message.

    Attributes:
        path: Path of the picture file.
    """

    path: str


Part = Text | Picture


@dataclass(frozen=True, slots=True)
class Message:
    """One turn: ``role`` is ``system``, ``user`` or ``assistant``."""

    role: str
    parts: tuple[Part, ...]


Conversation = Sequence[Message]


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model replied.

    Attributes:
        text: The reply without control tokens, thoughts and surrounding blanks.
        probability: Geometric mean, over the reply's tokens (its end token included), of the probability the
            model gave to each; 0..1, or None where the model does not tell. It measures how sure the model is
            of its words, not whether they are true.
    """

    text: str
    probability: float | None


class ChatModel(Protocol):
    """A language model, with or without pictures."""

    def generate(self, messages: Conversation, *, max_new_tokens: int = 64, stop: Sequence[str] = ()) -> str:
        """The most likely reply (greedy), cut before the first of ``stop``."""
        ...

    def generate_batch(
        self, conversations: Sequence[Conversation], *, max_new_tokens: int = 64, stop: Sequence[str] = ()
    ) -> list[Reply]:
        """One reply a conversation, each the same as it would be alone."""
        ...

    def score(self, messages: Conversation, choices: Sequence[str]) -> list[float]:
        """Natural log-probability of each choice's whole text as the beginning of the next reply."""
        ...

    def score_batch(self, conversations: Sequence[Conversation], choices: Sequence[str]) -> list[list[float]]:
        """:meth:`score` of each conversation."""
        ...

    def num_tokens(self, text: str) -> int:
        """How many tokens ``text`` takes in a prompt."""
        ...


def probabilities(
    log_probabilities: Sequence[float], *, among: Literal["choices", "vocabulary"] = "choices"
) -> list[float]:
    """Probabilities of scored choices.

    ``choices`` (the default, comparable between prompts and engines): softmax over the choices alone; for two
    it is ``sigmoid(logit_true - logit_false)``. ``vocabulary``: the model's own probability among all that it
    could say, which is small whenever it would rather say something else.

    Raises:
        UserError: There is no choice, a log-probability is NaN, or none is above minus infinity.
    """
    if not log_probabilities:
        raise UserError("probabilities of no choices: give at least one log-probability")
    top = max(log_probabilities)
    if any(map(math.isnan, log_probabilities)) or (top == -math.inf and among == "choices"):
        raise UserError(
            f"log-probabilities {list(log_probabilities)[:4]} are none: check the model, or use float32"
        )
    if among == "vocabulary":
        return [math.exp(value) for value in log_probabilities]
    weights = [math.exp(value - top) for value in log_probabilities]
    return [weight / sum(weights) for weight in weights]


def first_stop(text: str, stop: Sequence[str]) -> int | None:
    """Where the first of ``stop`` begins in a reply; thoughts and blanks before it do not count."""
    lead = first_said(text)
    if lead is None:
        return None
    found = [at for at in (text.find(one, lead) for one in stop if one) if at >= 0]
    return min(found) if found else None
