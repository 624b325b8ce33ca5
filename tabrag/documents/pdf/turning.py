"""Turning a page by quarters, so that its text reads from left to right."""

from __future__ import annotations

from dataclasses import replace

from tabrag.documents.page_content import Fill, PageBox, PageContent, Rule


def turn_box(box: PageBox, turn: int, width: float, height: float) -> PageBox:
    """A box of a page after the page was turned clockwise.

    Args:
        box: In points from the upper left corner.
        turn: 0, 90, 180 or 270 degrees: by which text is turned anticlockwise that is upright afterwards.
        width: Of the page before, in points.
        height: Of the page before, in points.
    """
    x0, y0, x1, y1 = box
    if turn == 90:
        return height - y1, x0, height - y0, x1
    if turn == 180:
        return width - x1, height - y1, width - x0, height - y0
    if turn == 270:
        return y0, width - x1, y1, width - x0
    return box


def turn_page(page: PageContent, turn: int) -> PageContent:
    """A page turned clockwise by ``turn`` degrees, with its words, rules, fills and pictures."""
    if turn == 0:
        return page

    def turned(box: PageBox) -> PageBox:
        return turn_box(box, turn, page.width, page.height)

    swapped = turn in (90, 270)
    return PageContent(
        number=page.number,
        width=page.height if swapped else page.width,
        height=page.width if swapped else page.height,
        words=[replace(w, box=turned(w.box), turn=(w.turn - turn) % 360) for w in page.words],
        rules=[Rule(*turned((rule.x0, rule.y0, rule.x1, rule.y1))) for rule in page.rules],
        fills=[Fill(turned(fill.box), fill.grey) for fill in page.fills],
        pictures=[turned(box) for box in page.pictures],
        scanned=page.scanned,
    )


def text_turn(counts: dict[int, int]) -> int:
    """By how much a whole page's text is turned, in degrees anticlockwise.

    Args:
        counts: Turn to the number of glyphs.
    """
    total = sum(counts.values())
    if not total:
        return 0
    turn, most = max(counts.items(), key=lambda item: item[1])
    return turn if most >= 0.8 * total else 0
