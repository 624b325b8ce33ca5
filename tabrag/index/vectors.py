"""What vectors an index takes, and in which form it uses them.

Shapes: N vectors, Q queries, E dimensions.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Literal, cast

import numpy as np
import torch
from torch import Tensor

from tabrag.errors import UserError

Metric = Literal["cosine", "ip"]
Vectors = Tensor | np.ndarray

_ROWS_AT_ONCE = 65536


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


def finite_norms(vectors_NE: Tensor, ids: Sequence[str] | None) -> Tensor:
    """Euclidean norms, Tensor[N]; NaN and infinity are refused with the ids of the first rows."""
    norm_N = torch.cat(
        [part.norm(dim=1) for part in vectors_NE.split(_ROWS_AT_ONCE)] or [vectors_NE.new_zeros(0)]
    )
    bad = (~torch.isfinite(norm_N)).nonzero().flatten().tolist()
    if bad:
        names = ", ".join(f"'{ids[row]}'" if ids is not None else f"row {row}" for row in bad[:5])
        raise UserError(
            f"{len(bad)} of {len(norm_N)} vectors hold NaN or infinity: {names}; "
            "an encoder that gives NaN usually ran in float16: encode in float32 or bfloat16"
        )
    return norm_N
