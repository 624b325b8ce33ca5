"""Which publications there are, and in which split each company's stand."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from tabrag.data.synthetic_documents.company import Company, arm_of, make_companies
from tabrag.data.synthetic_documents.deck import make_deck
from tabrag.data.synthetic_documents.material import Material
from tabrag.data.synthetic_documents.report import make_report
from tabrag.data.synthetic_documents.story import Story
from tabrag.data.synthetic_documents.write_docx import write_docx
from tabrag.data.synthetic_documents.write_html import write_html
from tabrag.data.synthetic_documents.write_pdf import write_pdf
from tabrag.data.synthetic_documents.write_pptx import write_pptx
from tabrag.data.synthetic_documents.write_slides_pdf import write_slides_pdf
from tabrag.errors import UserError

PER_COMPANY = 5
MIN_DOCUMENTS = 5
_SPLIT_SHARES = (("test", 0.34), ("dev", 0.25))
_REPORT_FORMATS = ("docx", "pdf", "html")
_WRITERS: dict[tuple[str, bool], Callable[[Story], bytes]] = {
    ("docx", False): write_docx,
    ("pdf", False): write_pdf,
    ("html", False): write_html,
    ("pptx", True): write_pptx,
    ("pdf", True): write_slides_pdf,
}


@dataclass(frozen=True, slots=True)
class _Planned:
    """One publication: of whom, on which year, what and as which format."""

    company: Company
    year: int
    kind: str
    suffix: str
    look: int


def make_library(num_documents: int, seed: int) -> list[Material]:
    """All publications: of each group two reports, one of an arm of it, and two decks.

    Raises:
        UserError: Fewer documents than one company has.
    """
    if num_documents < MIN_DOCUMENTS:
        raise UserError(f"--num-documents {num_documents}: give {MIN_DOCUMENTS} or more")
    companies = make_companies(-(-num_documents // PER_COMPANY), seed)
    splits = _splits([company.family for company in companies], seed)
    planned = [plan for number, company in enumerate(companies) for plan in _plans(company, number, seed)]
    found = []
    for plan in planned[:num_documents]:
        material = _made(plan, seed)
        name = material.story.edition.lower().replace(" ", "-")
        material.id = f"{plan.company.key}-{name}.{plan.suffix}"
        material.split = splits[plan.company.family]
        found.append(material)
    return found


def file_of(material: Material) -> bytes:
    """The bytes of the file of a publication."""
    suffix = material.id.rpartition(".")[2]
    return _WRITERS[suffix, material.story.is_deck](material.story)


def _plans(company: Company, number: int, seed: int) -> list[_Planned]:
    rng = random.Random(f"tabrag synthetic documents plans/{seed}/{company.key}")
    year = rng.randint(2016, 2019)
    formats = [_REPORT_FORMATS[(number + place) % 3] for place in range(3)]
    decks = ("pptx", "pdf") if number % 2 else ("pdf", "pptx")
    return [
        _Planned(company, year, "report", formats[0], number),
        _Planned(company, year + 1, "results", decks[0], number),
        _Planned(company, year + 2, "report", formats[1], number),
        _Planned(company, year + 3, "capital day", decks[1], number + 2),
        _Planned(arm_of(company, seed), year, "report", formats[2], number + 1),
    ]


def _made(plan: _Planned, seed: int) -> Material:
    if plan.kind == "report":
        return make_report(plan.company, plan.year, seed, look=plan.look)
    return make_deck(
        plan.company,
        plan.year,
        seed,
        look=plan.look,
        capital_day=plan.kind == "capital day",
        native_charts=plan.suffix == "pptx",
    )


def _splits(families: list[str], seed: int) -> dict[str, str]:
    """Family -> split; companies go whole into one. A single company is all ``test``."""
    drawn = random.Random(f"tabrag synthetic documents splits/{seed}").sample(families, len(families))
    splits = dict.fromkeys(families, "train")
    for split, share in _SPLIT_SHARES:
        free = [family for family in drawn if splits[family] == "train"]
        for family in free[: max(1, round(share * len(families)))]:
            splits[family] = split
    return splits
