"""What vectors an index takes, and in which form it uses them.

Shapes: N vectors, Q queries, E dimensions.
"""

from __future__ import annotations

import mmap
import warnings
from collections.abc import Iterator, Sequence
from typing import Literal, cast

import numpy as np
import torch
from torch import Tensor

from tabrag.errors import UserError

Metric = Literal["cosine", "ip"]
Vectors = Tensor | np.ndarray

ROWS_AT_ONCE = 16384
"""Rows of a block of :func:`blocks`."""


def check_metric(metric: str) -> Metric:
    """The metric, if it is one."""
    if metric not in ("cosine", "ip"):
        raise UserError(f"metric '{metric}' is unknown: use 'cosine' or 'ip'")
    return cast(Metric, metric)


def as_float32(vectors: Vectors) -> Tensor:
    """A contiguous float32 tensor of shape [N, E]; shares memory where the input is one already."""
    if isinstance(vectors, np.ndarray):
        with warnings.catch_warnings():
            # Memory-mapped arrays are read-only, which torch warns about; nothing here writes to them.
            warnings.filterwarnings("ignore", message="The given NumPy array is not writable")
            vectors = torch.from_numpy(np.ascontiguousarray(vectors, dtype=np.float32))
    if vectors.dim() != 2:
        raise UserError(f"vectors need the shape [number, dimension], found {tuple(vectors.shape)}")
    return vectors.detach().to(torch.float32).contiguous()


def blocks(vectors: Vectors) -> Iterator[tuple[int, Tensor]]:
    """Blocks ``(first row, float32 Tensor[rows, E])`` of a large collection.

    A memory-mapped file is mapped block by block: what was read does not stay in memory.
    """
    file = _whole_file(vectors)
    for start in range(0, vectors.shape[0], ROWS_AT_ONCE):
        block = vectors[start : start + ROWS_AT_ONCE]
        if file is not None:
            offset = file.offset + start * file.strides[0]
            block = np.memmap(file.filename, file.dtype, mode="r", offset=offset, shape=block.shape)
        yield start, as_float32(block)


def _whole_file(vectors: Vectors) -> np.memmap | None:
    """The vectors as a mapping that can be made anew in parts; None where the file's bytes are not theirs."""
    # Slices of a mapping do not know their own offset in the file; changes of mode "c" are not in the file.
    if not isinstance(vectors, np.memmap) or not isinstance(vectors.base, mmap.mmap):
        return None
    return vectors if vectors.filename and vectors.flags.c_contiguous and vectors.mode != "c" else None


def check_queries(queries: Vectors, k: int, *, dim: int | None) -> Tensor:
    """Queries as float32 [Q, E]; refuses a bad ``k``, a wrong dimension, NaN and infinity."""
    if k < 1:
        raise UserError(f"k is {k}, but at least one result must be asked for: set k >= 1")
    q_QE = as_float32(queries)
    if dim is not None and q_QE.shape[1] != dim:
        raise UserError(
            f"queries have {q_QE.shape[1]} dimensions and the index has {dim}: "
            "encode them with the encoder of the index"
        )
    bad = (~torch.isfinite(q_QE.norm(dim=1))).nonzero().flatten().tolist()
    if bad:
        raise UserError(
            f"{len(bad)} query vectors hold NaN or infinity, the first is number {bad[0]} (from 0)"
        )
    return q_QE


def finite_norms(vectors_NE: Tensor, ids: Sequence[str] | None, *, first: int = 0) -> Tensor:
    """Euclidean norms, Tensor[N]; NaN and infinity are refused with the first rows' ids (or numbers)."""
    norm_N = torch.cat(
        [part.norm(dim=1) for part in vectors_NE.split(ROWS_AT_ONCE)] or [vectors_NE.new_zeros(0)]
    )
    bad = (~torch.isfinite(norm_N)).nonzero().flatten().tolist()
    if bad:
        names = ", ".join(f"'{ids[row]}'" if ids is not None else f"row {first + row}" for row in bad[:5])
        raise UserError(
            f"{len(bad)} of {len(norm_N)} vectors hold NaN or infinity: {names}; "
            "an encoder that gives NaN usually ran in float16: encode in float32 or bfloat16"
        )
    return norm_N
