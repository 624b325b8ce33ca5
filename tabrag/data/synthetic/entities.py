"""Places and companies of the synthetic corpus: real countries, invented regions and firms."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from tabrag.errors import UserError


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """A country, a region or a company.

    Attributes:
        name: As titles print it.
        aliases: As questions say it; no two entities share one.
        kind: ``statistics`` or ``company``.
        sector: Of a company, else "".
        currency: Of a company, else "".
        size: Factor on the magnitude of its figures.
    """

    name: str
    aliases: tuple[str, ...]
    kind: str
    sector: str = ""
    currency: str = ""
    size: float = 1.0


_COUNTRIES = (
    ("United Kingdom", "the UK", "Britain"),
    ("Netherlands", "the Netherlands", "Holland"),
    ("South Korea", "South Korea", "the Republic of Korea"),
    ("Switzerland", "Switzerland"),
    ("New Zealand", "New Zealand", "NZ"),
    ("Czechia", "the Czech Republic", "Czechia"),
    ("Ireland", "Ireland"),
    ("Norway", "Norway"),
    ("Chile", "Chile"),
    ("Portugal", "Portugal"),
    ("Kenya", "Kenya"),
    ("Austria", "Austria"),
)
_REGION_STARTS = (
    *("West", "Alden", "Port Low", "Har", "Ever", "Stone", "Kings", "Lang", "Mar", "Thorn", "Ox"),
    *("Fair", "Silver", "Black", "Red", "Wood", "Clear", "Dun", "Rother", "Holm", "Ravens", "Eagle"),
)
_REGION_ENDS = (
    *(
        "mark",
        "shire",
        "land",
        "haven",
        "dale",
        "moor",
        "fell",
        "borough",
        "holt",
        "brook",
        "stow",
        "cliffe",
    ),
)
_REGION_TYPES = ("Province", "Region", "County", "Territory", "District")
_DIRECTIONS = ("North", "South", "East", "Upper", "Lower", "New")
_COMPANY_STARTS = (
    *("Har", "Cal", "Nor", "Bel", "Ost", "Win", "Tal", "Mer", "Dra", "Fen", "Sol", "Var"),
    *("Kel", "Lun", "Bra", "Cor", "Del", "Eld", "Gar", "Ves", "Zan", "Pel"),
)
_COMPANY_ENDS = (
    *(
        "low",
        "vane",
        "der",
        "mont",
        "wick",
        "stad",
        "ton",
        "ridge",
        "mere",
        "quist",
        "gate",
        "sen",
        "bourne",
        "ique",
    ),
)
_SECTORS = {
    "technology": ("Systems", "Software", "Technologies", "Networks"),
    "consumer": ("Foods", "Brands", "Consumer Products"),
    "industrial": ("Engineering", "Industries", "Machinery"),
}
_FORMS = (
    ("plc", "£"),
    ("Inc.", "US$"),
    ("AG", "€"),
    ("Group", "€"),
    ("Corporation", "US$"),
    ("Holdings", "£"),
)


def regions(rng: random.Random, *, count: int) -> list[Entity]:
    """``count`` places, about a third of them real countries where there are enough."""
    num_countries = min(len(_COUNTRIES), max(1, count // 3))
    found = [
        Entity(name=name, aliases=aliases, kind="statistics", size=rng.uniform(0.6, 3.0))
        for name, *rest in rng.sample(_COUNTRIES, num_countries)
        for aliases in [tuple(rest)]
    ]
    for stem in _stems(rng, _REGION_STARTS, _REGION_ENDS, joiner=" and "):
        # Namesakes, so that one rare word does not give a place away.
        namesakes = [f"{rng.choice(_DIRECTIONS)} {stem}"] if rng.random() < 0.5 else []
        for name in (stem, *namesakes):
            if len(found) >= count:
                return found
            full = f"{name} {rng.choice(_REGION_TYPES)}"
            size = rng.lognormvariate(-1.4, 0.7)
            found.append(Entity(name=full, aliases=(name, full), kind="statistics", size=size))
    raise UserError(f"the synthetic corpus has no names for {count} regions: ask for fewer tables")


def companies(rng: random.Random, *, count: int) -> list[Entity]:
    """``count`` companies, as many of each sector, some of them namesakes."""
    found: list[Entity] = []
    numbers = dict.fromkeys(_SECTORS, 0)
    for stem in _stems(rng, _COMPANY_STARTS, _COMPANY_ENDS, joiner=" & "):
        num_namesakes = rng.choice((1, 1, 2))
        drawn = rng.sample(list(numbers), len(numbers))
        for sector in sorted(drawn, key=numbers.__getitem__)[:num_namesakes]:
            if len(found) >= count:
                return found
            numbers[sector] += 1
            short = f"{stem} {rng.choice(_SECTORS[sector])}"
            form, currency = rng.choice(_FORMS)
            found.append(
                Entity(
                    name=f"{short} {form}",
                    aliases=(short, stem) if num_namesakes == 1 else (short,),
                    kind="company",
                    sector=sector,
                    currency=currency,
                    size=rng.lognormvariate(-0.6, 0.9),
                )
            )
    raise UserError(f"the synthetic corpus has no names for {count} companies: ask for fewer tables")


def _stems(
    rng: random.Random, starts: tuple[str, ...], ends: tuple[str, ...], *, joiner: str
) -> Iterator[str]:
    """Distinct invented names: simple ones first, then pairs of them."""
    simple = [start + end for start in starts for end in ends]
    rng.shuffle(simple)
    yield from simple
    for first in simple:
        for second in simple:
            if first != second:
                yield f"{first}{joiner}{second}"
