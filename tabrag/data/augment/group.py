"""Questions over the rows that have the same text in a column: how many, which ones."""

from __future__ import annotations

import random
from collections import Counter

from tabrag.data.augment.draft import Draft
from tabrag.data.augment.facts import Facts
from tabrag.data.augment.labels import cell_kind, is_rate
from tabrag.data.augment.lookup import field_text
from tabrag.data.augment.vary import plural
from tabrag.data.augment.wording import Wording
from tabrag.tables.kinds import Kind


def count(facts: Facts, rng: random.Random) -> Draft | None:
    """How many rows have this text in that column?"""
    fields = [field for field in facts.fields if field.labels and field.index != facts.key]
    if not fields or not facts.row_noun:
        return None
    field = rng.choice(fields)
    texts = [field_text(facts, row, field) for row in facts.rows]
    counts = Counter(text.casefold() for text in texts if cell_kind(text) is Kind.TEXT)
    repeated = sorted(
        text for text, times in counts.items() if 1 < times < len(texts) and len(text.split()) < 6
    )
    if not repeated or is_rate(facts.row_noun):
        return None
    wanted = rng.choice(repeated)
    matches = [row for row, text in zip(facts.rows, texts, strict=True) if text.casefold() == wanted]
    shown = next(text for text in texts if text.casefold() == wanted)
    words = Wording(facts, rng)
    noun, what = words.say(plural(facts.row_noun)), words.say(field.leaf)
    opening = rng.choice(
        (
            f"how many {noun} have {what} {shown}",
            f"how many {noun} had {shown} as {what}",
            f"how many {noun} are listed with the {what} {shown}",
            f"what is the number of {noun} whose {what} is {shown}",
        )
    )
    return Draft(
        kind="count",
        text=words.joined(opening, [], words.about(needed=True)),
        answers=[str(len(matches))],
        cells=[facts.owner(row.index, field.index) for row in matches],
        rows=matches,
        columns=[field],
    )


def members(facts: Facts, rng: random.Random) -> Draft | None:
    """List the A with B: the row labels that share a text in another column."""
    if not facts.row_noun:
        return None
    fields = [field for field in facts.fields if field.labels and field.index != facts.key]
    if not fields:
        return None
    field = rng.choice(fields)
    texts = {line.index: field_text(facts, line, field) for line in facts.rows if line.labels}
    wanted = sorted({text for text in texts.values() if cell_kind(text) in (Kind.TEXT, Kind.PERIOD)})
    wanted = [text for text in wanted if len(text.split()) < 6]
    if not wanted:
        return None
    said = rng.choice(wanted)
    lines = [line for line in facts.rows if texts.get(line.index) == said]
    if not 1 < len(lines) <= 6:
        return None
    words = Wording(facts, rng)
    noun, what = words.say(plural(facts.row_noun)), words.say(field.leaf)
    opening = rng.choice((f"which {noun} had {what} {said}", f"list the {noun} with {what} {said}"))
    return Draft(
        kind="overview",
        text=words.joined(opening, [], words.about(needed=True)),
        answers=[facts.name(line) for line in lines],
        cells=[facts.owner(line.index, field.index) for line in lines],
        rows=lines,
        columns=[field],
    )
