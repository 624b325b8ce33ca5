"""Settings of a local chat model; apart from it, so that reading settings loads no torch."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(kw_only=True)
class LocalChatConfig:
    """Which chat model, and how it runs.

    Attributes:
        model: Folder, hub id, or ``offline:smollm2`` (packaged weights). The kind of model (text or
            image-text) is read from its config.
        revision: Branch, tag or commit of a hub id.
        device: ``auto``, ``cpu``, ``cuda`` or ``cuda:N``.
        dtype: ``auto``, ``float32``, ``bfloat16`` or ``float16``; probabilities are computed in float32
            always.
        max_length: Tokens of a prompt at most (less where the model itself reads less); longer table texts
            are shortened.
        batch_size: Prompts a forward pass.
    """

    model: str = "offline:smollm2"
    revision: str | None = None
    device: str = "auto"
    dtype: str = "auto"
    max_length: int = 1024
    batch_size: int = 8
