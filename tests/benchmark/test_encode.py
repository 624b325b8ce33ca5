"""The comparison of encoders."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch

from tabrag.benchmark.encode import compare_encoding
from tabrag.errors import UserError
from tabrag.inference.encode import encode
from tabrag.models import tiny
from tabrag.models.config import EmbedderConfig
from tabrag.models.embedder import Embedder
from tabrag.types import Entry


@pytest.fixture()
def embedder(tmp_path: Path) -> Embedder:
    tiny.bert(tmp_path)
    return Embedder.from_config(EmbedderConfig(backbone=str(tmp_path)))


def test_both_encode_the_same_texts_from_the_same_weights(
    embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[int] = []
    formats: list[torch.dtype] = []

    class Stub:
        def __init__(self, folder: str, *, device: str, model_kwargs: dict[str, Any]) -> None:
            formats.append(model_kwargs["dtype"])
            self.embedder = Embedder.from_pretrained(folder)

        def encode(self, texts: list[str], **options: Any) -> np.ndarray:
            calls.append(len(texts))
            entries = [Entry(id=text, item_id=text, text=text) for text in texts]
            return encode(self.embedder, entries, progress=False) + 0.25

    module = ModuleType("sentence_transformers")
    module.SentenceTransformer = Stub  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)
    figures = compare_encoding(
        embedder, ["a", "b c", "a"] * 30, repeats=2, device="cpu", peer_dtype="bfloat16"
    )
    assert calls == [64, 90, 90] and formats == [torch.bfloat16]
    assert (figures["texts"], figures["distinct_texts"]) == (90, 2)
    assert figures["max_difference"] == pytest.approx(0.25, abs=1e-5)
    assert figures["speed_ratio"] > 0 and figures["threads"] >= 1 and figures["dtype"] == "float32"


def test_faults(embedder: Embedder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(UserError, match="sentence-transformers"):
        compare_encoding(embedder, ["a"])
    embedder.config.inputs = "image"
    with pytest.raises(UserError, match="only text"):
        compare_encoding(embedder, ["a"])
