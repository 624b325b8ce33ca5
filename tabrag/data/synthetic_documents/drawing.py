"""What stands in the gaps of an event's sentence: numbers, amounts, dates, names, towns."""

from __future__ import annotations

import random

from tabrag.data.synthetic_documents.company import NUM_SITES, Company

MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September", "October"),
    *("November", "December"),
)
_BANKS = (
    *("Banque Valmont", "Norrland Bank", "Castlegate Bank", "First Meridian Bank", "Helvion Bank"),
    *("Crédit Aubry", "Landesbank Werra", "Union Harbour Bank", "Sankta Bank", "Bank of Tyndale"),
)
_AUDITORS = (
    "Brandt & Sayer",
    "Hollins Croft",
    "Meyer Lund",
    "Pryce Whitcombe",
    "Tolland Audit",
    "Varga Partners",
)
FIRM_STARTS = (
    *("Altra", "Boreal", "Cirrus", "Dorne", "Elmfield", "Foxley", "Gantry", "Hadrian", "Ionic", "Juniper"),
    *("Kestrel", "Larch", "Monolith", "Nimbus", "Orchard", "Pallas", "Quarry", "Rivet", "Sable", "Tundra"),
    *("Umbra", "Vertex", "Willow", "Yarrow"),
)
_FIRM_ENDS = {
    "technology": ("Data", "Labs", "Digital", "Micro", "Cloudworks", "Analytics"),
    "consumer": ("Kitchens", "Provisions", "Larder", "Farms", "Home", "Natural"),
    "industrial": ("Works", "Foundry", "Drives", "Castings", "Dynamics", "Tooling"),
}
_PRODUCT_STARTS = (
    "Astra",
    "Bravo",
    "Corvo",
    "Delphi",
    "Evora",
    "Flint",
    "Halo",
    "Indigo",
    "Jade",
    "Lumo",
    "Orion",
)
_RATINGS = ("BBB-", "BBB", "BBB+", "A-", "A", "A+")
_AGENCIES = ("Sterling Ratings", "Eurocredit", "Capstone Ratings")


def draw_slots(
    wanted: dict[str, object], company: Company, year: int, rng: random.Random, used: set[str]
) -> dict[str, str]:
    """Slot -> text. Towns, people, firms and products that are in ``used`` are not drawn again.

    A slot is ``(low, high, step)`` for a number, ``("money", low, high)`` for millions,
    ``("decimal", low, high)`` for a number with one decimal, a tuple of texts to choose from, or the name of
    a kind: ``town``, ``person``, ``firm``, ``product``, ``bank``, ``auditor``, ``month``, ``date``,
    ``rating``, ``better`` (than the rating), ``agency``. ``{year}``, ``{next}`` and ``{cur}`` always exist.
    Towns are such as the list of sites does not name.
    """
    slots = {"year": str(year), "next": str(year + 1), "last": str(year - 1), "cur": company.currency}
    for name, kind in wanted.items():
        slots[name] = _draw(kind, company, rng, used, slots)
    return slots


def _draw(kind: object, company: Company, rng: random.Random, used: set[str], slots: dict[str, str]) -> str:
    if isinstance(kind, tuple):
        first, *rest = kind
        if first == "money":
            return f"{company.currency}{rng.randint(*rest):,} million"
        if first == "decimal":
            low, high = rest
            return f"{rng.randint(round(low * 10), round(high * 10)) / 10:.1f}"
        if isinstance(first, int):
            low, high, step = kind
            return f"{rng.randrange(low, high, step):,}"
        return _fresh(kind, rng, used)
    if kind == "town":
        return _fresh(company.towns[NUM_SITES:], rng, used)
    if kind == "person":
        return _fresh(company.people[3:], rng, used)
    if kind == "firm":
        ends = _FIRM_ENDS[company.sector]
        return _fresh(tuple(f"{start} {end}" for start in FIRM_STARTS for end in ends), rng, used)
    if kind == "product":
        return _fresh(tuple(f"{start} {rng.randint(2, 9)}00" for start in _PRODUCT_STARTS), rng, used)
    if kind == "date":
        return f"{rng.randint(1, 28)} {rng.choice(MONTHS)}"
    if kind == "rating":
        return rng.choice(_RATINGS[:-1])
    if kind == "better":
        return _RATINGS[_RATINGS.index(slots["rating"]) + 1]
    return _fresh(
        {"bank": _BANKS, "auditor": _AUDITORS, "month": MONTHS, "agency": _AGENCIES}[str(kind)], rng, used
    )


def _fresh(choices: tuple[object, ...], rng: random.Random, used: set[str]) -> str:
    free = [str(choice) for choice in choices if str(choice) not in used] or [str(one) for one in choices]
    found = rng.choice(free)
    used.add(found)
    return found
