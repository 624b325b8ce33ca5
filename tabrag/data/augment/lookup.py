"""Questions after one cell: by its headers, or by other cells of its row."""

from __future__ import annotations

import random
import re

from tabrag.data.augment.draft import Draft
from tabrag.data.augment.facts import Facts, Line
from tabrag.data.augment.labels import Role, cell_kind, is_measure, is_rate, role_of
from tabrag.data.augment.vary import plural, singular, varied
from tabrag.data.augment.wording import Wording
from tabrag.data.synthetic.draft import reference
from tabrag.tables.kinds import Kind

_WHO = re.compile(
    r"\b(?:name|player|driver|rider|artist|singer|actor|actress|director|producer|writer|author|winner|champion|"
    r"runner-?up|candidate|athlete|coach|manager|president|minister|leader|member|person|incumbent|opponent|"
    r"swimmer|skater|wrestler|fighter|host|partner|composer|judge)s?\b",
    re.IGNORECASE,
)
_WHEN = re.compile(r"\b(?:date|released?|opened|founded|established|start|term|birth)\b", re.IGNORECASE)
_WHERE = re.compile(r"\b(?:location|venue|place|site|headquarters|stadium|arena|capital)\b", re.IGNORECASE)
_MAX_CELL_WORDS = 9


def lookup(facts: Facts, rng: random.Random) -> Draft | None:
    """What was X for Y in Z?"""
    row, column = facts.draw(rng)
    if not (row.labels or len(facts.rows) == 1) or (len(facts.rows) > 1 and not facts.is_named(row)):
        return None
    words = Wording(facts, rng)
    has_time = any(label.role is Role.TIME for label in (*row.labels, *column.labels))
    text = _did(facts, words, row, column, rng) or _what(words, row, column, has_time=has_time)
    answer = facts.text(row.index, column.index)
    cell = facts.owner(row.index, column.index)
    return Draft(
        kind="lookup",
        text=text,
        answers=[answer],
        cells=[cell],
        rows=[row],
        columns=[column],
        formula=reference(cell) if facts.value(*cell) is not None else None,
    )


def _what(words: Wording, row: Line, column: Line, *, has_time: bool) -> str:
    opening, used = words.quantity(column, row)
    if words.rng.random() < 0.6 and (percent := words.percent_of(row, column)):
        opening, used = percent
    says_little = len(row.labels) + len(column.labels) < 3
    context = words.about(has_time=has_time, needed=says_little)
    return words.joined(opening, words.rest(used, row, column), context)


def _did(facts: Facts, words: Wording, row: Line, column: Line, rng: random.Random) -> str:
    """ "how many goals did X have in Z?" where a column counts or names something; else ""."""
    if not column.labels or not row.labels or column.labels[-1].role is not Role.MEMBER:
        return ""
    leaf = column.leaf
    if (
        is_measure(leaf)
        or is_rate(leaf)
        or _WHEN.search(leaf)
        or len(leaf.split()) > 3
        or rng.random() < 0.35
    ):
        return ""
    outer = [label.text for label in column.labels[:-1] if label.role is Role.MEMBER]
    thing = " ".join([*(outer[-1:] if rng.random() < 0.5 else ()), leaf])
    times = [f"in {label.text}" for label in (*row.labels, *column.labels) if label.role is Role.TIME]
    names = [label for label in row.labels if label.role is Role.MEMBER]
    by = [words.linked(label) for label in names[:-1] if rng.random() < 0.7]
    who = varied(names[-1].text if names else facts.subject.name, rng)
    if not who:
        return ""
    if names and facts.subject.name and rng.random() < 0.25:
        by.append(rng.choice(("for ", "with ", "at ")) + who)
        who = facts.subject.name
    if facts.value(row.index, column.index) is not None:
        verb = rng.choice(("have", "have", "get", "make", "record", "finish with"))
        opening = f"how many {varied(plural(thing), rng)} did {who} {verb}"
    else:
        is_team = leaf.lower() in ("club", "team") and rng.random() < 0.7
        verb = "play for" if is_team else rng.choice(("have", "have", "get"))
        opening = f"{rng.choice(('which', 'what'))} {varied(singular(thing), rng)} did {who} {verb}"
    return words.joined(opening, by, times or words.about(needed=not names))


def anchored(facts: Facts, rng: random.Random) -> Draft | None:
    """Which A had this B in that year? Asks for a cell by what stands beside it."""
    if not facts.rows:
        return None
    row = rng.choice(facts.rows)
    told = [
        (field, text)
        for field in facts.fields
        if field.labels
        and (text := field_text(facts, row, field))
        and len(text.split()) <= _MAX_CELL_WORDS
        and cell_kind(text) not in (Kind.BLANK, Kind.MISSING)
    ]
    named = [pair for pair in told if cell_kind(pair[1]) is not Kind.NUMBER or rng.random() < 0.15]
    if len(told) < 2 or not named:
        return None
    target, answer = rng.choice(named)
    others = [pair for pair in told if pair[0] != target]
    chosen = rng.sample(others, min(len(others), rng.choice((1, 1, 2, 2, 3))))
    num_figures = sum(cell_kind(text) is Kind.NUMBER for _, text in chosen)
    if num_figures > 1 or (num_figures and cell_kind(answer) is Kind.NUMBER):
        return None  # nobody knows two figures of a row, or one figure to ask for another
    if len(_matching(facts, chosen)) != 1:
        return None
    words = Wording(facts, rng)
    opening, takes_verb = _asked(target, varied(target.leaf, rng, inflect=True), rng)
    conditions = [
        _condition(field, text, words, rng, is_verb=takes_verb and number == 0)
        for number, (field, text) in enumerate(chosen)
    ]
    context = words.about(
        has_time=any(re.match(r"(was )?in ", said) for said in conditions), needed=len(conditions) < 2
    )
    text = words.joined(opening, conditions, context)
    cell = facts.owner(row.index, target.index)
    if target.index < facts.grid.num_header_cols:
        cell = next((label.cell for label in row.labels if label.cell[1] == target.index), cell)
    return Draft(
        kind="anchored",
        text=text,
        answers=[answer],
        cells=[cell],
        rows=[row],
        columns=[target, *(field for field, _ in chosen)],
    )


def field_text(facts: Facts, row: Line, field: Line) -> str:
    """The text of a row in a column; for columns of row labels the label that holds for the row."""
    if field.index < facts.grid.num_header_cols:
        cells = (label.cell for label in row.labels if label.cell[1] == field.index)
        return next((facts.text(*cell) for cell in cells), "")
    return facts.text(row.index, field.index)


def _matching(facts: Facts, conditions: list[tuple[Line, str]]) -> list[Line]:
    return [
        row
        for row in facts.rows
        if all(field_text(facts, row, field).casefold() == text.casefold() for field, text in conditions)
    ]


def _asked(target: Line, noun: str, rng: random.Random) -> tuple[str, bool]:
    """The opening of a question, and whether a verb must follow."""
    if role_of(target.leaf) is Role.MEMBER:
        if _WHO.search(target.leaf) and rng.random() < 0.6:
            return rng.choice((("who", True), (f"who was the {noun}", False)))
        if _WHERE.search(target.leaf) and rng.random() < 0.4:
            return f"where was the {noun}", False
    if _WHEN.search(target.leaf) and rng.random() < 0.5:
        return f"when was the {noun}", False
    if noun.lower() in ("year", "season", "date", "month") and rng.random() < 0.5:
        return f"in {rng.choice(('which', 'what'))} {noun} was the one", False
    one = singular(noun)
    return rng.choice(((f"which {one}", True), (f"what {one}", True), (f"what was the {noun}", False)))


def _condition(field: Line, text: str, words: Wording, rng: random.Random, *, is_verb: bool) -> str:
    noun = words.say(field.leaf)
    kind = cell_kind(text)
    if kind is Kind.PERIOD or role_of(text) is Role.TIME:
        return f"was in {text}" if is_verb else f"in {text}"
    have = rng.choice(("had", "has")) if is_verb else "with"
    if kind is Kind.NUMBER:
        return rng.choice((f"{have} {text} {noun}", f"{have} {text} as {noun}"))
    forms = [f"{have} {noun} {text}", f"{have} {text} as {noun}"]
    if not is_verb:
        forms += [f"whose {noun} was {text}", f"for {text}", f"for the {noun} {text}"]
    return rng.choice(forms)
