"""A chat model of transformers, text or image-text, in this process.

Shapes: B conversations, S tokens, V vocabulary.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from tabrag.chat.config import LocalChatConfig
from tabrag.chat.encoding import fit, render, split_choices
from tabrag.chat.protocol import Conversation, Reply
from tabrag.errors import UserError

logger = logging.getLogger(__name__)


class LocalChat:
    """A :class:`tabrag.chat.protocol.ChatModel` over ``AutoModelForCausalLM`` or
    ``AutoModelForImageTextToText``.

    The weights are loaded on first use. Replies and scores of a conversation do not depend on its batch
    mates: text prompts are padded on the left with positions that start at their first true token, whatever
    the tokenizer's own padding side, and prompts of an image-text model run one by one.
    """

    def __init__(self, config: LocalChatConfig) -> None:
        self.config = config

    @cached_property
    def _loaded(self) -> tuple[Any, Any, Any]:
        """Model, tokenizer and processor (None for a text model)."""
        import transformers

        from tabrag.inference import runtime
        from tabrag.models.io import load_config, resolve

        path = resolve(self.config.model, revision=self.config.revision)
        model_config = load_config(path)
        device = runtime.device(self.config.device)
        options = {"dtype": runtime.precision(self.config.dtype, device), "output_loading_info": True}
        if reads_pictures(model_config, str(self.config.model)):
            model, info = transformers.AutoModelForImageTextToText.from_pretrained(path, **options)
            processor = transformers.AutoProcessor.from_pretrained(path)
            tokenizer = processor.tokenizer
        else:
            model, info = transformers.AutoModelForCausalLM.from_pretrained(path, **options)
            processor, tokenizer = None, transformers.AutoTokenizer.from_pretrained(path)
        faults = [*info["missing_keys"], *info["unexpected_keys"], *map(str, info["mismatched_keys"])]
        if faults:  # transformers would fill the missing ones with random numbers
            raise UserError(
                f"{path}: tensors that do not fit {type(model).__name__}: {', '.join(sorted(faults)[:8])}"
            )
        logger.info("chat model %s (%s) on %s", self.config.model, type(model).__name__, device)
        return model.to(device).eval(), tokenizer, processor

    @cached_property
    def _accepts(self) -> set[str]:
        return set(inspect.signature(self._loaded[0].forward).parameters)

    @property
    def reads_pictures(self) -> bool:
        """Whether messages may hold pictures."""
        return self._loaded[2] is not None

    def num_tokens(self, text: str) -> int:
        """How many tokens ``text`` takes in a prompt."""
        return len(self._loaded[1](text, add_special_tokens=False)["input_ids"])

    def generate(self, messages: Conversation, *, max_new_tokens: int = 64, stop: Sequence[str] = ()) -> str:
        """The greedy reply to one conversation, cut before the first of ``stop``."""
        return self.generate_batch([messages], max_new_tokens=max_new_tokens, stop=stop)[0].text

    @torch.inference_mode()
    def generate_batch(
        self, conversations: Sequence[Conversation], *, max_new_tokens: int = 64, stop: Sequence[str] = ()
    ) -> list[Reply]:
        """Greedy replies in the order of ``conversations``; sampling and penalties are off."""
        from transformers import GenerationConfig, LogitsProcessorList, StoppingCriteriaList

        from tabrag.chat.decoding import Decoder

        model, tokenizer, _ = self._loaded
        ends = _end_ids(model, tokenizer)
        settings = GenerationConfig(
            max_new_tokens=max_new_tokens,
            do_sample=False,
            num_beams=1,
            repetition_penalty=1.0,
            no_repeat_ngram_size=0,
            eos_token_id=ends or None,
            pad_token_id=self._pad_id,
            use_cache=True,
        )
        replies: dict[int, Reply] = {}
        for rows, inputs in self._batches(conversations, reserve=max_new_tokens):
            decoder = Decoder(tokenizer, ends=ends, stop=stop, prompt_length=inputs["input_ids"].shape[1])
            output_BS = model.generate(
                **inputs,
                generation_config=settings,
                logits_processor=LogitsProcessorList([decoder.record]),
                stopping_criteria=StoppingCriteriaList([decoder.stopped]),
            )
            replies.update(zip(rows, decoder.replies(output_BS), strict=True))
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
        jobs: list[tuple[int, dict[int, list[int]], dict[str, Any]]] = []
        for row, messages in enumerate(conversations):
            text, images = self._prompt(messages, reserve=max(map(self.num_tokens, choices)) + 1)
            prompt = self._encode(text, images)["input_ids"][0].tolist()
            encoded = [self._encode(text + choice, images) for choice in choices]
            start, suffixes = split_choices(prompt, [e["input_ids"][0].tolist() for e in encoded], choices)
            if all(len(suffix) == 1 for suffix in suffixes):  # one forward pass gives them all
                jobs.append((row, dict(enumerate(suffixes)), encoded[0]))
            else:
                jobs.extend((row, {i: suffixes[i]}, encoded[i]) for i in range(len(choices)))
        for some in self._chunks(jobs, key=lambda job: job[2]["input_ids"].shape[1]):
            longest = max(len(suffix) for _, suffixes, _ in some for suffix in suffixes.values())
            log_probs_BTV = self._log_probs(self._pad([inputs for *_, inputs in some]), last=longest + 1)
            for (row, suffixes, _), log_probs_TV in zip(some, log_probs_BTV, strict=True):
                for i, suffix in suffixes.items():
                    steps = log_probs_TV[-len(suffix) - 1 : -1]  # the position before a token predicts it
                    scores[row][i] = float(steps[range(len(suffix)), suffix].sum())
        return scores

    def _log_probs(self, inputs: dict[str, Any], *, last: int) -> Tensor:
        """Float32 log-probabilities ``Tensor[B, last, V]`` of the last positions."""
        if "logits_to_keep" in self._accepts:
            inputs = {**inputs, "logits_to_keep": last}
        if "position_ids" in self._accepts and not self.reads_pictures:
            positions_BS = inputs["attention_mask"].cumsum(-1) - 1
            inputs = {**inputs, "position_ids": positions_BS.clamp(min=0)}
        logits_BSV = self._loaded[0](**inputs, use_cache=False).logits
        return torch.log_softmax(logits_BSV[:, -last:].float(), dim=-1)

    def _batches(
        self, conversations: Sequence[Conversation], *, reserve: int
    ) -> list[tuple[list[int], dict[str, Any]]]:
        encoded = [
            (row, self._encode(*self._prompt(messages, reserve=reserve)))
            for row, messages in enumerate(conversations)
        ]
        chunks = self._chunks(encoded, key=lambda pair: pair[1]["input_ids"].shape[1])
        return [([row for row, _ in some], self._pad([inputs for _, inputs in some])) for some in chunks]

    def _chunks(self, jobs: list[Any], *, key: Any) -> list[list[Any]]:
        """Jobs of similar length together; those of an image-text model alone."""
        size = 1 if self.reads_pictures else self.config.batch_size
        jobs = sorted(jobs, key=key)
        return [jobs[i : i + size] for i in range(0, len(jobs), size)]

    def _prompt(self, messages: Conversation, *, reserve: int) -> tuple[str, list[str]]:
        model, tokenizer, processor = self._loaded
        positions = (
            getattr(model.config.get_text_config(), "max_position_embeddings", None) or self.config.max_length
        )
        limit = min(self.config.max_length, positions - reserve)

        def count(candidate: Conversation) -> int:
            return self._encode(*render(candidate, tokenizer, processor))["input_ids"].shape[1]

        return render(fit(messages, limit=limit, count=count), tokenizer, processor)

    def _encode(self, text: str, images: list[str]) -> dict[str, Any]:
        """Tensors of one prompt; ``text`` carries its control tokens itself."""
        _, tokenizer, processor = self._loaded
        if processor is None:
            return dict(
                tokenizer([text], add_special_tokens=False, return_tensors="pt", return_token_type_ids=False)
            )
        from tabrag.tables.image import open_image

        pictures = [open_image(path) for path in images] or None
        return dict(processor(text=[text], images=pictures, add_special_tokens=False, return_tensors="pt"))

    def _pad(self, encoded: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """One batch on the model's device, padded on the left."""
        device = self._loaded[0].device
        if len(encoded) == 1:
            return {name: tensor.to(device) for name, tensor in encoded[0].items()}
        longest = max(inputs["input_ids"].shape[1] for inputs in encoded)

        def padded(name: str, value: int) -> Tensor:
            pads = [longest - inputs[name].shape[1] for inputs in encoded]
            rows = [
                torch.nn.functional.pad(e[name], (n, 0), value=value)
                for e, n in zip(encoded, pads, strict=True)
            ]
            return torch.cat(rows).to(device)

        return {"input_ids": padded("input_ids", self._pad_id), "attention_mask": padded("attention_mask", 0)}

    @property
    def _pad_id(self) -> int:
        model, tokenizer, _ = self._loaded
        if tokenizer.pad_token_id is not None:
            return tokenizer.pad_token_id
        return next(iter(_end_ids(model, tokenizer)), 0)  # never read: the mask hides it


def reads_pictures(model_config: Any, name: str) -> bool:
    """Whether a transformers config is that of an image-text model (True) or of a text model (False).

    Raises:
        UserError: It is neither.
    """
    from transformers.models.auto import modeling_auto

    names = set(model_config.architectures or ())
    pictures = modeling_auto.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES
    text = modeling_auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES
    if names & set(pictures.values()) or (not names and model_config.model_type in pictures):
        return True
    if names & set(text.values()) or (not names and model_config.model_type in text):
        return False
    raise UserError(
        f"{name}: architecture {sorted(names) or model_config.model_type} is no chat model;"
        " give a causal language model or an image-text-to-text model"
    )


def _end_ids(model: Any, tokenizer: Any) -> list[int]:
    """Every token that ends a reply, of the model's generation settings and of the tokenizer."""
    ends = model.generation_config.eos_token_id
    ends = [] if ends is None else list(ends) if isinstance(ends, list | tuple) else [ends]
    if tokenizer.eos_token_id is not None and tokenizer.eos_token_id not in ends:
        ends.append(tokenizer.eos_token_id)
    return ends
