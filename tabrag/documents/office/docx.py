"""Word documents (.docx) into blocks, tables and pictures. Headers, footers and comments stay out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from lxml.etree import _Element

from tabrag.documents.builder import DocumentBuilder
from tabrag.documents.office.charts import chart_tables
from tabrag.documents.office.drawn_text import diagram_lines
from tabrag.documents.office.package import Part, open_word
from tabrag.documents.office.word_indents import cell_margin, paragraph_start
from tabrag.documents.office.word_styles import WordNumbering, WordStyles
from tabrag.documents.office.word_table import WordTable, place_cells
from tabrag.documents.office.word_text import Anchored, WordParagraph, WordReader, share_of_bold
from tabrag.documents.office.xml import children, find, local, preferred, value
from tabrag.documents.parsed import Parsed, ParseOptions, Pictures
from tabrag.documents.stacked_rows import split_stacked
from tabrag.errors import UserError
from tabrag.tables.indents import indented, label_text, with_levels
from tabrag.types import Table

_WRAPPERS = frozenset({"sdt", "sdtContent", "customXml", "smartTag", "ins", "moveTo"})
_MAX_HEADING = 100
_MAX_BOLD = 0.35
"""Share of letters in bold paragraphs above which bold type marks no headings."""
_LONG_CELL = 300
"""Characters; a table of one row with such a cell sets text in columns."""


def parse_docx(path: Path, document_id: str, *, pictures: Pictures, options: ParseOptions) -> Parsed:
    """Read a Word document.

    Tables in cells are tables of their own that follow the outer one, whose id stands in their
    ``metadata["outer_table"]``; so do pictures in cells. A table of one cell is a frame: its content stands
    in the text. Short paragraphs in bold type are headings where most text is not bold.

    Args:
        path: The file.
        document_id: Id of the document.
        pictures: Takes up its pictures.
        options: Not used: nothing in such a file depends on them.

    Raises:
        UserError: Damaged, encrypted, made to exhaust memory, or nothing in it.
    """
    builder = DocumentBuilder(path, document_id, pictures)
    with open_word(path) as package:
        root = package.main_root()
        title = package.title()
        builder.title = "" if _is_leftover(title) else title
        try:
            _Word(package.main, builder).read(root)
        except RecursionError as error:
            raise UserError(f"{path}: its elements are nested too deeply; save it again") from error
    return builder.finish()


@dataclass(slots=True)
class _CellContent:
    """Lines of a cell, how far each is indented (points), and what must follow its table."""

    lines: list[str] = field(default_factory=list)
    indents: list[float] = field(default_factory=list)
    tables: list[_Element] = field(default_factory=list)
    anchored: list[Anchored] = field(default_factory=list)


class _Word:
    """Reads the parts of a Word document into a builder."""

    def __init__(self, part: Part, builder: DocumentBuilder) -> None:
        self.part = part
        self.builder = builder
        self.styles = WordStyles(self.side_part("styles"))
        self.numbering = WordNumbering(self.side_part("numbering"))
        self.notes = {kind: _notes(self.side_part(f"{kind}s"), kind) for kind in ("footnote", "endnote")}
        self.bold_marks = False
        self.level = 0
        self.has_title = False

    def side_part(self, kind: str) -> _Element | None:
        """The root of a part beside the body; None where there is none or it is damaged."""
        part = next(self.part.of_kind(kind), None)
        try:
            return None if part is None else part.root
        except ValueError as error:
            self.builder.lose(str(error))
            return None

    def read(self, root: _Element) -> None:
        """Read the body."""
        body = find(root, "body")
        if body is None:
            return
        self.bold_marks = share_of_bold(children(body, "p")) <= _MAX_BOLD
        self.story(body)
        if not self.builder.title:
            first = (block for block in self.builder.blocks if block.kind == "heading" and block.level == 1)
            self.builder.title = next((block.text for block in first), "")

    def story(self, container: _Element) -> None:
        """Read the paragraphs and tables of the body, of a text box or of a frame."""
        reader = WordReader()
        for element in self.elements(container):
            if local(element) == "p":
                self.paragraph(element, reader)
            else:
                self.table(element)

    def elements(self, container: _Element) -> Iterator[_Element]:
        """Paragraphs and tables in order, wherever they are wrapped."""
        for child in container:
            name = local(child)
            if name in ("p", "tbl"):
                yield child
            elif name in _WRAPPERS:
                yield from self.elements(child)
            elif name == "AlternateContent":
                for shown in preferred(child):
                    yield from [shown] if local(shown) in ("p", "tbl") else self.elements(shown)
            elif name == "altChunk":
                self.builder.lose("a file that is embedded as text is not read")

    def paragraph(self, element: _Element, reader: WordReader) -> None:
        """Read a paragraph and what is anchored in it."""
        read = reader.read(element, is_bold=self.styles.is_bold(element))
        style = self.styles.name(value(find(element, "pPr", "pStyle")))
        text = read.text.replace("\t", " ").strip()
        label = self.label(element) if text else ""
        numbered = f"{label} {text}" if label else text
        level = self.styles.heading_level(element)
        if style == "title":
            self.builder.title = self.builder.title if self.has_title else " ".join(text.split())
            self.has_title = self.has_title or bool(text)
            level = level or 1
        if level:
            self.builder.add("heading", numbered, level=level)
            self.level = level if text else self.level
        elif style.startswith(("toc ", "table of figures")):
            self.builder.add("list", text)
        elif style == "caption":
            self.builder.add("caption", text)
        elif self.is_bold_heading(read, text, label, element):
            self.builder.add("heading", numbered, level=self.level + 1)
        elif self.styles.numbering(element) is not None or style.startswith("list bullet"):
            self.builder.add("list", numbered)
        else:
            self.builder.add("text", text)
        self.put(read.anchored)

    def label(self, element: _Element) -> str:
        """The number of a numbered paragraph; it is counted."""
        found = self.styles.numbering(element)
        return self.numbering.label(*found) if found else ""

    def is_bold_heading(self, read: WordParagraph, text: str, label: str, element: _Element) -> bool:
        """Whether a short line in bold type stands for a heading."""
        is_point = not label and self.styles.numbering(element) is not None
        return (
            self.bold_marks
            and read.is_bold
            and not is_point
            and len(text) <= _MAX_HEADING
            and "\n" not in text
            and any(char.isalpha() for char in text)
            and not text.endswith((".", ";", ",", "!", "?"))
        )

    def table(self, element: _Element, outer: Table | None = None) -> None:
        """Read a table, then the tables and pictures in its cells."""
        placed = place_cells(element)
        contents = [self.cell(cell.element) for cell in placed.cells]
        is_frame = len(placed.cells) == 1 or (
            placed.num_rows == 1 and any(sum(map(len, one.lines)) > _LONG_CELL for one in contents)
        )
        if is_frame and outer is None:
            for cell in placed.cells:
                self.story(cell.element)
            return
        table = self.add_cells(placed, contents, outer) if placed.cells else None
        for content in contents:
            for inner in content.tables:
                self.table(inner, table or outer)
            self.put(content.anchored, table)

    def add_cells(self, placed: WordTable, contents: list[_CellContent], outer: Table | None) -> Table | None:
        """Add a table whose cells have been read."""
        self.builder.check_size(placed.num_rows, placed.num_cols)
        lines: list[list[list[str]]] = [[[] for _ in range(placed.num_cols)] for _ in range(placed.num_rows)]
        for cell, content in zip(placed.cells, contents, strict=True):
            lines[cell.row][cell.col] = content.lines
            if cell.col == 0:
                lines[cell.row][0] = list(map(indented, content.lines, content.indents))
        rows, merged, is_split = split_stacked(lines, placed.merged())
        cells = with_levels([[label_text(row[0]), *map(_joined, row[1:])] for row in rows])
        metadata = {"stacked_rows": "split"} if is_split else {}
        return self.builder.add_cells(cells, merged, outer=outer, metadata=metadata)

    def cell(self, container: _Element) -> _CellContent:
        """Read the paragraphs of a cell; its tables and pictures are kept for later."""
        content = _CellContent()
        reader = WordReader()
        margin = cell_margin(container)
        for element in self.elements(container):
            if local(element) == "tbl":
                content.tables.append(element)
                continue
            read = reader.read(element)
            label = self.label(element)
            lines = (read.text if read.text.strip() else label).split("\n")
            start = margin + paragraph_start(element, self.styles, self.numbering)
            content.lines += lines
            content.indents += [start] * len(lines)
            for anchored in read.anchored:
                if anchored.kind == "box" and anchored.element is not None:
                    inner = self.cell(anchored.element)
                    content.lines += inner.lines
                    content.indents += inner.indents
                    content.tables += inner.tables
                    content.anchored += inner.anchored
                else:
                    content.anchored.append(anchored)
        return content

    def put(self, anchored: Iterable[Anchored], table: Table | None = None) -> None:
        """Add what is anchored in a paragraph, or in the cells of a table."""
        for one in anchored:
            if one.kind == "box" and one.element is not None:
                self.story(one.element)
            elif one.kind in self.notes:
                self.note(self.notes[one.kind].get(one.text), table)
            elif one.kind == "picture":
                self.picture(one)
            elif one.kind == "chart":
                self.chart(one)
            elif one.kind == "diagram":
                self.diagram(one)

    def note(self, element: _Element | None, table: Table | None) -> None:
        """Add a footnote or endnote; one of a table is also among the table's notes."""
        if element is None:
            return
        reader = WordReader()
        lines = [reader.read(part).text for part in self.elements(element) if local(part) == "p"]
        text = " ".join(" ".join(lines).split())
        self.builder.add("note", text)
        if table is not None and text:
            table.metadata["notes"] = "\n".join(filter(None, [table.metadata.get("notes", ""), text]))

    def picture(self, one: Anchored) -> None:
        """Add a picture; one outside the file is not fetched."""
        part = self.part.related(one.relation)
        data = None
        if part is not None:
            data = self.data_of(part)
        elif self.part.is_linked(one.relation):
            self.builder.remark("a picture outside the file is not fetched")
        else:
            self.builder.lose("a picture is missing in the file")
        self.builder.add_picture(data, "" if part is None else part.name, text=one.text)

    def data_of(self, part: Part) -> bytes | None:
        """The bytes of a part; None where it is damaged."""
        try:
            return part.data
        except ValueError as error:
            self.builder.lose(str(error))
            return None

    def chart(self, one: Anchored) -> None:
        """Add the tables of a chart."""
        part = self.part.related(one.relation)
        try:
            tables = [] if part is None else chart_tables(part.data, title=one.text)
        except ValueError as error:
            self.builder.lose(f"a chart cannot be read ({error})")
            return
        for table in tables:
            self.builder.add_table(table)
        if not tables:
            self.builder.lose("a chart without stored numbers is not read")

    def diagram(self, one: Anchored) -> None:
        """Add the texts of a diagram."""
        part = self.part.related(one.relation)
        try:
            lines = [] if part is None else diagram_lines(part.root)
        except ValueError as error:
            self.builder.lose(f"a diagram cannot be read ({error})")
            return
        for line in lines:
            self.builder.add("list", line)


def _notes(root: _Element | None, kind: str) -> dict[str, _Element]:
    """Footnotes or endnotes by id, without the lines that part them from the text."""
    if root is None:
        return {}
    return {value(one, "id"): one for one in children(root, kind) if value(one, "type") in ("", "normal")}


def _joined(lines: list[str]) -> str:
    """The lines of a cell without blank ones."""
    return "\n".join(line for line in (line.replace("\t", " ").strip() for line in lines) if line)


def _is_leftover(title: str) -> bool:
    """Whether the title in the properties is one that a program put there."""
    low = title.lower()
    return low.startswith(("microsoft word", "document", "untitled")) or low.endswith(
        (".doc", ".docx", ".dot")
    )
