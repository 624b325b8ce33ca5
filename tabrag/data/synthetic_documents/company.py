"""Invented companies: trade, divisions, markets, people and towns. Those of one trade resemble each other."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace

from tabrag.data.synthetic.companies import TOPICS
from tabrag.data.synthetic.entities import companies
from tabrag.data.synthetic.topic import Row

_FIRST = (
    *("Ingrid", "Tomas", "Helena", "Marcus", "Priya", "Daniel", "Sofia", "Edward", "Amara", "Lukas", "Naomi"),
    *("Henrik", "Clara", "Rafael", "Judith", "Oliver", "Mirela", "Stephen", "Yuki", "Anton", "Beatrice"),
    *("Callum", "Renata", "Viktor", "Leila", "George", "Annika", "Patrick", "Dalia", "Simon"),
)
_LAST = (
    *("Aldous", "Brekke", "Castellan", "Drury", "Engström", "Farrow", "Grantham", "Hollis", "Ibarra"),
    *(
        "Jansky",
        "Keswick",
        "Lindqvist",
        "Marchetti",
        "Novak",
        "Osborne",
        "Pemberton",
        "Quillfeldt",
        "Rowntree",
    ),
    *("Sandoval", "Thackeray", "Ullmann", "Vasari", "Whitlock", "Yardley", "Zeller", "Ashdown", "Birkeland"),
    *("Corbin", "Devereux", "Eastwick"),
)
_TOWN_STARTS = (
    *("Alden", "Brock", "Carn", "Dunmore", "Esker", "Fald", "Glenn", "Hask", "Ingle", "Jarrow", "Kell"),
    *("Lyng", "Mossen", "Nether", "Orms", "Penn", "Quern", "Ryd", "Skarn", "Tarn", "Ulver", "Wex", "Ash"),
    *("Birk", "Cold", "Dray", "Elm", "Fenn", "Grims", "Hollow", "Iver", "Kirk", "Lamb", "Marl", "Oak"),
)
NUM_SITES = 9
"""Towns of a company, from the first one on, that its list of sites names; events happen in the others."""
_TOWN_ENDS = ("ford", "haven", "stead", "burg", "wick", "by", "hurst", "minster", "ness", "au")
_ARMS = (
    ("Iberia", "S.A."),
    ("Nordic", "AB"),
    ("Deutschland", "GmbH"),
    ("Canada", "Ltd."),
    ("Polska", "Sp. z o.o."),
    ("Australasia", "Pty Ltd"),
)
_ACCENTS = (
    "1f4e79",
    "7a1f3d",
    "2e6b4f",
    "8a5a00",
    "3d3d6b",
    "005f73",
    "9b2226",
    "4a4e69",
    "386641",
    "6a040f",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Company:
    """A company, or the arm of one that reports on its own.

    Attributes:
        key: Short name for files: ``harlow-foods``.
        name: As it signs: "Harlow Foods plc".
        alias: As people call it, and no other one: "Harlow Foods".
        family: Key of the group that it belongs to; its own where it is the parent.
        sector: Its trade.
        currency: Sign of its currency.
        size: Factor on its figures.
        segments: Its divisions; ``names`` is what else they are called.
        markets: Region -> its countries.
        region_names: Region -> what else it is called.
        people: Directors and managers; the first three are chair, chief executive and finance chief.
        towns: Where its sites are.
        accent: Colour of its publications, ``rrggbb``.
        is_arm: Whether it is part of a group.
    """

    key: str
    name: str
    alias: str
    family: str
    sector: str
    currency: str
    size: float
    segments: tuple[Row, ...]
    markets: dict[str, tuple[Row, ...]] = field(hash=False)
    region_names: dict[str, str] = field(hash=False)
    people: tuple[str, ...]
    towns: tuple[str, ...]
    accent: str
    is_arm: bool = False

    @property
    def countries(self) -> tuple[Row, ...]:
        """All its markets, in the order of the tables."""
        return tuple(row for rows in self.markets.values() for row in rows)


def make_companies(count: int, seed: int) -> list[Company]:
    """``count`` groups of three trades in turn; the same two numbers give the same ones."""
    rng = random.Random(f"tabrag synthetic documents companies/{count}/{seed}")
    taken: set[str] = set()
    return [
        _company(entity.name, entity.aliases[0], entity.sector, entity.currency, number, taken, rng)
        for number, entity in enumerate(companies(rng, count=count))
    ]


def arm_of(company: Company, seed: int) -> Company:
    """A part of a group that publishes a report of its own: fewer divisions, smaller figures."""
    rng = random.Random(f"tabrag synthetic documents arm/{company.key}/{seed}")
    suffix, form = rng.choice(_ARMS)
    alias = f"{company.alias} {suffix}"
    kept = sorted(rng.sample(range(len(company.segments)), len(company.segments) - 1))
    return replace(
        company,
        key=_key(alias),
        name=f"{alias} {form}",
        alias=alias,
        size=company.size * rng.uniform(0.12, 0.3),
        segments=tuple(company.segments[place] for place in kept),
        people=tuple(rng.sample(company.people[3:], len(company.people) - 3)),
        is_arm=True,
    )


def _company(
    name: str, alias: str, sector: str, currency: str, number: int, taken: set[str], rng: random.Random
) -> Company:
    segments = next(topic for topic in TOPICS if topic.sector == sector).leaves
    geography = next(topic for topic in TOPICS if topic.key == "regional_sales")
    markets: dict[str, tuple[Row, ...]] = {}
    for row in geography.leaves:
        markets[row.group] = (*markets.get(row.group, ()), row)
    number_kept = rng.choice((4, len(segments) - 1, len(segments)))
    kept = sorted(rng.sample(range(len(segments)), min(number_kept, len(segments))))
    return Company(
        key=_key(alias),
        name=name,
        alias=alias,
        family=_key(alias),
        sector=sector,
        currency=currency,
        size=rng.uniform(0.25, 1.6),
        segments=tuple(segments[place] for place in kept),
        markets=markets,
        region_names={row.label: row.names[0] for row in geography.rows if row.label in markets},
        people=tuple(_fresh(taken, lambda: f"{rng.choice(_FIRST)} {rng.choice(_LAST)}") for _ in range(16)),
        towns=tuple(
            _fresh(taken, lambda: rng.choice(_TOWN_STARTS) + rng.choice(_TOWN_ENDS))
            for _ in range(NUM_SITES + 15)
        ),
        accent=_ACCENTS[number % len(_ACCENTS)],
    )


def _fresh(taken: set[str], draw: object) -> str:
    assert callable(draw)
    for _ in range(500):
        name = str(draw())
        if name not in taken:
            break
    taken.add(name)
    return name


def _key(alias: str) -> str:
    return "-".join(alias.lower().replace("&", "and").split())
