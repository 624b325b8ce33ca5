"""Statements to be checked against a table: half of them right, half of them wrong by one detail."""

from __future__ import annotations

import random

from tabrag.data.synthetic.draft import Draft, reference, references
from tabrag.data.synthetic.questions import Maker, known, part_labels, text_of
from tabrag.data.synthetic.sheet import Sheet, Slot, decimals, printed
from tabrag.data.synthetic.wording import Wording, sentence


def value(sheet: Sheet, rng: random.Random) -> Draft | None:
    """X was V."""
    words = Wording(sheet.plan, rng)
    topic = sheet.plan.topic
    row, part, year = rng.choice(topic.rows), rng.choice(part_labels(sheet)), rng.choice(sheet.plan.years)
    slot: Slot = (row.label, part, year, "value")
    values = known(sheet, slot)
    if values is None or values[0] <= 0:
        return None
    is_true = rng.random() < 0.5
    said = text_of(sheet, slot)
    if not is_true:
        scale = 10 ** decimals(sheet.plan, "value")
        wrong = round(values[0] * scale * rng.choice((rng.uniform(0.6, 0.93), rng.uniform(1.07, 1.6))))
        said = printed(sheet.plan, wrong, "value")
        if said == text_of(sheet, slot):
            return None
    about = (words.line(row),) if topic.statement else (words.quantity, words.row(row), words.part(part))
    return Draft(
        kind="statement",
        text=sentence(*about, words.place, words.when(year, part), "was", words.amount(said), end="."),
        answer="",
        slots=[slot],
        formula=reference(sheet.cells[slot]),
        label=_label(is_true),
    )


def order(sheet: Sheet, rng: random.Random) -> Draft | None:
    """X was higher for A than for B."""
    if sheet.plan.topic.statement:
        return None
    words = Wording(sheet.plan, rng)
    part, year = rng.choice(part_labels(sheet)), rng.choice(sheet.plan.years)
    rows = rng.sample(sheet.plan.topic.leaves, 2)
    slots: list[Slot] = [(row.label, part, year, "value") for row in rows]
    values = known(sheet, *slots)
    if values is None or values[0] == values[1]:
        return None
    about = (words.quantity, words.part(part), words.place, words.when(year, part))
    pair = f"was higher {words.row(rows[0])} than {words.row(rows[1])}"
    return Draft(
        kind="statement",
        text=sentence(*about, pair, end="."),
        answer="",
        slots=slots,
        formula=" > ".join(references(sheet, slots)),
        label=_label(values[0] > values[1]),
    )


def trend(sheet: Sheet, rng: random.Random) -> Draft | None:
    """X rose between two years."""
    words = Wording(sheet.plan, rng)
    topic = sheet.plan.topic
    row, part = rng.choice(topic.rows), rng.choice(part_labels(sheet))
    first, last = sorted(rng.sample(sheet.plan.years, 2))
    slots: list[Slot] = [(row.label, part, year, "value") for year in (first, last)]
    values = known(sheet, *slots)
    if values is None or values[0] == values[1] or words.is_quarter(part):
        return None
    rising = rng.random() < 0.5
    verb = rng.choice(("rose", "went up", "increased") if rising else ("fell", "went down", "decreased"))
    about = (words.line(row),) if topic.statement else (words.quantity, words.row(row), words.part(part))
    before, after = references(sheet, slots)
    return Draft(
        kind="statement",
        text=sentence(*about, words.place, verb, words.span(first, last), end="."),
        answer="",
        slots=slots,
        formula=f"{after} > {before}" if rising else f"{after} < {before}",
        label=_label((values[1] > values[0]) == rising),
    )


MAKERS: dict[Maker, float] = {value: 1.0, order: 1.0, trend: 1.0}
"""How often each kind is drawn."""


def _label(is_true: bool) -> str:
    return "SUPPORTED" if is_true else "REFUTED"
