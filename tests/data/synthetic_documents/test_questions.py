from __future__ import annotations

from collections import Counter

import pytest

from tabrag.data.synthetic_documents.events import tells
from tabrag.data.synthetic_documents.figures import make_figures
from tabrag.data.synthetic_documents.library import make_library
from tabrag.data.synthetic_documents.material import Material
from tabrag.data.synthetic_documents.questions import Asked, ask
from tabrag.data.synthetic_documents.story import Sheet


@pytest.fixture(scope="module")
def library() -> list[Material]:
    return make_library(60, 0)


@pytest.fixture(scope="module")
def questions(library: list[Material]) -> list[Asked]:
    asked: set[str] = set()
    families = {material.story.company.family for material in library}
    groups = {name: [one for one in library if one.story.company.family == name] for name in families}
    return [
        question
        for material in library
        for question in ask(material, groups[material.story.company.family], 0, asked)
    ]


def test_there_are_enough_of_each_kind_and_split(library: list[Material], questions: list[Asked]) -> None:
    assert len(library) == 60 and len({material.id for material in library}) == 60
    assert len(questions) >= 600
    splits = {material.id: material.split for material in library}
    counts = Counter((splits[one.document], one.query.evidence) for one in questions)
    assert len(counts) == 18 and min(counts.values()) >= 10
    share = sum(bool(one.query.history) for one in questions) / len(questions)
    assert 0.07 < share < 0.16


def test_companies_stand_in_one_split(library: list[Material]) -> None:
    splits: dict[str, set[str]] = {}
    for material in library:
        splits.setdefault(material.story.company.family, set()).add(material.split)
    assert len(splits) == 12 and all(len(found) == 1 for found in splits.values())
    assert {split for found in splits.values() for split in found} == {"train", "dev", "test"}


def test_questions_differ_and_name_company_and_publication(
    library: list[Material], questions: list[Asked]
) -> None:
    texts = [one.alone or one.query.text for one in questions]
    assert len(set(texts)) == len(texts)
    materials = {material.id: material for material in library}
    for one, text in zip(questions, texts, strict=True):
        material = materials[one.document]
        assert material.story.company.alias in text, text
        years = {str(material.story.year), str(material.story.year - 1)}
        assert any(year in text for year in years), text


def test_unanswerable_questions_are_told_by_no_document_of_the_group(
    library: list[Material], questions: list[Asked]
) -> None:
    materials = {material.id: material for material in library}
    checked = 0
    for one in questions:
        if one.query.evidence != "none":
            continue
        family = materials[one.document].story.company.family
        everything = "\n".join(m.story.everything() for m in library if m.story.company.family == family)
        told = [event for m in library for event in m.events if m.story.company.family == family]
        untold = [kind for kind in materials[one.document].untold if not tells(everything, kind)]
        assert all(event.family not in untold for event in told)
        checked += len(untold) > 0
    assert checked > 20


def test_most_labels_are_paraphrased(questions: list[Asked]) -> None:
    cells = [(one, fact) for one in questions for fact in one.evidence.facts if fact.kind == "cell"]
    in_words = sum(fact.column[0].lower() in (one.alone or one.query.text).lower() for one, fact in cells)
    assert len(cells) > 200 and in_words < 0.4 * len(cells)


def test_figures_of_a_report_agree_in_all_its_tables(library: list[Material]) -> None:
    reports = [material for material in library if not material.story.is_deck]
    assert len(reports) == 36
    for material in reports:
        year = str(material.story.year)
        total = _number(material.sheets["segments"], "Group", ("Revenue", year))
        assert total == _number(material.sheets["markets"], "All markets", ("Net sales", year))
        assert total == _number(material.sheets["income"], "Total revenue", (year,))
        balance, loans = material.sheets["balance"], material.sheets["borrowings"]
        assert _number(balance, "Borrowings", (year,)) == _number(loans, "Total", ("Carrying amount", year))
        assert f"{total:,} million" in material.prose


def test_a_year_has_the_same_figures_in_all_reports(library: list[Material]) -> None:
    company = library[0].story.company
    first, second = make_figures(company, 2018, 0), make_figures(company, 2019, 0)
    shared = {key: value for key, value in first.segment.items() if key[-1] == 2018}
    assert len(shared) > 10 and all(second.segment[key] == value for key, value in shared.items())
    assert first.segment != {key: value for key, value in second.segment.items() if key in first.segment}


def _number(sheet: Sheet, label: str, column: tuple[str, ...]) -> int:
    return int(sheet.value(label, column).replace(",", ""))
