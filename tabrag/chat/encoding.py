"""Messages to what a model reads: chat template, one BOS, choice tokens, shortening of tables."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from tabrag.chat.prefix import common
from tabrag.chat.protocol import Conversation, Message, Picture, Text
from tabrag.errors import UserError
from tabrag.files import encodable

logger = logging.getLogger(__name__)

_PLAIN_NAMES = {"system": "System", "user": "User", "assistant": "Assistant"}


def render(messages: Conversation, tokenizer: Any, processor: Any = None) -> tuple[str, list[str]]:
    """The prompt text, ready to be tokenised without special tokens, and the picture paths in their order.

    The model's own chat template is used; where it has none, turns become ``User: ...`` lines and the cue is
    ``Assistant:``. Control tokens inside the messages (``<|im_end|>``, ``<image>``) are broken up by a blank,
    so that a question or a cell can neither end its turn nor ask for a picture. The text begins with the BOS
    token exactly once where the model's tokenizer sets one, and with none otherwise: two of them shift all
    scores.
    """
    images = [part.path for message in messages for part in message.parts if isinstance(part, Picture)]
    if images and processor is None:
        raise UserError(
            "this chat model reads no pictures: send the table as text, or choose an image-text model"
        )
    control = control_tokens(tokenizer)
    owner = processor if getattr(processor, "chat_template", None) else tokenizer
    if getattr(owner, "chat_template", None):
        rows = [
            {"role": message.role, "content": _content(message, control, as_parts=processor is not None)}
            for message in messages
        ]
        text = owner.apply_chat_template(rows, tokenize=False, add_generation_prompt=True)
    else:
        placeholder = getattr(processor, "image_token", None) or "<image>"
        lines = [
            f"{_PLAIN_NAMES[message.role]}: {_plain(message, control, placeholder)}" for message in messages
        ]
        text = "\n".join([*lines, "Assistant:"])
    return _with_one_bos(text, tokenizer), images


def control_tokens(tokenizer: Any) -> re.Pattern[str] | None:
    """A pattern that matches each control token of the tokenizer; None where there is none."""
    added = [str(token) for token in tokenizer.added_tokens_decoder.values() if token.special]
    names = {name for name in [*added, *tokenizer.all_special_tokens] if len(name) > 1}
    return (
        re.compile("|".join(re.escape(name) for name in sorted(names, key=len, reverse=True)))
        if names
        else None
    )


def break_up(text: str, control: re.Pattern[str] | None) -> str:
    """The text with a blank after the first character of each control token, so that none is one any more.

    Halves of characters are replaced: neither a tokenizer nor a request takes them.
    """
    text = encodable(text)
    return control.sub(lambda match: f"{match[0][0]} {match[0][1:]}", text) if control else text


def _content(message: Message, control: re.Pattern[str] | None, *, as_parts: bool) -> Any:
    if not as_parts:
        return "".join(break_up(part.text, control) for part in message.parts if isinstance(part, Text))
    parts: list[dict[str, str]] = []
    for part in message.parts:
        if isinstance(part, Picture):
            parts.append({"type": "image"})
        elif parts and parts[-1]["type"] == "text":
            parts[-1]["text"] += break_up(part.text, control)
        else:
            parts.append({"type": "text", "text": break_up(part.text, control)})
    return parts


def _plain(message: Message, control: re.Pattern[str] | None, placeholder: str) -> str:
    return "".join(
        f"{placeholder}\n" if isinstance(part, Picture) else break_up(part.text, control)
        for part in message.parts
    )


def _with_one_bos(text: str, tokenizer: Any) -> str:
    bos = tokenizer.bos_token
    if not bos:
        return text
    while text.startswith(bos + bos):
        text = text[len(bos) :]
    sets_bos = tokenizer("a", add_special_tokens=True)["input_ids"][:1] == [tokenizer.bos_token_id]
    return bos + text if sets_bos and not text.startswith(bos) else text


def split_choices(
    prompt: Sequence[int], prompts_with_choice: Sequence[Sequence[int]], choices: Sequence[str]
) -> tuple[int, list[list[int]]]:
    """Where the choices begin, and the token ids of each, as they really follow the prompt.

    A tokenizer may merge the end of the prompt with the beginning of a choice (``: `` + ``True`` -> ``:``, ``
    True``). The choice's tokens are therefore what differs when prompt + choice is tokenised as one text.

    Args:
        prompt: Token ids of the prompt alone.
        prompts_with_choice: Token ids of prompt + choice, one list a choice.
        choices: Their texts, for messages.

    Returns:
        The length of the common beginning, and the ids after it of each choice.

    Raises:
        UserError: Two choices begin with the same token, or a choice adds no token.
    """
    start = min(common(prompt, ids) for ids in prompts_with_choice)
    suffixes = [list(ids[start:]) for ids in prompts_with_choice]
    first: dict[int, str] = {}
    for choice, suffix in zip(choices, suffixes, strict=True):
        if not suffix:
            raise UserError(f"choice {choice!r} adds no token to the prompt: choices must not be empty")
        if suffix[0] in first:
            raise UserError(
                f"choices {first[suffix[0]]!r} and {choice!r} begin with the same token of this model:"
                " choose labels that differ from their first token on"
            )
        first[suffix[0]] = choice
    return start, suffixes


def fit(messages: Conversation, *, limit: int, count: Callable[[Conversation], int]) -> Conversation:
    """The messages, with lines dropped from the end of table texts until they take at most ``limit`` tokens.

    Each shortened table ends with a note that says how many lines are missing, and a warning names the item.
    All tables of a prompt keep the same number of lines at most.

    Raises:
        UserError: What must not be cut (question, cue) is too long by itself.
    """
    total = count(messages)
    if total <= limit:
        return messages
    tables = [
        part for message in messages for part in message.parts if isinstance(part, Text) and part.item_id
    ]
    low, high = 0, max((len(part.text.splitlines()) for part in tables), default=0)
    best: Conversation | None = None
    while low < high:  # the most lines that fit, by bisection: `high` never fits
        middle = (low + high) // 2
        shorter = [_shorten(message, middle) for message in messages]
        if count(shorter) <= limit:
            best, low = shorter, middle + 1
        else:
            high = middle
    if best is None:
        raise UserError(
            f"the prompt takes {total} tokens, the model reads {limit}, and what is not table text is"
            " too long by itself: shorten the question, or choose a model with a longer context"
        )
    for part in tables:
        num_lines = len(part.text.splitlines())
        if num_lines > low - 1:
            logger.warning(
                "table %s: the reader sees %d of its %d lines (%d tokens at most)",
                part.item_id, low - 1, num_lines, limit,
            )  # fmt: skip
    return best


def _shorten(message: Message, num_lines: int) -> Message:
    parts = tuple(
        replace(part, text=_first_lines(part.text, num_lines))
        if isinstance(part, Text) and part.item_id
        else part
        for part in message.parts
    )
    return replace(message, parts=parts)


def _first_lines(text: str, num_lines: int) -> str:
    lines = text.splitlines()
    if len(lines) <= num_lines:
        return text
    note = f"[{len(lines) - num_lines} more lines not shown]"
    return "\n".join([*lines[:num_lines], note]) + ("\n" if text.endswith("\n") else "")
