"""Pages made of words, lines and shades, as a PDF or a scan would give them."""

from __future__ import annotations

from collections.abc import Sequence

from reportlab.pdfbase.pdfmetrics import stringWidth

from tabrag.documents.page_content import Fill, PageBox, PageContent, PageTable, PageWord, Rule

PROSE = (
    "The agency reports that the number of persons who work from home has risen in every region "
    "since the survey began and that the rise was fastest in the north where new lines of the "
    "railway were opened in the summer of the year before last so that many of those who had moved "
    "away for their work could now live where they had grown up without giving up their posts in the "
    "capital or in one of the larger towns along the coast"
).split()


class Sheet:
    """A page that is written from the upper left corner; lengths are points."""

    def __init__(self, width: float = 600, height: float = 800) -> None:
        self.width, self.height = width, height
        self.words: list[PageWord] = []
        self.rules: list[Rule] = []
        self.fills: list[Fill] = []
        self.pictures: list[PageBox] = []

    def text(
        self, x: float, y: float, text: str, *, size: float = 10, align: str = "left", bold: bool = False
    ) -> float:
        """Words of a line whose upper left (or right, or middle) is at ``(x, y)``; returns its right side."""
        font = "Helvetica-Bold" if bold else "Helvetica"
        width = stringWidth(text, font, size)
        x -= width if align == "right" else width / 2 if align == "middle" else 0
        for word in text.split(" "):
            end = x + stringWidth(word, font, size)
            if word:
                self.words.append(PageWord(word, (x, y, end, y + size), size, bold))
            x = end + stringWidth(" ", font, size)
        return x

    def upwards(self, x: float, y: float, text: str, *, size: float = 10) -> None:
        """A line that runs upwards from ``(x, y)``."""
        for word in text.split():
            length = stringWidth(word, "Helvetica", size)
            self.words.append(PageWord(word, (x, y - length, x + size, y), size, turn=90))
            y -= length + 0.28 * size

    def prose(
        self, x: float, y: float, width: float, lines: int, *, size: float = 10, start: int = 0
    ) -> None:
        """Lines of running text."""
        place = start
        for _ in range(lines):
            line = PROSE[place % len(PROSE)]
            while stringWidth(f"{line} {PROSE[(place + 1) % len(PROSE)]}", "Helvetica", size) <= width:
                place += 1
                line += f" {PROSE[place % len(PROSE)]}"
            place += 1
            self.text(x, y, line, size=size)
            y += 1.2 * size

    def row(self, y: float, texts: Sequence[str], xs: Sequence[float], *, size: float = 10) -> None:
        """A label at the left and values that end at the other places."""
        for number, (x, text) in enumerate(zip(xs, texts, strict=True)):
            if text:
                self.text(x, y, text, size=size, align="right" if number else "left")

    def box(self, x0: float, y0: float, x1: float, y1: float) -> None:
        """A drawn rectangle."""
        self.rules += [Rule(x0, y0, x1, y0), Rule(x0, y1, x1, y1), Rule(x0, y0, x0, y1), Rule(x1, y0, x1, y1)]

    def grid(self, xs: Sequence[float], ys: Sequence[float], cells: Sequence[Sequence[str]]) -> None:
        """A table with lines round every cell."""
        for row, texts in enumerate(cells):
            for col, text in enumerate(texts):
                self.box(xs[col], ys[row], xs[col + 1], ys[row + 1])
                self.text(xs[col] + 3, ys[row] + 3, text)

    def page(self) -> PageContent:
        """What stands on it."""
        return PageContent(
            number=1,
            width=self.width,
            height=self.height,
            words=list(self.words),
            rules=list(self.rules),
            fills=list(self.fills),
            pictures=list(self.pictures),
        )


def stripped(table: PageTable) -> list[list[str]]:
    """The cells without the blanks that show how far labels are indented."""
    return [[text.strip() for text in row] for row in table.cells]
