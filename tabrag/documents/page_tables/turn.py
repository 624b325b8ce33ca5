"""Pages whose text is turned: everything on them turned upright, and boxes turned back."""

from __future__ import annotations

from tabrag.documents.page_content import Fill, PageBox, PageContent, PageWord, Rule


def turned_box(box: PageBox, turn: int, width: float, height: float) -> PageBox:
    """Where a box stands once the page is turned so that text turned anticlockwise by ``turn`` is upright."""
    x0, y0, x1, y1 = box
    if turn == 90:
        return (height - y1, x0, height - y0, x1)
    if turn == 180:
        return (width - x1, height - y1, width - x0, height - y0)
    if turn == 270:
        return (y0, width - x1, y1, width - x0)
    return box


def turned_back(box: PageBox, turn: int, width: float, height: float) -> PageBox:
    """The inverse of :func:`turned_box`; ``width`` and ``height`` are those of the page as it is."""
    if turn in (90, 270):
        return turned_box(box, 360 - turn, height, width)
    return turned_box(box, turn, width, height)


def turned_page(page: PageContent, turn: int) -> PageContent:
    """The page turned so that words with this turn stand upright."""
    if turn == 0:
        return page
    width, height = page.width, page.height

    def moved(box: PageBox) -> PageBox:
        return turned_box(box, turn, width, height)

    swapped = turn in (90, 270)
    return PageContent(
        number=page.number,
        width=height if swapped else width,
        height=width if swapped else height,
        words=[
            PageWord(word.text, moved(word.box), word.size, word.bold, word.raised, (word.turn - turn) % 360)
            for word in page.words
        ],
        rules=[Rule(*moved((rule.x0, rule.y0, rule.x1, rule.y1))) for rule in page.rules],
        fills=[Fill(moved(fill.box), fill.grey) for fill in page.fills],
        pictures=[moved(box) for box in page.pictures],
        scanned=page.scanned,
    )


def main_turn(page: PageContent) -> int:
    """The turn of most of the page's text, by characters; 0 where that is no clear majority."""
    counts = {0: 0, 90: 0, 180: 0, 270: 0}
    for word in page.words:
        counts[word.turn % 360 if word.turn % 90 == 0 else 0] += len(word.text)
    turn = max(counts, key=lambda key: counts[key])
    return turn if counts[turn] > 0.6 * sum(counts.values()) else 0
