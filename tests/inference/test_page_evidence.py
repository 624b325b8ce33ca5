"""Claimed pages against shown ones."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tabrag.chat.page_claims import MAX_PAGES, PageClaim
from tabrag.inference.page_evidence import Located, check_claims, page_evidence
from tabrag.types import Evidence, Source

PAGES = (("a", 1), ("a", 2), ("b", 2), ("b", 3))
TITLES = {"a": "A", "b": "B"}


def test_a_claim_names_the_page_of_its_document_or_the_first_that_has_it() -> None:
    claims = [PageClaim(2), PageClaim(2, 2), PageClaim(3), PageClaim(1, 2), PageClaim(1, 0), PageClaim(2, 1)]
    kept, dropped = check_claims(claims, PAGES, ["a", "b"])
    assert kept == [("a", 2), ("b", 2), ("b", 3)]
    assert dropped == [PageClaim(1, 2), PageClaim(1, 0)]
    # A single document is not numbered in the prompt: whatever number a model gives it is that one.
    assert check_claims([PageClaim(2, 5)], PAGES, ["a"]) == ([("a", 2)], [])


def test_a_page_that_a_passage_stands_for_is_named_once() -> None:
    passage = Located("a", Evidence(item_id="a", text="x", source=Source(page=2)))
    table = Located("b", Evidence(item_id="b#t1", cells=[(1, 1)], source=Source(page=3)))
    found, notes = page_evidence(
        [passage, table],
        [PageClaim(2), PageClaim(3)],
        pages=PAGES,
        documents=list(TITLES),
        titles=TITLES,
        files={"b": "b.pdf"},
    )
    assert [(one.item_id, one.source.page) for one in found] == [("a", 2), ("b#t1", 3), ("b", 3)]
    assert (found[2].title, found[2].source.file, notes) == ("B", "b.pdf", [])


@given(
    st.lists(st.builds(PageClaim, st.integers(1, 20), st.none() | st.integers(1, 3)), max_size=20),
    st.lists(st.tuples(st.sampled_from("ab"), st.integers(1, 20)), max_size=30, unique=True),
    st.lists(st.tuples(st.sampled_from("ab"), st.integers(1, 20) | st.none()), max_size=4),
)
def test_no_page_is_named_that_was_not_shown(claims, pages, places) -> None:  # type: ignore[no-untyped-def]
    located = [
        Located(name, Evidence(item_id=f"{name}#t1", source=Source(page=page))) for name, page in places
    ]
    found, notes = page_evidence(
        located, claims, pages=pages, documents=list(TITLES), titles=TITLES, files={}
    )
    named = [(one.item_id, one.source.page) for one in found if "#" not in one.item_id]
    assert set(named) <= set(pages) and len(named) == len(set(named)) <= MAX_PAGES
    kept, dropped = check_claims(claims, pages, list(TITLES))
    assert len(kept) + len(dropped) <= len(claims) and bool(notes) == bool(dropped)
    assert named == kept[:MAX_PAGES] if kept else set(named) <= set(places)
    assert bool(located) <= bool(found)
