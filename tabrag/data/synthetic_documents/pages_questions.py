"""Questions that need two facts from different pages."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from tabrag.data.synthetic_documents.draft import Draft
from tabrag.data.synthetic_documents.events import Event
from tabrag.data.synthetic_documents.lookup_questions import measure_of, number
from tabrag.data.synthetic_documents.material import Material
from tabrag.data.synthetic_documents.story import Sheet
from tabrag.data.synthetic_documents.text_questions import sentence_of
from tabrag.types import Fact

_PRICES = {
    "purchase": ("price", "the price of {firm}", "what was paid for {firm}"),
    "settlement": ("sum", "the payment that ended the dispute with {firm}", "the sum that {firm} received"),
    "insurance": ("sum", "the insurers' payment for {town}", "the compensation for the damage at {town}"),
    "credit line": ("sum", "the drawable loan from the banks of {bank}", "the credit arranged by {bank}"),
}
"""Family of an event -> the slot with millions, and ways to speak of them."""
_COMPARED = (
    "By how many million does {a} exceed {b} at {c}{when}?",
    "How much larger, in million, is {a} than {b} at {c}{when}?",
    "{a} is larger than {b} at {c}{when}; by how many million?",
)


@dataclass(frozen=True, slots=True)
class _Amount:
    """An amount in millions, where it stands, and how people speak of it."""

    place: str
    phrase: str
    value: float
    fact: Fact


def pages_questions(material: Material, rng: random.Random) -> Iterator[Draft]:
    """Questions on two places, of several kinds in turn, as many as there are."""
    makers = [_per_head, _director, _site, _share_of_quarter, _compared, _compared]
    waiting = [iterator for maker in makers for iterator in [maker(material, rng)]]
    rng.shuffle(waiting)
    while waiting:
        for iterator in list(waiting):
            draft = next(iterator, None)
            if draft is None:
                waiting.remove(iterator)
            else:
                yield draft


def _per_head(material: Material, rng: random.Random) -> Iterator[Draft]:
    """Sales of a country for each of its employees: two tables in different chapters."""
    sales, staff = material.sheets.get("markets"), material.sheets.get("staff")
    if sales is None or staff is None:
        return
    year, currency = str(material.story.year), material.story.company.currency
    rows = [row for row in material.story.company.countries if not row.label.startswith("Other")]
    for row in rng.sample(rows, len(rows)):
        columns = ("Net sales", year), ("Employees at year-end", year)
        values = [
            number(sheet.value(row.label, column))
            for sheet, column in zip((sales, staff), columns, strict=True)
        ]
        facts = (sales.fact(row.label, columns[0]), staff.fact(row.label, columns[1]))
        name = rng.choice(row.names)
        texts = (
            f"How many thousand {currency} of sales did each employee in {name} bring in at {{c}}{{when}}?",
            f"What were the sales per head in {name} at {{c}}, in thousand {currency}{{when}}?",
        )
        answer = f"{values[0] * 1000 / values[1]:,.1f}"
        yield Draft(kind="pages", template=rng.choice(texts), answer=answer, facts=facts)


def _director(material: Material, rng: random.Random) -> Iterator[Draft]:
    """The pay of the director who joined in a year."""
    board, pay = material.sheets.get("board"), material.sheets.get("pay")
    if board is None or pay is None:
        return
    for line in rng.sample(board.lines, len(board.lines)):
        person, since = line.labels[-1], line.values[1]
        column = rng.choice(pay.columns[:-1])
        measure = measure_of(pay, column, rng)
        texts = (
            f"What was the {measure} of the director who has sat on the board of {{c}} since "
            f"{since}{{when}}?",
            f"One person joined the board of {{c}} in {since}: how high was that director's "
            f"{measure}{{when}}?",
        )
        facts = (board.fact(person, ("Member since",)), pay.fact(person, column))
        yield Draft(kind="pages", template=rng.choice(texts), answer=pay.value(person, column), facts=facts)


def _site(material: Material, rng: random.Random) -> Iterator[Draft]:
    """The figures of the segment that uses a site."""
    sites, segments = material.sheets.get("sites"), material.sheets.get("segments")
    if sites is None or segments is None:
        return
    year = str(material.story.year)
    user = ("Profile", "Main user")
    for line in rng.sample(sites.lines, len(sites.lines)):
        town = line.labels[-1]
        segment = sites.value(town, user)
        column = rng.choice([column for column in segments.columns if column[-1] == year])
        measure = measure_of(segments, column, rng)
        texts = (
            f"What {measure} did the division that mainly uses the {town} site of {{c}} have{{when}}?",
            f"Take the main user of the {town} works: how high was its {measure} at {{c}}{{when}}?",
        )
        facts = (sites.fact(town, user), segments.fact(segment, column))
        yield Draft(
            kind="pages", template=rng.choice(texts), answer=segments.value(segment, column), facts=facts
        )


def _share_of_quarter(material: Material, rng: random.Random) -> Iterator[Draft]:
    """What part of the quarter's revenue a country brought: two slides."""
    segments, markets = material.sheets.get("quarter segments"), material.sheets.get("quarter markets")
    if segments is None or markets is None:
        return
    total = next(column for column in segments.columns if column[0] == "Revenue")
    sales = markets.columns[0]
    for line in rng.sample(markets.lines, len(markets.lines)):
        label = line.labels[-1]
        share = 100 * number(markets.value(label, sales)) / number(segments.value("Total", total))
        row = next(row for row in material.story.company.countries if row.label == label)
        texts = (
            f"What percentage of total revenue came from {rng.choice(row.names)} at {{c}}{{when}}?",
            f"How large, in percent of all turnover, were the sales of {{c}} in "
            f"{rng.choice(row.names)}{{when}}?",
        )
        facts = (markets.fact(label, sales), segments.fact("Total", total))
        yield Draft(kind="pages", template=rng.choice(texts), answer=f"{share:.1f}", facts=facts)


def _compared(material: Material, rng: random.Random) -> Iterator[Draft]:
    """How far two amounts of different chapters or slides lie apart."""
    amounts = _amounts(material, rng)
    rng.shuffle(amounts)
    for first in amounts:
        for second in amounts:
            is_told = "sentence" in (first.fact.kind, second.fact.kind)
            if first.place != second.place and first.value > second.value and is_told:
                template = rng.choice(_COMPARED).replace("{a}", first.phrase).replace("{b}", second.phrase)
                answer = f"{first.value - second.value:,.0f}"
                yield Draft(kind="pages", template=template, answer=answer, facts=(first.fact, second.fact))
                break


def _amounts(material: Material, rng: random.Random) -> list[_Amount]:
    found = []
    for event in material.events:
        if event.family.key in _PRICES:
            slot, *ways = _PRICES[event.family.key]
            phrase = rng.choice(ways).format_map(event.slots)
            found.append(_Amount(_place(event), phrase, _millions(event.slots[slot]), sentence_of(event)))
    year = str(material.story.year)
    cash, plan, debt = (material.sheets.get(key) for key in ("cash", "plan", "debt"))
    if cash is not None:
        for label, phrase in (
            ("Dividends paid", "the total of dividends paid"),
            ("Taxes paid", "the tax paid in cash"),
        ):
            found.append(_cell(cash, label, (year,), phrase))
    if plan is not None:
        for line in plan.lines:
            label = line.labels[-1]
            found.append(_cell(plan, label, ("Money", "Budget"), f"the budget for the {label}"))
    if debt is not None:
        for label, phrase in (
            ("Net debt at end of quarter", "the net debt at the quarter's end"),
            ("Investments paid", "the cash spent on investments"),
        ):
            found.append(_cell(debt, label, debt.columns[0], phrase))
    return found


def _cell(sheet: Sheet, label: str, column: tuple[str, ...], phrase: str) -> _Amount:
    return _Amount(
        f"sheet {sheet.key}", phrase, number(sheet.value(label, column)), sheet.fact(label, column)
    )


def _place(event: Event) -> str:
    return event.family.place


def _millions(text: str) -> float:
    return number("".join(letter for letter in text.split()[0] if letter.isdigit() or letter in ".,"))
