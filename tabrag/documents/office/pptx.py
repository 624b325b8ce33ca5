"""Presentations (.pptx) into blocks, tables and pictures: a page a slide, its title first."""

from __future__ import annotations

from pathlib import Path

from lxml.etree import _Element

from tabrag.documents.builder import DocumentBuilder
from tabrag.documents.office.charts import chart_tables
from tabrag.documents.office.drawn_text import diagram_lines, drawn_text, typed_text
from tabrag.documents.office.package import OfficePackage, Part, open_slides, relation
from tabrag.documents.office.slide_order import SlideBox, reading_order
from tabrag.documents.office.slide_shapes import TITLES, Places, SlideShape, layout_places, slide_shapes
from tabrag.documents.office.xml import children, find, local, number, value
from tabrag.documents.parsed import Parsed, ParseOptions, Pictures
from tabrag.documents.stacked_rows import split_stacked
from tabrag.tables.indents import indented, label_text, with_levels
from tabrag.types import Box, Page, Table

_EMU = 12_700
"""English Metric Units in a point."""
_CELL_MARGIN = 91_440
"""Left margin of a cell that names none."""
_LEVEL = 457_200
"""What the text of a cell is indented for each level where its paragraph does not say."""
_MAX_LEVEL = 8
_LISTS = ("body", "obj")
"""Placeholders whose paragraphs have bullets unless they say otherwise."""
_SIZE = (12_192_000, 6_858_000)
"""Of a slide where the file does not say: 16:9."""


def parse_pptx(path: Path, document_id: str, *, pictures: Pictures, options: ParseOptions) -> Parsed:
    """Read a presentation.

    Shapes stand from top to bottom and from left to right after the slide's title, the speaker's notes last.
    The numbers of charts are tables with ``kind`` ``chart`` in their metadata. Hidden slides are left out.

    Args:
        path: The file.
        document_id: Id of the document.
        pictures: Takes up its pictures.
        options: Not used: nothing in such a file depends on them.

    Raises:
        UserError: Damaged, encrypted, made to exhaust memory, or nothing in it.
    """
    builder = DocumentBuilder(path, document_id, pictures)
    with open_slides(path) as package:
        root = package.main_root()
        builder.title = package.title()
        size = find(root, "sldSz")
        width = number(value(size, "cx"), 0) or _SIZE[0]
        height = number(value(size, "cy"), 0) or _SIZE[1]
        slides = find(root, "sldIdLst")
        names = [] if slides is None else [relation(one) for one in children(slides, "sldId")]
        _read_slides(package, names, builder, (width, height))
    first = (block for block in builder.blocks if block.kind == "heading")
    builder.title = next((block.text for block in first), "") or builder.title
    pages = [Page(number=page, width=width / _EMU, height=height / _EMU) for page in range(1, len(names) + 1)]
    return builder.finish(pages=pages)


def _read_slides(
    package: OfficePackage, names: list[str], builder: DocumentBuilder, size: tuple[int, int]
) -> None:
    places: dict[str, Places] = {}
    hidden = []
    for page, name in enumerate(names, start=1):
        builder.page = page
        part = package.main.related(name)
        try:
            if part is None:
                raise ValueError("it is missing in the file")
            if value(part.root, "show") in ("0", "false"):
                hidden.append(page)
                continue
            layout = next(part.of_kind("slideLayout"), None)
            key = "" if layout is None else layout.name
            if key not in places:
                master = None if layout is None else next(layout.of_kind("slideMaster"), None)
                places[key] = layout_places(master) | layout_places(layout)
            _Slide(part, builder, size, places[key]).read()
        except (ValueError, RecursionError) as error:
            builder.lose(f"slide {page} is damaged ({error}): parts of it are not read")
    builder.page = None
    if hidden:
        builder.remark(f"hidden slides are left out: {', '.join(map(str, hidden))}")


class _Slide:
    """Reads one slide into a builder."""

    def __init__(self, part: Part, builder: DocumentBuilder, size: tuple[int, int], places: Places) -> None:
        self.part = part
        self.builder = builder
        self.width, self.height = size
        self.places = places

    def read(self) -> None:
        """Title, shapes in reading order, notes."""
        self.builder.begin_section()
        shapes = list(slide_shapes(self.part.root, self.places))
        titles = [shape for shape in shapes if shape.placeholder in TITLES]
        for shape in titles:
            text = " ".join(" ".join(map(drawn_text, _paragraphs(shape.element))).split())
            self.builder.add(
                "heading", text, level=1 if shape.placeholder == "ctrTitle" else 2, box=self.box(shape.box)
            )
        others = [shape for shape in shapes if shape not in titles]
        boxes = [shape.box or (0.0, float(self.height), 0.0, float(self.height)) for shape in others]
        for index in reading_order(boxes):
            self.shape(others[index])
        self.notes()

    def shape(self, shape: SlideShape) -> None:
        """Add what a shape holds."""
        if shape.kind == "graphicFrame":
            self.frame(shape)
            return
        if shape.kind == "pic":
            self.picture(find(shape.element, "blipFill"), shape)
        elif find(shape.element, "spPr", "blipFill") is not None:
            self.picture(find(shape.element, "spPr", "blipFill"), shape)
        box = self.box(shape.box)
        for paragraph in _paragraphs(shape.element):
            kind = "list" if _is_point(paragraph, shape.placeholder) else "text"
            self.builder.add(kind, drawn_text(paragraph), box=box)

    def frame(self, shape: SlideShape) -> None:
        """Add a table, a chart, a diagram, or the picture of an embedded object."""
        data = find(shape.element, "graphic", "graphicData")
        for content in [] if data is None else data:
            name = local(content)
            if name == "tbl":
                self.table(content, shape)
            elif name == "chart":
                self.chart(relation(content), shape)
            elif name == "relIds":
                self.diagram(relation(content, "dm"), shape)
            else:
                self.embedded(content, shape)

    def table(self, element: _Element, shape: SlideShape) -> None:
        """Add a table; merged cells are marked in their first one."""
        rows = list(children(element, "tr"))
        cells = [list(children(row, "tc")) for row in rows]
        num_cols = max(map(len, cells), default=0)
        if not num_cols:
            return
        self.builder.check_size(len(rows), num_cols)
        merged = []
        taken: set[tuple[int, int]] = set()
        lines: list[list[list[str]]] = [[[] for _ in range(num_cols)] for _ in rows]
        for row, places in enumerate(cells):
            for col, cell in enumerate(places):
                if (row, col) in taken:
                    continue
                last_row = min(row + max(number(cell.get("rowSpan", "1"), 1), 1), len(rows)) - 1
                last_col = min(col + max(number(cell.get("gridSpan", "1"), 1), 1), num_cols) - 1
                while any((row, place) in taken for place in range(col, last_col + 1)):
                    last_col -= 1
                taken |= {(r, c) for r in range(row, last_row + 1) for c in range(col, last_col + 1)}
                if last_row > row or last_col > col:
                    merged.append((row, last_row, col, last_col))
                lines[row][col] = _cell_lines(cell)
        split, regions, is_split = split_stacked(lines, merged)
        texts = [
            [label_text(row[0]), *("\n".join(filter(None, map(str.strip, one))) for one in row[1:])]
            for row in split
        ]
        self.builder.add_cells(
            with_levels(texts),
            regions,
            box=self.box(shape.box),
            metadata={"stacked_rows": "split"} if is_split else {},
        )

    def chart(self, name: str, shape: SlideShape) -> None:
        """Add the tables of a chart."""
        part = self.part.related(name)
        try:
            tables: list[Table] = [] if part is None else chart_tables(part.data)
        except ValueError as error:
            self.builder.lose(f"slide {self.builder.page}: a chart cannot be read ({error})")
            return
        for table in tables:
            self.builder.add_table(table, box=self.box(shape.box))
        if not tables:
            self.builder.lose(f"slide {self.builder.page}: a chart without stored numbers is not read")

    def diagram(self, name: str, shape: SlideShape) -> None:
        """Add the texts of a diagram."""
        part = self.part.related(name)
        for line in [] if part is None else diagram_lines(part.root):
            self.builder.add("list", line, box=self.box(shape.box))

    def embedded(self, content: _Element, shape: SlideShape) -> None:
        """Add the picture that stands for an embedded object."""
        fill = next((part for part in content.iter() if local(part) == "blipFill"), None)
        if fill is not None:
            self.picture(fill, shape)
            return
        program = next((value(part, "progId") for part in content.iter() if value(part, "progId")), "")
        self.builder.lose(f"slide {self.builder.page}: an embedded object {program} is not read".strip())

    def picture(self, fill: _Element | None, shape: SlideShape) -> None:
        """Add a picture; one outside the file is not fetched."""
        blip = None if fill is None else find(fill, "blip")
        if blip is None:
            return
        name = relation(blip, "embed") or relation(blip, "link")
        part = self.part.related(name)
        where = f"slide {self.builder.page}"
        data = None
        if part is not None:
            where += f", {part.name.rpartition('/')[2]}"
            try:
                data = part.data
            except ValueError as error:
                self.builder.lose(f"{where}: {error}")
        elif self.part.is_linked(name):
            self.builder.remark(f"{where}: a picture outside the file is not fetched")
        elif name:
            self.builder.lose(f"{where}: a picture is missing in the file")
        self.builder.add_picture(data, where, text=shape.text, box=self.box(shape.box))

    def notes(self) -> None:
        """Add the speaker's notes."""
        for part in self.part.of_kind("notesSlide"):
            for shape in slide_shapes(part.root, {}):
                if shape.placeholder == "body":
                    lines = map(drawn_text, _paragraphs(shape.element))
                    self.builder.add("note", "\n".join(filter(None, lines)))

    def box(self, box: SlideBox | None) -> Box | None:
        """A box in 0..1000 of the slide."""
        if box is None or not (self.width and self.height):
            return None
        sizes = (self.width, self.height, self.width, self.height)
        x0, y0, x1, y1 = (
            min(max(round(1000 * edge / size), 0), 1000) for edge, size in zip(box, sizes, strict=True)
        )
        return x0, y0, x1, y1


def _paragraphs(element: _Element) -> list[_Element]:
    body = find(element, "txBody")
    return [] if body is None else list(children(body, "p"))


def _is_point(paragraph: _Element, placeholder: str) -> bool:
    """Whether a paragraph has a bullet or a number."""
    properties = find(paragraph, "pPr")
    marks = {local(part) for part in ([] if properties is None else properties)}
    if "buNone" in marks:
        return False
    return bool(marks & {"buChar", "buAutoNum", "buBlip"}) or placeholder in _LISTS


def _cell_lines(cell: _Element) -> list[str]:
    """Lines of a cell, each behind one blank for each point that it is indented."""
    margin = number(value(find(cell, "tcPr"), "marL") or str(_CELL_MARGIN)) / _EMU
    lines = []
    for paragraph in _paragraphs(cell):
        start = margin + _start(find(paragraph, "pPr"))
        lines += [indented(line, start) for line in typed_text(paragraph).strip("\n").split("\n")]
    return lines


def _start(properties: _Element | None) -> float:
    """How far the first line of a paragraph is indented, points; 0 where it is not set at the left."""
    if properties is None or value(properties, "algn") in ("ctr", "r", "dist"):
        return 0.0
    level = min(number(value(properties, "lvl") or "0"), _MAX_LEVEL)
    left = number(value(properties, "marL") or str(level * _LEVEL))
    return (left + number(value(properties, "indent") or "0")) / _EMU
