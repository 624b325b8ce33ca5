"""Slide decks: quarterly results and capital markets days, one topic a slide."""

from __future__ import annotations

import random
from dataclasses import replace

from tabrag.data.synthetic_documents import charts
from tabrag.data.synthetic_documents import deck_sheets as tables
from tabrag.data.synthetic_documents.business_families import BUSINESS_EVENTS
from tabrag.data.synthetic_documents.company import Company
from tabrag.data.synthetic_documents.events import Event, make_events
from tabrag.data.synthetic_documents.figures import make_figures
from tabrag.data.synthetic_documents.material import Material
from tabrag.data.synthetic_documents.office_families import OFFICE_EVENTS
from tabrag.data.synthetic_documents.prose import Prose
from tabrag.data.synthetic_documents.story import Figure, Note, Paragraph, Points, Sheet, Slide, Story
from tabrag.data.synthetic_documents.subject_families import COUNTRY_EVENTS, SEGMENT_EVENTS

_TOLD = (*BUSINESS_EVENTS, *OFFICE_EVENTS)
_NUM_TOLD = 8
_CHARTS = ("enquiries", "satisfaction", "channels", "energy", "ages", "lead times", "market size")
_WIDE, _CLASSIC = (13.333, 7.5), (10.0, 7.5)
_SIZES = (_WIDE, _WIDE, _CLASSIC, _WIDE, (7.5, 10.0), _WIDE, (10.0, 5.625), _CLASSIC, _WIDE, _WIDE)
"""Sizes of slides in inches by look: wide, classic, and one that stands upright."""
_HEADLINES = {
    "people": ("People make the difference", "Our teams", "Workforce update"),
    "technology": ("Technology and digital", "Innovation pipeline", "Systems and ideas"),
    "sustainability": ("Sustainability", "On the way to lower emissions", "Environment update"),
    "operations": ("Operations update", "Plants and supply", "From the sites"),
    "market": ("Market environment", "News from our markets", "Customers and deals"),
    "finance": ("Funding and risk", "Balance sheet topics", "Treasury update"),
    "governance": ("Governance", "Board and compliance", "From the boardroom"),
}


def make_deck(
    company: Company, year: int, seed: int, *, look: int, capital_day: bool, native_charts: bool
) -> Material:
    """Slides on a quarter, or on a capital markets day. Their ``id`` and ``split`` are still empty.

    With ``native_charts`` about half of the charts are such of the office program.
    """
    rng = random.Random(f"tabrag synthetic documents deck/{seed}/{company.key}/{year}/{capital_day}")
    figures = make_figures(company, year, seed)
    told = rng.sample(_TOLD, _NUM_TOLD)
    families = [*told, *rng.sample(SEGMENT_EVENTS, 2), *rng.sample(COUNTRY_EVENTS, 2)]
    quarter = rng.randint(1, 4)
    sheets: list[Sheet] = []
    if capital_day:
        sheets = [tables.targets(company, year, rng), tables.investment_plan(company, year, rng)]
        edition = f"{year} capital markets day"
        when = (
            *(f", as shown at the capital markets day in {year}", f" at its {year} capital markets day"),
            f" in the slides of the {year} investor day",
        )
    else:
        sheets = [
            tables.quarter_segments(company, year, quarter, figures),
            tables.debt_bridge(company, year, quarter, figures, rng),
        ]
        edition = f"Q{quarter} {year} results presentation"
        ordinal = ("first", "second", "third", "fourth")[quarter - 1]
        when = (
            *(f", according to the Q{quarter} {year} presentation", f" in the {ordinal} quarter of {year}"),
            f" in the slides on Q{quarter} {year}",
        )
    sheets.insert(1, tables.quarter_markets(company, year, quarter, figures, rng))
    sheets.append(tables.indicators(company, year, quarter, rng))
    shown = [row.label for row in company.segments]
    subjects = {"segment": shown, "country": [line.labels[-1] for line in sheets[1].lines]}
    events = make_events(company, year, families, rng, subjects=subjects)
    drawn = {key: charts.MAKERS[key](company, year, rng) for key in rng.sample(_CHARTS, 3)}
    if native_charts:
        drawn = {key: replace(figure, native=rng.random() < 0.4) for key, figure in drawn.items()}
    slides = _slides(company, edition, rng, sheets, list(drawn.values()), events)
    story = Story(
        company=company,
        year=year,
        title=edition[:1].upper() + edition[1:],
        edition=edition,
        slides=slides,
        size=_SIZES[look % len(_SIZES)],
        look=look,
    )
    return Material(
        id="",
        story=story,
        sheets={sheet.key: sheet for sheet in sheets},
        figures=drawn,
        events=events,
        untold=[family for family in _TOLD if family not in told],
        when=when,
    )


def _slides(
    company: Company,
    edition: str,
    rng: random.Random,
    sheets: list[Sheet],
    figures: list[Figure],
    events: list[Event],
) -> list[Slide]:
    prose = Prose(rng, {"c": company.alias})
    agenda = ("Highlights", "Performance", "Markets and operations", "Finance", "Outlook")
    first = [
        Slide(
            title=f"{company.name}",
            parts=(Paragraph(edition), Paragraph(f"{company.people[1]}, chief executive")),
        ),
        Slide(title="Agenda", parts=(Points(agenda),)),
        Slide(title="Highlights", parts=(Points(prose.points("strategy", 4)),)),
    ]
    told: dict[str, list[str]] = {}
    for event in events:
        told.setdefault(event.family.place, []).append(event.sentence)
    middle = [
        Slide(
            title=rng.choice(_HEADLINES[place]),
            parts=(Points(prose.points(place, rng.randint(2, 4), sentences)),),
            remarks=" ".join(prose.sentences(place, 2)),
        )
        for place, sentences in told.items()
    ]
    for sheet in sheets:
        beside = Points(prose.points("segments", rng.randint(1, 3)))
        middle.append(Slide(title=_title(sheet.caption), parts=(sheet, beside, *map(Note, sheet.notes))))
    for figure in figures:
        beside = Points(prose.points("outlook", 2)) if rng.random() < 0.5 else None
        title = figure.caption.split(",")[0].split(" at the end")[0]
        middle.append(Slide(title=title, parts=(figure, *([beside] if beside else []))))
    rng.shuffle(middle)
    dense = Slide(
        title="Segment comments in brief",
        parts=tuple(
            part
            for row in company.segments
            for part in (Paragraph(f"{row.label}:"), Points(prose.points("segments", 2)))
        ),
    )
    middle.insert(len(middle) // 2, dense)
    last = [
        Slide(title="Outlook", parts=(Points(prose.points("outlook", 4)),)),
        Slide(title="Disclaimer", parts=(Paragraph(" ".join(prose.sentences("risk", 7))),)),
        Slide(
            title="Contact", parts=(Paragraph(f"{company.name}, Investor Relations, {company.towns[-1]}"),)
        ),
    ]
    return [*first, *middle, *last]


def _title(caption: str) -> str:
    return caption.split(",")[0].split(" (")[0]
