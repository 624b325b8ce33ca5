"""Which rows and columns of a table a question speaks of, by the words of their header paths.

No model and no training: the measure behind the model-free reader, behind the choice of rows and columns when
a table is longer than a prompt, and behind the place of an answer that does not stand in the table word for
word.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

from tabrag.tables.grid import left_paths, path_texts, section_rows, top_paths
from tabrag.tables.header_scores import HeaderScores
from tabrag.types import Grid

_WORD = re.compile(r"[^\W\d_]+|\d+")
_STEM_LENGTH = 6  # 'graduate' meets 'graduation'
_SAME = {
    "percentage": "percent", "proportion": "percent", "share": "percent", "rate": "percent",
    "women": "female", "woman": "female", "girl": "female", "men": "male", "man": "male", "boy": "male",
    "aged": "age",
}  # fmt: skip
_STOP = frozenset(
    "a an the of in on at to for from by with and or is are was were be been did do does has had have how"
    " many much what which who whom whose when where that this these those it its as than there their they he"
    " she".split()
)
_MORE = frozenset(
    "more higher most highest greater greatest larger largest best biggest top longest maximum".split()
)
_LESS = frozenset("less lower least lowest fewer fewest smaller smallest shortest minimum worst".split())
_WHOLE_BONUS = 0.2  # a question that names no part asks for the whole
_STRANGE_WEIGHT = 0.1


def words(text: str) -> list[str]:
    """Stems of the words and numbers of a text, ``%`` as ``percent``, without words that say nothing."""
    text = unicodedata.normalize("NFKC", text).casefold().replace("%", " percent ").replace("'s", "")
    found = (_singular(word) for word in _WORD.findall(text))
    return [_stem(_SAME.get(word, word)) for word in found if word not in _STOP]


def overlap(grid: Grid, question: str) -> HeaderScores:
    """Scores of the body rows by their left paths and of the body columns by their top paths."""
    rows, cols = body_paths(grid)
    return HeaderScores(rows=path_scores(rows, question), cols=path_scores(cols, question))


def body_paths(grid: Grid) -> tuple[dict[int, list[str]], dict[int, list[str]]]:
    """Header path texts of the body rows (without section rows) and of the body columns, by grid position.

    A row without a left header is known by its own cells.
    """
    sections = set(section_rows(grid))
    lefts, tops = left_paths(grid), top_paths(grid)
    body = range(grid.num_header_rows, grid.num_rows)
    rows = {row: path_texts(grid, lefts[row]) or grid.cells[row] for row in body if row not in sections}
    cols = {col: path_texts(grid, tops[col]) for col in range(grid.num_header_cols, grid.num_cols)}
    return rows, cols


def path_scores(paths: Mapping[int, list[str]], question: str) -> dict[int, float]:
    """One score a path: the weight of the words shared with the question, less 0.1 of that of its other
    words.

    A word weighs ``log(1 + paths / paths with it)``: the more, the better it tells these paths apart. A path
    with the word "total", "all" or "overall" gets 0.2 on top, since a question that names no part means the
    whole. The three constants were chosen on 800 training questions of HiTab.
    """
    asked = _bag(question)
    bags = {key: frozenset().union(*map(_bag, texts)) for key, texts in paths.items()}
    counts = Counter(word for bag in bags.values() for word in bag)
    weights = {word: math.log(1 + len(bags) / count) for word, count in counts.items()}
    scores = {}
    for key, bag in bags.items():
        shared = sum(weights[word] for word in bag & asked)
        strange = sum(weights[word] for word in bag - asked)
        score = max(shared - _STRANGE_WEIGHT * strange, 0.0) if shared else 0.0
        scores[key] = score + (_WHOLE_BONUS if bag & TOTALS else 0.0)
    return scores


@lru_cache(maxsize=50_000)
def _bag(text: str) -> frozenset[str]:
    return frozenset(words(text))


def asked_direction(question: str) -> int:
    """1 where a question asks for what is larger or largest, -1 for smaller or smallest, 0 for neither."""
    found = re.findall(r"\w+", question.casefold())
    return next((1 if word in _MORE else -1 for word in found if word in _MORE or word in _LESS), 0)


def best(scores: Mapping[int, float]) -> list[int]:
    """Positions with the highest score, in their order; none where all scores are 0."""
    top = max(scores.values(), default=0.0)
    return [key for key, score in scores.items() if score == top] if top > 0 else []


def certainty(scores: Mapping[int, float]) -> float:
    """How clearly the best position leads: its score over its own and the runner-up's, 0..1 (0.5 for a tie).

    Where nothing matches, one over the number of positions.
    """
    ranked: Sequence[float] = sorted(scores.values(), reverse=True)
    if not ranked or ranked[0] <= 0:
        return 1 / len(ranked) if ranked else 0.0
    return ranked[0] / (ranked[0] + ranked[1]) if len(ranked) > 1 else 1.0


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _stem(word: str) -> str:
    return word[:_STEM_LENGTH] if word.isalpha() else word


TOTALS = frozenset(words("total all overall"))
"""Stems of the words by which a header says that it stands for the whole."""
