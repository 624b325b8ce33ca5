"""Settings of chat models; apart from them, so that reading settings loads no torch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(kw_only=True)
class LocalChatConfig:
    """Which chat model, and how it runs.

    Attributes:
        model: Folder, hub id, or ``offline:smollm2`` (packaged weights). The kind of model (text or
            image-text) is read from its config. A language model that was trained as a reranker
            (``RUN/export``) is one too.
        revision: Branch, tag or commit of a hub id.
        device: ``auto``, ``cpu``, ``cuda`` or ``cuda:N``.
        dtype: ``auto``, ``float32``, ``bfloat16`` or ``float16``; probabilities are computed in float32
            always.
        max_length: Tokens of a prompt at most (less where the model itself reads less); longer table texts
            are shortened.
        batch_size: Prompts a forward pass.
        prefix_cache_mb: Mebibytes of the device's memory for the beginnings of prompts, up to the end of
            their tables, which then run once for all questions; 0 turns it off, each prompt running whole.
            Results are the same.
        batch_tokens: Positions a forward pass at most, padding included, where beginnings are shared.
        vision_features: Index folder beside which ``infer/index.py --vision_features=CHECKPOINT`` has stored
            what the model's vision tower makes of the pictures; it then runs for other pictures alone.
            Results are the same. The tower, and the number format, must be those of that checkpoint.
    """

    model: str = "offline:smollm2"
    revision: str | None = None
    device: str = "auto"
    dtype: str = "auto"
    max_length: int = 1024
    batch_size: int = 8
    prefix_cache_mb: int = 512
    batch_tokens: int = 4096
    vision_features: str | None = None

    def identity(self) -> dict[str, Any]:
        """What its replies depend on (JSON values)."""
        return {
            name: getattr(self, name)
            for name in self.__dataclass_fields__
            if name not in ("device", "batch_size", "prefix_cache_mb", "batch_tokens", "vision_features")
        }


@dataclass(kw_only=True)
class ServerChatConfig:
    """A chat model behind an OpenAI-compatible endpoint, and how it is asked.

    Attributes:
        url: Where the API begins, as ``http://localhost:8000/v1``; the requests go to
            ``URL/chat/completions``.
        model: The model's name at the server.
        api_key_env: Name of the environment variable that holds the API key; no key is sent where null. The
            key itself is never a setting.
        timeout: Seconds that one try may take.
        retries: Tries after the first one, where the server cannot be reached, is too slow, overloaded or
            broken (429, 5xx, an answer that is no JSON).
        backoff: Seconds before the second try; twice as many before each further one, less up to half by
            chance. A longer ``Retry-After`` of the server counts instead.
        max_concurrency: Requests under way at once.
        max_length: Tokens of a prompt at most; longer table texts are shortened. Where null, the server's own
            limit counts. Set it for a server that cuts long prompts without a word.
        max_image_pixels: Width times height at most of a picture that is sent; larger ones are made smaller.
        top_logprobs: How many of the likeliest first tokens the server lists when choices are scored; 20 is
            the most that vLLM allows unless started with ``--max-logprobs``.
        extra: Further fields of each request. The default turns off the penalty that vLLM and SGLang take
            from a model's own generation settings; set ``{}`` for a server that refuses fields it does not
            know, and ``{chat_template_kwargs: {enable_thinking: false}}`` for a model that thinks aloud.
    """

    url: str
    model: str
    api_key_env: str | None = None
    timeout: float = 60.0
    retries: int = 4
    backoff: float = 0.5
    max_concurrency: int = 8
    max_length: int | None = None
    max_image_pixels: int = 8_000_000
    top_logprobs: int = 20
    extra: dict[str, Any] = field(default_factory=lambda: {"repetition_penalty": 1.0})

    def identity(self) -> dict[str, Any]:
        """The settings that replies depend on; the others say where, how and how fast they are fetched."""
        return {
            name: getattr(self, name)
            for name in ("model", "max_length", "max_image_pixels", "top_logprobs", "extra")
        }
