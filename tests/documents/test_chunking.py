"""Chunks of units: all of them in order, of bounded size, headings with what they head."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabrag.documents.chunking import Piece, chunks_of, group
from tabrag.documents.units import units_of
from tabrag.errors import UserError
from tabrag.types import Block, Document

PIECES = st.lists(
    st.builds(Piece, st.integers(0, 30), heading=st.sampled_from([False, False, True]), joined=st.booleans()),
    max_size=40,
)


@given(PIECES, st.integers(1, 40), st.integers(0, 39))
def test_groups_cover_everything_in_order_and_are_bounded(pieces: list[Piece], size: int, overlap: int):
    overlap = min(overlap, size - 1)
    groups = group(pieces, size=size, overlap=overlap)
    assert (len(groups) == 0) == (len(pieces) == 0)
    behind = 0
    for first, end in groups:
        assert first <= behind < end, "nothing is left out, and each group has something new"
        shared = [piece.size for piece in pieces[first:behind]]
        assert sum(shared) <= overlap
        behind = end
        inside = pieces[first:end]
        if sum(piece.size for piece in inside) > size:
            heads = [piece for piece in inside if piece.heading]
            assert len(inside) - len(heads) <= 1 and inside[: len(heads)] == heads
        if inside[-1].heading and end < len(pieces):
            assert pieces[end].heading, "only a heading that finds no room parts headings"
    assert behind == len(pieces)
    assert [first for first, _ in groups] == sorted({first for first, _ in groups})


def test_a_group_ends_before_a_heading_in_its_second_half():
    pieces = [Piece(20), Piece(20), Piece(20), Piece(5, heading=True), Piece(20), Piece(20), Piece(20)]
    assert group(pieces, size=100) == [(0, 3), (3, 7)]
    early = [pieces[0], *pieces[3:4], *pieces[:3], *pieces[4:]]
    assert group(early, size=100) == [(0, 5), (5, 8)], "a heading in the first half parts nothing"


def test_the_end_of_a_group_begins_the_next_one():
    pieces = [Piece(10)] * 8
    assert group(pieces, size=40, overlap=20) == [(0, 4), (2, 6), (4, 8)]
    assert group(pieces, size=40, overlap=19) == [(0, 4), (3, 7), (6, 8)]
    assert group([*pieces[:4], Piece(10, heading=True), *pieces[:4]], size=40, overlap=20) == [
        (0, 4),
        (4, 8),
        (6, 9),
    ], "but not a new section"
    assert group([*pieces[:4], Piece(35)], size=40, overlap=20) == [(0, 4), (4, 5)], (
        "nor where it has no room"
    )


@pytest.mark.parametrize(("size", "overlap"), [(0, 0), (10, 10), (10, -1)])
def test_sizes_out_of_range_are_refused(size: int, overlap: int):
    with pytest.raises(UserError, match="set a size"):
        group([Piece(1)], size=size, overlap=overlap)


def report(layout: str = "") -> Document:
    blocks = [
        Block(kind="heading", text="Trade", page=1),
        Block(kind="text", text="Fruit sold well. Lemons did not.", page=1),
        Block(kind="caption", text="Table 1: Sales", page=1),
        Block(kind="table", table="d#t1", page=2),
        Block(kind="picture", image="images/chart.png", text="a b c d e f g h", page=2),
        Block(kind="caption", text="Figure 1: Lemons by year", page=2),
        Block(kind="heading", text="Outlook", page=2),
        Block(kind="text", text="Prices will rise.", page=3),
    ]
    return Document(id="d", blocks=blocks, layout=layout)


def spans(document: Document, **options: object) -> list[tuple[int, int]]:
    return chunks_of(document, units_of(document), **options)  # type: ignore[arg-type]


def test_a_caption_stays_with_its_table_or_picture():
    assert len(units_of(report())) == 9
    assert spans(report()) == [(1, 9)]
    # Placeholders count (11 and 14 tokens), not what the picture says; the captions have 6 and 8.
    assert spans(report(), size=24, overlap=0) == [(1, 3), (4, 5), (6, 7), (8, 9)]
    small = spans(report(), size=10, overlap=0)
    assert small == [(1, 2), (3, 3), (4, 4), (5, 5), (6, 6), (7, 7), (8, 9)]


def test_sizes_of_units_may_be_given():
    sizes = spans(report(), size=20, overlap=0, num_tokens=lambda unit: 4)
    assert sizes == [(1, 5), (6, 9)]


def test_a_page_of_slides_is_a_chunk():
    slides = report(layout="horizontal")
    assert spans(slides, size=5, overlap=0) == [(1, 4), (5, 8), (9, 9)]
    assert spans(slides, size=5, overlap=0, slides=False) == spans(report(), size=5, overlap=0)
    for block in slides.blocks:
        block.page = None
    assert spans(slides, size=10, overlap=0) == spans(report(), size=10, overlap=0)
    assert spans(Document(id="d", layout="horizontal")) == spans(Document(id="d")) == []


WORDS = st.sampled_from(
    ["Lemons sold well.", "No.", "In the year 2019 it rose to 3.5 percent of all.", "x" * 90]
)


@given(
    st.lists(
        st.tuples(st.sampled_from(["text", "heading", "table", "list"]), st.lists(WORDS), st.integers(1, 3))
    )
)
def test_every_unit_of_a_document_is_in_a_chunk(drawn: list[tuple[str, list[str], int]]):
    pages = sorted(page for _, _, page in drawn)
    blocks = [
        Block(kind=kind, text="" if kind == "table" else " ".join(texts), page=page)
        for (kind, texts, _), page in zip(drawn, pages, strict=True)
    ]
    for place, block in enumerate(blocks):
        block.table = f"d#t{place}" if block.kind == "table" else None
    for layout in ("", "horizontal"):
        document = Document(id="d", blocks=blocks, layout=layout)
        units = units_of(document)
        chunks = chunks_of(document, units, size=16, overlap=5)
        covered = {number for first, last in chunks for number in range(first, last + 1)}
        assert covered == {unit.number for unit in units}
        if layout:
            assert all(
                blocks[units[first - 1].block].page == blocks[units[last - 1].block].page
                for first, last in chunks
            )
