"""How fast exact search is, beside faiss on the same vectors, threads and machine."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import torch

from tabrag.errors import missing_extra
from tabrag.index.exact import ExactIndex


def compare_search(
    *, num_vectors: int = 50_000, dim: int = 768, num_queries: int = 1_000, k: int = 10, repeats: int = 5
) -> dict[str, Any]:
    """Search random unit vectors with :class:`ExactIndex` and with faiss' flat index, in turn.

    Args:
        num_vectors: Vectors in the index.
        dim: Their dimension.
        num_queries: Queries searched in one call.
        k: Results a query.
        repeats: Rounds of each; the best round counts.

    Returns:
        ``seconds`` of both, ``speed_ratio`` (above 1: ours is faster), ``same_rows`` (share of results that
        are equal), and the setting.

    Raises:
        UserError: faiss is not installed.
    """
    try:
        import faiss
    except ImportError as error:
        raise missing_extra("faiss-cpu", "faiss") from error
    generator = torch.Generator().manual_seed(0)
    vectors_NE = torch.nn.functional.normalize(torch.randn(num_vectors, dim, generator=generator), dim=1)
    queries_QE = torch.nn.functional.normalize(torch.randn(num_queries, dim, generator=generator), dim=1)
    faiss.omp_set_num_threads(torch.get_num_threads())
    flat = faiss.IndexFlatIP(dim)
    flat.add(vectors_NE.numpy())
    exact = ExactIndex(metric="ip").build(vectors_NE)
    sides: dict[str, Callable[[], Any]] = {
        "tabrag": lambda: exact.search(queries_QE, k)[1],
        "faiss": lambda: flat.search(queries_QE.numpy(), k)[1],
    }
    seconds = dict.fromkeys(sides, float("inf"))
    rows: dict[str, Any] = {}
    for _ in range(repeats):
        for name, side in sides.items():
            since = time.perf_counter()
            rows[name] = side()
            seconds[name] = min(seconds[name], time.perf_counter() - since)
    return {
        "seconds": {name: round(value, 3) for name, value in seconds.items()},
        "speed_ratio": round(seconds["faiss"] / seconds["tabrag"], 3),
        "same_rows": float((rows["tabrag"] == rows["faiss"]).mean()),
        "num_vectors": num_vectors,
        "dim": dim,
        "num_queries": num_queries,
        "k": k,
        "threads": torch.get_num_threads(),
    }
