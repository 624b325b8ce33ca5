"""Headings by size and weight of their type."""

from __future__ import annotations

import pytest

from tabrag.documents.headings import heading_levels
from tabrag.documents.page_lines import Line
from tabrag.documents.paragraphs import Paragraph

BODY = 10.0


def paragraph(text: str, *, size: float = BODY, bold: bool = False, page: int = 1, **more: bool) -> Paragraph:
    box = (60.0, 100.0, 60 + 5.0 * len(text), 100 + size)
    return Paragraph([Line(text=text, box=box, page=page, size=size, bold=bold, **more)])


TEXT = paragraph("This is a long text of the body, as most of the document is. " * 8)


def levels(*paragraphs: Paragraph, **settings: tuple[int, ...]) -> dict[int, int]:
    return heading_levels([*paragraphs, TEXT], BODY, **settings)


def test_larger_type_is_outer_and_bold_type_of_the_bodys_size_innermost():
    found = levels(
        paragraph("Report", size=20),
        paragraph("Part", size=14),
        paragraph("Section", bold=True),
        paragraph("Plain line"),
        paragraph("Other part", size=14.2),
    )
    assert found == {0: 1, 1: 2, 2: 3, 4: 2}  # 14 and 14.2 are one level


def test_no_level_is_deeper_than_six():
    found = levels(*(paragraph(f"Level {size}", size=size) for size in (40, 36, 32, 28, 24, 20, 16, 13)))
    assert list(found.values()) == [1, 2, 3, 4, 5, 6, 6, 6]


@pytest.mark.parametrize(
    "other",
    [
        paragraph("1,234.5", size=20),
        paragraph("of a sentence that goes on", size=20),
        paragraph("Long " * 60, size=20),
        paragraph("A sentence that is set in large type and ends as sentences end with a dot.", size=14),
        paragraph("A bold sentence.", bold=True),
        paragraph("Small bold", size=8, bold=True),
        paragraph("* Bold note", bold=True),
        paragraph("Bold note", bold=True, raised=True),
    ],
)
def test_what_is_no_heading(other: Paragraph):
    assert levels(paragraph("Heading", size=20), other, paragraph("Bold heading", bold=True)) == {0: 1, 2: 2}


def test_bold_type_says_nothing_where_most_is_bold():
    bold = [paragraph("Bold heading", bold=True), paragraph("Long bold text of the body. " * 40, bold=True)]
    assert levels(bold[0]) == {0: 1}
    assert levels(*bold) == {}


def test_scans_need_more_and_the_foot_of_a_page_heads_nothing():
    one = paragraph("Somewhat larger", size=13)
    assert levels(one) == {0: 1}
    assert levels(one, scanned=(1,)) == {} == levels(one, at_foot=(0,))
    assert levels(paragraph("Much larger", size=16), scanned=(1,)) == {0: 1}
