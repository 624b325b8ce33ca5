"""The kinds of question on tables whose rows are members of one dimension."""

from __future__ import annotations

import random
from collections.abc import Callable

from tabrag.data.synthetic.columns import year_label
from tabrag.data.synthetic.draft import Draft, is_tie, number, reference, references
from tabrag.data.synthetic.sheet import Sheet, Slot
from tabrag.data.synthetic.topic import Row
from tabrag.data.synthetic.wording import Wording, sentence

Maker = Callable[[Sheet, random.Random], Draft | None]


def part_labels(sheet: Sheet) -> list[str]:
    """The parts that the table prints, the sum of all included; [""] without a breakdown."""
    return list(dict.fromkeys(part for _, part, _, kind in sheet.cells if kind == "value"))


def known(sheet: Sheet, *slots: Slot) -> list[float] | None:
    """The values of slots, None where one of them is not available or not printed."""
    values = [sheet.values.get(slot) for slot in slots]
    return (
        None if any(value is None for value in values) else [value for value in values if value is not None]
    )


def text_of(sheet: Sheet, slot: Slot) -> str:
    """A value as printed."""
    row, col = sheet.cells[slot]
    return sheet.grid.cells[row][col]


def lookup(sheet: Sheet, rng: random.Random) -> Draft | None:
    """What was X?"""
    words = Wording(sheet.plan, rng)
    row, part, year = _pick(sheet, rng)
    slot: Slot = (row.label, part, year, "value")
    if known(sheet, slot) is None:
        return None
    about = (words.quantity, words.row(row), words.part(part))
    where = (words.place, words.when(year, part))
    text = rng.choice(
        (
            sentence("what was", *about, *where),
            sentence("how high was", *about, *where),
            sentence(*where[:-1], f"{where[-1]},", "what was", *about),
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
    """Was X higher for A or for B?"""
    words = Wording(sheet.plan, rng)
    breakdown = sheet.plan.breakdown
    year = rng.choice(sheet.plan.years)
    if breakdown is not None and rng.random() < 0.5:
        row = rng.choice(sheet.plan.topic.rows)
        first, second = rng.sample(breakdown.parts, 2)
        slots: list[Slot] = [(row.label, part.label, year, "value") for part in (first, second)]
        phrases = [words.part(p.label) or words.when(year, p.label) for p in (first, second)]
        time = "" if words.is_quarter(first.label) else words.when(year)
        text = sentence(
            "was", words.quantity, words.row(row), words.place, time, f"higher {phrases[0]} or {phrases[1]}"
        )
        labels = [first.label, second.label]
    else:
        part = rng.choice(part_labels(sheet))
        rows = rng.sample(sheet.plan.topic.leaves, 2)
        slots = [(row.label, part, year, "value") for row in rows]
        text = sentence(
            *("was", words.quantity, words.part(part), words.place, words.when(year, part)),
            f"higher {words.row(rows[0])} or {words.row(rows[1])}",
        )
        labels = [row.label for row in rows]
    values = known(sheet, *slots)
    if values is None or values[0] == values[1]:
        return None
    return Draft(
        kind="comparison",
        text=text,
        answer=labels[0] if values[0] > values[1] else labels[1],
        slots=slots,
        formula=f"MAX({', '.join(references(sheet, slots))})",
    )


def difference(sheet: Sheet, rng: random.Random) -> Draft | None:
    """By how much did A exceed B?"""
    words = Wording(sheet.plan, rng)
    rows, slots, part, year = _two_rows(sheet, rng)
    values = known(sheet, *slots)
    if values is None or values[0] <= values[1]:
        return None
    about = (words.quantity, words.part(part), words.place, words.when(year, part))
    pair = words.row(rows[0]), words.row(rows[1])
    text = rng.choice(
        (
            sentence("how much higher was", *about, f"{pair[0]} than {pair[1]}"),
            sentence("by how much did", words.quantity, pair[0], "exceed the figure", pair[1], *about[1:]),
        )
    )
    first, second = references(sheet, slots)
    return Draft(
        kind="difference",
        text=text,
        answer=number(values[0] - values[1], sheet.plan.measure.decimals),
        slots=slots,
        formula=f"{first} - {second}",
    )


def total(sheet: Sheet, rng: random.Random) -> Draft | None:
    """What was X for A and B combined?"""
    if sheet.plan.measure.rate:
        return None
    words = Wording(sheet.plan, rng)
    rows, slots, part, year = _two_rows(sheet, rng)
    values = known(sheet, *slots)
    if values is None:
        return None
    together = f"{words.row(rows[0])} and {words.row(rows[1])} {rng.choice(('combined', 'together'))}"
    text = sentence(
        "what was", words.quantity, together, words.part(part), words.place, words.when(year, part)
    )
    return Draft(
        kind="sum",
        text=text,
        answer=number(sum(values), sheet.plan.measure.decimals),
        slots=slots,
        formula=" + ".join(references(sheet, slots)),
    )


def share(sheet: Sheet, rng: random.Random) -> Draft | None:
    """What percentage of X was A? Read from a percent column where the table has one."""
    topic = sheet.plan.topic
    if not topic.total or sheet.plan.measure.rate:
        return None
    words = Wording(sheet.plan, rng)
    row, part, year = _pick(sheet, rng)
    if row.label == topic.total:
        return None
    slots: list[Slot] = [(row.label, part, year, "value"), (topic.total, part, year, "value")]
    values = known(sheet, *slots)
    if values is None or not values[1]:
        return None
    ratio = 100 * values[0] / values[1]
    if is_tie(ratio, 1):
        return None
    about = (words.quantity, words.part(part), words.place, words.when(year, part))
    text = rng.choice(
        (
            sentence("what percentage of", *about, "was", words.row(row)),
            sentence(
                "as a share of the total in percent, how high was", words.quantity, words.row(row), *about[1:]
            ),
        )
    )
    printed: Slot = (row.label, part, year, "share")
    if printed in sheet.cells:
        slots, formula = [printed], reference(sheet.cells[printed])
        answer = text_of(sheet, printed)
    else:
        first, second = references(sheet, slots)
        formula, answer = f"{first} / {second} * 100", f"{number(ratio, 1)}%"
    return Draft(kind="share", text=text, answer=answer, slots=slots, formula=formula)


def superlative(sheet: Sheet, rng: random.Random) -> Draft | None:
    """Which row, or which year, had the highest X?"""
    words = Wording(sheet.plan, rng)
    highest = rng.random() < 0.65
    word = "highest" if highest else "lowest"
    part = rng.choice(part_labels(sheet))
    if len(sheet.plan.years) > 2 and rng.random() < 0.4:
        row = rng.choice(sheet.plan.topic.rows)
        years = sheet.plan.years
        slots: list[Slot] = [(row.label, part, year, "value") for year in years]
        if words.is_quarter(part):
            return None
        labels = [year_label(sheet.plan, year).removesuffix(" (p)") for year in years]
        text = sentence(
            *("in which year was", words.quantity, words.row(row), words.part(part), words.place),
            *(word, words.span(years[0], years[-1])),
        )
    else:
        leaves = sheet.plan.topic.leaves
        year = rng.choice(sheet.plan.years)
        slots = [(row.label, part, year, "value") for row in leaves]
        labels = [row.label for row in leaves]
        text = sentence(
            *(f"which {sheet.plan.topic.by} had the {word}", words.bare_quantity, words.part(part)),
            *(words.place, words.when(year, part)),
        )
    values = known(sheet, *slots)
    if values is None:
        return None
    best = max(values) if highest else min(values)
    if values.count(best) > 1:
        return None
    return Draft(
        kind="superlative",
        text=text,
        answer=labels[values.index(best)],
        slots=slots,
        formula=f"{'MAX' if highest else 'MIN'}({', '.join(references(sheet, slots))})",
    )


def count(sheet: Sheet, rng: random.Random) -> Draft | None:
    """For how many rows was X above a threshold?"""
    words = Wording(sheet.plan, rng)
    part, year = rng.choice(part_labels(sheet)), rng.choice(sheet.plan.years)
    slots: list[Slot] = [(row.label, part, year, "value") for row in sheet.plan.topic.leaves]
    values = known(sheet, *slots)
    if values is None:
        return None
    threshold = _round_number(rng.uniform(*sorted(rng.sample(values, 2))))
    matches = sum(value > threshold for value in values)
    if not 0 < matches < len(values) or threshold in values or threshold <= 0:
        return None
    spoken = words.amount(_plain(threshold))
    text = sentence(
        *(f"for how many {sheet.plan.topic.by_plural} was", words.quantity, words.part(part)),
        *(words.place, words.when(year, part), "above", spoken),
    )
    plain = _plain(threshold).replace(",", "")
    terms = [f"({name} > {plain})" for name in references(sheet, slots)]
    return Draft(kind="count", text=text, answer=str(matches), slots=slots, formula=" + ".join(terms))


def change(sheet: Sheet, rng: random.Random) -> Draft | None:
    """By how much did X change over the years?"""
    return _change(sheet, rng, percent=False)


def percent_change(sheet: Sheet, rng: random.Random) -> Draft | None:
    """By what percentage did X change over the years?"""
    if sheet.plan.measure.unit == "per cent":
        return None
    return _change(sheet, rng, percent=True)


MAKERS: dict[Maker, float] = {
    lookup: 3.0,
    comparison: 1.2,
    difference: 1.0,
    total: 1.0,
    share: 1.2,
    superlative: 1.2,
    count: 0.7,
    change: 0.8,
    percent_change: 0.8,
}
"""How often each kind is drawn."""


def _change(sheet: Sheet, rng: random.Random, *, percent: bool) -> Draft | None:
    words = Wording(sheet.plan, rng)
    row, part, _ = _pick(sheet, rng)
    if words.is_quarter(part):
        return None
    years = sheet.plan.years
    first, last = sorted(rng.sample(years, 2))
    slots: list[Slot] = [(row.label, part, year, "value") for year in (first, last)]
    values = known(sheet, *slots)
    if values is None or values[0] <= 0 or values[0] == values[1]:
        return None
    result = values[1] - values[0]
    about = (words.quantity, words.row(row), words.part(part), words.place)
    before, after = references(sheet, slots)
    if not percent:
        text = sentence("by how much did", *about, "change", words.span(first, last))
        answer = number(result, sheet.plan.measure.decimals)
        return Draft(kind="change", text=text, answer=answer, slots=slots, formula=f"{after} - {before}")
    ratio = 100 * result / values[0]
    if is_tie(ratio, 1) or abs(ratio) < 0.05:
        return None
    verb = "grow" if ratio > 0 else "change"
    text = sentence("by what percentage did", *about, verb, words.span(first, last))
    return Draft(
        kind="percent_change",
        text=text,
        answer=f"{number(ratio, 1)}%",
        slots=slots,
        formula=f"({after} - {before}) / {before} * 100",
    )


def _pick(sheet: Sheet, rng: random.Random) -> tuple[Row, str, int]:
    topic = sheet.plan.topic
    row = rng.choice(topic.rows if rng.random() < 0.25 else topic.leaves)
    return row, rng.choice(part_labels(sheet)), rng.choice(sheet.plan.years)


def _two_rows(sheet: Sheet, rng: random.Random) -> tuple[list[Row], list[Slot], str, int]:
    part, year = rng.choice(part_labels(sheet)), rng.choice(sheet.plan.years)
    rows = rng.sample(sheet.plan.topic.leaves, 2)
    return rows, [(row.label, part, year, "value") for row in rows], part, year


def _plain(value: float) -> str:
    return f"{value:,.4f}".rstrip("0").rstrip(".")


def _round_number(value: float) -> float:
    """A number with two digits that count."""
    return float(f"{value:.2g}")
