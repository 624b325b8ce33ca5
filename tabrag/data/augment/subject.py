"""What a table is about, from its title, page title, section and caption, said as loosely as people do."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable
from dataclasses import dataclass

from tabrag.data.augment.labels import clean, times_in
from tabrag.data.augment.vary import without_loose_end
from tabrag.types import Table

_BOILERPLATE = re.compile(
    r"^(?:this|the following|the) (?:table|chart) (?:displays?|shows?|presents?|gives?|lists?)\s*"
    r"(?:the )?(?:results? of )?|"
    r"^(?:table|figure|chart|appendix|exhibit|list)\s*[\dA-Z]+(?:[.-]\d+)*\s*[.:–-]\s*|"
    r"^lists? of |^table of |^note \d+ ",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"\.\s+(?:the|this|all|figures|data|source|note)\b.*$|,? calculated using .*$|\(appearing as [^)]*\)|"
    r"\((?:in )?(?:%|per ?cent|thousands?|millions?|number|\$)[^)]*\)",
    re.IGNORECASE | re.DOTALL,
)
_PARTS = re.compile(r"\s*(?:[,;|>]|:\s|\s[–—]\s|\s-\s(?=[A-Z\d]))\s*")
_BY = re.compile(r"^(?:and )?by (?P<group>.+)$", re.IGNORECASE)
_INNER_BY = re.compile(r"^(?P<head>.+?\w.*?) by (?P<group>[^,]+)$", re.IGNORECASE)
_CHUNK = re.compile(
    r"\s+(?=(?:of|for|in|among|with|from|on|at|who|that|whose|to|between|during|within|under|as|per)\s)",
    re.IGNORECASE,
)
_LAST_GROUP = re.compile(r"(?:[^\W\d_][\w'&/-]*\s){0,4}and(?:\s[^\W\d_][\w'&/-]*){1,4}|and .+", re.IGNORECASE)
_NAME = re.compile(
    r"(?:[A-Z][\w.'’-]*|of|the|de|van|von|and|&)(?: (?:[A-Z0-9][\w.'’-]*|of|the|de|van|von|and|&))+"
)
_COUNT = re.compile(
    r"\b(?:numbers?|counts?|statistics|stats|results|goals|appearances|total)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Topic:
    """How one question names its table.

    Attributes:
        head: What it is about; may be empty.
        place: A further part of the title: a place, a population; may be empty.
        time: A year or stretch of years; may be empty.
    """

    head: str
    place: str
    time: str


@dataclass(frozen=True, slots=True)
class Subject:
    """The parts of a table's titles.

    Attributes:
        text: All titles in one line.
        heads: What the table is about: the first part of each title, the most important one first.
        places: Further parts: places, populations.
        times: Years that the titles name.
        groups: What the figures are broken down by.
    """

    text: str
    heads: tuple[str, ...]
    places: tuple[str, ...]
    times: tuple[str, ...]
    groups: tuple[str, ...]

    @property
    def main(self) -> str:
        """The most important part of the titles; may be empty."""
        return self.heads[0] if self.heads else ""

    @property
    def is_count(self) -> bool:
        """Whether the titles promise figures that can be added up."""
        return _COUNT.search(self.main) is not None

    @property
    def name(self) -> str:
        """A title that is a name ("Eric Dickerson", "Toronto Blue Jays"), or an empty text."""
        return next((head for head in self.heads if _NAME.fullmatch(head)), "")

    def draw(self, rng: random.Random) -> Topic:
        """A part of the titles, other words left out."""
        head = ""
        if self.heads:
            head = self.heads[0] if rng.random() < 0.6 else rng.choice(self.heads)
            head = shortened(head, rng)
            if len(self.heads) > 1 and len(head.split()) < 4 and rng.random() < 0.5:
                other = shortened(rng.choice(self.heads), rng)
                if other.casefold() not in head.casefold() and head.casefold() not in other.casefold():
                    head = f"{head} {other}"
        place = rng.choice(self.places) if self.places and rng.random() < 0.4 else ""
        time = rng.choice(self.times) if self.times and rng.random() < 0.6 else ""
        if place.casefold() in head.casefold():
            place = ""
        return Topic(head, place, "" if time in head else time)


def subject_of(table: Table) -> Subject:
    """The parts of the titles of a table."""
    titles = [
        _plain(text) for text in (table.title, table.page_title, *table.section.split(" > "), table.caption)
    ]
    titles = list(dict.fromkeys(title for title in titles if title))
    heads: list[str] = []
    places: list[str] = []
    groups: list[str] = []
    times: list[str] = []
    for title in titles:
        times += times_in(title)
        before = len(heads)
        parts = _PARTS.split(title)
        listed = _num_groups(parts)
        for number, part in enumerate(parts):
            if number in listed:
                groups.append(part)
                continue
            if by := _BY.match(part):
                groups.append(by["group"])
                continue
            if inner := _INNER_BY.match(part):
                part = inner["head"]
                groups.append(inner["group"])
            part = clean(part)
            if not _without_times(part):
                continue
            (heads if len(heads) == before else places).append(part)
    return Subject(
        text=" ".join(titles),
        heads=_distinct(heads),
        places=_distinct(part for part in places if len(part.split()) <= 8),
        times=_distinct(times),
        groups=_distinct(clean(re.split(r"\band\b|/", group)[0]) for group in groups),
    )


def shortened(text: str, rng: random.Random) -> str:
    """A title or header without some of its phrases ("percent of workers exposed to noise" -> "percent of
    workers"); texts of a few words stay whole."""
    chunks = _CHUNK.split(text)
    if len(text.split()) <= 3 or len(chunks) < 2:
        return text
    first = 0 if rng.random() < 0.85 else 1
    kept = [chunk for number, chunk in enumerate(chunks[first:]) if number == 0 or rng.random() < 0.65]
    words = " ".join(kept).split()[first:]  # without the preposition that a later phrase begins with
    return without_loose_end(" ".join(words[: rng.randint(8, 14)])) or text


def _num_groups(parts: list[str]) -> range:
    """Where a list of groups goes on after its first one: "by sex, age group and education, Canada"."""
    first = next((number for number, part in enumerate(parts) if re.search(r"\bby ", part, re.I)), len(parts))
    last = next((n for n in range(first + 1, len(parts)) if _LAST_GROUP.fullmatch(parts[n])), first)
    return range(first + 1, last + 1)


def _plain(text: str) -> str:
    text = " ".join(text.split())
    for _ in range(2):  # "Table 3. List of rivers"
        text = _BOILERPLATE.sub("", text)
    return " ".join(_TAIL.sub("", text).split())


def _without_times(part: str) -> str:
    for time in times_in(part):
        part = part.replace(time, "")
    return re.sub(r"[\W\d_]+|\b(?:to|and|in|from|fy|fys|the)\b", "", part, flags=re.IGNORECASE)


def _distinct(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for text in texts if text))
