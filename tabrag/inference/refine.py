"""The stage between ranking and reading: of a table stays what the question needs (THoRR, Kim et al., 2024).

Rows and columns are scored by a header classifier, or by the words of their headers where no checkpoint is
named; those of a high score stay, in the order of the table and under their full header paths.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from tabrag.errors import UserError
from tabrag.inference.choice import Order, ordered, walk
from tabrag.inference.config import RefineConfig
from tabrag.inference.extremes import extremes
from tabrag.tables.axes import AXES, Axis, AxisHeader, axis_headers
from tabrag.tables.header_scores import HeaderScores
from tabrag.tables.lexical import TOTALS, overlap, words
from tabrag.tables.subtable import Requirements, Subtable, requirements, subtable
from tabrag.types import Grid

_METHODS = ("top_k", "threshold", "budget")
_SCALES = ("gain", "relative", "absolute", "mass")
_WORDS_THRESHOLD = 0.00041
"""With header words 97 % of HiTab's dev questions keep every answer cell, and half of the body cells go."""


class Scorer(Protocol):
    """What gives rows and columns their scores."""

    @property
    def threshold(self) -> float | None:
        """The bound of ``gain`` that goes with its scores; None where it knows none."""

    def fingerprint(self) -> str | None:
        """What changes with its scores; None where nothing in it is trained."""

    def __call__(self, pairs: Sequence[tuple[str, Grid]]) -> list[HeaderScores]:
        """The scores of each (question, grid) pair, in their order."""


class WordScorer:
    """Scores by the words that a question shares with the headers; see :mod:`tabrag.tables.lexical`."""

    threshold = _WORDS_THRESHOLD

    def fingerprint(self) -> None:
        """Nothing in it is trained."""

    def __call__(self, pairs: Sequence[tuple[str, Grid]]) -> list[HeaderScores]:
        """The scores of each (question, grid) pair, in their order."""
        return [overlap(grid, question) for question, grid in pairs]


_COMPARES = re.compile(
    r"\b(?:more|less|fewer|most|least|fewest|than|compared?|comparison|differ(?:ence|ent|s)?|between|versus|vs"
    r"|ratio|rank(?:ed|s)?|(?:high|low|great|larg|small|bigg?|long|short)(?:er|est)|best|worst|top|maximum"
    r"|minimum)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Refined:
    """A table as a reader gets to see it.

    Attributes:
        part: The rows and columns that stay.
        scores: What they were chosen by.
    """

    part: Subtable
    scores: HeaderScores


class Refine:
    """The stage; a header classifier is loaded on first use and stays.

    Args:
        config: The settings.
        scorer: What gives the scores, in place of ``config.checkpoint``.

    Raises:
        UserError: A setting out of range.
    """

    def __init__(self, config: RefineConfig, *, scorer: Scorer | None = None) -> None:
        for name, value, known in (("method", config.method, _METHODS), ("scale", config.scale, _SCALES)):
            if value not in known:
                raise UserError(f"refine.{name} is {value!r}: choose from {', '.join(known)}")
        if min(config.rows, config.cols, config.max_cells) < 1:
            raise UserError(
                f"refine.rows={config.rows}, refine.cols={config.cols}, refine.max_cells={config.max_cells}: "
                "each must be at least 1"
            )
        if config.threshold is not None and not 0 <= config.threshold <= 1:
            raise UserError(f"refine.threshold is {config.threshold}: it must lie in 0..1")
        if config.method == "threshold" and config.threshold is None and config.scale != "gain":
            raise UserError(f"refine.scale={config.scale} has no bound of its own: set refine.threshold")
        self.config = config
        self._scorer = scorer

    def __call__(self, pairs: Sequence[tuple[str, Grid]]) -> list[Refined]:
        """The refined table of each (question, grid) pair, in their order."""
        config = self.resolved()
        frames = {key: frame(grid) for key, grid in {id(grid): grid for _, grid in pairs}.items()}
        return [
            Refined(refine(grid, question, scores, config, frames[id(grid)]), scores)
            for (question, grid), scores in zip(pairs, self.scorer(pairs), strict=True)
        ]

    def resolved(self) -> RefineConfig:
        """The settings with the bound that holds.

        Raises:
            UserError: The settings name no bound, and the header classifier was not judged in training.
        """
        if self.config.method != "threshold" or self.config.threshold is not None:
            return self.config
        if self.scorer.threshold is None:
            raise UserError(f"{self.config.checkpoint} brings no bound of its own: set refine.threshold")
        return dataclasses.replace(self.config, threshold=self.scorer.threshold)

    @property
    def scorer(self) -> Scorer:
        """What gives the scores."""
        if self._scorer is None:
            config = self.config
            self._scorer = load_scorer(config.checkpoint, device=config.device, dtype=config.dtype)
        return self._scorer

    def settings(self) -> dict[str, Any]:
        """All that a refined table depends on besides question and table."""
        settings = dataclasses.asdict(self.resolved())
        del settings["device"]
        return {**settings, "checkpoint": self.scorer.fingerprint()}


def load_scorer(checkpoint: str | None, *, device: str | None = None, dtype: str = "auto") -> Scorer:
    """The header classifier of a folder or hub id; the words of the headers where None.

    Raises:
        UserError: It is no header classifier, the device is not there or cannot compute in ``dtype``.
    """
    if checkpoint is None:
        return WordScorer()
    from tabrag.inference.classify_headers import HeaderScorer
    from tabrag.inference.runtime import device as find_device
    from tabrag.models.header_classifier import HeaderClassifier

    return HeaderScorer(HeaderClassifier.from_pretrained(checkpoint).to(find_device(device)), dtype=dtype)


@dataclass(frozen=True, slots=True)
class Frame:
    """What the choice looks at in a table, whatever the question.

    Attributes:
        headers: Of its body rows and body columns.
        totals: Positions of those that are labelled as a total.
        requires: Which rows and columns come along with others.
    """

    headers: dict[Axis, list[AxisHeader]]
    totals: dict[Axis, frozenset[int]]
    requires: Requirements


def frame(grid: Grid) -> Frame:
    """The frame of a table."""
    headers = {axis: axis_headers(grid, axis) for axis in AXES}
    totals = {
        axis: frozenset(one.position for one in some if one.path and TOTALS & set(words(one.texts[-1])))
        for axis, some in headers.items()
    }
    return Frame(headers, totals, requirements(grid))


def refine(
    grid: Grid, question: str, scores: HeaderScores, config: RefineConfig, known: Frame | None = None
) -> Subtable:
    """The part of a grid that a question needs; the grid itself where it has no body row or column.

    Args:
        grid: A table.
        question: The question, for the rules that go by its words.
        scores: Of its body rows and body columns.
        config: How they are chosen, with its threshold. At least one row and one column stay.
        known: The frame of the grid, where it is at hand.
    """
    if not scores.rows or not scores.cols:
        return subtable(grid, (), ())
    known = known or frame(grid)
    rows, cols = orders(scores, known.requires, *kept_by_rule(grid, question, scores, config, known))
    num_rows, num_cols = counts(rows, cols, config)
    return subtable(grid, rows.positions[:num_rows], cols.positions[:num_cols])


def orders(
    scores: HeaderScores,
    requires: Requirements,
    always_rows: Collection[int] = (),
    always_cols: Collection[int] = (),
) -> tuple[Order, Order]:
    """Rows and columns of a table in the order in which they are taken."""
    return (
        ordered(scores.rows, requires.rows, {*always_rows, *requires.fixed_rows}),
        ordered(scores.cols, requires.cols, {*always_cols, *requires.fixed_cols}),
    )


def counts(rows: Order, cols: Order, config: RefineConfig) -> tuple[int, int]:
    """How many rows and columns of a table stay, at least 1 of each."""
    if config.method == "top_k":
        wanted = ((config.rows, rows), (config.cols, cols))
        num_rows, num_cols = (min(max(k, axis.always), len(axis.positions)) for k, axis in wanted)
        return num_rows, num_cols
    if config.method == "budget":
        return walk(rows, cols, "budget").at(-float(config.max_cells))
    assert config.threshold is not None  # Refine.resolved
    return walk(rows, cols, config.scale).at(config.threshold)


def kept_by_rule(
    grid: Grid, question: str, scores: HeaderScores, config: RefineConfig, known: Frame | None = None
) -> tuple[frozenset[int], frozenset[int]]:
    """Rows and columns that stay whatever their score: totals, extremes, and what a comparison needs."""
    known = known or frame(grid)
    kept = {axis: set(known.totals[axis]) if config.keep_totals else set() for axis in AXES}
    if config.keep_compared and _COMPARES.search(question):
        open_axis: Axis = "row" if _evenness(scores.rows) >= _evenness(scores.cols) else "col"
        of_axis = scores.rows if open_axis == "row" else scores.cols
        kept[open_axis] |= _siblings(known.headers[open_axis], of_axis)
    if config.keep_extremes:
        for axis, positions in extremes(grid, question, scores).items():
            kept[axis] |= positions
    return frozenset(kept["row"]), frozenset(kept["col"])


def _evenness(scores: Mapping[int, float]) -> float:
    """The second-best score over the best one, 0..1: near 1 where the question leaves the axis open."""
    ranked = sorted(scores.values(), reverse=True)[:2]
    if len(ranked) < 2:
        return 0.0
    return ranked[1] / ranked[0] if ranked[0] > 0 else 1.0


def _siblings(headers: Sequence[AxisHeader], scores: Mapping[int, float]) -> set[int]:
    """The best row or column and all others under the same parent."""
    parents = {header.position: header.path[:-1] for header in headers}
    best = max(scores, key=lambda position: scores[position])
    return {position for position, parent in parents.items() if parent == parents.get(best)}
