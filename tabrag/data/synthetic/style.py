"""How the tables of one family look: layout of rows and columns, place of the unit, number formats, marks."""

from __future__ import annotations

import random
from dataclasses import dataclass

from tabrag.data.synthetic.topic import Breakdown, Measure, Topic


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """The look of a family.

    Attributes:
        rows: ``indent`` (one header column), ``sections`` (a row across the table above each group),
            ``merged`` (two header columns) or ``parts`` (the breakdown as sections, the rows indented below).
        columns: Levels of the column headers, outermost first, of ``measure``, ``year`` and ``part``.
        extra: ``share`` adds a percent column to each column of values, ``change`` a change over the period.
        unit: Where the unit stands: ``title``, ``row`` (a header row) or ``stub`` (the corner).
        year_form: How a column says its year; holds ``{year}`` and, for a school year, ``{start}`` and
            ``{end}``.
        title: Number of the title's wording.
        number: Number of the table in its publication.
        missing: What stands for a value that is not available; "" where the family has none.
        minus: Sign of negative numbers: ``-``, ``−`` or ``(`` for parentheses.
        percent_sign: Whether percent columns print "%".
        footnote: Mark of the footnote: "" for none.
        provisional: Whether the last year is marked as provisional.
        total_last: Whether the grand total closes the table.
    """

    rows: str
    columns: tuple[str, ...]
    extra: str
    unit: str
    year_form: str
    title: int
    number: str
    missing: str
    minus: str
    percent_sign: bool
    footnote: str
    provisional: bool
    total_last: bool


_MAX_ROWS = 45
_YEAR_FORMS = {
    "calendar": ("{year}",),
    "school": ("{start}/{end}", "{start}-{end}"),
    "fiscal": ("{year}", "FY{year}", "FY {year}"),
}


def choose_style(topic: Topic, measure: Measure, breakdown: Breakdown | None, rng: random.Random) -> Style:
    """Draw a layout that suits the topic."""
    has_groups = any(row.group for row in topic.rows)
    in_rows = breakdown is not None and rng.random() < 0.4
    if breakdown is not None and (len(breakdown.parts) + 1) * len(topic.rows) > _MAX_ROWS:
        in_rows = False
    if topic.statement:
        rows = rng.choice(("indent", "sections"))
    elif in_rows:
        rows = "parts"
    else:
        rows = rng.choice(("indent", "sections", "sections", "merged", "merged")) if has_groups else "indent"
    if breakdown is None or in_rows:
        columns: tuple[str, ...] = rng.choice((("year",), ("measure", "year"), ("measure", "year")))
        extra = rng.choice(("", "share", "change", "change"))
    else:
        columns = rng.choice((("year", "part"), ("part", "year"), ("measure", "year", "part")))
        extra = rng.choice(("", "", "share"))
    if extra == "share" and (measure.rate or not topic.total or topic.statement):
        extra = ""
    if extra == "share" and breakdown is not None and not in_rows and len(breakdown.parts) > 2:
        extra = ""  # Ten columns a year are more than a page holds.
    if extra == "change":
        columns = ("measure", "year")
    return Style(
        rows=rows,
        columns=columns,
        extra=extra,
        unit=rng.choice(("title", "title", "row", "stub")) if extra == "" else "title",
        year_form=rng.choice(_YEAR_FORMS[topic.years]),
        title=rng.randrange(3),
        number=f"{rng.randint(1, 12)}.{rng.randint(1, 19)}",
        missing=rng.choice(("", "", "", "..", "n.a.", "—")) if not topic.statement else "",
        minus="(" if topic.kind == "company" else rng.choice(("-", "−")),
        percent_sign=rng.random() < 0.3,
        footnote=rng.choice(("", "", "*", "(a)", "¹")),
        provisional=topic.kind == "statistics" and rng.random() < 0.2,
        # Below a section row the grand total would look like a part of the last section.
        total_last=not topic.statement and rows != "sections" and rng.random() < 0.5,
    )
