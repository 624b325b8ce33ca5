"""Questions on what the text tells, on a sentence with a table, on charts, and those without an answer."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from tabrag.data.synthetic_documents.draft import NOT_ANSWERABLE, Draft, says
from tabrag.data.synthetic_documents.drawing import draw_slots
from tabrag.data.synthetic_documents.events import Event, tells
from tabrag.data.synthetic_documents.lookup_questions import measure_of, time_of
from tabrag.data.synthetic_documents.material import Material
from tabrag.data.synthetic_documents.story import Figure, Sheet
from tabrag.data.synthetic_documents.words import ABSENT_COUNTRIES, CHARTS, MEASURES
from tabrag.types import Fact

_BOTH = {
    "segment": (
        "How high was the {m} of {n} at {c}{when}?",
        "What {m} did {n} at {c} show{when}?",
        "Looking at {n}: what was its {m} at {c}{when}?",
    ),
    "country": (
        "How high was the {m} of {c} in {n}{when}?",
        "What {m} does {c} give for {n}{when}?",
    ),
}
_SHEETS = {
    "segment": ("segments", "quarter segments", "targets", "quarters"),
    "country": ("markets", "staff", "quarter markets"),
}
_CHART_VALUES = (
    "Which value is printed for {label} in {chart} of {c}{when}?",
    "What can be read from {chart} of {c} for {label}{when}?",
    "How large is {label} in {chart} of {c}{when}?",
)


def sentence_of(event: Event) -> Fact:
    """An event as evidence."""
    return Fact(kind="sentence", document="", text=event.sentence)


def text_questions(material: Material, rng: random.Random) -> Iterator[Draft]:
    """One question for each event that a sentence tells in full."""
    told = [event for event in material.events if event.family.answer]
    for event in rng.sample(told, len(told)):
        template = _filled(rng.choice(event.family.questions), event.slots)
        yield Draft(kind="text", template=template, answer=event.answer, facts=(sentence_of(event),))


def both_questions(material: Material, rng: random.Random) -> Iterator[Draft]:
    """Questions on the figures of a segment or country that only a sentence lets one identify."""
    events = [event for event in material.events if event.family.about]
    for event in rng.sample(events, len(events)):
        about = event.family.about
        for key in rng.sample(_SHEETS[about], len(_SHEETS[about])):
            sheet = material.sheets.get(key)
            if sheet is None or event.subject not in {line.labels[-1] for line in sheet.lines}:
                continue
            draft = _both(material, event, sheet, rng)
            if draft is not None:
                yield draft


def chart_questions(material: Material, rng: random.Random) -> Iterator[Draft]:
    """A value and an extreme of each chart."""
    figures = list(material.figures.values())
    for figure in rng.sample(figures, len(figures)):
        ((name, values),) = figure.series
        ways, kind = CHARTS[figure.key]
        places = list(range(len(values)))
        for place in rng.sample(places, len(places))[:2]:
            answer = figure.text(values[place])
            if says(_without(material, figure), answer):
                continue
            template = rng.choice(_CHART_VALUES).replace("{chart}", rng.choice(ways))
            template = template.replace("{label}", _spoken(figure.labels[place]))
            yield Draft(
                kind="chart", template=template, answer=answer, facts=(_of_chart(figure, name, [place]),)
            )
        for word, pick in (("highest", max), ("lowest", min)):
            best = pick(values)
            if values.count(best) == 1 and rng.random() < 0.6:
                place = values.index(best)
                template = f"Which {kind} has the {word} value in {rng.choice(ways)} of {{c}}{{when}}?"
                fact = _of_chart(figure, name, [place])
                yield Draft(kind="chart", template=template, answer=figure.labels[place], facts=(fact,))


def none_questions(material: Material, others: Sequence[Material], rng: random.Random) -> Iterator[Draft]:
    """Plausible questions that no publication of the company answers.

    Args:
        material: The publication that they are asked of.
        others: All publications of the same group, this one too.
        rng: Source of choices.
    """
    everything = "\n".join(other.story.everything() for other in others)
    company, year = material.story.company, material.story.year
    untold = [family for family in material.untold if not tells(everything, family)]
    known = {town for town in company.towns if town in everything}
    drafts = []
    for family in rng.sample(untold, len(untold))[:3]:
        slots = draw_slots(family.slots, company, year, rng, set(known))
        drafts.append(_filled(rng.choice(family.questions), slots))
    absent = [country for country in ABSENT_COUNTRIES if country not in everything]
    for country in rng.sample(absent, min(2, len(absent))):
        measure = rng.choice(MEASURES["Net sales"] + MEASURES["Employees"])
        drafts.append(f"What was the {measure} in {country} at {{c}}{{when}}?")
    segment = rng.choice(rng.choice(company.segments).names)
    long_ago = next(one for one in range(year - 9, 1900, -1) if str(one) not in everything)
    measure = rng.choice(MEASURES["Operating profit"])
    edition = material.story.edition
    drafts.append(
        f"According to the {edition}, what was the {measure} of {{c}} in the {segment} business back in "
        f"{long_ago}?"
    )
    for template in rng.sample(drafts, len(drafts)):
        yield Draft(kind="none", template=template, answer=NOT_ANSWERABLE)


def _both(material: Material, event: Event, sheet: Sheet, rng: random.Random) -> Draft | None:
    columns = [
        column
        for place, column in enumerate(sheet.columns)
        if place not in sheet.texts
        and column[0] != "Today"
        and not column[-1].endswith(str(material.story.year - 1))
    ]
    column = rng.choice(columns)
    answer = sheet.value(event.subject, column)
    if says(material.prose, answer):
        return None
    measure = measure_of(sheet, column, rng)
    if sheet.key == "targets":
        measure = f"{measure} aimed for in {column[0]}"
    template = rng.choice(_BOTH[event.family.about]).replace("{m}", measure)
    template = template.replace("{n}", rng.choice(event.names())).replace("{when}", time_of(material, column))
    facts = (sentence_of(event), sheet.fact(event.subject, column))
    return Draft(kind="both", template=template, answer=answer, facts=facts)


def _filled(template: str, slots: dict[str, str]) -> str:
    """A family's question with its slots; company and publication stay open."""
    return template.format_map({**slots, "c": "{c}", "when": "{when}"})


def _of_chart(figure: Figure, name: str, places: Sequence[int]) -> Fact:
    """What one must see of a chart: its picture, or a cell of its numbers where the file holds them."""
    if not figure.native:
        return Fact(kind="picture", document="", text=figure.caption)
    place = places[0]
    value = dict(figure.series)[name][place]
    return Fact(
        kind="cell",
        document="",
        text=f"{value:g}",
        row=(figure.labels[place],),
        column=(name,),
    )


def _spoken(label: str) -> str:
    months = {
        "Jan": "January",
        "Feb": "February",
        "Mar": "March",
        "Apr": "April",
        "Jun": "June",
        "Jul": "July",
    }
    months |= {"Aug": "August", "Sep": "September", "Oct": "October", "Nov": "November", "Dec": "December"}
    return months.get(label, label)


def _without(material: Material, figure: Figure) -> str:
    """All text of a publication but that of one chart."""
    texts = [material.prose]
    for sheet in material.sheets.values():
        texts += [value for line in sheet.lines for value in line.values]
    for other in material.figures.values():
        if other is not figure:
            texts += [other.text(value) for _, values in other.series for value in values]
    return "\n".join(texts)
