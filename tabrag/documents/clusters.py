"""Groups of texts that belong together, by their vectors: one layer of a summary tree.

RAPTOR's way (Sarthi et al., ICLR 2024, section 3) as MHier-RAG uses it (Gong et al., arXiv 2508.00579):
vectors are reduced to a few dimensions, a mixture of Gaussians says how likely each belongs to each group,
and the groups are grouped again within themselves; a text may belong to several. Other than there, vectors
are reduced by :mod:`tabrag.documents.reduction`, and the Gaussians have no correlations: the reduced
dimensions have none over all nodes, and the BIC then finds more and closer groups.

Shapes: N texts, E values of a vector, D dimensions, K groups.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tabrag.documents.reduction import reduce
from tabrag.errors import UserError, missing_extra

_PATIENCE = 6
"""Counts of components in a row that bring no lower BIC before the search ends: it falls and then rises."""
_FLOOR = 0.03
"""Least variance of a component in each dimension, relative to the mean variance of all dimensions. With
less, components shrink to single points of small documents."""


@dataclass(kw_only=True)
class ClusterConfig:
    """How nodes are grouped.

    Attributes:
        dimensions: Vectors are reduced to so many.
        max_components: Most groups of one pass.
        min_membership: A node belongs to each group to which it does with more than this probability, and to
            its likeliest one always.
        max_tokens: A group of more estimated tokens is parted again, each node then going to its likeliest
            part alone: the groups would multiply otherwise.
    """

    dimensions: int = 10
    max_components: int = 50
    min_membership: float = 0.1
    max_tokens: int = 3500

    def __post_init__(self) -> None:
        if self.dimensions < 1 or self.max_components < 1 or self.max_tokens < 1:
            raise UserError(
                f"groups of nodes need dimensions, max_components and max_tokens of 1 or more, found "
                f"{self.dimensions}, {self.max_components} and {self.max_tokens}"
            )
        if not 0 <= self.min_membership <= 1:
            raise UserError(f"min_membership is {self.min_membership}: it must be in 0..1")


def find_groups(
    vectors_NE: np.ndarray, sizes: Sequence[int], *, config: ClusterConfig | None = None, seed: int = 224
) -> list[tuple[int, ...]]:
    """Group nodes: all of them first, then each group within itself.

    Computed on one thread, so that the same vectors give the same groups with any number of threads.

    Args:
        vectors_NE: One vector a node, in reading order; their lengths do not count.
        sizes: Tokens of each.
        config: How.
        seed: Of the first guesses of the mixtures.

    Returns:
        The members of each group, ascending; the groups in the order of their members, none twice. Each node
        is in one at least. A group of more than ``config.max_tokens`` is a single node.

    Raises:
        UserError: Another number of sizes than of vectors, NaN or infinity, or scikit-learn is not installed.
    """
    try:
        from threadpoolctl import threadpool_limits
    except ImportError as error:
        raise missing_extra("scikit-learn", "tree") from error

    config = config or ClusterConfig()
    if vectors_NE.ndim != 2 or len(vectors_NE) != len(sizes):
        raise UserError(f"vectors of the shape {vectors_NE.shape} for {len(sizes)} nodes: one row a node")
    if not np.isfinite(vectors_NE).all():
        raise UserError("NaN or infinity in the vectors of nodes: check the checkpoint, or use float32")
    if not len(vectors_NE):
        return []
    lengths_N = np.linalg.norm(vectors_NE.astype(np.float64), axis=1, keepdims=True)
    unit_NE = vectors_NE / np.where(lengths_N == 0, 1.0, lengths_N)
    found: set[tuple[int, ...]] = set()
    with threadpool_limits(1):
        waiting = _two_passes(unit_NE, np.arange(len(unit_NE)), config, seed)
        while waiting:
            members = waiting.pop()
            if sum(sizes[row] for row in members) <= config.max_tokens or len(members) == 1:
                found.add(tuple(int(row) for row in members))
                continue
            parts = _two_passes(unit_NE, members, config, seed, alone=True)
            smaller = all(len(part) < len(members) for part in parts)
            waiting += parts if smaller else _runs(members, sizes, config.max_tokens)
    return sorted(found)


def _two_passes(
    unit_NE: np.ndarray, rows: np.ndarray, config: ClusterConfig, seed: int, *, alone: bool = False
) -> list[np.ndarray]:
    """Groups of some rows, and groups within those; with ``alone`` each row is in one only."""
    return [
        members[part]
        for group in _pass(unit_NE[rows], config, seed, alone=alone)
        for members in [rows[group]]
        for part in _pass(unit_NE[members], config, seed, alone=alone)
    ]


def _pass(unit_NE: np.ndarray, config: ClusterConfig, seed: int, *, alone: bool) -> list[np.ndarray]:
    """One reduction and one mixture; rows of each group that has any."""
    if len(unit_NE) <= config.dimensions + 1:
        return [np.arange(len(unit_NE))]
    memberships_NK = _memberships(reduce(unit_NE, config.dimensions, seed=seed), config.max_components, seed)
    belongs_NK = memberships_NK > (1.0 if alone else config.min_membership)
    belongs_NK[np.arange(len(unit_NE)), memberships_NK.argmax(axis=1)] = True
    return [np.flatnonzero(of_group) for of_group in belongs_NK.T if of_group.any()]


def _memberships(reduced_ND: np.ndarray, max_components: int, seed: int) -> np.ndarray:
    """Probabilities [N, K] under the mixture with the lowest BIC."""
    try:
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.mixture import GaussianMixture
    except ImportError as error:
        raise missing_extra("scikit-learn", "tree") from error

    most = min(max_components, len(np.unique(reduced_ND, axis=0)), len(reduced_ND) - 1)
    best, lowest, since = None, np.inf, 0
    for count in range(1, most + 1):
        mixture = GaussianMixture(
            count, covariance_type="diag", reg_covar=_FLOOR, init_params="k-means++", random_state=seed
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # a hundred rounds are enough for groups
            mixture.fit(reduced_ND)
        bic = mixture.bic(reduced_ND)
        if bic < lowest:
            best, lowest, since = mixture, bic, 0
        elif (since := since + 1) == _PATIENCE:
            break
    assert best is not None  # the first count is always tried
    return best.predict_proba(reduced_ND)


def _runs(rows: np.ndarray, sizes: Sequence[int], max_tokens: int) -> list[np.ndarray]:
    """Rows that no mixture parts, in runs of reading order that are not too large: two or more."""
    runs: list[list[int]] = [[]]
    room = max_tokens
    for row in rows:
        if runs[-1] and sizes[row] > room:
            runs.append([])
            room = max_tokens
        runs[-1].append(row)
        room -= sizes[row]
    return [np.array(run) for run in runs]
