"""Messages to what a model reads: chat template, one BOS, choice tokens, shortening of tables."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from tabrag.chat.prefix import common
from tabrag.chat.protocol import Conversation, Message, Part, Picture, Text
from tabrag.errors import UserError
from tabrag.files import encodable

logger = logging.getLogger(__name__)

MIN_QUESTION = 80
"""Characters of a question that are kept at least, of its beginning and its end."""
CONTROL_SHAPES = re.compile(
    r"<\|[^<>]{1,80}?\|>"  # <|im_end|>
    r"|<｜[^<>]{1,80}?｜>"
    r"|</?[A-Za-z_][\w.-]{0,80}>"  # <s>, <image>, <end_of_turn>
    r"|<</?SYS>>"
    r"|\[/?(?:INST|IMG|IMG_BREAK|IMG_END|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT"
    r"|THINK|AUDIO|BEGIN_AUDIO|PREFIX|SUFFIX|MIDDLE)\]"
)
"""What a control token looks like."""
_PLAIN_NAMES = {"system": "System", "user": "User", "assistant": "Assistant"}


def render(messages: Conversation, tokenizer: Any, processor: Any = None) -> tuple[str, list[str]]:
    """The prompt text, ready to be tokenised without special tokens, and the picture paths in their order.

    The model's own chat template is used, with thoughts before the reply turned off where it knows how: what
    is scored is the first word of the reply. Where it has none, turns become ``User: ...`` lines and the cue
    is ``Assistant:``. Control tokens inside the messages (``<|im_end|>``, ``<image>``) are broken up by a
    blank, so that a question or a cell can neither end its turn nor ask for a picture. The text begins with
    the BOS token exactly once where the model's tokenizer sets one, and with none otherwise: two of them
    shift all scores.
    """
    images = [part.path for message in messages for part in message.parts if isinstance(part, Picture)]
    if images and processor is None:
        raise UserError(
            "this chat model reads no pictures: send the table as text, or choose an image-text model"
        )
    control = control_tokens(tokenizer, processor)
    owner = processor if getattr(processor, "chat_template", None) else tokenizer
    if getattr(owner, "chat_template", None):
        rows = [
            {"role": message.role, "content": _content(message, control, as_parts=processor is not None)}
            for message in messages
        ]
        options = {"enable_thinking": False} if "enable_thinking" in _source(owner.chat_template) else {}
        text = owner.apply_chat_template(rows, tokenize=False, add_generation_prompt=True, **options)
    else:
        placeholder = getattr(processor, "image_token", None) or "<image>"
        lines = [
            f"{_PLAIN_NAMES[message.role]}: {_plain(message, control, placeholder)}" for message in messages
        ]
        text = "\n".join([*lines, "Assistant:"])
    return _with_one_bos(text, tokenizer), images


def control_tokens(tokenizer: Any, processor: Any = None) -> re.Pattern[str] | None:
    """A pattern that matches each control token of a model; None where there is none.

    These are the special tokens of its tokenizer, added ones that look like one (``</think>``), those that
    its processor puts pictures in place of, and what its chat template marks turns with, which may be common
    text to the tokenizer (``[/INST]``).
    """
    added = [
        str(token)
        for token in tokenizer.added_tokens_decoder.values()
        if token.special or CONTROL_SHAPES.fullmatch(str(token))
    ]
    values = vars(processor) if processor is not None else {}
    own = [value for name, value in values.items() if name.endswith("_token")]
    templates = (getattr(owner, "chat_template", None) for owner in (tokenizer, processor))
    marks = [mark for template in templates for mark in CONTROL_SHAPES.findall(_source(template))]
    found = [*added, *tokenizer.all_special_tokens, *map(str, filter(None, own)), *marks]
    names = {name for name in found if len(name) > 1}
    return (
        re.compile("|".join(re.escape(name) for name in sorted(names, key=len, reverse=True)))
        if names
        else None
    )


def _source(template: Any) -> str:
    """The text of a chat template; of several ones by name, all."""
    return "\n".join(map(str, template.values())) if isinstance(template, dict) else str(template or "")


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
    All tables of a prompt keep the same number of lines at most. Where not even the first line of each fits,
    the middle of a long question goes, with a warning that names what the prompt shows, and both get about
    half of the room; where that does not help, all lines of the tables go, too.

    Args:
        messages: The conversation.
        limit: Tokens.
        count: Tokens of a conversation.

    Raises:
        UserError: What must not be cut (pictures, task, cue) is too long by itself.
    """
    total = count(messages)
    if total <= limit:
        return messages
    tables = [
        part for message in messages for part in message.parts if isinstance(part, Text) and part.item_id
    ]
    num_lines = max((len(part.text.splitlines()) for part in tables), default=0)
    holder, question = _question_of(messages)
    length = len(question)

    def cut(lines: int, characters: int) -> Conversation:
        shorter = _without_middle(question, characters)
        return [_shorten(message, lines, holder, question, shorter) for message in messages]

    def most(low: int, high: int, made: Callable[[int], Conversation]) -> tuple[int, Conversation] | None:
        """The largest number from ``low`` to below ``high`` whose messages fit, by bisection."""
        best = None
        while low < high:
            middle = (low + high) // 2
            shown = made(middle)
            if count(shown) <= limit:
                best, low = (middle, shown), middle + 1
            else:
                high = middle
        return best

    found = most(1, num_lines, lambda lines: cut(lines, length))
    if found is not None:
        _tell_lines(tables, found[0], limit)
        return found[1]
    for lines in (1, 0) if num_lines else (0,):
        if lines == 0 and tables and count(shown := cut(0, length)) <= limit:
            _tell_lines(tables, 0, limit)
            return shown
        found = most(MIN_QUESTION, length, lambda characters, lines=lines: cut(lines, characters))
        if found is not None and lines:  # half of what the question could have is for the table
            half = max(found[0] // 2, MIN_QUESTION)
            more = most(2, num_lines + 1, lambda some, half=half: cut(some, half))
            if more is not None:
                again = most(half, length, lambda some, kept=more[0]: cut(kept, some))
                lines, found = (lines, found) if again is None else (more[0], again)
        if found is not None:
            _tell_lines(tables, lines, limit)
            names = dict.fromkeys(_names(messages))
            logger.warning(
                "%s: of the question's %d characters the middle is left out, %d are kept (%d tokens at most)",
                ", ".join(names) or "a prompt", length, found[0], limit,
            )  # fmt: skip
            return found[1]
    raise UserError(
        f"the prompt takes {total} tokens, the model reads {limit}, and what is not table text is"
        " too long by itself: shorten the question, or choose a model with a longer context"
    )


def _question_of(messages: Conversation) -> tuple[Text | None, str]:
    """The text that holds the question, and the question, which may lose its middle; else None and empty."""
    parts = [part for message in messages for part in message.parts]
    asking = [part for part in parts if isinstance(part, Text) and part.question]
    if asking:
        return asking[-1], asking[-1].question
    last = parts[-1] if parts else None
    shows = any(isinstance(part, Picture) or part.item_id for part in parts)
    return (last, last.text) if shows and isinstance(last, Text) and not last.item_id else (None, "")


def _names(messages: Conversation) -> Iterator[str]:
    for message in messages:
        for part in message.parts:
            if isinstance(part, Picture):
                yield part.path
            elif part.item_id:
                yield part.item_id


def _tell_lines(tables: Sequence[Text], kept: int, limit: int) -> None:
    for part in tables:
        num_lines = len(part.text.splitlines())
        if num_lines > kept:
            logger.warning(
                "table %s: the reader sees %d of its %d lines (%d tokens at most)",
                part.item_id, kept, num_lines, limit,
            )  # fmt: skip


def _shorten(message: Message, num_lines: int, holder: Text | None, question: str, shorter: str) -> Message:
    def shorten(part: Part) -> Part:
        if part is holder:
            before, _, behind = part.text.rpartition(question)
            return replace(part, text=f"{before}{shorter}{behind}")
        if isinstance(part, Text) and part.item_id:
            return replace(part, text=_first_lines(part.text, num_lines))
        return part

    return replace(message, parts=tuple(map(shorten, message.parts)))


def _without_middle(text: str, length: int) -> str:
    """About ``length`` characters of a text, half from each end; words stay whole where there are blanks."""
    if len(text) <= length:
        return text
    head, tail = text[: (length + 1) // 2], text[len(text) - length // 2 :]
    half = len(head) // 2
    if (at := head.rfind(" ", half)) > 0:
        head = head[:at]
    if 0 <= (at := tail.find(" ", 0, half)):
        tail = tail[at + 1 :]
    return f"{head} [...] {tail}"


def _first_lines(text: str, num_lines: int) -> str:
    lines = text.splitlines()
    if len(lines) <= num_lines:
        return text
    note = f"[{len(lines) - num_lines} more lines not shown]"
    return "\n".join([*lines[:num_lines], note]) + ("\n" if text.endswith("\n") else "")
