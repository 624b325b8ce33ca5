"""Rows of key words, as typed into a search box, and questions after a whole row or table.

Key words need no grammar: they are the only kind that is made for tables in scripts other than Latin.
"""

from __future__ import annotations

import random

from tabrag.data.augment.draft import Draft
from tabrag.data.augment.facts import Facts
from tabrag.data.augment.labels import Role, cell_kind
from tabrag.data.augment.vary import varied, without_link_words
from tabrag.data.augment.wording import Wording
from tabrag.tables.kinds import Kind


def cell(facts: Facts, rng: random.Random) -> Draft | None:
    """Headers of one cell and words of the title, in any order."""
    row, column = facts.draw(rng)
    if len(facts.rows) > 1 and not facts.is_named(row):
        return None
    spoken = [label.text for label in column.labels if label.role is not Role.UNIT and rng.random() < 0.85]
    spoken += [label.text for label in row.labels[:-1] if rng.random() < 0.5]
    spoken += [label.text for label in row.labels[-1:]]
    if not spoken:
        return None
    return Draft(
        kind="keywords",
        text=_searched(facts, spoken, rng),
        answers=[facts.text(row.index, column.index)],
        cells=[facts.owner(row.index, column.index)],
        rows=[row],
        columns=[column],
    )


def headers(facts: Facts, rng: random.Random) -> Draft | None:
    """Some headers and words of the title: a search for the table as such."""
    columns = [column for column in facts.columns if column.leaf]
    chosen = rng.sample(columns, min(len(columns), rng.choice((1, 1, 2))))
    spoken = [column.leaf for column in chosen]
    rows = [row for row in facts.rows if row.labels] if facts.has_left_headers or not spoken else []
    if rows and (not spoken or rng.random() < 0.6):
        spoken.append(rng.choice(rows).leaf)
    if facts.row_noun and rng.random() < 0.4:
        noun = facts.row_noun
        spoken.append(f"by {noun}" if facts.is_latin else noun)
    if not spoken:
        return None
    return Draft(
        kind="keywords",
        text=_searched(facts, spoken, rng),
        answers=[],
        cells=[],
        columns=chosen,
        task="describe",
    )


def row(facts: Facts, rng: random.Random) -> Draft | None:
    """How did X do? What are the A and B of X? The answer is (a part of) a row."""
    rows = [line for line in facts.rows if facts.is_named(line)]
    if not rows or len(facts.columns) < 2:
        return None
    line = rng.choice(rows)
    columns = [
        column
        for column in facts.columns
        if column.labels and cell_kind(facts.text(line.index, column.index)) not in (Kind.BLANK, Kind.MISSING)
    ]
    if len(columns) < 2:
        return None
    chosen = rng.sample(columns, 2)
    if chosen[0].leaf.casefold() == chosen[1].leaf.casefold():
        return None
    words = Wording(facts, rng)
    name = words.say(line.leaf)
    first, second = (words.say(column.leaf) for column in chosen)
    opening = rng.choice(
        (
            f"what were the {first} and {second} of {name}",
            f"what {first} and {second} did {name} have",
            f"list the {first} and {second} for {name}",
            f"tell me the {first} and {second} of {name}",
        )
    )
    parents = [words.linked(label) for label in line.labels[:-1] if rng.random() < 0.6]
    texts = [facts.text(line.index, column.index) for column in chosen]
    return Draft(
        kind="overview",
        text=words.joined(opening, parents, words.about(needed=True)),
        answers=texts,
        cells=[facts.owner(line.index, column.index) for column in chosen],
        rows=[line],
        columns=chosen,
    )


def _searched(facts: Facts, spoken: list[str], rng: random.Random) -> str:
    topic = facts.subject.draw(rng)
    parts = [part for part in (topic.head, *spoken, topic.place, topic.time) if part]
    if not facts.is_latin:
        rng.shuffle(parts)
        return " ".join(dict.fromkeys(parts))
    parts = [varied(part, rng) for part in parts]
    if rng.random() < 0.6:
        parts = [without_link_words(part) or part for part in parts]
    if rng.random() < 0.6:
        rng.shuffle(parts)
    return " ".join(dict.fromkeys(parts))
