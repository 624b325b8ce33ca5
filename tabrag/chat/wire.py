"""The JSON of OpenAI-compatible APIs: messages into it, replies and log-probabilities out of it."""

from __future__ import annotations

import base64
import io
import logging
import math
import re
from collections.abc import Sequence
from typing import Any

from tabrag.chat.encoding import CONTROL_SHAPES, break_up
from tabrag.chat.protocol import Conversation, Message, Picture, Text, first_stop
from tabrag.errors import UserError

logger = logging.getLogger(__name__)

_TOO_LONG = re.compile(
    r"context[ _](?:length|size|window)|(?:model|prompt|input) length|n_ctx|longer than|too long"
    r"|max_tokens must be at least",
    re.IGNORECASE,
)
_LIMIT = re.compile(
    r"(?:context (?:length|size|window)|(?:model|prompt) length)(?: is| of|:)?[ (]+(\d+)"
    r"|\"n_ctx\"\s*:\s*(\d+)"
)
_LEAST = -10_000.0
"""Log-probability that stands for 0; servers write -9999, -inf or the least float."""
_Listed = Sequence[tuple[bytes, float]]


def request_messages(messages: Conversation, *, max_pixels: int) -> list[dict[str, Any]]:
    """Messages as the API takes them; pictures are PNG data URLs.

    Texts next to each other become one. Control tokens in them are broken up, as for a local model; the
    server's tokenizer is not known here, so whatever looks like one is, a word of a table in angle brackets
    as well.

    Args:
        messages: The messages.
        max_pixels: Larger pictures are made smaller.

    Raises:
        UserError: A picture does not open.
    """
    return [{"role": message.role, "content": _content(message, max_pixels)} for message in messages]


def _content(message: Message, max_pixels: int) -> str | list[dict[str, Any]]:
    runs: list[str | Picture] = []
    for part in message.parts:
        if isinstance(part, Text) and runs and isinstance(runs[-1], str):
            runs[-1] += part.text
        else:
            runs.append(part.text if isinstance(part, Text) else part)
    if all(isinstance(run, str) for run in runs):
        return "".join(break_up(run, CONTROL_SHAPES) for run in runs if isinstance(run, str))
    return [
        {"type": "text", "text": break_up(run, CONTROL_SHAPES)}
        if isinstance(run, str)
        else {"type": "image_url", "image_url": {"url": _data_url(run.path, max_pixels)}}
        for run in runs
    ]


def _data_url(path: str, max_pixels: int) -> str:
    from tabrag.chat.pictures import open_picture

    image = open_picture(path)
    width, height = image.size
    if width * height > max_pixels:
        scale = math.sqrt(max_pixels / (width * height))
        size = max(int(width * scale), 1), max(int(height * scale), 1)
        logger.info("%s: %d x %d pixels, sent as %d x %d", path, width, height, *size)
        image = image.resize(size)
    buffer = io.BytesIO()
    image.save(buffer, format="PNG", compress_level=1)
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode()


def token_texts(entries: Sequence[dict[str, Any]]) -> list[tuple[bytes, float]]:
    """Text and log-probability of listed tokens; a token may be a part of a character, hence the bytes.

    Raises:
        ValueError: The entries have another form.
    """
    found = []
    for entry in entries:
        if not isinstance(entry, dict):
            raise ValueError("a token is no object")
        text, value = entry.get("bytes"), entry.get("logprob")
        content = bytes(text) if isinstance(text, list) else str(entry.get("token", "")).encode()
        if not isinstance(value, int | float) or math.isnan(value):
            raise ValueError("a log-probability is no number")
        found.append((content, min(max(float(value), _LEAST), 0.0)))
    return found


def choice_scores(listed: _Listed, choices: Sequence[str]) -> tuple[list[float], bool]:
    """Log-probabilities of choices from the likeliest first tokens of a reply.

    The score of a choice is the log-probability that the reply begins with it, as far as one token tells: of
    the token that is the whole choice where that is listed, else of all listed tokens together that the
    choice begins with and no other choice does (``SU`` and ``S`` for ``SUPPORTED``: tokens of a word that are
    not how the model splits it have next to no probability). Where nothing of a choice is listed, the score
    is the most that an unlisted token can have: the least of the listed ones, or what they leave of the whole
    probability. Where nothing of any choice is, blanks before tokens are looked over, since some servers show
    the blank that a word boundary stands for.

    Args:
        listed: Token texts and natural log-probabilities.
        choices: The choices.

    Returns:
        One score a choice, and whether any choice was listed.

    Raises:
        UserError: No choices, an empty one, one that begins with another one, or a likely token that several
            begin with.
    """
    if not choices:
        raise UserError("score: give at least one choice")
    texts = [choice.encode() for choice in choices]
    for i, text in enumerate(texts):
        for j, other in enumerate(texts):
            if not text or (i != j and other.startswith(text)):
                raise UserError(
                    f"choice {choices[i]!r} is empty or the beginning of {choices[j]!r}: choose labels that"
                    " differ from their first token on"
                )
    found = _matches(listed, texts)
    if not any(found):
        listed = [(token.lstrip(), value) for token, value in listed]
        found = _matches(listed, texts)
    shared = [
        (value, token)
        for token, value in listed
        if token and sum(text.startswith(token) for text in texts) > 1
    ]
    best = max((value for matches in found for _, value in matches), default=-math.inf)
    if shared and max(shared)[0] > best:
        raise UserError(
            f"choices {list(choices)} begin with the same token ({max(shared)[1].decode(errors='replace')!r})"
            " of the served model: choose labels that differ from their first token on"
        )
    rest = max(1.0 - math.fsum(math.exp(value) for _, value in listed), 1e-9)
    floor = min([math.log(rest), *(value for _, value in listed)])
    scores = [
        _together(text, matches) if matches else floor for text, matches in zip(texts, found, strict=True)
    ]
    return scores, any(found)


def _matches(
    listed: Sequence[tuple[bytes, float]], texts: Sequence[bytes]
) -> list[list[tuple[bytes, float]]]:
    """For each text, the listed tokens that it, and no other text, begins with."""
    found: list[list[tuple[bytes, float]]] = [[] for _ in texts]
    for token, value in listed:
        owners = [i for i, text in enumerate(texts) if token and text.startswith(token)]
        if len(owners) == 1:
            found[owners[0]].append((token, value))
    return found


def _together(text: bytes, matches: _Listed) -> float:
    """Log of the probability of the tokens that are the whole text, or of all where none is."""
    values = [value for token, value in matches if token == text] or [value for _, value in matches]
    top = max(values)
    return top + math.log(math.fsum(math.exp(value - top) for value in values))


def reply_probability(tokens: _Listed, stop: Sequence[str]) -> float | None:
    """Geometric mean of the tokens' probabilities, up to the one that completes a stop text; None for no
    token."""
    text, taken = b"", 0
    for token, _ in tokens:
        text, taken = text + token, taken + 1
        if first_stop(text.decode("utf-8", "ignore"), stop) is not None:
            break
    return math.exp(math.fsum(value for _, value in tokens[:taken]) / taken) if taken else None


def says_too_long(said: str) -> bool:
    """Whether a server's refusal means that the prompt does not fit its model."""
    return _TOO_LONG.search(said) is not None


def said_limit(said: str) -> int | None:
    """How many tokens a server says that prompt and reply may take; None where it does not."""
    found = _LIMIT.search(said)
    return int(found[1] or found[2]) if found else None
