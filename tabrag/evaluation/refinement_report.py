"""The refine stage on the questions of a data set: scorers and ways to choose side by side, and the curve."""

from __future__ import annotations

import logging
import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from tabrag.data.folder import DataFolder
from tabrag.data.header_labels import HeaderExample, grid_of, header_examples
from tabrag.errors import UserError
from tabrag.evaluation.plots import load_pyplot, save_figure
from tabrag.evaluation.refinement import DEFAULT, Case, case_of, curve, kept_at, outcome, removed_at
from tabrag.files import atomic_write
from tabrag.inference.choice import METHODS
from tabrag.inference.config import RefineConfig
from tabrag.inference.refine import Scorer, kept_by_rule, load_scorer
from tabrag.tables.header_scores import HeaderScores

logger = logging.getLogger(__name__)

REMOVED = (0.5, 0.622, 0.75, 0.9)
"""Shares of cells removed that the tables show; 62.2 % is the paper's."""
KEPT = 0.97
PAPER = ((7, 10), (10, 7))
"""Rows and columns: the paper's two values, either way round."""
RULES = {
    "no rules": RefineConfig(keep_totals=False, keep_extremes=False),
    "totals alone": RefineConfig(keep_extremes=False),
    "extremes alone": RefineConfig(keep_totals=False),
    "compared as well": RefineConfig(keep_compared=True),
}
"""Beside the rules of the default settings, which all other figures have."""
LEXICAL, RANDOM = "header words", "random order"
_DRAWS = 10
_CHUNK = 64


def evaluate_refinement(
    data: str | Path,
    *,
    split: str,
    checkpoints: Mapping[str, str] | None = None,
    device: str | None = None,
    dtype: str = "auto",
    max_examples: int = 0,
    table: str | Path | None = None,
    plot: str | Path | None = None,
) -> dict[str, Any]:
    """Score the gold tables of a split's questions and measure what refinement keeps.

    Args:
        data: Data set folder with ``headers.jsonl``.
        split: Which questions.
        checkpoints: Header classifiers by the names that the tables show; header words and a random order
            are always there.
        device: Where the classifiers run.
        dtype: Their number format, see :func:`tabrag.inference.runtime.precision`.
        max_examples: About so many questions; 0 for all.
        table: Also write the tables to this Markdown file.
        plot: Also draw the curve to this PNG file.

    Returns:
        ``questions``, ``cells`` (a table, mean over the questions), ``systems``: scorer -> way to choose ->
        ``kept@50`` and so on (at that share of cells removed) and ``removed@97`` (where that share of the
        questions keep every answer cell), ``bounds``: scorer -> figures at its own bound, and ``top_k``:
        scorer -> rows x columns -> figures.

    Raises:
        UserError: No question with answer cells, an unusable checkpoint or name of one, or no matplotlib for
            ``plot``.
    """
    if plot is not None:
        load_pyplot()
    for name in (LEXICAL, RANDOM):
        if name in (checkpoints or {}):
            raise UserError(f"checkpoints: the name '{name}' is taken: choose another")
    if max_examples < 0:
        raise UserError(f"max_examples is {max_examples}: it must be 0 or more")
    folder = DataFolder(data)
    examples = [
        one for one in header_examples(folder, split, max_examples=max_examples) if one.gold.answer_cells
    ]
    if not examples:
        raise UserError(f"{folder.path}: no question of split '{split}' has answer cells in headers.jsonl")
    scorers = {LEXICAL: load_scorer(None)}
    scorers |= {
        name: load_scorer(path, device=device, dtype=dtype) for name, path in (checkpoints or {}).items()
    }
    cases = {name: scored(folder, examples, scorer, name) for name, scorer in scorers.items()}
    cases[RANDOM] = shuffled(cases[LEXICAL])
    systems = {name: {method: _figures(some, method) for method in METHODS} for name, some in cases.items()}
    for name in scorers:
        for rule, config in RULES.items():
            ruled = with_rules(folder, examples, cases[name], config)
            systems[name][f"{DEFAULT}, {rule}"] = _figures(ruled, DEFAULT)
    bounds = {
        name: asdict(outcome(cases[name], RefineConfig(threshold=scorer.threshold)))
        | {"threshold": scorer.threshold}
        for name, scorer in scorers.items()
        if scorer.threshold is not None
    }
    top_k = {
        name: {
            f"{rows} x {cols}": asdict(outcome(some, RefineConfig(method="top_k", rows=rows, cols=cols)))
            for rows, cols in PAPER
        }
        for name, some in cases.items()
    }
    figures = {
        "split": split,
        "questions": len(examples),
        "cells": outcome(cases[LEXICAL], RefineConfig(threshold=1.0)).cells,
        "systems": systems,
        "bounds": bounds,
        "top_k": top_k,
    }
    if table is not None:
        with atomic_write(table) as file:
            file.write(markdown(figures, title=f"Refinement of {folder.path.name}, {split}"))
    if plot is not None:
        draw(plot, cases, title=f"{folder.path.name}, {split}: {len(examples)} questions")
    return figures


def scored(folder: DataFolder, examples: Sequence[HeaderExample], scorer: Scorer, name: str) -> list[Case]:
    """One case a question."""
    from tqdm import tqdm

    cases: list[Case] = []
    with tqdm(total=len(examples), desc=name, unit=" questions") as bar:
        for start in range(0, len(examples), _CHUNK):
            some = examples[start : start + _CHUNK]
            grids = [grid_of(folder, example) for example in some]
            scores = scorer([(example.text, grid) for example, grid in zip(some, grids, strict=True)])
            cases += [
                case_of(score, grid, example.text, example.gold.answer_cells)
                for example, grid, score in zip(some, grids, scores, strict=True)
            ]
            bar.update(len(some))
    return cases


def with_rules(
    folder: DataFolder, examples: Sequence[HeaderExample], cases: Sequence[Case], config: RefineConfig
) -> list[Case]:
    """The cases with what the rules of a config keep."""
    ruled = []
    for example, case in zip(examples, cases, strict=True):
        rows, cols = kept_by_rule(grid_of(folder, example), example.text, case.scores, config)
        ruled.append(replace(case, always_rows=rows, always_cols=cols))
    return ruled


def shuffled(cases: Sequence[Case], *, seed: int = 0) -> list[Case]:
    """The cases with even random scores, several times: the curve of a choice that knows nothing."""
    generator = random.Random(seed)

    def drawn(scores: Mapping[int, float]) -> dict[int, float]:
        return {position: generator.random() for position in scores}

    return [
        replace(case, scores=HeaderScores(drawn(case.scores.rows), drawn(case.scores.cols)))
        for _ in range(_DRAWS)
        for case in cases
    ]


def _figures(cases: Sequence[Case], method: Any) -> dict[str, float]:
    found = {f"kept@{100 * share:g}": kept_at(cases, share, method=method) for share in REMOVED}
    return {**found, f"removed@{100 * KEPT:g}": removed_at(cases, KEPT, method=method)}


def markdown(figures: Mapping[str, Any], *, title: str) -> str:
    """The figures as Markdown tables, in percent."""
    names = list(next(iter(next(iter(figures["systems"].values())).values())))
    lines = [
        f"# {title}",
        "",
        f"{figures['questions']} questions, {figures['cells']:.2f} body cells a table.",
        "",
    ]
    lines += [_line(["scores", "choice", *names]), _line(["---"] * 2 + ["---:"] * len(names))]
    for name, methods in figures["systems"].items():
        for method, found in methods.items():
            lines.append(_line([name, method, *(f"{100 * found[key]:.1f}" for key in names)]))
    lines += ["", _line(["scores", "rows x columns", "cells kept", "removed", "questions kept"])]
    lines.append(_line(["---"] * 2 + ["---:"] * 3))
    for name, choices in figures["top_k"].items():
        for choice, found in choices.items():
            shares = [f"{100 * found[key]:.1f}" for key in ("removed", "kept")]
            lines.append(_line([name, choice, f"{found['kept_cells']:.2f}", *shares]))
    return "\n".join(lines) + "\n"


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def draw(path: str | Path, cases: Mapping[str, Sequence[Case]], *, title: str) -> None:
    """Draw the trade-off of each scorer, chosen in the default way, as a PNG file.

    Raises:
        UserError: matplotlib is not installed.
    """
    pyplot = load_pyplot()
    figure, axes = pyplot.subplots(figsize=(7.2, 4.8), layout="constrained")
    for name, some in cases.items():
        found = curve(some)
        style = ":" if name == RANDOM else "--" if name == LEXICAL else "-"
        axes.plot(100 * found.removed, 100 * found.kept, style, label=name, drawstyle="steps-post")
    axes.axvline(75, color="grey", linewidth=0.8)
    axes.axhline(97, color="grey", linewidth=0.8)
    axes.set(
        title=title,
        xlabel="body cells removed, %",
        ylabel="questions that keep every answer cell, %",
        xlim=(0, 100),
        ylim=(0, 101),
    )
    axes.grid(alpha=0.3)
    axes.legend(loc="lower left")
    save_figure(figure, path)
