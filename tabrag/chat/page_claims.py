"""Pages that a model names, in whatever form."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

MAX_PAGES = 8
"""Claimed pages that count at most (MHier-RAG, Gong et al., arXiv 2508.00579, released code)."""
_MAX_CLAIMS = 64

_PAGE_WORD = re.compile(r"\b(?:documents?|docs?|pages?|pp?\b\.?)", re.IGNORECASE)
_PAGE = re.compile(
    r"""(?:\b(?:documents?|docs?\.?)\s*\#?(?P<document>\d{1,4})\b\W{0,4}(?:pages?|pp?\.?)?\s*
       |\b(?P<before>\d{1,4})\s*:\s*)?
    (?<![\d.–-])(?P<page>\d{1,6})(?:\s*(?:-|–|to)\s*(?P<last>\d{1,6}))?(?!\d|\.\d)""",
    re.IGNORECASE | re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class PageClaim:
    """A page that a reply names.

    Attributes:
        page: Its number.
        document: The number of its document in the prompt, from 1; None where the reply names none.
    """

    page: int
    document: int | None = None


def page_claims(value: Any) -> tuple[PageClaim, ...]:
    """The pages that a value names: ``3``, ``"page 3"``, ``"3-5"``, ``"Document 2, page 3"``, ``"2:3"``,
    ``{"document": 2, "page": 3}``, or a list of these."""
    claims: list[PageClaim] = []
    for one in value if isinstance(value, list) else [value]:
        claims += _claims(one)
    return tuple(dict.fromkeys(claims))[:_MAX_CLAIMS]


def _claims(value: Any) -> list[PageClaim]:
    if isinstance(value, dict):
        known = {str(key).casefold(): one for key, one in value.items()}
        document = _document(known.get("document", known.get("document_number")))
        pages = _claims(known.get("page", known.get("page_number", known.get("pages"))))
        return [PageClaim(one.page, one.document or document) for one in pages]
    if isinstance(value, list):
        return [claim for one in value[:_MAX_CLAIMS] for claim in _claims(one)]
    if isinstance(value, bool) or value is None:
        return []
    if (number := _whole_number(value)) is not None:
        return [PageClaim(number)] if number else []
    claims: list[PageClaim] = []
    document: int | None = None
    text = str(value)[:2000]
    start = _PAGE_WORD.search(text)
    # "Figure 2 on page 5" names page 5 alone.
    for match in _PAGE.finditer(text, 0 if start is None else start.start()):
        named = match["document"] or match["before"]
        document = int(named) if named else document
        first, last = int(match["page"]), int(match["last"] or match["page"])
        last = min(last, first + _MAX_CLAIMS)
        claims += [PageClaim(page, document) for page in range(first, max(first, last) + 1) if page]
    return claims


def _document(value: Any) -> int | None:
    """The number of a document: ``2``, ``"2"`` or ``"Document 2"``."""
    said = re.fullmatch(
        r"(?:documents?|docs?\.?)?\s*\#?(\d{1,4}(?:\.0*)?)", str(value).strip(), re.IGNORECASE
    )
    return None if said is None else _whole_number(said[1])


def _whole_number(value: Any) -> int | None:
    match = re.fullmatch(r"(\d{1,6})(?:\.0*)?", str(value).strip())
    return None if match is None else int(match[1])
