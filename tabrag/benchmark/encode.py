"""How fast texts are encoded, beside sentence-transformers on the same weights, texts and machine."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from tabrag.errors import UserError
from tabrag.inference import runtime
from tabrag.inference.encode import default_batch_tokens, encode
from tabrag.models.embedder import Embedder
from tabrag.types import Entry


def compare_encoding(
    embedder: Embedder,
    texts: Sequence[str],
    *,
    dtype: str = "float32",
    peer_dtype: str = "float32",
    batch_size: int = 32,
    repeats: int = 3,
    device: str | None = None,
) -> dict[str, Any]:
    """Encode ``texts`` with :func:`encode` and with sentence-transformers, in turn, and compare the best
    rounds.

    sentence-transformers runs with its default batch size of 32. Where the two number formats differ, so do
    the vectors a little, and the ratio is to be reported as such.

    Args:
        embedder: An embedder with ``text`` inputs.
        texts: At least one; the first 64 warm both up.
        dtype: Number format of our side.
        peer_dtype: That of sentence-transformers, whose default is float32.
        batch_size: Texts in a batch of sentence-transformers.
        repeats: Rounds of each.
        device: Where both run; the first GPU, or else the CPU, when None.

    Returns:
        ``texts_per_s`` and ``cpu_s`` (process time, all threads) of both, their ratios (above 1: ours is
        faster or needs less), ``max_difference`` of the vectors, and the setting.

    Raises:
        UserError: sentence-transformers is not installed, or the inputs are not text.
    """
    if embedder.config.inputs != "text":
        raise UserError("only text embedders can be compared with sentence-transformers")
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        raise UserError("the comparison needs the package 'sentence-transformers': pip install it") from error
    where = runtime.device(device)
    entries = [Entry(id=str(row), item_id=str(row), text=text) for row, text in enumerate(texts)]
    with tempfile.TemporaryDirectory() as folder:
        embedder.save_pretrained(Path(folder) / "model")
        other = SentenceTransformer(
            str(Path(folder) / "model"),
            device=str(where),
            model_kwargs={"dtype": runtime.precision(peer_dtype, where)},
        )

    def ours(rows: Sequence[Entry]) -> np.ndarray:
        return encode(embedder, rows, device=where, dtype=dtype, progress=False)

    def theirs(rows: Sequence[Entry]) -> np.ndarray:
        return other.encode([entry.text for entry in rows], batch_size=batch_size, show_progress_bar=False)

    sides: dict[str, Callable[[Sequence[Entry]], np.ndarray]] = {
        "tabrag": ours,
        "sentence_transformers": theirs,
    }
    for side in sides.values():
        side(entries[:64])
    wall: dict[str, float] = dict.fromkeys(sides, float("inf"))
    cpu: dict[str, float] = dict.fromkeys(sides, float("inf"))
    vectors: dict[str, np.ndarray] = {}
    for _ in range(repeats):
        for name, side in sides.items():  # in turn, so that a busy minute hits both
            since, busy = time.perf_counter(), time.process_time()
            vectors[name] = side(entries)
            wall[name] = min(wall[name], time.perf_counter() - since)
            cpu[name] = min(cpu[name], time.process_time() - busy)
    return {
        "texts": len(texts),
        "distinct_texts": len(set(texts)),
        "texts_per_s": {name: round(len(texts) / seconds, 2) for name, seconds in wall.items()},
        "cpu_s": {name: round(seconds, 2) for name, seconds in cpu.items()},
        "speed_ratio": round(wall["sentence_transformers"] / wall["tabrag"], 3),
        "cpu_ratio": round(cpu["sentence_transformers"] / cpu["tabrag"], 3),
        "max_difference": float(np.abs(vectors["tabrag"] - vectors["sentence_transformers"]).max()),
        "device": str(where),
        "threads": torch.get_num_threads(),
        "dtype": dtype,
        "peer_dtype": peer_dtype,
        "batch_tokens": default_batch_tokens(where, runtime.precision(dtype, where)),
        "batch_size": batch_size,
        "repeats": repeats,
    }
