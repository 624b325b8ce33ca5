"""Parts of a publication as the flowing elements of reportlab."""

from __future__ import annotations

import io
from html import escape
from typing import Any

from tabrag.data.synthetic_documents.drawn import CHART_INCHES, draw_chart, draw_logo, draw_rule
from tabrag.data.synthetic_documents.packages import require
from tabrag.data.synthetic_documents.story import (
    Figure,
    Heading,
    Note,
    Ornament,
    Paragraph,
    Part,
    Points,
    Sheet,
    Story,
)

_FACES = (("Helvetica", "Helvetica-Bold"), ("Times-Roman", "Times-Bold"))
_LOOKS = ("rules", "grid", "zebra")
INCH = 72.0


class Flow:
    """Makes flowing elements in the design of one publication.

    Args:
        story: The publication.
        scale: Factor on the sizes of letters.
    """

    def __init__(self, story: Story, *, scale: float = 1.0) -> None:
        self.story = story
        self.scale = scale
        self.platypus: Any = require("reportlab.platypus")
        self.accent = require("reportlab.lib.colors").HexColor(f"#{story.company.accent}")
        self.face, self.bold = _FACES[story.look % len(_FACES)]
        self.table_look = _LOOKS[story.look % len(_LOOKS)]
        self._style: Any = require("reportlab.lib.styles").ParagraphStyle

    def style(self, name: str, size: float, *, bold: bool = False, **more: Any) -> Any:
        """A style of paragraphs; ``size`` in points before scaling."""
        size *= self.scale
        face = self.bold if bold else self.face
        return self._style(name, fontName=face, fontSize=size, leading=size * 1.25, **more)

    def text(self, text: str, style: Any) -> Any:
        """A paragraph."""
        return self.platypus.Paragraph(escape(text), style)

    def picture(self, data: bytes, width: float) -> Any:
        """A picture of a width in points, its sides in proportion."""
        image = self.platypus.Image(io.BytesIO(data))
        image.drawHeight *= width / image.drawWidth
        image.drawWidth = width
        image.hAlign = "LEFT"
        return image

    def part(self, part: Part, width: float) -> list[Any]:
        """The elements of a part that is ``width`` points wide."""
        if isinstance(part, Heading):
            size, space = {1: (17, 14), 2: (12.5, 9)}.get(part.level, (11, 6))
            style = self.style(
                f"Heading{part.level}",
                size,
                bold=True,
                textColor=self.accent,
                spaceBefore=space,
                spaceAfter=6,
                keepWithNext=1,
            )
            return [self.text(part.text, style)]
        if isinstance(part, Paragraph):
            return [self.text(part.text, self.style("Body", 10, spaceAfter=6, alignment=4))]
        if isinstance(part, Points):
            style = self.style("Point", 10, leftIndent=14 * self.scale, bulletIndent=3, spaceAfter=3)
            return [self.platypus.Paragraph(escape(text), style, bulletText="\u2022") for text in part.texts]
        if isinstance(part, Note):
            return [self.text(part.text, self.style("Note", 7.5, spaceAfter=8))]
        if isinstance(part, Ornament):
            draw, size = (draw_logo, 90.0) if part.kind == "logo" else (draw_rule, width)
            return [self.picture(draw(self.story.company), size)]
        if isinstance(part, Sheet):
            style = self.style("Caption", 9.5, bold=True, spaceBefore=8, spaceAfter=4, keepWithNext=1)
            return [self.text(part.caption, style), self.table(part, width), self.platypus.Spacer(1, 8)]
        if isinstance(part, Figure):
            return [self.chart(part, width)]
        return [self.platypus.PageBreak()]

    def chart(self, figure: Figure, width: float) -> Any:
        """A chart with its caption below, kept together."""
        drawn = self.picture(
            draw_chart(figure, self.story.company), min(width, CHART_INCHES[0] * INCH * self.scale)
        )
        caption = self.text(figure.caption, self.style("Caption", 9, spaceBefore=3, spaceAfter=10))
        return self.platypus.KeepTogether([drawn, caption])

    def table(self, sheet: Sheet, width: float) -> Any:
        """A table whose header rows are repeated where it goes on over the page."""
        size = 8.5 * self.scale * (0.9 if len(sheet.columns) > 6 else 1.0)
        height = sheet.num_header_rows
        rows: list[list[Any]] = [[sheet.corner if level == 0 else ""] for level in range(height)]
        commands: list[tuple[Any, ...]] = [
            ("FONT", (0, 0), (-1, -1), self.face, size),
            ("FONT", (0, 0), (-1, height - 1), self.bold, size),
            ("ALIGN", (1, 0), (-1, -1), "RIGHT"),
            ("VALIGN", (0, 0), (-1, -1), "MIDDLE"),
            *((name, (0, 0), (-1, -1), 2.2 * self.scale) for name in ("TOPPADDING", "BOTTOMPADDING")),
            *(("ALIGN", (place + 1, 0), (place + 1, -1), "LEFT") for place in sheet.texts),
        ]
        if height > 1:
            commands.append(("SPAN", (0, 0), (0, height - 1)))
        for level, head in enumerate(sheet.head()):
            for text, span in head:
                place = len(rows[level])
                rows[level] += [text, *[""] * (span - 1)]
                if span > 1:
                    commands.append(("SPAN", (place, level), (place + span - 1, level)))
                    commands.append(("ALIGN", (place, level), (place + span - 1, level), "CENTER"))
                    commands.append(
                        ("LINEBELOW", (place, level), (place + span - 1, level), 0.5, self.accent)
                    )
        for line in sheet.lines:
            number = len(rows)
            indent = 10 * (len(line.labels) - 1) if line.values else 0
            rows.append([line.labels[-1], *(line.values or [""] * len(sheet.columns))])
            commands.append(("LEFTPADDING", (0, number), (0, number), (4 + indent) * self.scale))
            if line.total or not line.values:
                commands.append(("FONT", (0, number), (-1, number), self.bold, size))
            if not line.values:
                commands.append(("SPAN", (0, number), (-1, number)))
        columns = self.widths(rows[height - 1 :], size, width)
        table = self.platypus.LongTable(rows, repeatRows=height, colWidths=columns, hAlign="LEFT")
        table.setStyle(self.platypus.TableStyle(commands + self.lines(height, len(rows))))
        return table

    def widths(self, rows: list[list[Any]], size: float, width: float) -> list[float]:
        """Widths of columns after their texts, spread over the page where there is room."""
        measure = require("reportlab.pdfbase.pdfmetrics").stringWidth
        wanted = [
            max(measure(str(row[place]), self.bold, size) for row in rows) + 16 * self.scale
            for place in range(len(rows[0]))
        ]
        spare = max(width - sum(wanted), 0) * (0.8 if self.table_look != "rules" else 0.5)
        return [
            one + spare * (0.3 if place == 0 else 0.7 / (len(wanted) - 1)) for place, one in enumerate(wanted)
        ]

    def lines(self, height: int, count: int) -> list[tuple[Any, ...]]:
        """Rules and shades of a table."""
        colors = require("reportlab.lib.colors")
        if self.table_look == "grid":
            return [
                ("GRID", (0, 0), (-1, -1), 0.4, colors.grey),
                ("BACKGROUND", (0, 0), (-1, height - 1), colors.HexColor("#e8e8ee")),
            ]
        frame = [
            ("LINEABOVE", (0, 0), (-1, 0), 1, self.accent),
            ("LINEBELOW", (0, height - 1), (-1, height - 1), 0.8, self.accent),
            ("LINEBELOW", (0, -1), (-1, -1), 1, self.accent),
        ]
        if self.table_look == "zebra":
            shade = colors.HexColor("#f2f2f6")
            return frame + [("BACKGROUND", (0, row), (-1, row), shade) for row in range(height, count, 2)]
        return [*frame, ("LINEBELOW", (0, height), (-1, -1), 0.2, colors.lightgrey)]
