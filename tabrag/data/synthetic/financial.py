"""The kinds of question on financial statements, whose lines are quantities of their own."""

from __future__ import annotations

import random

from tabrag.data.synthetic.columns import year_label
from tabrag.data.synthetic.draft import Draft, is_tie, number, reference, references
from tabrag.data.synthetic.questions import Maker, known, text_of
from tabrag.data.synthetic.sheet import Sheet, Slot
from tabrag.data.synthetic.topic import Row
from tabrag.data.synthetic.wording import Wording, sentence


def lookup(sheet: Sheet, rng: random.Random) -> Draft | None:
    """What was the net income?"""
    words = Wording(sheet.plan, rng)
    row, year = rng.choice(sheet.plan.topic.rows), rng.choice(sheet.plan.years)
    slot: Slot = (row.label, "", year, "value")
    line, where = words.line(row), (words.place, words.when(year))
    text = rng.choice(
        (
            sentence("what was", line, *where),
            sentence("how high was", line, *where),
            sentence(words.place, f"{where[1]},", "what was", line),
        )
    )
    return Draft(
        kind="lookup",
        text=text,
        answer=text_of(sheet, slot),
        slots=[slot],
        formula=reference(sheet.cells[slot]),
    )


def comparison(sheet: Sheet, rng: random.Random) -> Draft | None:
    """Which of two lines of a group was larger?"""
    words = Wording(sheet.plan, rng)
    rows, slots, year = _two_lines(sheet, rng)
    values = known(sheet, *slots)
    if values is None or values[0] == values[1]:
        return None
    pair = f"{words.line(rows[0])} or {words.line(rows[1])}"
    text = sentence("which was larger", words.place, f"{words.when(year)},", pair)
    return Draft(
        kind="comparison",
        text=text,
        answer=rows[0].label if values[0] > values[1] else rows[1].label,
        slots=slots,
        formula=f"MAX({', '.join(references(sheet, slots))})",
    )


def difference(sheet: Sheet, rng: random.Random) -> Draft | None:
    """By how much did one line of a group exceed another?"""
    words = Wording(sheet.plan, rng)
    rows, slots, year = _two_lines(sheet, rng)
    values = known(sheet, *slots)
    if values is None or values[0] <= values[1]:
        return None
    first, second = references(sheet, slots)
    about = (words.line(rows[0]), "exceed", words.line(rows[1]), words.place, words.when(year))
    return Draft(
        kind="difference",
        text=sentence("by how much did", *about),
        answer=number(values[0] - values[1], sheet.plan.measure.decimals),
        slots=slots,
        formula=f"{first} - {second}",
    )


def total(sheet: Sheet, rng: random.Random) -> Draft | None:
    """What did two lines of a group come to together?"""
    words = Wording(sheet.plan, rng)
    rows, slots, year = _two_lines(sheet, rng)
    values = known(sheet, *slots)
    if values is None:
        return None
    pair = f"{words.line(rows[0])} and {words.line(rows[1])}"
    return Draft(
        kind="sum",
        text=sentence("what did", pair, "add up to", words.place, words.when(year)),
        answer=number(sum(values), sheet.plan.measure.decimals),
        slots=slots,
        formula=" + ".join(references(sheet, slots)),
    )


def share(sheet: Sheet, rng: random.Random) -> Draft | None:
    """What was a line as a percentage of the line that all others are measured by?"""
    words = Wording(sheet.plan, rng)
    row, year = rng.choice(sheet.plan.topic.rows), rng.choice(sheet.plan.years)
    whole = sheet.plan.topic.row(sheet.plan.topic.total)
    slots: list[Slot] = [(row.label, "", year, "value"), (whole.label, "", year, "value")]
    values = known(sheet, *slots)
    if values is None or row == whole or values[1] <= 0:
        return None
    ratio = 100 * values[0] / values[1]
    if is_tie(ratio, 1):
        return None
    first, second = references(sheet, slots)
    about = ("as a percentage of", words.line(whole), words.place, words.when(year))
    return Draft(
        kind="share",
        text=sentence("what was", words.line(row), *about),
        answer=f"{number(ratio, 1)}%",
        slots=slots,
        formula=f"{first} / {second} * 100",
    )


def superlative(sheet: Sheet, rng: random.Random) -> Draft | None:
    """In which year was a line highest?"""
    words = Wording(sheet.plan, rng)
    years = sheet.plan.years
    if len(years) < 3:
        return None
    row, is_highest = rng.choice(sheet.plan.topic.rows), rng.random() < 0.65
    slots: list[Slot] = [(row.label, "", year, "value") for year in years]
    values = known(sheet, *slots)
    if values is None:
        return None
    best = max(values) if is_highest else min(values)
    if values.count(best) > 1:
        return None
    word = "highest" if is_highest else "lowest"
    about = (words.line(row), words.place, word, words.span(years[0], years[-1]))
    return Draft(
        kind="superlative",
        text=sentence("in which year was", *about),
        answer=year_label(sheet.plan, years[values.index(best)]),
        slots=slots,
        formula=f"{'MAX' if is_highest else 'MIN'}({', '.join(references(sheet, slots))})",
    )


def change(sheet: Sheet, rng: random.Random) -> Draft | None:
    """By how much, or by what percentage, did a line change?"""
    words = Wording(sheet.plan, rng)
    row = rng.choice(sheet.plan.topic.rows)
    first, last = sorted(rng.sample(sheet.plan.years, 2))
    slots: list[Slot] = [(row.label, "", year, "value") for year in (first, last)]
    values = known(sheet, *slots)
    if values is None or values[0] == values[1]:
        return None
    before, after = references(sheet, slots)
    about = (words.line(row), words.place, "change", words.span(first, last))
    result = values[1] - values[0]
    if rng.random() < 0.5:
        return Draft(
            kind="change",
            text=sentence("by how much did", *about),
            answer=number(result, sheet.plan.measure.decimals),
            slots=slots,
            formula=f"{after} - {before}",
        )
    # A percentage of a loss says nothing.
    ratio = 100 * result / values[0] if values[0] else 0.0
    if min(values) <= 0 or is_tie(ratio, 1) or abs(ratio) < 0.05:
        return None
    return Draft(
        kind="percent_change",
        text=sentence("by what percentage did", *about),
        answer=f"{number(ratio, 1)}%",
        slots=slots,
        formula=f"({after} - {before}) / {before} * 100",
    )


MAKERS: dict[Maker, float] = {
    lookup: 3.0,
    comparison: 0.8,
    difference: 0.8,
    total: 0.8,
    share: 1.2,
    superlative: 1.0,
    change: 1.6,
}
"""How often each kind is drawn."""


def _two_lines(sheet: Sheet, rng: random.Random) -> tuple[list[Row], list[Slot], int]:
    rows = sheet.plan.topic.rows
    group = rng.choice([row.group for row in rows if row.group])
    members = [row for row in rows if row.group == group and not row.parts]
    if len(members) < 2:
        members = [row for row in rows if row.group == group]
    pair, year = rng.sample(members, 2), rng.choice(sheet.plan.years)
    return pair, [(row.label, "", year, "value") for row in pair], year
