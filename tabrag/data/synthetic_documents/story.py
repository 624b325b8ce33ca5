"""What a publication says, before it becomes a file: headings, paragraphs, tables, charts, slides.

The same story can be written as DOCX, PDF or HTML (:class:`Report`), or as PPTX or PDF (:class:`Deck`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from tabrag.data.synthetic_documents.company import Company
from tabrag.types import Fact


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; level 1 is a chapter."""

    text: str
    level: int = 1


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Running text."""

    text: str


@dataclass(frozen=True, slots=True)
class Points:
    """A list."""

    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Note:
    """Small print below a table."""

    text: str


@dataclass(frozen=True, slots=True)
class Ornament:
    """A picture that tells nothing: the ``logo``, or a ``rule`` across the page."""

    kind: Literal["logo", "rule"]


@dataclass(frozen=True, slots=True)
class NewPage:
    """A page break."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A row of a table.

    Attributes:
        labels: Its left path, outermost first; the last one is printed in its row.
        values: Its cells, as printed; none for a row that only names the group below it.
        total: Whether it is printed as a sum.
    """

    labels: tuple[str, ...]
    values: tuple[str, ...] = ()
    total: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A table.

    Attributes:
        key: What it is, for the makers of questions.
        caption: What stands above it.
        corner: Label of the column of row labels.
        columns: Paths of the columns of values, outermost first, all of one length.
        lines: Its rows.
        notes: Small print below it.
        texts: Columns of values that hold words, which are set to the left.
    """

    key: str
    caption: str
    corner: str
    columns: tuple[tuple[str, ...], ...]
    lines: tuple[Line, ...]
    notes: tuple[str, ...] = ()
    texts: tuple[int, ...] = ()

    @property
    def num_header_rows(self) -> int:
        return len(self.columns[0])

    def line(self, label: str) -> Line:
        """The row with values of this label."""
        return next(line for line in self.lines if line.labels[-1] == label and line.values)

    def value(self, label: str, column: tuple[str, ...]) -> str:
        """The text of a cell."""
        return self.line(label).values[self.columns.index(column)]

    def fact(self, label: str, column: tuple[str, ...], document: str = "") -> Fact:
        """A cell as evidence."""
        line = self.line(label)
        text = line.values[self.columns.index(column)]
        return Fact(kind="cell", document=document, text=text, row=line.labels, column=column)

    def head(self) -> list[list[tuple[str, int]]]:
        """The header rows: texts with the number of columns that each spans, the corner left out."""
        rows = []
        for level in range(self.num_header_rows):
            row: list[tuple[str, int]] = []
            for place, path in enumerate(self.columns):
                same = place and self.columns[place - 1][: level + 1] == path[: level + 1]
                if same and level < self.num_header_rows - 1:
                    row[-1] = (row[-1][0], row[-1][1] + 1)
                else:
                    row.append((path[level], 1))
            rows.append(row)
        return rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A chart.

    Attributes:
        key: What it shows, for the makers of questions.
        caption: What stands below it.
        kind: How it is drawn.
        labels: Its categories.
        series: Name -> values.
        unit: Of the values, as an axis says it.
        decimals: Of the printed values.
        native: Whether it is a chart of the office program, where the format has them, and not a picture.
    """

    key: str
    caption: str
    kind: Literal["bar", "barh", "line", "pie"]
    labels: tuple[str, ...]
    series: tuple[tuple[str, tuple[float, ...]], ...]
    unit: str
    decimals: int = 0
    native: bool = False

    def text(self, value: float) -> str:
        """A value as it is printed."""
        return f"{value:,.{self.decimals}f}"


@dataclass(frozen=True, slots=True)
class Landscape:
    """Parts of a report on pages that lie across."""

    parts: tuple[Sheet | Paragraph | Heading | Note | Figure, ...]


Part = Heading | Paragraph | Points | Note | Ornament | NewPage | Sheet | Figure | Landscape


@dataclass(frozen=True, slots=True, kw_only=True)
class Slide:
    """One slide.

    Attributes:
        title: Its headline.
        parts: What stands on it, from top to bottom; a table or chart stands beside the points where ``wide``
            is off.
        remarks: The speaker's notes.
    """

    title: str
    parts: tuple[Points | Sheet | Figure | Paragraph | Note, ...]
    remarks: str = ""


@dataclass(kw_only=True)
class Story:
    """A publication of a company.

    Attributes:
        company: Whose it is.
        year: Business year that it is about.
        title: As its cover says.
        edition: How questions call it: "2019 annual report".
        parts: Of a report.
        slides: Of a deck.
        size: Of a deck: width and height of a slide in inches.
        look: Number of its design, from 0.
    """

    company: Company
    year: int
    title: str
    edition: str
    parts: list[Part] = field(default_factory=list)
    slides: list[Slide] = field(default_factory=list)
    size: tuple[float, float] = (13.333, 7.5)
    look: int = 0

    @property
    def is_deck(self) -> bool:
        return bool(self.slides)

    def walk(self) -> Iterator[Part]:
        """All parts in order, those of slides and of landscape pages too."""
        if self.slides:
            for slide in self.slides:
                yield Heading(slide.title, 2)
                yield from slide.parts
            return
        for part in self.parts:
            yield part
            if isinstance(part, Landscape):
                yield from part.parts

    def prose(self) -> str:
        """All its running text."""
        return "\n".join(text for part in self.walk() for text in _texts(part))

    def everything(self) -> str:
        """All its text, that of tables and of charts too."""
        texts = [self.prose()]
        for part in self.walk():
            if isinstance(part, Sheet):
                texts += [text for path in part.columns for text in path]
                texts += [text for line in part.lines for text in (*line.labels, *line.values)]
                texts += [part.caption, *part.notes]
            elif isinstance(part, Figure):
                texts += [part.caption, *part.labels]
                texts += [part.text(value) for _, values in part.series for value in values]
        return "\n".join(texts)


def _texts(part: Part) -> Sequence[str]:
    if isinstance(part, Heading | Paragraph | Note):
        return (part.text,)
    return part.texts if isinstance(part, Points) else ()
