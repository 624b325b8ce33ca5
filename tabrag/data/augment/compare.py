"""Questions over several cells of a column: highest, higher, difference, sum, share, count."""

from __future__ import annotations

import random

from tabrag.data.augment.draft import Draft
from tabrag.data.augment.facts import Facts, Line
from tabrag.data.augment.labels import Role, is_identifier
from tabrag.data.augment.vary import plural, singular
from tabrag.data.augment.wording import Wording
from tabrag.data.synthetic.draft import is_tie, number, reference
from tabrag.types import Cell


class _Rivals:
    """Rows with the same parents and a number in one column, and the words for them.

    Args:
        facts: The table.
        rng: Source of choices.
    """

    def __init__(self, facts: Facts, rng: random.Random) -> None:
        self.facts = facts
        self.row, self.column = facts.draw(rng)
        is_quantity = bool(self.column.labels) and not is_identifier(self.column.leaf)
        self.rows = facts.siblings(self.row, self.column) if is_quantity else []
        self.words = Wording(facts, rng)
        self.rng = rng

    def pair(self) -> tuple[Line, Line] | None:
        """Two of them with different values, the higher one first."""
        if len(self.rows) < 2:
            return None
        first, second = self.rng.sample(self.rows, 2)
        if self.value(first) == self.value(second):
            return None
        return (first, second) if self.value(first) > self.value(second) else (second, first)

    def value(self, row: Line) -> float:
        value = self.facts.value(row.index, self.column.index)
        assert value is not None
        return value

    def cell(self, row: Line) -> Cell:
        return row.index, self.column.index

    def name(self, row: Line) -> str:
        return self.words.say(row.leaf)

    def decimals(self, *rows: Line) -> int:
        """Most decimals printed."""
        texts = [self.facts.text(*self.cell(row)) for row in rows]
        return max(len(text.rpartition(".")[2].rstrip("% )")) if "." in text else 0 for text in texts)

    def quantity(self) -> tuple[str, list[str]]:
        """ "the unemployment rate" and the column's other headers."""
        said, used = self.words.quantity(self.column, opener=False)
        parents = Line(self.rows[0].index, tuple(label for label in self.rows[0].labels[:-1]))
        return said, self.words.rest(used, self.column, parents, keep=0.5)

    def context(self) -> list[str]:
        has_time = any(label.role is Role.TIME for label in self.column.labels)
        return self.words.about(has_time=has_time, needed=len(self.column.labels) < 2)


def superlative(facts: Facts, rng: random.Random) -> Draft | None:
    """Which row had the highest X?"""
    rivals = _Rivals(facts, rng)
    if len(rivals.rows) < 3:
        return None
    highest = rng.random() < 0.7
    best = (max if highest else min)(rivals.rows, key=rivals.value)
    values = facts.values(rivals.row, rivals.column)  # rows that share a name are no rivals, but may be best
    if values.count(rivals.value(best)) > 1 or (max if highest else min)(values) != rivals.value(best):
        return None
    said, phrases = rivals.quantity()
    noun = rivals.words.say(singular(facts.row_noun)) if facts.row_noun else rng.choice(("group", "category"))
    degree = rng.choice(
        ("highest", "highest", "largest", "most") if highest else ("lowest", "lowest", "smallest")
    )
    bare = said.removeprefix("the ")
    references = [reference(rivals.cell(row)) for row in rivals.rows]
    opening = rng.choice(
        (
            f"which {noun} had the {degree} {bare}",
            f"which {noun} has the {degree} {bare}",
            f"what {noun} had the {degree} {bare}",
        )
    )
    return Draft(
        kind="superlative",
        text=rivals.words.joined(opening, phrases, rivals.context()),
        answers=[facts.name(best)],
        cells=[rivals.cell(best)],
        rows=[best],
        columns=[rivals.column],
        formula=f"{'MAX' if highest else 'MIN'}({', '.join(references)})",
    )


def comparison(facts: Facts, rng: random.Random) -> Draft | None:
    """Was X higher for A or for B?"""
    rivals = _Rivals(facts, rng)
    pair = rivals.pair()
    if pair is None:
        return None
    said, phrases = rivals.quantity()
    shown = rng.sample(pair, 2)
    names = f"{rivals.name(shown[0])} or {rivals.name(shown[1])}"
    opening = rng.choice(
        (
            f"who had the higher {said.removeprefix('the ')}, {names},",
            f"which was higher, {said} of {names},",
            f"did {names} have the higher {said.removeprefix('the ')}",
            f"{names}: which had more {said.removeprefix('the ')}",
        )
    )
    cells = [rivals.cell(row) for row in pair]
    return Draft(
        kind="comparison",
        text=rivals.words.joined(opening, phrases, rivals.context()),
        answers=[facts.name(pair[0])],
        cells=cells,
        rows=list(pair),
        columns=[rivals.column],
        formula=f"MAX({', '.join(map(reference, cells))})",
        hides_answer=False,
    )


def difference(facts: Facts, rng: random.Random) -> Draft | None:
    """By how much did A exceed B?"""
    rivals = _Rivals(facts, rng)
    pair = rivals.pair()
    if pair is None:
        return None
    said, phrases = rivals.quantity()
    high, low = map(rivals.name, pair)
    opening = rng.choice(
        (
            f"what was the difference in {said.removeprefix('the ')} between {high} and {low}",
            f"how much higher was {said} of {high} than {low}",
            f"what is the gap in {said.removeprefix('the ')} between {low} and {high}",
            f"compared with {low}, how much more {said.removeprefix('the ')} did {high} have",
        )
    )
    first, second = (rivals.cell(row) for row in pair)
    return Draft(
        kind="difference",
        text=rivals.words.joined(opening, phrases, rivals.context()),
        answers=[number(rivals.value(pair[0]) - rivals.value(pair[1]), rivals.decimals(*pair))],
        cells=[first, second],
        rows=list(pair),
        columns=[rivals.column],
        formula=f"{reference(first)} - {reference(second)}",
    )


def total(facts: Facts, rng: random.Random) -> Draft | None:
    """How many X did A and B have together?"""
    rivals = _Rivals(facts, rng)
    pair = rivals.pair()
    if pair is None or not facts.adds_up(rivals.column):
        return None
    said, phrases = rivals.quantity()
    first, second = map(rivals.name, pair)
    bare = said.removeprefix("the ")
    opening = rng.choice(
        (
            f"how many {plural(bare)} did {first} and {second} have in total",
            f"what was the total {bare} of {first} and {second}",
            f"what was {said} for {first} and {second} combined",
        )
    )
    cells = [rivals.cell(row) for row in pair]
    return Draft(
        kind="sum",
        text=rivals.words.joined(opening, phrases, rivals.context()),
        answers=[number(sum(map(rivals.value, pair)), rivals.decimals(*pair))],
        cells=cells,
        rows=list(pair),
        columns=[rivals.column],
        formula=" + ".join(map(reference, cells)),
    )


def share(facts: Facts, rng: random.Random) -> Draft | None:
    """What percentage of all X was A?"""
    rivals = _Rivals(facts, rng)
    wholes = [
        row
        for row in facts.rows
        if row.labels
        and row.labels[-1].role is Role.TOTAL
        and row.parents == rivals.row.parents[: len(row.parents)]  # not the total of another group
        and facts.value(row.index, rivals.column.index)
    ]
    if not rivals.rows or len(wholes) != 1 or not facts.adds_up(rivals.column):
        return None
    part, whole = rng.choice(rivals.rows), wholes[0]
    ratio = 100 * rivals.value(part) / rivals.value(whole)
    if is_tie(ratio, 1) or not 0 < ratio < 100:
        return None
    said, phrases = rivals.quantity()
    name = rivals.name(part)
    opening = rng.choice(
        (
            f"what percentage of {said} was {name}",
            f"what share of {said} did {name} account for",
            f"how many percent of {said} were {name}",
        )
    )
    cells = [rivals.cell(part), rivals.cell(whole)]
    return Draft(
        kind="share",
        text=rivals.words.joined(opening, phrases, rivals.context()),
        answers=[f"{number(ratio, 1)}%"],
        cells=cells,
        rows=[part, whole],
        columns=[rivals.column],
        formula=f"{reference(cells[0])} / {reference(cells[1])} * 100",
    )
