"""How far labels of rows on a page are indented."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from tabrag.documents.page_content import PageWord
from tabrag.documents.page_tables.text_lines import are_values, text_lines, type_size
from tabrag.tables.indents import levels_by_place

_STEP = 0.3
"""Labels begin at one place where their left sides differ by less than this many heights of type."""
_MAX_LEVELS = 5


def indents(labels: Mapping[int, Sequence[PageWord]]) -> dict[int, int]:
    """The level of each label of a column, 0 for those that begin farthest left.

    Levels are told only where the labels begin at a few places. Bold headings that stand anywhere (they are
    centred) over labels that do are the outermost level. Labels that are numbers have none.

    Args:
        labels: Words of the label of each row, at least one, rows from above.

    Returns:
        A level for each row; empty where all are of one level or none can be told.
    """
    starts: dict[int, float] = {}
    bold: set[int] = set()
    sizes: list[float] = []
    for row, words in labels.items():
        upright = [word for word in words if word.turn == 0]
        if not upright or are_values(upright):
            continue
        line = text_lines(upright)[0]
        starts[row] = line.x0
        sizes.append(type_size(line.pieces[0].words[0]))
        if line.pieces[0].words[0].bold:
            bold.add(row)
    if len(starts) < 3:
        return {}
    step = _STEP * median(sizes)
    levels = _levels(starts, step)
    if levels is None or _are_centred(bold, levels):
        plain = _levels({row: x for row, x in starts.items() if row not in bold}, step)
        if plain is None or len(bold) < 2:
            return {}
        levels = {row: 0 if row in bold else plain[row] + 1 for row in starts}
    return levels if any(levels.values()) else {}


def _are_centred(bold: set[int], levels: Mapping[int, int]) -> bool:
    """Whether bold labels begin farther right than the labels below them."""
    rows = sorted(levels)
    above = [
        row for row, below in zip(rows, rows[1:], strict=False) if row in bold and levels[row] > levels[below]
    ]
    return len(above) >= 2 and 5 * len(above) >= 4 * len(bold)


def _levels(starts: dict[int, float], step: float) -> dict[int, int] | None:
    """Levels by place; None where there are too many places, or a middle or right side is what is aligned."""
    levels = levels_by_place(starts, step)
    num_places = len(set(levels.values()))
    if not num_places or num_places > min(_MAX_LEVELS, max(2, len(starts) // 2)):
        return None
    return levels
