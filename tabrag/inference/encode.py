"""Entries to vectors, fast: sorted by length, batched by tokens, prepared ahead, each distinct text once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from tabrag import distributed
from tabrag.errors import UserError
from tabrag.inference import runtime
from tabrag.inference.batching import ahead, token_batches
from tabrag.models.embedder import Embedder
from tabrag.types import Entry, Query

if TYPE_CHECKING:
    from tabrag.models.retriever import Retriever

WINDOW = 16384
"""Entries that are tokenised and sorted together; bounds the memory that a large collection needs."""


def default_batch_tokens(where: torch.device, kind: torch.dtype) -> int:
    """Positions of a batch that suit a device and a number format.

    On a CPU it is 1024 a thread in float32: larger batches fall out of the caches. On one thread (busy
    machine) MiniLM took 1.3 times the CPU seconds with 4096, and 1.6 times with 16384. In bfloat16 it is
    2048 a thread, which is a tenth faster than 1024.
    """
    if where.type != "cpu":
        return 16384
    return (2048 if kind == torch.bfloat16 else 1024) * torch.get_num_threads()


def encode(
    embedder: Embedder,
    entries: Sequence[Entry],
    *,
    batch_tokens: int | None = None,
    device: str | torch.device | None = None,
    dtype: str = "auto",
    progress: bool = True,
    alone: bool = False,
) -> np.ndarray:
    """Embed entries; with several processes each embeds a part and all get the whole.

    Args:
        embedder: The tower; it is moved to ``device`` and its training mode is restored afterwards.
        entries: What to embed; duplicates and empty ones are fine.
        batch_tokens: Most positions in a batch, padding included; None for what suits the device
            (:func:`default_batch_tokens`).
        device: Where to run; where the embedder already is when None.
        dtype: See :func:`tabrag.inference.runtime.precision`.
        progress: Show a bar on standard error (process 0).
        alone: This process embeds all of them and waits for no other: where processes have shared out their
            work already.

    Returns:
        float32 [N, E], row i belongs to ``entries[i]``.

    Raises:
        UserError: NaN or infinity came out (the ids are named), or an input is broken; in every process
            alike.
    """
    where = runtime.device(device) if device is not None else next(embedder.parameters()).device
    kind = runtime.precision(dtype, where)
    batch_tokens = default_batch_tokens(where, kind) if batch_tokens is None else batch_tokens
    embedder.to(where)
    training = embedder.training
    embedder.eval()
    fault = ""
    own = entries if alone else distributed.shard(entries)
    part = np.zeros((0, embedder.dim), dtype=np.float32)
    try:
        with torch.inference_mode(), runtime.autocast(where, kind):
            part = _encode_part(embedder, own, batch_tokens, where, progress)
    except UserError as error:
        fault = str(error)  # told to all processes below: one that left alone would leave the others waiting
    finally:
        embedder.train(training)
    faults = [one for one in ([fault] if alone else distributed.gather_objects([fault])) if one]
    if faults:
        raise UserError("; ".join(faults))
    return part if alone else np.concatenate(distributed.gather_objects([part]))


def encode_queries(
    retriever: Retriever,
    queries: Sequence[Query],
    *,
    batch_tokens: int | None = None,
    device: str | torch.device | None = None,
    dtype: str = "auto",
    progress: bool = True,
) -> np.ndarray:
    """Embed queries with the retriever's query tower; see :func:`encode`."""
    entries = [Entry(id=query.id, item_id=query.id, text=query.text) for query in queries]
    return encode(
        retriever.query, entries, batch_tokens=batch_tokens, device=device, dtype=dtype, progress=progress
    )


def _encode_part(
    embedder: Embedder, entries: Sequence[Entry], batch_tokens: int, where: torch.device, progress: bool
) -> np.ndarray:
    from tqdm import tqdm

    vectors_NE = np.empty((len(entries), embedder.dim), dtype=np.float32)
    bar = tqdm(
        total=len(entries), desc="encode", disable=not (progress and distributed.is_main()), leave=False
    )
    starts = range(0, len(entries), WINDOW)
    # Opening pictures is worth a thread of its own, padding token ids is not.
    each = map if embedder.config.inputs == "text" else ahead
    with bar:
        windows = ahead(
            lambda start: _prepare(embedder, entries[start : start + WINDOW], batch_tokens),
            starts,
            num_ahead=1,
        )
        for start, (features, rows_of, batches) in zip(starts, windows, strict=True):
            window_NE = vectors_NE[start : start + WINDOW]
            waiting: list[tuple[np.ndarray, Tensor]] = []
            collate = embedder.inputs.collate
            tensors = each(lambda rows, f=features, c=collate: c([f[row] for row in rows]), batches)
            for rows, batch in zip(batches, tensors, strict=True):
                out_BE = embedder(**{k: v.to(where, non_blocking=True) for k, v in batch.items()})
                waiting.append((rows, out_BE.float()))
                bar.update(sum(len(rows_of[row]) for row in rows))
            # Read back once a window: reading each batch at once would stop a GPU's queue every time.
            for rows, out_BE in waiting:
                for row, vector_E in zip(rows, out_BE.cpu().numpy(), strict=True):
                    window_NE[rows_of[row]] = vector_E
    _check(vectors_NE, entries)
    return vectors_NE


def _prepare(
    embedder: Embedder, entries: Sequence[Entry], batch_tokens: int
) -> tuple[list[Any], list[list[int]], list[np.ndarray]]:
    """Features of the distinct entries of a window, the rows that each stands for, and the batches."""
    rows_of: dict[Any, list[int]] = {}
    for row, entry in enumerate(entries):
        key = entry.text if embedder.config.inputs == "text" else row
        rows_of.setdefault(key, []).append(row)
    groups = list(rows_of.values())
    features = embedder.inputs.features([entries[rows[0]] for rows in groups])
    return features, groups, token_batches([len(f) for f in features], batch_tokens=batch_tokens)


def _check(vectors_NE: np.ndarray, entries: Sequence[Entry]) -> None:
    broken = np.flatnonzero(~np.isfinite(vectors_NE).all(axis=1))
    if len(broken):
        names = ", ".join(entries[row].id for row in broken[:10])
        more = f" and {len(broken) - 10} more" if len(broken) > 10 else ""
        raise UserError(
            f"NaN or infinity in the vectors of {names}{more}: nothing is written; check the checkpoint, or "
            "use dtype float32"
        )
