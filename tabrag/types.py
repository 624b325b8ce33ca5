"""The records that pass between the stages. Standard library only; plain data without behaviour.

Cell coordinates are ``(row, column)``, 0-based, in ``Grid.cells``. Boxes are ``(x0, y0, x1, y1)`` in 0..1000
of the picture's width and height.
"""

from __future__ import annotations

from dataclasses import dataclass, field

Cell = tuple[int, int]
Box = tuple[int, int, int, int]
HeaderPath = tuple[Cell, ...]
"""Header cells from the outermost level to the innermost one."""
Strip = tuple[int, int, tuple[tuple[int, int], ...]]
"""Parts of a picture side by side: upper and lower edge, then the left and right edge of each; 0..1000."""


@dataclass(slots=True, kw_only=True)
class Grid:
    """A rectangular table of texts with its merged regions and headers.

    A merged region ``(first_row, last_row, first_col, last_col)`` (inclusive) carries its text in its first
    cell only; its other cells are empty. Cell texts are never changed: what a file says is what stands here.
    """

    cells: list[list[str]]
    merged: list[tuple[int, int, int, int]] = field(default_factory=list)
    num_header_rows: int = 0
    num_header_cols: int = 0
    top_paths: list[HeaderPath] | None = None
    """One path a column (empty for header columns) where the source annotates them; None: by rule."""
    left_paths: list[HeaderPath] | None = None
    """One path a row (empty for header rows) where the source annotates them; None: by rule."""

    @property
    def num_rows(self) -> int:
        return len(self.cells)

    @property
    def num_cols(self) -> int:
        return len(self.cells[0]) if self.cells else 0


@dataclass(slots=True, kw_only=True)
class Word:
    """One printed word of a table image."""

    text: str
    box: Box
    cell: Cell | None = None
    """The grid cell it stands in; None for a title, a caption, or a word read by OCR."""


@dataclass(slots=True, kw_only=True)
class Source:
    """Where a table came from."""

    file: str = ""
    page: int | None = None
    """1-based page, slide or sheet number."""
    box: Box | None = None
    sheet: str = ""


@dataclass(slots=True, kw_only=True)
class Table:
    """The item of a corpus: a grid, a picture, or both."""

    id: str
    title: str = ""
    page_title: str = ""
    section: str = ""
    caption: str = ""
    grid: Grid | None = None
    image: str | None = None
    """Path of the picture, relative to the data set folder."""
    words: list[Word] | None = None
    """Words of the picture in the order in which a model should read them; None where nobody has read it."""
    source: Source = field(default_factory=Source)
    document: str | None = None
    """Id of the document that it stands in; None for a table of its own."""
    metadata: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class Page:
    """A page, slide or sheet of a document."""

    number: int
    """1-based."""
    width: float | None = None
    """In points, as a reader sees the page (turned pages turned); None where the format has no pages."""
    height: float | None = None
    image: str | None = None
    """Path of the picture of the whole page, relative to the data set folder."""


@dataclass(slots=True, kw_only=True)
class Block:
    """A piece of a document at its place in the reading order."""

    kind: str
    """``heading``, ``text``, ``list`` (one point of a list), ``caption``, ``note`` (a footnote, a speaker's
    note), ``table`` or ``picture``."""
    text: str = ""
    """What it says; of a picture the text that describes it, of a table nothing: the table says it."""
    level: int = 0
    """Of a heading: 1 is the outermost."""
    table: str | None = None
    """Of a table: its id."""
    image: str | None = None
    """Of a picture: its path, relative to the data set folder."""
    page: int | None = None
    """1-based page, slide or sheet; None where the format has none."""
    box: Box | None = None
    """In 0..1000 of the page's width and height."""
    decoration: bool = False
    """Of a picture: whether it tells nothing, as a logo, a rule or a background does."""


@dataclass(slots=True, kw_only=True)
class Document:
    """A file's content in reading order. Its tables are items of their own, which blocks name by id."""

    id: str
    title: str = ""
    blocks: list[Block] = field(default_factory=list)
    pages: list[Page] = field(default_factory=list)
    """Empty where the format has none."""
    layout: str = ""
    """``vertical`` (a report: the text runs on from page to page), ``horizontal`` (slides: a page stands for
    itself), or empty where that is not sure."""
    source: Source = field(default_factory=Source)
    metadata: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One question of a conversation with its answer."""

    question: str
    answer: str = ""


@dataclass(slots=True, kw_only=True)
class Query:
    """A question or statement over the corpus."""

    id: str
    text: str
    answers: list[str] = field(default_factory=list)
    task: str = "qa"
    """``qa``, ``verify`` or ``describe``."""
    label: str | None = None
    """For ``verify``: ``SUPPORTED``, ``REFUTED`` or ``NOT ENOUGH INFO``."""
    data_set: str = ""
    """Which data set of a pooled folder it comes from."""
    evidence: str = ""
    """Where in a document the answer stands: ``text``, ``table``, ``both``, ``pages`` (on two pages),
    ``chart`` or ``none`` (nowhere); empty where nobody says."""
    history: list[Turn] = field(default_factory=list)
    """The conversation before it, oldest turn first."""
    search: str = ""
    """What is searched for in place of ``text``; empty for ``text`` itself."""


@dataclass(slots=True, kw_only=True)
class GoldHeaders:
    """Which headers and cells of a table a query is about, where this is known."""

    query_id: str
    table_id: str
    top: list[Cell] = field(default_factory=list)
    left: list[Cell] = field(default_factory=list)
    answer_cells: list[Cell] = field(default_factory=list)
    formula: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """Something a reader must see to answer a question, in the words of the document."""

    kind: str
    """``sentence``, ``cell`` or ``picture``."""
    document: str
    page: int | None = None
    """1-based; None where the document has no pages."""
    text: str = ""
    """The sentence; of a cell its text; of a picture its caption."""
    row: tuple[str, ...] = ()
    """Of a cell: the labels of its row, outermost first."""
    column: tuple[str, ...] = ()
    """Of a cell: the labels of its column, outermost first."""


@dataclass(slots=True, kw_only=True)
class GoldEvidence:
    """All facts that a question rests on: a reader needs every one of them."""

    query_id: str
    facts: list[Fact] = field(default_factory=list)


Qrels = dict[str, dict[str, int]]
"""query id -> item id -> grade (>= 1 is relevant)."""


@dataclass(slots=True, kw_only=True)
class Entry:
    """What is searched: a representation of an item. A hit on an entry is a hit on its item."""

    id: str
    item_id: str
    text: str = ""
    image: str | None = None
    """Absolute path of the picture."""
    words: list[Word] | None = None
    cells: frozenset[Cell] | None = None
    """The grid cells that it shows, where it is one window of several; None for all of them."""
    strips: list[Strip] | None = None
    """What of the picture it shows, from above, each strip below the one before; None for all of it. Boxes of
    words are then those of the picture that the strips make."""
    metadata: dict[str, str] = field(default_factory=dict)
    """What is known of its item to filter by, see :func:`tabrag.index.filtering.facts_of`."""


@dataclass(slots=True, kw_only=True)
class Candidate:
    """One ranked item of a query."""

    item_id: str
    score: float
    stage: str
    """Which stage gave the score, for example ``bm25``, ``dense`` or ``fused``."""


Run = dict[str, list[Candidate]]
"""query id -> candidates, best first, each item at most once."""


@dataclass(slots=True, kw_only=True)
class Evidence:
    """Where an answer stands: the table, and in it rows, columns and cells; or a passage of a document."""

    item_id: str
    """Of the table, or of the document whose text it is."""
    title: str = ""
    rows: list[int] = field(default_factory=list)
    columns: list[int] = field(default_factory=list)
    cells: list[Cell] = field(default_factory=list)
    text: str = ""
    """The passage, where the answer stands in a document's text; ``source`` then says where that stands."""
    source: Source = field(default_factory=Source)
    image: str | None = None
    shown_rows: list[int] | None = None
    """Rows of the refined table that the reader was given, header rows included; None: it got the whole one.

    A reader with a budget of its own may have cut it down further."""
    shown_columns: list[int] | None = None


@dataclass(slots=True, kw_only=True)
class Answer:
    """The reply to one query with its evidence."""

    query_id: str
    question: str
    answer: str
    confidence: float | None = None
    """0..1, or None where the reader gives none."""
    evidence: list[Evidence] = field(default_factory=list)
    formula: str | None = None
    notes: list[str] = field(default_factory=list)
    """What people should know of it: a number that is not in the table, another unit, rows that the reader
    was not shown. Empty where every check passed."""
    candidates: list[Candidate] = field(default_factory=list)
    timings_ms: dict[str, float] = field(default_factory=dict)
