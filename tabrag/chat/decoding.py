"""Greedy decoding followed step by step: token probabilities, stop texts, replies cut where they end."""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from tabrag.chat.loading import end_ids, pad_id
from tabrag.chat.protocol import Reply, first_stop
from tabrag.chat.thoughts import without_thoughts
from tabrag.errors import UserError

logger = logging.getLogger(__name__)


def reply_batch(
    model: Any, tokenizer: Any, inputs: dict[str, Any], *, max_new_tokens: int, stop: Sequence[str]
) -> list[Reply]:
    """Greedy replies to a batch of prompts; sampling and penalties are off."""
    from transformers import GenerationConfig, LogitsProcessorList, StoppingCriteriaList

    ends = end_ids(model, tokenizer)
    settings = GenerationConfig(
        max_new_tokens=max_new_tokens,
        do_sample=False,
        num_beams=1,
        repetition_penalty=1.0,
        no_repeat_ngram_size=0,
        eos_token_id=ends or None,
        pad_token_id=pad_id(model, tokenizer),
        use_cache=True,
    )
    decoder = Decoder(tokenizer, ends=ends, stop=stop, prompt_length=inputs["input_ids"].shape[1])
    output_BS = model.generate(
        **inputs,
        generation_config=settings,
        logits_processor=LogitsProcessorList([decoder.record]),
        stopping_criteria=StoppingCriteriaList([decoder.stopped]),
    )
    return decoder.replies(output_BS)


class Decoder:
    """Hooks for one call of ``generate``, and the replies it gave."""

    def __init__(
        self, tokenizer: Any, *, ends: Sequence[int], stop: Sequence[str], prompt_length: int
    ) -> None:
        self._tokenizer = tokenizer
        self._ends = set(ends)
        self._stop = tuple(stop)
        self._prompt_length = prompt_length
        self._chosen: list[Tensor] = []
        self._stopped_at: dict[int, int] = {}

    def record(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Logits processor: note the log-probability of the token that greedy decoding takes."""
        self._chosen.append(torch.log_softmax(scores.float(), dim=-1).max(dim=-1).values)
        return scores

    def stopped(self, input_ids: Tensor, scores: Any, **_: Any) -> Tensor:
        """Stopping criterion ``Tensor[B]`` of bool: rows that have said one of the stop texts."""
        num_new = input_ids.shape[1] - self._prompt_length
        if self._stop:
            for row, text in enumerate(self._decode(input_ids[:, self._prompt_length :])):
                if first_stop(text, self._stop) is not None:
                    self._stopped_at.setdefault(row, num_new)
        flags = [row in self._stopped_at for row in range(input_ids.shape[0])]
        return torch.tensor(flags, device=input_ids.device)

    def replies(self, output_BS: Tensor) -> list[Reply]:
        """The reply of each row of ``generate``'s output (prompt included).

        Raises:
            UserError: A probability is NaN.
        """
        new_BT = output_BS[:, self._prompt_length :]
        log_probs_TB = torch.stack(self._chosen) if self._chosen else torch.zeros(0, new_BT.shape[0])
        replies, thoughts = [], 0
        for row, ids in enumerate(new_BT.tolist()):
            end = next((i + 1 for i, token in enumerate(ids) if token in self._ends), len(ids))
            length = min(end, self._stopped_at.get(row, len(ids)))
            text = self._decode([ids[:length]])[0]
            cut = first_stop(text, self._stop)
            probability = float(log_probs_TB[:length, row].mean().exp()) if length else None
            if probability is not None and math.isnan(probability):
                raise UserError("the model's reply is of NaN: check its files, or set its dtype to float32")
            said = without_thoughts(text if cut is None else text[:cut]).strip()
            thoughts += bool(text.strip()) and not said
            replies.append(Reply(said, probability))
        if thoughts:
            logger.warning(
                "%d of %d replies are thoughts alone: raise their length, or choose a model that does not"
                " think aloud",
                thoughts,
                len(replies),
            )
        return replies

    def _decode(self, rows: Any) -> list[str]:
        return self._tokenizer.batch_decode(
            rows, skip_special_tokens=True, clean_up_tokenization_spaces=False
        )
