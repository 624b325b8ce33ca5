"""Annual reports: chapters of narrative, tables, charts and notes, all about one company and one year."""

from __future__ import annotations

import random

from tabrag.data.synthetic_documents import charts
from tabrag.data.synthetic_documents import report_sheets as tables
from tabrag.data.synthetic_documents.business_families import BUSINESS_EVENTS
from tabrag.data.synthetic_documents.company import Company
from tabrag.data.synthetic_documents.events import Event, make_events
from tabrag.data.synthetic_documents.figures import Figures, make_figures
from tabrag.data.synthetic_documents.material import Material
from tabrag.data.synthetic_documents.office_families import OFFICE_EVENTS
from tabrag.data.synthetic_documents.prose import Prose, change
from tabrag.data.synthetic_documents.statement_sheets import borrowings_sheet, statement_sheet
from tabrag.data.synthetic_documents.story import (
    Figure,
    Heading,
    Landscape,
    NewPage,
    Note,
    Ornament,
    Paragraph,
    Part,
    Points,
    Sheet,
    Story,
)
from tabrag.data.synthetic_documents.subject_families import COUNTRY_EVENTS, SEGMENT_EVENTS

_TOLD = (*BUSINESS_EVENTS, *OFFICE_EVENTS)
_NUM_TOLD = 13
_CHARTS = (
    "enquiries",
    "satisfaction",
    "channels",
    "energy",
    "emissions",
    "ages",
    "share price",
    "lead times",
)
_CHART_PLACES = {
    "segments": ("enquiries", "satisfaction"),
    "market": ("channels", "lead times"),
    "people": ("ages",),
    "sustainability": ("energy", "emissions"),
    "finance": ("share price",),
}
_TITLES = {
    "strategy": ("Strategy and business model", "What we want to achieve", "Business model and aims"),
    "segments": ("Development of the segments", "Review by segment", "Our divisions in {year}"),
    "market": ("Regions and markets", "Markets around the world", "Business by region"),
    "operations": ("Production and supply", "Operations", "Plants, purchasing and logistics"),
    "people": ("People", "Our employees", "Working at {c}"),
    "technology": ("Research and digitalisation", "Innovation and technology", "Ideas and systems"),
    "sustainability": ("Environment", "Sustainability", "Energy, water and climate"),
    "risk": ("Risks and opportunities", "Risk report"),
    "governance": ("Corporate governance", "How {c} is governed", "The board and its work"),
    "finance": ("Financial position", "Results and financial position", "Finance"),
    "policies": ("Accounting policies", "Basis of preparation"),
    "outlook": ("Outlook", "Prospects for {next}"),
}
_INTRODUCTIONS = (
    "{name} shows {what}.",
    "Details can be found in {name}, which sets out {what}.",
    "For {what} see {name}.",
    "We give {what} in {name}.",
)


def make_report(company: Company, year: int, seed: int, *, look: int) -> Material:
    """The annual report of a company. Its ``id`` and ``split`` are still empty."""
    rng = random.Random(f"tabrag synthetic documents report/{seed}/{company.key}/{year}")
    return _Report(company, year, rng, make_figures(company, year, seed), look).make()


class _Report:
    """Makes one report, chapter by chapter."""

    def __init__(self, company: Company, year: int, rng: random.Random, figures: Figures, look: int) -> None:
        self.company, self.year, self.rng, self.figures, self.look = company, year, rng, figures, look
        self.slots = {"c": company.alias, "year": str(year), "next": str(year + 1)}
        self.prose = Prose(rng, self.slots)
        self.parts: list[Part] = []
        self.sheets: dict[str, Sheet] = {}
        self.charts: dict[str, Figure] = {}
        told = rng.sample(_TOLD, _NUM_TOLD)
        families = [*told, *rng.sample(SEGMENT_EVENTS, 3), *rng.sample(COUNTRY_EVENTS, 3)]
        subjects = {
            "segment": [row.label for row in company.segments],
            "country": [row.label for row in company.countries if not row.label.startswith("Other")],
        }
        self.untold = [family for family in _TOLD if family not in told]
        self.events = make_events(company, year, families, rng, subjects=subjects)
        self.wanted = rng.sample(_CHARTS, 4)

    def make(self) -> Material:
        company, year = self.company, self.year
        self.highlights()
        self.letter()
        middle = [self.market, self.operations, self.people, self.technology, self.sustainability]
        self.rng.shuffle(middle)
        for chapter in (self.strategy, self.segments, *middle, self.governance, self.risk):
            chapter()
        self.finance()
        self.notes()
        title = self.rng.choice(
            ("Annual Report {}", "Annual report and accounts {}", "Report for the year {}")
        )
        story = Story(
            company=company,
            year=year,
            title=title.format(year),
            edition=f"{year} annual report",
            parts=self.parts,
            look=self.look,
        )
        when = (
            *(f", according to the {year} annual report", f" in the business year {year}", f" in {year}"),
            *(f", as its report for {year} says", f" during {year}"),
        )
        return Material(
            id="",
            story=story,
            sheets=self.sheets,
            figures=self.charts,
            events=self.events,
            untold=self.untold,
            when=when,
        )

    def highlights(self) -> None:
        now, before = (self.figures.total("revenue", one) for one in (self.year, self.year - 1))
        profit = [self.figures.total("profit", one) for one in (self.year, self.year - 1)]
        self.parts += [Heading("The year at a glance"), Ornament("rule")]
        texts = [
            f"Revenue of {self.company.alias} {change(now, before)} to {self.company.currency}{now:,} "
            "million.",
            f"Operating profit {change(*profit)} and came to {self.company.currency}{profit[0]:,} million.",
            *self.prose.sentences("strategy", 2),
            *self.prose.sentences("outlook", 1),
        ]
        self.parts.append(Points(tuple(texts)))

    def letter(self) -> None:
        writer = self.company.people[self.rng.choice((0, 1))]
        self.parts.append(
            Heading(self.rng.choice(("Letter to shareholders", "Dear shareholders", "Foreword")))
        )
        self.parts += self.prose.paragraphs("letter", 4)
        self.parts.append(Paragraph(f"{writer}, on behalf of the board of {self.company.name}"))

    def strategy(self) -> None:
        self.heading("strategy")
        self.parts += self.prose.paragraphs("strategy", 2)
        self.parts.append(Heading("Where we act", 2))
        names = ", ".join(row.label for row in self.company.segments)
        self.parts.append(Paragraph(f"The Group is organised in these segments: {names}."))
        self.parts += self.prose.paragraphs("strategy", 1)

    def segments(self) -> None:
        self.heading("segments")
        sheet = self.add(tables.segment_sheet(self.company, self.year, self.figures, self.number()))
        what = "revenue, operating profit and capital expenditure of each segment"
        self.parts += [self.introduction(sheet, what), sheet, *map(Note, sheet.notes)]
        told = self.told("market", "segment")
        for row in self.company.segments:
            self.parts.append(Heading(row.label, 2))
            about = [event.sentence for event in told if event.subject == row.label]
            self.parts.append(Paragraph(self.comment(row.label)))
            self.parts += self.prose.paragraphs("segments", self.rng.choice((1, 2)), about)
        self.add_charts("segments")

    def market(self) -> None:
        self.heading("market")
        others = [event.sentence for event in self.told("market", "country") + self.told("market", "")]
        self.parts += self.prose.paragraphs("market", 2, others[::2])
        sheet = self.add(tables.market_sheet(self.company, self.year, self.figures, self.number()))
        what = "sales and long-lived assets in our most important countries"
        self.parts += [self.introduction(sheet, what), sheet]
        self.parts += self.prose.paragraphs("market", 2, others[1::2])
        self.add_charts("market")

    def operations(self) -> None:
        self.chapter(
            "operations", tables.site_sheet(self.company, self.year, self.number(), self.rng), "our sites"
        )

    def people(self) -> None:
        sheet = tables.staff_sheet(self.company, self.year, self.figures, self.number(), self.rng)
        self.chapter("people", sheet, "where our people work")

    def technology(self) -> None:
        self.heading("technology")
        self.parts += self.prose.paragraphs("technology", 3, self.all_told("technology"))
        self.add_charts("technology")

    def sustainability(self) -> None:
        sheet = tables.environment_sheet(self.company, self.year, self.number(), self.rng)
        self.chapter("sustainability", sheet, "what we measure and aim for")

    def governance(self) -> None:
        self.chapter(
            "governance",
            tables.board_sheet(self.company, self.year, self.number(), self.rng),
            "who sits on it",
        )
        pay = self.add(tables.pay_sheet(self.company, self.year, self.number(), self.rng))
        quarters = self.add(tables.quarter_sheet(self.company, self.year, self.figures, self.number()))
        self.parts.append(Landscape((Heading("Remuneration of the board", 2), pay)))
        self.parts.append(Heading("Auditing and control", 2))
        self.parts += self.prose.paragraphs("governance", 2)
        self.quarters = quarters

    def risk(self) -> None:
        self.heading("risk")
        self.parts += self.prose.paragraphs("risk", 2)
        self.parts.append(Points(tuple(self.prose.sentences("risk", 5))))
        self.parts += self.prose.paragraphs("risk", 1)

    def finance(self) -> None:
        self.heading("finance")
        now, before = (self.figures.line["Profit for the year", one] for one in (self.year, self.year - 1))
        self.parts.append(Paragraph(f"Profit for the year {change(now, before)}."))
        self.parts += self.prose.paragraphs("finance", 3, self.all_told("finance"))
        self.parts += [Landscape((Heading("Quarterly development", 2), self.quarters))]
        self.add_charts("finance")
        self.heading("outlook")
        self.parts += self.prose.paragraphs("outlook", 2)
        self.parts += [NewPage(), Heading("Consolidated financial statements"), Ornament("rule")]
        signs = self.rng.random() < 0.5
        for key in ("income", "balance", "cash"):
            sheet = statement_sheet(self.company, self.year, self.figures, key, self.number(), signs=signs)
            self.parts.append(self.add(sheet))
            self.parts.append(Note("The notes form part of these accounts."))

    def notes(self) -> None:
        self.parts.append(Heading("Notes to the accounts"))
        self.heading("policies", 2)
        self.parts += self.prose.paragraphs("policies", 6)
        self.parts.append(Heading("Borrowings", 2))
        sheet = borrowings_sheet(self.company, self.year, self.figures, self.number(), self.rng)
        self.parts += [self.introduction(sheet, "the terms of our debt"), self.add(sheet)]
        self.parts.append(Heading("Shareholdings", 2))
        sheet = tables.holdings_sheet(self.company, self.year, self.number(), self.rng)
        self.parts += [self.introduction(sheet, "the companies in which we hold interests"), self.add(sheet)]
        self.parts += [Note(text) for text in sheet.notes]
        self.parts += [Heading("Imprint"), Ornament("logo")]
        self.parts.append(Paragraph(f"{self.company.name}, Investor Relations, {self.company.towns[-1]}."))

    def chapter(self, place: str, sheet: Sheet, what: str) -> None:
        """A chapter with events, one table and its charts."""
        self.add(sheet)
        self.heading(place)
        told = self.all_told(place)
        half = len(told) // 2
        self.parts += self.prose.paragraphs(place, 2, told[:half])
        self.parts += [self.introduction(sheet, what), sheet, *map(Note, sheet.notes)]
        self.parts += self.prose.paragraphs(place, 2, told[half:])
        self.add_charts(place)

    def heading(self, place: str, level: int = 1) -> None:
        self.parts.append(Heading(self.rng.choice(_TITLES[place]).format_map(self.slots), level))

    def comment(self, segment: str) -> str:
        """How the figures of a segment developed, in words and percentages."""
        values = [
            change(
                self.figures.segment[measure, segment, self.year],
                self.figures.segment[measure, segment, self.year - 1],
            )
            for measure in ("revenue", "profit")
        ]
        ways = (
            "Revenue of {s} {a}. Operating profit {b}.",
            "In {year} the revenue of {s} {a}, while its operating profit {b}.",
            "Operating profit of {s} {b} on revenue that {a}.",
        )
        return self.rng.choice(ways).format(s=segment, a=values[0], b=values[1], year=self.year)

    def introduction(self, sheet: Sheet, what: str) -> Paragraph:
        name = sheet.caption.split(":")[0]
        text = self.rng.choice(_INTRODUCTIONS).format(name=name, what=what)
        return Paragraph(text[:1].upper() + text[1:])

    def add_charts(self, place: str) -> None:
        for key in _CHART_PLACES.get(place, ()):
            if key in self.wanted:
                figure = charts.MAKERS[key](self.company, self.year, self.rng)
                self.charts[key] = figure
                number = len(self.charts)
                shown = self.rng.choice(("Figure {} gives an impression.", "See figure {} for details."))
                self.parts += [Paragraph(shown.format(number)), figure]

    def add(self, sheet: Sheet) -> Sheet:
        self.sheets[sheet.key] = sheet
        return sheet

    def number(self) -> str:
        return str(len(self.sheets) + 1)

    def told(self, place: str, about: str) -> list[Event]:
        """Events of a chapter; those of a segment stand in the review of segments, wherever they belong."""
        found = [event for event in self.events if event.family.about == about]
        return found if about == "segment" else [e for e in found if e.family.place == place]

    def all_told(self, place: str) -> list[str]:
        return [event.sentence for about in ("country", "") for event in self.told(place, about)]
