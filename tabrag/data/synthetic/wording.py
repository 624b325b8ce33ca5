"""How a question says what a table prints: measures, rows, parts, places and times."""

from __future__ import annotations

import random

from tabrag.data.synthetic.plan import TablePlan
from tabrag.data.synthetic.topic import Row

_RARE = 0.04


class Wording:
    """Draws phrases for one question, so that a place or a year is said in one way throughout.

    Args:
        plan: The table that the question is about.
        rng: Source of choices.
    """

    def __init__(self, plan: TablePlan, rng: random.Random) -> None:
        self.plan = plan
        self.rng = rng
        self._alias = rng.choice(plan.entity.aliases)
        self._name = rng.choice(plan.measure.names)
        self._is_short = rng.random() < 0.5
        self._fiscal = rng.choice(("fiscal {year}", "FY{year}", "FY{short}", "the {year} financial year"))
        self._school = rng.choice(("the {start}/{short} school year", "school year {start}-{short}"))

    @property
    def quantity(self) -> str:
        """The measure as a subject: "the number of people in work", "employment"."""
        return self._name[1:] if self._name.startswith("~") else f"the {self._name}"

    @property
    def bare_quantity(self) -> str:
        """The measure after "the highest"."""
        return self._name.removeprefix("~")

    @property
    def place(self) -> str:
        """ "in Westmark", "at Harlow Foods"."""
        return f"{'in' if self.plan.topic.kind == 'statistics' else 'at'} {self._alias}"

    def row(self, row: Row) -> str:
        """ "in manufacturing"; the row of the grand total is "overall"."""
        if row.label == self.plan.topic.total:
            return self.rng.choice(("overall", "in total"))
        return self.plan.topic.phrase.format(self.rng.choice(row.names))

    def line(self, row: Row) -> str:
        """The line of a financial statement as a subject: "the consolidated net income"."""
        return f"the {self._name} {self.rng.choice(row.names)}"

    def part(self, label: str) -> str:
        """ "among women"; "" for the sum of all parts, for a table without parts and for quarters."""
        phrases = self._part_phrases(label)
        return self.rng.choice(phrases) if phrases and not self.is_quarter(label) else ""

    def is_quarter(self, label: str) -> bool:
        """Whether the part is a stretch of the year, said together with the year."""
        return any("{year}" in phrase for phrase in self._part_phrases(label))

    def when(self, year: int, part: str = "") -> str:
        """ "in 2019", "in Q3 of 2019", "at the end of fiscal 2019"."""
        if self.is_quarter(part):
            long, short = self._part_phrases(part)
            return (short if self._is_short else long).format(year=self.year(year))
        if self.plan.topic.years == "calendar" and self.rng.random() < _RARE:
            return self.rng.choice((f"in the year before {year + 1}", f"in the year after {year - 1}"))
        at_end = self.plan.topic.years == "fiscal" and not self.plan.measure.flow
        return f"{'at the end of' if at_end else 'in'} {self.year(year)}"

    def year(self, year: int) -> str:
        """A year without a preposition: "2019", "FY19", "the 2018/19 school year"."""
        form = {"calendar": "{year}", "fiscal": self._fiscal, "school": self._school}[self.plan.topic.years]
        return form.format(year=year, start=year - 1, short=f"{year % 100:02d}")

    def span(self, first: int, last: int) -> str:
        """ "between 2018 and 2021"."""
        before, after = self.year(first), self.year(last)
        return f"{self.rng.choice(('between {} and {}', 'from {} to {}')).format(before, after)}"

    def amount(self, text: str) -> str:
        """A printed number with its unit: "12.3 percent"."""
        return f"{text} {self.plan.measure.spoken}".rstrip()

    def _part_phrases(self, label: str) -> tuple[str, ...]:
        if self.plan.breakdown is None:
            return ()
        return next((part.phrases for part in self.plan.breakdown.parts if part.label == label), ())


def sentence(*parts: str, end: str = "?") -> str:
    """Join the parts that are not empty, with a capital at the start."""
    text = " ".join(part for part in parts if part)
    return text[:1].upper() + text[1:] + end
