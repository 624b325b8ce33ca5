"""Statements to be checked against a table: about half of them right, the others wrong in one detail."""

from __future__ import annotations

import random

from tabrag.data.augment.draft import Draft
from tabrag.data.augment.facts import Facts
from tabrag.data.augment.labels import Role, cell_kind, is_identifier
from tabrag.data.augment.wording import Wording
from tabrag.data.synthetic.draft import reference
from tabrag.tables.kinds import Kind

_MAX_WORDS = 9


def value(facts: Facts, rng: random.Random) -> Draft | None:
    """X of Y was V; a wrong V stands elsewhere in the column."""
    row, column = facts.draw(rng)
    right = facts.text(row.index, column.index)
    if not facts.is_named(row) or not column.labels or len(right.split()) > _MAX_WORDS:
        return None
    others = sorted(
        {
            text
            for other in facts.rows
            if (text := facts.text(other.index, column.index)).casefold() != right.casefold()
            and cell_kind(text) is cell_kind(right)
            and len(text.split()) <= _MAX_WORDS
        }
    )
    is_true = rng.random() < 0.5 or not others
    said = right if is_true else rng.choice(others)
    words = Wording(facts, rng)
    quantity, used = words.quantity(column, opener=False)
    phrases = words.rest(used, row, column)
    has_time = any(label.role is Role.TIME for label in (*row.labels, *column.labels))
    context = words.about(has_time=has_time, needed=len(phrases) < 2)
    if cell_kind(right) is Kind.NUMBER and rng.random() < 0.3:
        name, bare = words.say(row.leaf), quantity.removeprefix("the ")
        text = words.joined(
            f"{name} {rng.choice(('had', 'has', 'recorded'))} {said} {bare}", [], context, end="."
        )
    else:
        text = words.joined(
            quantity, phrases, [*context, f"{rng.choice(('was', 'is', 'was'))} {said}"], end="."
        )
    cell = facts.owner(row.index, column.index)
    return Draft(
        kind="statement",
        text=text,
        answers=[],
        cells=[cell],
        rows=[row],
        columns=[column],
        formula=reference(cell) if facts.value(*cell) is not None else None,
        task="verify",
        label="SUPPORTED" if is_true else "REFUTED",
    )


def order(facts: Facts, rng: random.Random) -> Draft | None:
    """A had more X than B."""
    row, column = facts.draw(rng)
    rivals = facts.siblings(row, column)
    if len(rivals) < 2 or not column.labels or is_identifier(column.leaf):
        return None
    first, second = rng.sample(rivals, 2)
    cells = [(line.index, column.index) for line in (first, second)]
    numbers = [facts.value(*cell) for cell in cells]
    if numbers[0] is None or numbers[1] is None or numbers[0] == numbers[1]:
        return None
    words = Wording(facts, rng)
    quantity, used = words.quantity(column, opener=False)
    bare = quantity.removeprefix("the ")
    names = words.say(first.leaf), words.say(second.leaf)
    opening = rng.choice(
        (
            f"{names[0]} had a higher {bare} than {names[1]}",
            f"{names[0]} has more {bare} than {names[1]}",
            f"{quantity} was higher for {names[0]} than {names[1]}",
        )
    )
    phrases = words.rest(used, column, keep=0.5)
    return Draft(
        kind="statement",
        text=words.joined(opening, phrases, words.about(needed=not phrases), end="."),
        answers=[],
        cells=cells,
        rows=[first, second],
        columns=[column],
        formula=" > ".join(map(reference, cells)),
        task="verify",
        label="SUPPORTED" if numbers[0] > numbers[1] else "REFUTED",
    )
