"""Dates as answers write them: ``May 3, 2010``, ``3rd of May 2010``, ``2010-05-03``, ``05/03/2010``."""

from __future__ import annotations

import calendar
import re

Date = tuple[int | None, int, int | None]
"""Year, month, day; None where the text does not say it."""

_MONTHS = {
    name.casefold(): number
    for names in (calendar.month_name, calendar.month_abbr, [*[""] * 9, "sept"])
    for number, name in enumerate(names)
    if name
}
_MONTH = rf"(?P<month>{'|'.join(sorted(_MONTHS, key=len, reverse=True))})\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>\d{4})"
_WEEKDAY = r"(?:(?:mon|tues?|wed(?:nes)?|thur?s?|fri|sat(?:ur)?|sun)(?:day)?\.?,?\s+)?"
_WRITTEN = tuple(
    re.compile(_WEEKDAY + form)
    for form in (
        rf"{_MONTH}\s*{_DAY}(?:\s*,\s*|\s+){_YEAR}",
        rf"(?:the\s+)?{_DAY}(?:\s+of)?[\s-]+{_MONTH}(?:\s*,\s*|[\s-]+){_YEAR}",
        rf"{_MONTH}\s+{_DAY}",
        rf"(?:the\s+)?{_DAY}(?:\s+of)?[\s-]+{_MONTH}",
        rf"{_MONTH}(?:\s*,\s*|\s+){_YEAR}",
    )
)
_ISO = re.compile(rf"{_YEAR}[-/.](?P<month>\d{{1,2}})(?:[-/.]{_DAY}(?:[t ]00:00(?::00)?(?:\.0+)?z?)?)?")
_NUMERIC = re.compile(rf"(?P<first>\d{{1,2}})(?P<sign>[-/.])(?P<second>\d{{1,2}})(?P=sign){_YEAR}")
_IN_SENTENCE = tuple(
    re.compile(rf"(?<![\w/.-])(?:{form.pattern})(?![\w/]|[-.,]\d)") for form in (*_WRITTEN, _NUMERIC, _ISO)
)


def parse_date(text: str) -> tuple[Date, Date] | None:
    """The date that a whole text is, read with the month first and with the day first; None where it is none.

    The two differ for ``05/03/2010`` alone; ``13/03/2010`` has one reading. A date needs a month and, of year
    and day, at least one. Two-digit years are not read.
    """
    text = " ".join(text.casefold().split()).strip(" .,;")
    if not any(char.isdecimal() for char in text):
        return None
    if matched := _NUMERIC.fullmatch(text):
        first, second, year = (int(matched[name]) for name in ("first", "second", "year"))
        readings = [date for date in ((year, first, second), (year, second, first)) if _exists(date)]
        return (readings[0], readings[-1]) if readings else None
    if matched := _ISO.fullmatch(text):
        day = matched["day"]
        date: Date = (int(matched["year"]), int(matched["month"]), int(day) if day else None)
        return (date, date) if _exists(date) else None
    for form in _WRITTEN:
        if matched := form.fullmatch(text):
            said = {name: int(part) for name, part in matched.groupdict().items() if name != "month"}
            date = (said.get("year"), _MONTHS[matched["month"]], said.get("day"))
            return (date, date) if _exists(date) else None
    return None


def first_date(text: str) -> tuple[Date, Date] | None:
    """The first date of a sentence, as :func:`parse_date` reads it; None where it has none."""
    text = " ".join(text.casefold().split())
    found = [match for form in _IN_SENTENCE for match in form.finditer(text)]
    for match in sorted(found, key=lambda match: (match.start(), -match.end())):
        if (date := parse_date(match[0])) is not None:
            return date
    return None


def same_date(left: tuple[Date, Date], right: tuple[Date, Date]) -> bool:
    """Whether two dates are the same, both with the month first or both with the day first."""
    return left[0] == right[0] or left[1] == right[1]


def _exists(date: Date) -> bool:
    year, month, day = date
    if not 1 <= month <= 12:
        return False
    return day is None or 1 <= day <= calendar.monthrange(2000 if year is None else max(year, 1), month)[1]
