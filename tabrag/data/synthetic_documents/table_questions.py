"""Questions on one table in turn: a cell, a change, a sum or a difference, the largest or the smallest."""

from __future__ import annotations

import random
from collections.abc import Iterator

from tabrag.data.synthetic_documents.draft import Draft
from tabrag.data.synthetic_documents.lookup_questions import (
    BY_COUNTRY,
    BY_SEGMENT,
    LINE_NAMES,
    STATEMENTS,
    is_plain,
    is_row,
    item_of,
    lookup,
    measure_of,
    number,
    number_columns,
    said,
    time_of,
)
from tabrag.data.synthetic_documents.material import Material
from tabrag.data.synthetic_documents.story import Line, Sheet


def table_questions(material: Material, rng: random.Random) -> Iterator[Draft]:
    """Questions on single tables in turn, without end; some may be equal."""
    sheets = list(material.sheets.values())
    while True:
        for sheet in rng.sample(sheets, len(sheets)):
            chance = rng.random()
            draft = None
            if chance < 0.5 or not is_plain(sheet):
                draft = lookup(material, sheet, rng)
            elif chance < 0.65:
                draft = _change(material, sheet, rng)
            elif chance < 0.85:
                draft = _pair(material, sheet, rng)
            else:
                draft = _extreme(material, sheet, rng)
            if draft is not None:
                yield draft


def _lines(sheet: Sheet) -> list[Line]:
    """Rows that are no sums."""
    return [line for line in sheet.lines if line.values and not line.total]


def _change(material: Material, sheet: Sheet, rng: random.Random) -> Draft | None:
    """How much a quantity grew or shrank from one year to the next."""
    year = material.story.year
    pairs = [
        (now, before)
        for now in sheet.columns
        for before in sheet.columns
        if now[-1].endswith(str(year)) and before == (*now[:-1], now[-1].replace(str(year), str(year - 1)))
    ]
    if not pairs:
        return None
    now, before = rng.choice(pairs)
    line = rng.choice(_lines(sheet))
    label = line.labels[-1]
    values = [number(sheet.value(label, column)) for column in (now, before)]
    difference = values[0] - values[1]
    if abs(difference) < 0.05:
        return None
    word = rng.choice(("higher", "greater") if difference > 0 else ("lower", "smaller"))
    template = said(
        f"How much {word} was the {{m}} {{i}} at {{c}}{{when}} than in the year before?",
        material,
        sheet,
        line,
        now,
        rng,
    )
    facts = tuple(sheet.fact(label, column) for column in (now, before))
    return Draft(
        kind="table",
        template=template,
        answer=_printed(abs(difference), sheet.value(label, now)),
        facts=facts,
    )


def _pair(material: Material, sheet: Sheet, rng: random.Random) -> Draft | None:
    """The sum or the difference of two rows."""
    if is_row(sheet) and sheet.key not in STATEMENTS:
        return None
    column = rng.choice(number_columns(sheet))
    if any("%" in part for part in column):
        return None
    if is_row(sheet):
        groups: dict[str, list[Line]] = {}
        for line in _lines(sheet):
            if len(line.labels) > 1:
                groups.setdefault(line.labels[0], []).append(line)
        first, second = rng.sample(rng.choice([lines for lines in groups.values() if len(lines) > 1]), 2)
    else:
        first, second = rng.sample(_lines(sheet), 2)
    values = [number(sheet.value(line.labels[-1], column)) for line in (first, second)]
    facts = tuple(sheet.fact(line.labels[-1], column) for line in (first, second))
    printed = sheet.value(first.labels[-1], column)
    if values[0] > values[1] and not is_row(sheet) and rng.random() < 0.5:
        template = said(
            "By how much did the {m} {i} exceed that {j} at {c}{when}?", material, sheet, first, column, rng
        )
        template = template.replace("{j}", item_of(material, sheet, second, rng))
        return Draft(
            kind="table", template=template, answer=_printed(values[0] - values[1], printed), facts=facts
        )
    if is_row(sheet):
        names = [
            rng.choice(LINE_NAMES.get(line.labels[-1], (line.labels[-1].lower(),)))
            for line in (first, second)
        ]
        template = "What do {} and {} of {{c}} add up to{}?".format(*names, time_of(material, column))
    else:
        template = said(
            "What is the combined {m} {i} and {j} at {c}{when}?", material, sheet, first, column, rng
        )
        template = template.replace("{j}", item_of(material, sheet, second, rng))
    return Draft(kind="table", template=template, answer=_printed(sum(values), printed), facts=facts)


def _extreme(material: Material, sheet: Sheet, rng: random.Random) -> Draft | None:
    """Which row is the largest or the smallest."""
    if sheet.key not in (*BY_SEGMENT, *BY_COUNTRY):
        return None
    column = rng.choice(number_columns(sheet))
    values = {line.labels[-1]: number(sheet.value(line.labels[-1], column)) for line in _lines(sheet)}
    is_largest = rng.random() < 0.6
    best = (max if is_largest else min)(values.values())
    winners = [label for label, value in values.items() if value == best]
    if len(winners) > 1:
        return None
    kind = "division" if sheet.key in BY_SEGMENT else "country"
    word = rng.choice(("largest", "highest") if is_largest else ("smallest", "lowest"))
    measure, when = measure_of(sheet, column, rng), time_of(material, column)
    template = f"Which {kind} of {{c}} shows the {word} {measure}{when}?"
    if kind == "country":
        template = f"In which country was the {measure} of {{c}} {word}{when}?"
    facts = tuple(sheet.fact(label, column) for label in values)
    return Draft(kind="table", template=template, answer=winners[0], facts=facts)


def _printed(value: float, like: str) -> str:
    """A number with as many decimals as another one."""
    decimals = len(like.strip("()").partition(".")[2])
    return f"{value:,.{decimals}f}"
