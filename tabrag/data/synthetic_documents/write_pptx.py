"""Decks as PPTX, made by python-pptx: titles, points, tables, native charts and pictures of charts."""

from __future__ import annotations

import io
from typing import Any

from tabrag.data.synthetic_documents.drawn import CHART_INCHES, draw_chart, draw_logo
from tabrag.data.synthetic_documents.fixed_zip import fixed
from tabrag.data.synthetic_documents.packages import require
from tabrag.data.synthetic_documents.story import Figure, Note, Points, Sheet, Slide, Story

_MARGIN = 0.5
_TOP = 1.35
_KINDS = {
    "bar": "COLUMN_CLUSTERED",
    "barh": "BAR_CLUSTERED",
    "line": "LINE_MARKERS",
    "pie": "PIE",
}


def write_pptx(story: Story) -> bytes:
    """The bytes of the file."""
    return _Writer(story).write()


class _Writer:
    """Adds the slides of one deck."""

    def __init__(self, story: Story) -> None:
        self.story = story
        self.deck: Any = require("pptx").Presentation()
        util: Any = require("pptx.util")
        self.inches, self.points = util.Inches, util.Pt
        self.width, self.height = story.size
        self.logo = draw_logo(story.company)
        self.accent = require("pptx.dml.color").RGBColor.from_string(story.company.accent.upper())

    def write(self) -> bytes:
        story = self.story
        self.deck.slide_width, self.deck.slide_height = self.inches(self.width), self.inches(self.height)
        self.deck.core_properties.title = f"{story.company.name}: {story.title}"
        self.deck.core_properties.author = story.company.name
        for number, slide in enumerate(story.slides, start=1):
            self.slide(slide, number)
        file = io.BytesIO()
        self.deck.save(file)
        return fixed(file.getvalue())

    def slide(self, slide: Slide, number: int) -> None:
        page = self.deck.slides.add_slide(self.deck.slide_layouts[5])
        title = page.shapes.title
        title.left, title.top = self.inches(_MARGIN), self.inches(0.3)
        title.width, title.height = self.inches(self.width - 2 * _MARGIN), self.inches(0.9)
        title.text = slide.title
        run = title.text_frame.paragraphs[0].runs[0]
        run.font.size, run.font.bold, run.font.color.rgb = self.points(28), True, self.accent
        page.shapes.add_picture(
            io.BytesIO(self.logo),
            self.inches(self.width - 1.6),
            self.inches(self.height - 0.65),
            self.inches(1.4),
        )
        self.footer(page, number)
        large = [part for part in slide.parts if isinstance(part, Sheet | Figure)]
        rest = [part for part in slide.parts if not isinstance(part, Sheet | Figure)]
        width, height = self.width - 2 * _MARGIN, self.height - _TOP - 0.8
        if large and rest and self.width > self.height:
            first = width * 0.62
            self.large(page, large[0], _MARGIN, _TOP, first, height)
            self.texts(page, rest, _MARGIN + first + 0.2, _TOP, width - first - 0.2, height)
        elif large and rest:
            self.large(page, large[0], _MARGIN, _TOP, width, height * 0.5)
            self.texts(page, rest, _MARGIN, _TOP + height * 0.62, width, height * 0.38)
        elif large:
            self.large(page, large[0], _MARGIN, _TOP, width * 0.85, height)
        else:
            self.texts(page, rest, _MARGIN, _TOP, width, height)
        if slide.remarks:
            page.notes_slide.notes_text_frame.text = slide.remarks

    def footer(self, page: Any, number: int) -> None:
        box = page.shapes.add_textbox(
            self.inches(_MARGIN), self.inches(self.height - 0.5), self.inches(5), self.inches(0.3)
        )
        box.text_frame.text = f"{self.story.company.alias} | {self.story.title} | {number}"
        box.text_frame.paragraphs[0].runs[0].font.size = self.points(9)

    def texts(
        self, page: Any, parts: list[Any], left: float, top: float, width: float, height: float
    ) -> None:
        box = page.shapes.add_textbox(*map(self.inches, (left, top, width, height)))
        frame = box.text_frame
        frame.word_wrap = True
        texts = [
            (text, isinstance(part, Points), 10 if isinstance(part, Note) else 0)
            for part in parts
            for text in (part.texts if isinstance(part, Points) else (part.text,))
        ]
        letters = sum(len(text) for text, *_ in texts)
        size = max(9, min(20, round((width * height * 2100 / max(letters, 1)) ** 0.5)))
        for place, (text, is_point, fixed_size) in enumerate(texts):
            paragraph = frame.paragraphs[0] if place == 0 else frame.add_paragraph()
            paragraph.text = text
            paragraph.font.size = self.points(fixed_size or size)
            paragraph.space_after = self.points(6)
            if is_point:
                self.bullet(paragraph)

    def bullet(self, paragraph: Any) -> None:
        properties = paragraph._p.get_or_add_pPr()
        properties.set("marL", "228600")
        properties.set("indent", "-228600")
        mark = require("pptx.oxml.xmlchemy").OxmlElement("a:buChar")
        mark.set("char", "\u2022")
        properties.append(mark)

    def large(self, page: Any, part: Any, left: float, top: float, width: float, height: float) -> None:
        if isinstance(part, Sheet):
            self.sheet(page, part, left, top, width)
        elif part.native:
            self.chart(page, part, left, top, width, height)
        else:
            shown = min(width, (height - 0.4) * CHART_INCHES[0] / CHART_INCHES[1])
            picture = io.BytesIO(draw_chart(part, self.story.company))
            page.shapes.add_picture(picture, self.inches(left), self.inches(top), self.inches(shown))
            below = top + shown * CHART_INCHES[1] / CHART_INCHES[0]
            box = page.shapes.add_textbox(*map(self.inches, (left, below, width, 0.35)))
            box.text_frame.text = part.caption
            box.text_frame.paragraphs[0].runs[0].font.size = self.points(11)

    def chart(self, page: Any, part: Figure, left: float, top: float, width: float, height: float) -> None:
        data = require("pptx.chart.data").CategoryChartData()
        data.categories = list(part.labels)
        for name, values in part.series:
            data.add_series(name, values)
        kind = getattr(require("pptx.enum.chart").XL_CHART_TYPE, _KINDS[part.kind])
        frame = page.shapes.add_chart(kind, *map(self.inches, (left, top, width, height)), data)
        chart = frame.chart
        chart.has_title = True
        chart.chart_title.text_frame.text = part.caption
        chart.plots[0].has_data_labels = True
        labels = chart.plots[0].data_labels
        labels.number_format, labels.number_format_is_linked = f"#,##0{'.0' * (part.decimals > 0)}", False
        labels.show_category_name = part.kind == "pie"

    def sheet(self, page: Any, sheet: Sheet, left: float, top: float, width: float) -> None:
        height = sheet.num_header_rows
        count = height + len(sheet.lines)
        size = 14 if count < 9 else 12 if count < 12 else 10
        shape = page.shapes.add_table(
            count, 1 + len(sheet.columns), *map(self.inches, (left, top, width, count * size * 2 / 72))
        )
        table = shape.table
        first = width * 0.32
        table.columns[0].width = self.inches(first)
        for place in range(len(sheet.columns)):
            table.columns[place + 1].width = self.inches((width - first) / len(sheet.columns))
        self.cell(table.cell(0, 0), sheet.corner, size, bold=True)
        if height > 1:
            table.cell(0, 0).merge(table.cell(height - 1, 0))
        for level, head in enumerate(sheet.head()):
            place = 1
            for text, span in head:
                self.cell(table.cell(level, place), text, size, bold=True, right=place - 1 not in sheet.texts)
                if span > 1:
                    table.cell(level, place).merge(table.cell(level, place + span - 1))
                place += span
        for number, line in enumerate(sheet.lines, start=height):
            self.cell(table.cell(number, 0), line.labels[-1], size, bold=line.total or not line.values)
            if not line.values:
                table.cell(number, 0).merge(table.cell(number, len(sheet.columns)))
            for place, text in enumerate(line.values):
                right = place not in sheet.texts
                self.cell(table.cell(number, place + 1), text, size, bold=line.total, right=right)

    def cell(self, cell: Any, text: str, size: int, *, bold: bool = False, right: bool = False) -> None:
        cell.text = text
        cell.margin_top = cell.margin_bottom = self.points(2)
        paragraph = cell.text_frame.paragraphs[0]
        paragraph.font.size, paragraph.font.bold = self.points(size), bold
        if right:
            paragraph.alignment = require("pptx.enum.text").PP_ALIGN.RIGHT
