"""A prompt and the reply to learn, to tensors: through the code that makes prompts for inference.

Shapes: B examples, S tokens.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from tabrag.chat.encoding import split_choices
from tabrag.chat.loading import end_ids, pad_id
from tabrag.chat.prefix import common
from tabrag.chat.prompt_encoder import PromptEncoder
from tabrag.chat.protocol import Conversation

IGNORED = -100
"""Label of a token that no loss is taken at."""


@dataclass(frozen=True, slots=True)
class ChatTokens:
    """One example.

    Attributes:
        tensors: What the model reads, pictures included; ``input_ids`` is int64 Tensor[1, S].
        num_reply: Its last tokens: the reply and the token that ends it.
    """

    tensors: dict[str, Any]
    num_reply: int

    def __len__(self) -> int:
        return self.tensors["input_ids"].shape[1]


@dataclass(frozen=True, slots=True)
class ChatInputs:
    """Training inputs of a chat model.

    Attributes:
        encoder: Makes its prompts.
        end: Text of the token that ends a reply.
        pad: The token that fills a batch up; never read.
        takes_positions: Whether the model is told the positions; those after padding start at 0 then.
    """

    encoder: PromptEncoder
    end: str
    pad: int
    takes_positions: bool

    @classmethod
    def of(cls, model: Any, tokenizer: Any, processor: Any, *, max_length: int) -> ChatInputs:
        """Those of a transformers model.

        Args:
            model: The model.
            tokenizer: Its tokenizer.
            processor: Its processor; None for a text model.
            max_length: Tokens of a prompt at most.
        """
        positions = getattr(model.config.get_text_config(), "max_position_embeddings", None)
        encoder = PromptEncoder(
            tokenizer, processor, max_length=max_length, num_positions=positions or max_length
        )
        accepts = inspect.signature(model.forward).parameters
        return cls(
            encoder,
            end=_end_of_reply(encoder, end_ids(model, tokenizer)),
            pad=pad_id(model, tokenizer),
            takes_positions=processor is None and "position_ids" in accepts,
        )

    @property
    def reads_pictures(self) -> bool:
        """Whether examples hold pictures, and therefore run one by one."""
        return self.encoder.processor is not None

    def features(self, messages: Conversation, reply: str) -> ChatTokens:
        """Tokens of an example; the prompt is shortened as in inference.

        Raises:
            UserError: What must not be shortened is too long by itself, or a picture does not open.
        """
        ending = reply + self.end
        prompt = self.encoder.prompt(messages, reserve=len(self.encoder.ids([ending])[0]) + 1)
        ids = self.encoder.ids([prompt.text + ending])[0]
        tensors = self.encoder.encode(prompt.text + ending, prompt.images)
        return ChatTokens(tensors, len(ids) - common(prompt.ids, ids))

    def choice_ids(self, messages: Conversation, choices: Sequence[str]) -> list[list[int]]:
        """Token ids of each choice as they really follow a prompt.

        Raises:
            UserError: Two choices begin with the same token.
        """
        prompt = self.encoder.prompt(messages, reserve=8)
        return split_choices(prompt.ids, self.encoder.ids([prompt.text + one for one in choices]), choices)[1]

    def collate(self, examples: Sequence[ChatTokens]) -> dict[str, Any]:
        """One batch, padded on the left, so that all replies end at its last position.

        Returns:
            The model's arguments, ``labels`` (int64 Tensor[B, S], :data:`IGNORED` before the reply) and
            ``num_reply``, the most tokens of a reply.

        Raises:
            ValueError: Several examples with pictures.
        """
        if self.reads_pictures and len(examples) > 1:
            raise ValueError("examples of an image-text model run one by one")
        longest = max(map(len, examples))
        batch = dict(examples[0].tensors)
        for name, value in (("input_ids", self.pad), ("attention_mask", 0)):
            batch[name] = torch.cat(
                [
                    torch.nn.functional.pad(one.tensors[name], (longest - len(one), 0), value=value)
                    for one in examples
                ]
            )
        labels_BS = torch.full_like(batch["input_ids"], IGNORED)
        for row, one in enumerate(examples):
            labels_BS[row, -one.num_reply :] = batch["input_ids"][row, -one.num_reply :]
        if self.takes_positions:
            batch["position_ids"] = (batch["attention_mask"].cumsum(-1) - 1).clamp(min=0)
        return {**batch, "labels": labels_BS, "num_reply": max(one.num_reply for one in examples)}


def _end_of_reply(encoder: PromptEncoder, ends: list[int]) -> str:
    """The text that ends a reply: what the chat template puts there, or else the model's end token."""
    tokenizer = encoder.tokenizer
    names = [tokenizer.convert_ids_to_tokens(one) for one in ends]
    owner = encoder.processor if getattr(encoder.processor, "chat_template", None) else tokenizer
    if getattr(owner, "chat_template", None) and names:
        words = [[{"type": "text", "text": text}] if encoder.processor else text for text in ("Hi", "Yes!")]
        rows = [
            {"role": role, "content": one} for role, one in zip(("user", "assistant"), words, strict=True)
        ]
        behind = owner.apply_chat_template(rows, tokenize=False).rpartition("Yes!")[2]
        found = [(behind.find(name), name) for name in names if name in behind]
        if found:
            return min(found)[1]
    return names[0] if names else ""
