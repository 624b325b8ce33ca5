"""A chat model of transformers, text or image-text, in this process.

Shapes: B conversations, S tokens, V vocabulary.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from tabrag.chat.config import LocalChatConfig
from tabrag.chat.decoding import reply_batch
from tabrag.chat.encoding import split_choices
from tabrag.chat.engine import Engine
from tabrag.chat.loading import load, pad_id
from tabrag.chat.passes import Passes
from tabrag.chat.prefix import PrefixCache, TokenCounts
from tabrag.chat.prompt_encoder import Prompt, PromptEncoder
from tabrag.chat.protocol import Conversation, Reply
from tabrag.chat.sharing import failed_check, refusal
from tabrag.errors import UserError
from tabrag.files import encodable

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Scoring:
    """What one forward pass over one prompt gives.

    Attributes:
        row: The conversation.
        prompt: Its prompt with the beginning of a choice behind it; the last token of that choice is left
            out of ``ids``, since nothing is asked after it.
        suffixes: Tokens of the choices that the pass scores, by their place among the choices.
    """

    row: int
    prompt: Prompt
    suffixes: dict[int, list[int]]

    @property
    def num_wanted(self) -> int:
        """Last positions whose predictions are read."""
        return max(map(len, self.suffixes.values()))


class LocalChat:
    """A :class:`tabrag.chat.protocol.ChatModel` over ``AutoModelForCausalLM`` or
    ``AutoModelForImageTextToText``.

    The weights are loaded on first use. Replies and scores of a conversation do not depend on its batch
    mates: text prompts are padded on the left with positions that start at their first true token, whatever
    the tokenizer's own padding side, and prompts of an image-text model run one by one.

    Where the model allows it (:mod:`tabrag.chat.sharing`), conversations that begin with the same tables
    share the run over them, within a call and between calls, for scores and replies alike; then those of an
    image-text model share forward passes too. Give all conversations of a job at once: their order is free.
    """

    def __init__(self, config: LocalChatConfig, *, opened: tuple[Any, Any, Any] | None = None) -> None:
        """Check the settings.

        Args:
            config: The settings.
            opened: Model, tokenizer and processor (None for a text model), in place of those that
                ``config.model`` and ``config.vision_features`` name; what was computed of a prompt is kept,
                so the weights must not change any more.
        """
        if config.prefix_cache_mb < 0 or config.batch_tokens < 1:
            raise UserError(
                f"prefix_cache_mb={config.prefix_cache_mb}, batch_tokens={config.batch_tokens}: the first "
                "must be at least 0, the second at least 1"
            )
        self.config = config
        self._opened = opened
        self.counts = TokenCounts()
        self.prefixes = PrefixCache(config.prefix_cache_mb * 2**20)

    @cached_property
    def _loaded(self) -> tuple[Any, Any, Any]:
        """Model, tokenizer and processor (None for a text model)."""
        return load(self.config) if self._opened is None else self._opened

    @cached_property
    def _encoder(self) -> PromptEncoder:
        model, tokenizer, processor = self._loaded
        most = self.config.max_length
        positions = getattr(model.config.get_text_config(), "max_position_embeddings", None) or most
        return PromptEncoder(tokenizer, processor, max_length=most, num_positions=positions)

    @cached_property
    @torch.inference_mode()
    def _engine(self) -> Engine | None:
        """Runs prompts behind shared beginnings; None where that is off or the model does not allow it."""
        if self.config.prefix_cache_mb == 0:
            return None
        model, tokenizer, _ = self._loaded
        passes = Passes(model)
        reason = refusal(model, pictures=self.reads_pictures) or failed_check(passes, model, tokenizer)
        if reason is not None:
            logger.warning("%s: each prompt runs whole, since %s", self.config.model, reason)
            return None
        return Engine(
            passes,
            self._encoder,
            cache=self.prefixes,
            counts=self.counts,
            batch_tokens=self.config.batch_tokens,
        )

    @property
    def reads_pictures(self) -> bool:
        """Whether messages may hold pictures."""
        return self._loaded[2] is not None

    def num_tokens(self, text: str) -> int:
        """How many tokens ``text`` takes in a prompt."""
        return len(self._encoder.ids([encodable(text)])[0])

    def generate(self, messages: Conversation, *, max_new_tokens: int = 64, stop: Sequence[str] = ()) -> str:
        """The greedy reply to one conversation, cut before the first of ``stop``."""
        return self.generate_batch([messages], max_new_tokens=max_new_tokens, stop=stop)[0].text

    @torch.inference_mode()
    def generate_batch(
        self, conversations: Sequence[Conversation], *, max_new_tokens: int = 64, stop: Sequence[str] = ()
    ) -> list[Reply]:
        """Greedy replies in the order of ``conversations``; sampling and penalties are off."""
        model, tokenizer, _ = self._loaded
        prompts = [self._encoder.prompt(messages, reserve=max_new_tokens) for messages in conversations]
        replies: dict[int, Reply] = {}

        def reply(rows: Sequence[int], inputs: dict[str, Any]) -> None:
            some = reply_batch(model, tokenizer, inputs, max_new_tokens=max_new_tokens, stop=stop)
            replies.update(zip(rows, some, strict=True))

        if self._engine is not None:
            pad, most = pad_id(model, tokenizer), self.config.batch_size
            for wave in self._engine.waves(prompts, [1] * len(prompts)):
                for rows, inputs in self._engine.reply_batches(wave, most=most, pad=pad):
                    reply(rows, inputs)
        left = [row for row in range(len(prompts)) if row not in replies]
        for some in self._chunks(left, lambda row: len(prompts[row].ids)):
            reply(some, self._whole([prompts[row] for row in some]))
        return [replies[row] for row in range(len(conversations))]

    def score(self, messages: Conversation, choices: Sequence[str]) -> list[float]:
        """Log-probability of each choice's text as the beginning of the next reply."""
        return self.score_batch([messages], choices)[0]

    @torch.inference_mode()
    def score_batch(self, conversations: Sequence[Conversation], choices: Sequence[str]) -> list[list[float]]:
        """Log-probabilities ``[len(conversations)][len(choices)]``, float32, over the whole text of each
        choice.

        Raises:
            UserError: No choices, or two that begin with the same token after some prompt.
        """
        if not choices:
            raise UserError("score: give at least one choice")
        scores = [[0.0] * len(choices) for _ in conversations]
        jobs = [
            job
            for row, messages in enumerate(conversations)
            for job in self._scorings(row, messages, choices)
        ]
        left = set(range(len(jobs)))

        def note(place: int, log_probs_TV: Tensor) -> None:
            left.discard(place)
            for i, suffix in jobs[place].suffixes.items():
                steps = log_probs_TV[-len(suffix) :]  # the position before a token predicts it
                scores[jobs[place].row][i] = float(steps[range(len(suffix)), suffix].sum())

        if self._engine is not None:
            prompts = [job.prompt for job in jobs]
            for wave in self._engine.waves(prompts, [job.num_wanted for job in jobs]):
                for place, log_probs_TV in self._engine.log_probs(wave):
                    note(place, log_probs_TV)
        for some in self._chunks(sorted(left), lambda place: len(jobs[place].prompt.ids)):
            longest = max(jobs[place].num_wanted for place in some)
            log_probs_BTV = self._log_probs([jobs[place].prompt for place in some], last=longest)
            for place, log_probs_TV in zip(some, log_probs_BTV, strict=True):
                note(place, log_probs_TV)
        return scores

    def _scorings(self, row: int, messages: Conversation, choices: Sequence[str]) -> list[_Scoring]:
        """The forward passes that score the choices after a conversation."""
        reserve = max(map(self.num_tokens, choices)) + 1
        prompt = self._encoder.prompt(messages, reserve=reserve)
        texts = [prompt.text + choice for choice in choices]
        encoded = self._encoder.ids(texts)
        _, suffixes = split_choices(prompt.ids, encoded, choices)
        whole = [
            replace(prompt, text=text, ids=tuple(ids[:-1]), num_cut=1)
            for text, ids in zip(texts, encoded, strict=True)
        ]
        if all(len(suffix) == 1 for suffix in suffixes):  # one forward pass gives them all
            return [_Scoring(row, whole[0], dict(enumerate(suffixes)))]
        return [_Scoring(row, whole[i], {i: suffixes[i]}) for i in range(len(choices))]

    def _log_probs(self, prompts: Sequence[Prompt], *, last: int) -> Tensor:
        """Float32 log-probabilities ``Tensor[B, last, V]`` of the last positions of whole prompts."""
        inputs = self._whole(prompts)
        accepts = inspect.signature(self._loaded[0].forward).parameters
        if "logits_to_keep" in accepts:
            inputs = {**inputs, "logits_to_keep": last}
        if "position_ids" in accepts and not self.reads_pictures:
            positions_BS = inputs["attention_mask"].cumsum(-1) - 1
            inputs = {**inputs, "position_ids": positions_BS.clamp(min=0)}
        logits_BSV = self._loaded[0](**inputs, use_cache=False).logits
        return torch.log_softmax(logits_BSV[:, -last:].float(), dim=-1)

    def _whole(self, prompts: Sequence[Prompt]) -> dict[str, Any]:
        """One batch of whole prompts on the model's device, padded on the left."""
        model, tokenizer, _ = self._loaded
        if self.reads_pictures:
            inputs = self._encoder.encode_prompt(prompts[0])
        else:
            longest = max(len(prompt.ids) for prompt in prompts)
            pads = [longest - len(prompt.ids) for prompt in prompts]
            fill = pad_id(model, tokenizer)
            ids = [[fill] * n + list(prompt.ids) for n, prompt in zip(pads, prompts, strict=True)]
            mask = [[0] * n + [1] * (longest - n) for n in pads]
            inputs = {"input_ids": torch.tensor(ids), "attention_mask": torch.tensor(mask)}
        num_positions = int(inputs["attention_mask"].sum())
        self.counts.plain += num_positions
        self.counts.asked += num_positions
        return {name: tensor.to(model.device) for name, tensor in inputs.items()}

    def _chunks(self, rows: Sequence[int], length: Any) -> list[list[int]]:
        """Whole prompts of similar length together; those of an image-text model alone."""
        size = 1 if self.reads_pictures else self.config.batch_size
        rows = sorted(rows, key=length)
        return [list(rows[i : i + size]) for i in range(0, len(rows), size)]
