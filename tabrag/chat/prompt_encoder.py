"""Conversations to tokens: rendered, shortened where they are too long, with and without their pictures."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from tabrag.chat.encoding import fit, render
from tabrag.chat.prefix import before_last_text, common, picture_key, tables_key, tables_of
from tabrag.chat.protocol import Conversation


@dataclass(frozen=True, slots=True)
class Prompt:
    """A rendered conversation.

    Attributes:
        text: What the model reads; its control tokens are in it.
        images: Paths of its pictures, in their order.
        ids: Tokens of ``text``; a picture counts as the one token that stands for it.
        num_positions: Its length in the model, where a picture takes many positions.
        key: Of its tables (:func:`tabrag.chat.prefix.tables_key`), before any shortening.
        messages: The conversation, shortened.
        num_cut: Last tokens of ``text`` that are left out of ``ids``.
    """

    text: str
    images: tuple[str, ...]
    ids: tuple[int, ...]
    num_positions: int
    key: bytes | None
    messages: Conversation
    num_cut: int = 0


class PromptEncoder:
    """Makes prompts for one model.

    Args:
        tokenizer: The model's.
        processor: The model's, which puts pictures into a prompt; None for a text model.
        max_length: Tokens of a prompt at most.
        num_positions: Tokens of prompt and reply that the model can hold.
    """

    def __init__(self, tokenizer: Any, processor: Any, *, max_length: int, num_positions: int) -> None:
        self.tokenizer = tokenizer
        self.processor = processor
        self._max_length = max_length
        self._num_positions = num_positions
        self._num_extra: dict[tuple[Any, ...], int] = {}

    def prompt(self, messages: Conversation, *, reserve: int) -> Prompt:
        """Render a conversation, with lines dropped from its tables until it fits.

        Args:
            messages: The conversation.
            reserve: Positions of the model to leave for the reply.

        Raises:
            UserError: What must not be shortened is too long by itself, or a picture does not open.
        """
        limit = min(self._max_length, self._num_positions - reserve)
        made: dict[int, tuple[str, list[str], list[int], int]] = {}

        def count(candidate: Conversation) -> int:
            text, images = render(candidate, self.tokenizer, self.processor)
            ids = self.ids([text])[0]
            total = len(ids) + self._extra_positions(text, images)
            made[id(candidate)] = text, images, ids, total  # `fit` returns one of those it has counted
            return total

        fitted = fit(messages, limit=limit, count=count)
        text, images, ids, total = made[id(fitted)]
        return Prompt(text, tuple(images), tuple(ids), total, tables_key(messages), fitted)

    def ids(self, texts: Sequence[str]) -> list[list[int]]:
        """Tokens of each text, which carries its control tokens itself; pictures are one token each."""
        return self.tokenizer(list(texts), add_special_tokens=False)["input_ids"]

    def encode(self, text: str, images: Sequence[str]) -> dict[str, Any]:
        """Tensors of one prompt, its pictures included; ``input_ids`` is ``Tensor[1, S]``."""
        if self.processor is None:
            return dict(
                self.tokenizer(
                    [text], add_special_tokens=False, return_tensors="pt", return_token_type_ids=False
                )
            )
        from tabrag.chat.pictures import open_picture

        pictures = [open_picture(path) for path in images] or None
        return dict(
            self.processor(text=[text], images=pictures, add_special_tokens=False, return_tensors="pt")
        )

    def head(self, prompt: Prompt) -> int:
        """How many tokens of a prompt are the same whatever follows its last table.

        A tokenizer may merge the last characters of the table with the first ones of the question: the
        tokens that do are not counted.
        """
        return self._begins_with(prompt, tables_of(prompt.messages))

    def before_question(self, prompt: Prompt) -> int:
        """How many tokens of a prompt are the same whatever its last text is; at least :meth:`head`."""
        return max(self.head(prompt), self._begins_with(prompt, before_last_text(prompt.messages)))

    def _begins_with(self, prompt: Prompt, start: Conversation) -> int:
        if not start:
            return 0
        other, _ = render(start, self.tokenizer, self.processor)
        text = os.path.commonprefix([prompt.text, other])
        return common(self.ids([text])[0], prompt.ids)

    def num_fixed(self, prompt: Prompt) -> int:
        """Tokens up to the last picture's; 0 where there is none."""
        if not prompt.images:
            return 0
        token = self.tokenizer.convert_tokens_to_ids(self.placeholder)
        return max((place + 1 for place, one in enumerate(prompt.ids) if one == token), default=0)

    @property
    def placeholder(self) -> str:
        """The token that stands for a picture in a rendered prompt."""
        return getattr(self.processor, "image_token", None) or "<image>"

    def encode_head(self, prompt: Prompt, head: int) -> dict[str, Any] | None:
        """Tensors of the first ``head`` tokens, with all pictures; None where they cannot be cut there."""
        if not prompt.images:
            ids_1S = torch.tensor([prompt.ids[:head]])
            return {"input_ids": ids_1S, "attention_mask": torch.ones_like(ids_1S)}
        inputs = self.encode_prompt(prompt)
        ids = inputs["input_ids"][0].tolist()
        tail = list(prompt.ids[head:])
        length = len(ids) - len(tail)
        return shorten(inputs, length) if head >= self.num_fixed(prompt) and ids[length:] == tail else None

    def encode_prompt(self, prompt: Prompt) -> dict[str, Any]:
        """Tensors of a whole prompt, its pictures included."""
        inputs = self.encode(prompt.text, prompt.images)
        return shorten(inputs, inputs["input_ids"].shape[1] - prompt.num_cut)

    def _extra_positions(self, text: str, images: Sequence[str]) -> int:
        """Positions that pictures take beside their one token; the same under every text."""
        if not images:
            return 0
        key = tuple(map(picture_key, images))
        if key not in self._num_extra:
            self._num_extra[key] = self.encode(text, images)["input_ids"].shape[1] - len(self.ids([text])[0])
        return self._num_extra[key]


def shorten(inputs: dict[str, Any], length: int) -> dict[str, Any]:
    """Tensors of one prompt, those with an entry a token cut to the first ``length`` ones."""
    shape = inputs["input_ids"].shape
    return {name: tensor[:, :length] if tensor.shape == shape else tensor for name, tensor in inputs.items()}
