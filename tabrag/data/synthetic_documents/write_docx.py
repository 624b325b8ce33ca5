"""Reports as DOCX, made by python-docx."""

from __future__ import annotations

import io
from typing import Any

from tabrag.data.synthetic_documents.drawn import draw_chart, draw_logo, draw_rule
from tabrag.data.synthetic_documents.fixed_zip import fixed
from tabrag.data.synthetic_documents.packages import require
from tabrag.data.synthetic_documents.story import (
    Figure,
    Heading,
    Landscape,
    Line,
    NewPage,
    Note,
    Ornament,
    Paragraph,
    Part,
    Points,
    Sheet,
    Story,
)

_STYLES = ("Table Grid", "Light List Accent 1", "Light Grid Accent 1", "Light Shading Accent 1")
_FONTS = ("Calibri", "Georgia", "Arial", "Cambria")


def write_docx(story: Story) -> bytes:
    """The bytes of the file."""
    return _Writer(story).write()


class _Writer:
    """Adds the parts of one report to a document."""

    def __init__(self, story: Story) -> None:
        self.story = story
        self.document: Any = require("docx").Document()
        self.shared: Any = require("docx.shared")
        self.qn = require("docx.oxml.ns").qn
        self.element = require("docx.oxml").OxmlElement
        self.logo = draw_logo(story.company)

    def write(self) -> bytes:
        story, document = self.story, self.document
        document.core_properties.title = f"{story.company.name}: {story.title}"
        document.core_properties.author = story.company.name
        font = document.styles["Normal"].font
        font.name, font.size = _FONTS[story.look % len(_FONTS)], self.shared.Pt(10.5)
        self.frame(document.sections[0])
        document.add_picture(io.BytesIO(self.logo), width=self.shared.Inches(1.8))
        document.add_paragraph(story.company.name, style="Title")
        document.add_paragraph(story.title, style="Subtitle")
        document.add_page_break()
        self.contents()
        for part in story.parts:
            self.add(part)
        file = io.BytesIO()
        document.save(file)
        return fixed(file.getvalue())

    def frame(self, section: Any) -> None:
        """Running header and footer with the number of the page."""
        header = section.header.paragraphs[0]
        header.add_run().add_picture(io.BytesIO(self.logo), width=self.shared.Inches(0.9))
        header.add_run(f"\t{self.story.company.name} | {self.story.title}")
        footer = section.footer.paragraphs[0]
        footer.add_run("Page ")
        self.field(footer, "PAGE")

    def field(self, paragraph: Any, code: str) -> None:
        for kind, text in (("begin", ""), ("", code), ("end", "")):
            run = paragraph.add_run()
            if kind:
                mark = self.element("w:fldChar")
                mark.set(self.qn("w:fldCharType"), kind)
            else:
                mark = self.element("w:instrText")
                mark.text = text
            run._r.append(mark)

    def contents(self) -> None:
        self.document.add_paragraph(
            "Contents", style="TOC Heading" if self.has("TOC Heading") else "Heading 1"
        )
        page = 3
        for part in self.story.parts:
            if isinstance(part, Heading) and part.level == 1:
                line = self.document.add_paragraph()
                line.paragraph_format.tab_stops.add_tab_stop(self.shared.Inches(6), 2, 1)
                line.add_run(f"{part.text}\t{page}")
                page += 1
        self.document.add_page_break()

    def has(self, style: str) -> bool:
        return style in [one.name for one in self.document.styles]

    def add(self, part: Part) -> None:
        if isinstance(part, Heading):
            self.document.add_heading(part.text, part.level)
        elif isinstance(part, Paragraph):
            self.document.add_paragraph(part.text)
        elif isinstance(part, Points):
            for text in part.texts:
                self.document.add_paragraph(text, style="List Bullet")
        elif isinstance(part, Note):
            self.document.add_paragraph().add_run(part.text).font.size = self.shared.Pt(8)
        elif isinstance(part, NewPage):
            self.document.add_page_break()
        elif isinstance(part, Ornament):
            self.ornament(part)
        elif isinstance(part, Sheet):
            self.sheet(part)
        elif isinstance(part, Figure):
            picture = io.BytesIO(draw_chart(part, self.story.company))
            self.document.add_picture(picture, width=self.shared.Inches(5.8))
            self.document.add_paragraph(part.caption, style="Caption")
        elif isinstance(part, Landscape):
            self.turn(across=True)
            for inner in part.parts:
                self.add(inner)
            self.turn(across=False)

    def ornament(self, part: Ornament) -> None:
        if part.kind == "logo":
            self.document.add_picture(io.BytesIO(self.logo), width=self.shared.Inches(1.2))
        else:
            rule = io.BytesIO(draw_rule(self.story.company))
            self.document.add_picture(rule, width=self.shared.Inches(6))

    def turn(self, *, across: bool) -> None:
        """A new section whose pages lie across, or stand again."""
        orientation = require("docx.enum.section").WD_ORIENT
        section = self.document.add_section()
        section.orientation = orientation.LANDSCAPE if across else orientation.PORTRAIT
        sides = sorted((section.page_width, section.page_height))
        section.page_height, section.page_width = sides if across else sides[::-1]

    def sheet(self, sheet: Sheet) -> None:
        caption = self.document.add_paragraph(sheet.caption, style="Caption")
        caption.paragraph_format.keep_with_next = True
        height = sheet.num_header_rows
        table = self.document.add_table(rows=height + len(sheet.lines), cols=1 + len(sheet.columns))
        table.style = _STYLES[self.story.look % len(_STYLES)]
        rows = [list(row.cells) for row in table.rows]
        self.write_cell(rows[0][0], sheet.corner, bold=True)
        if height > 1:
            rows[0][0].merge(rows[height - 1][0])
        for level, head in enumerate(sheet.head()):
            place = 1
            for text, span in head:
                self.write_cell(rows[level][place], text, bold=True, right=place - 1 not in sheet.texts)
                if span > 1:
                    rows[level][place].merge(rows[level][place + span - 1])
                place += span
        for row, line in zip(rows[height:], sheet.lines, strict=True):
            self.line(row, line, sheet)
        for row in table.rows[:height]:
            properties = row._tr.get_or_add_trPr()
            mark = self.element("w:tblHeader")
            mark.set(self.qn("w:val"), "true")
            properties.append(mark)
        self.document.add_paragraph()

    def line(self, row: list[Any], line: Line, sheet: Sheet) -> None:
        is_group = not line.values
        self.write_cell(row[0], line.labels[-1], bold=is_group or line.total)
        if is_group:
            row[0].merge(row[-1])
            return
        row[0].paragraphs[0].paragraph_format.left_indent = self.shared.Pt(9 * (len(line.labels) - 1))
        for place, text in enumerate(line.values):
            self.write_cell(row[place + 1], text, bold=line.total, right=place not in sheet.texts)

    def write_cell(self, cell: Any, text: str, *, bold: bool = False, right: bool = False) -> None:
        paragraph = cell.paragraphs[0]
        run = paragraph.add_run(text)
        run.bold, run.font.size = bold, self.shared.Pt(9)
        if right:
            paragraph.alignment = require("docx.enum.text").WD_ALIGN_PARAGRAPH.RIGHT
