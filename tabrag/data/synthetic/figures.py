"""The numbers of a table: whole multiples of the printed unit, so that sums hold to the last digit."""

from __future__ import annotations

import math
import random

from tabrag.data.synthetic.plan import FIRST_YEAR, LAST_YEAR, TablePlan
from tabrag.data.synthetic.topic import Row

Figures = dict[tuple[str, str, int], int]
"""(row label, part label or "", year) -> value in units of the last printed digit."""

_BASE_YEAR = 2015


def make_figures(plan: TablePlan, seed: int) -> Figures:
    """Values of all rows, parts and years of a plan.

    A row keeps its level and growth over the years of all tables on the same subject and place, and every
    computed row or part is the exact sum of what is printed.
    """
    topic, measure = plan.topic, plan.measure
    rng = random.Random(f"{seed}/{topic.key}/{measure.subject}/{plan.entity.name}")
    scale = 10**measure.decimals
    size = rng.lognormvariate(0.0, 0.15) if measure.rate else plan.entity.size * rng.lognormvariate(0.0, 0.2)
    growth = rng.gauss(0.016, 0.02)
    parts = [("", 1.0)]
    if plan.breakdown is not None:
        parts = [(part.label, part.weight) for part in plan.breakdown.parts]
    figures: Figures = {}
    for row in topic.leaves:
        level = row.weight if measure.rate else row.weight / 100
        level *= rng.lognormvariate(0.0, 0.06 if topic.statement or measure.rate else 0.3)
        row_growth = growth + rng.gauss(0.0, 0.005 if topic.statement or measure.rate else 0.015)
        for label, weight in parts:
            factor = rng.lognormvariate(0.0, 0.02 if topic.statement else 0.08)
            if not measure.rate:
                factor *= weight
            # Drawn for all years, so that a year has the same value whichever years the table spans.
            noise = [
                rng.gauss(0.0, 0.012 if topic.statement else 0.03) for _ in range(FIRST_YEAR, LAST_YEAR + 1)
            ]
            for year in plan.years:
                trend = (1 + row_growth) ** (year - _BASE_YEAR) * math.exp(noise[year - FIRST_YEAR])
                figures[row.label, label, year] = round(measure.base * size * level * factor * trend * scale)
    for row in topic.rows:
        for label, _ in parts:
            for year in plan.years:
                _add_up(row, topic.rows, figures, label, year)
    if plan.breakdown is not None and plan.breakdown.total and not measure.rate:
        for row in topic.rows:
            for year in plan.years:
                total = sum(figures[row.label, label, year] for label, _ in parts)
                figures[row.label, plan.breakdown.total, year] = total
    return figures


def _add_up(row: Row, rows: tuple[Row, ...], figures: Figures, label: str, year: int) -> int:
    key = (row.label, label, year)
    if key not in figures:
        total = 0
        for part in row.parts:
            name = part.removeprefix("-")
            source = next(other for other in rows if other.label == name)
            value = _add_up(source, rows, figures, label, year)
            total += -value if part.startswith("-") else value
        figures[key] = total
    return figures[key]
