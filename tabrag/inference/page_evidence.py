"""The pages that a model says its answer rests on, checked against those that it was shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tabrag.chat.page_claims import MAX_PAGES, PageClaim
from tabrag.types import Evidence, Source

Page = tuple[str, int]
"""Document id and number of a page."""


@dataclass(frozen=True, slots=True)
class Located:
    """Where an answer was found.

    Attributes:
        document: Id of the document that it was found in.
        evidence: Table or passage.
    """

    document: str
    evidence: Evidence

    @property
    def page(self) -> Page | None:
        """Its page, where it is known."""
        number = self.evidence.source.page
        return None if number is None else (self.document, number)


def check_claims(
    claims: Sequence[PageClaim], pages: Sequence[Page], documents: Sequence[str]
) -> tuple[list[Page], list[PageClaim]]:
    """The claimed pages that were shown, each once, and the claims that name none.

    A claim without a document means the first document that has the page.

    Args:
        claims: The claims.
        pages: The pages that were shown.
        documents: Ids of the documents in the order of their numbers in the prompt.
    """
    kept: list[Page] = []
    dropped: list[PageClaim] = []
    for claim in claims:
        if claim.document is None or len(documents) == 1:
            candidates = documents
        else:
            candidates = documents[claim.document - 1 : claim.document] if claim.document else ()
        page = next(((one, claim.page) for one in candidates if (one, claim.page) in pages), None)
        if page is None:
            dropped.append(claim)
        elif page not in kept:
            kept.append(page)
    return kept, dropped


def page_evidence(
    located: Sequence[Located],
    claims: Sequence[PageClaim],
    *,
    pages: Sequence[Page],
    documents: Sequence[str],
    titles: Mapping[str, str],
    files: Mapping[str, str],
) -> tuple[list[Evidence], list[str]]:
    """Evidence of an answer with claimed pages.

    Where the answer was found on claimed pages, what was found elsewhere is left out. Where no claimed page
    was shown, the pages count that the answer was found on. Each page that counts, at most eight, is an entry
    of its own (the document's id, ``source.page``), unless a passage on it is one already.

    Args:
        located: Where the answer was found.
        claims: The pages that the model claims.
        pages: The pages that were shown.
        documents: Ids of the documents in the order of their numbers in the prompt; a document stands there
            again for a table of it that is shown by itself.
        titles: Their titles by id.
        files: Their files by id, where known.

    Returns:
        The evidence, and notes about claims that were removed.
    """
    kept, dropped = check_claims(claims, pages, documents)
    on_claimed = [one for one in located if one.page in kept]
    if kept and on_claimed:
        located = on_claimed
    counted = kept or list(dict.fromkeys(one.page for one in located if one.page in pages))
    evidence = [one.evidence for one in located]
    named = {(one.item_id, one.source.page) for one in evidence}
    for document, number in [page for page in counted if page is not None][:MAX_PAGES]:
        if (document, number) not in named:
            source = Source(file=files.get(document, ""), page=number)
            evidence.append(Evidence(item_id=document, title=titles.get(document, ""), source=source))
    return evidence, [f"pages claimed but not shown: {_listed(dropped)}"] if dropped else []


def _listed(claims: Sequence[PageClaim]) -> str:
    shown = [
        f"{claim.page}" if claim.document is None else f"{claim.page} of document {claim.document}"
        for claim in claims[:MAX_PAGES]
    ]
    return ", ".join(shown) + (", ..." if len(claims) > MAX_PAGES else "")
