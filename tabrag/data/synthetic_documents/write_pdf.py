"""Reports as PDF, made by reportlab: contents, running headers and footers, some pages across."""

from __future__ import annotations

import io
from typing import Any

from tabrag.data.synthetic_documents.drawn import draw_logo
from tabrag.data.synthetic_documents.packages import require
from tabrag.data.synthetic_documents.pdf_flow import INCH, Flow
from tabrag.data.synthetic_documents.story import Heading, Landscape, Story

_MARGIN = 0.9 * INCH
_PAGES = ((595.28, 841.89), (612.0, 792.0))


def write_pdf(story: Story) -> bytes:
    """The bytes of the file."""
    return _Writer(story).write()


class _Writer:
    """Writes one report."""

    def __init__(self, story: Story) -> None:
        self.story = story
        self.flow = Flow(story)
        self.platypus = self.flow.platypus
        self.width, self.height = _PAGES[1 if story.company.currency == "US$" else 0]
        self.logo = require("reportlab.lib.utils").ImageReader(io.BytesIO(draw_logo(story.company)))

    def write(self) -> bytes:
        file = io.BytesIO()
        document = _document_class()(
            file,
            pagesize=(self.width, self.height),
            title=f"{self.story.company.name}: {self.story.title}",
            author=self.story.company.name,
            invariant=1,
        )
        document.addPageTemplates(
            [
                self.template("cover", self.width, self.height, framed=False),
                self.template("upright", self.width, self.height),
                self.template("across", self.height, self.width),
            ]
        )
        document.multiBuild(self.elements())
        return file.getvalue()

    def template(self, name: str, width: float, height: float, *, framed: bool = True) -> Any:
        frame = self.platypus.Frame(
            _MARGIN,
            _MARGIN,
            width - 2 * _MARGIN,
            height - 2 * _MARGIN,
            id=name,
            leftPadding=0,
            rightPadding=0,
        )

        def on_page(canvas: Any, document: Any) -> None:
            canvas.saveState()
            if framed:
                self.running(canvas, document, width, height)
            canvas.restoreState()

        return self.platypus.PageTemplate(id=name, frames=[frame], onPage=on_page, pagesize=(width, height))

    def running(self, canvas: Any, document: Any, width: float, height: float) -> None:
        """Header, footer and the lines beside them."""
        canvas.drawImage(self.logo, _MARGIN, height - 0.72 * INCH, width=54, height=20, mask="auto")
        canvas.setStrokeColor(self.flow.accent)
        canvas.setLineWidth(0.8)
        canvas.line(_MARGIN, height - 0.78 * INCH, width - _MARGIN, height - 0.78 * INCH)
        canvas.setFont(self.flow.face, 8)
        heading = f"{self.story.company.name} | {self.story.title}"
        canvas.drawRightString(width - _MARGIN, height - 0.66 * INCH, heading)
        canvas.drawCentredString(width / 2, 0.55 * INCH, str(document.page))

    def elements(self) -> list[Any]:
        flow, platypus, story = self.flow, self.platypus, self.story
        width = self.width - 2 * _MARGIN
        found: list[Any] = [
            platypus.Spacer(1, 2.2 * INCH),
            flow.picture(draw_logo(story.company), 180),
            platypus.Spacer(1, 40),
            flow.text(
                story.company.name, flow.style("Title", 28, bold=True, textColor=flow.accent, spaceAfter=16)
            ),
            flow.text(story.title, flow.style("Subtitle", 18)),
            platypus.NextPageTemplate("upright"),
            platypus.PageBreak(),
            flow.text(
                "Contents", flow.style("ContentsTitle", 17, bold=True, textColor=flow.accent, spaceAfter=10)
            ),
            self.contents(),
            platypus.PageBreak(),
        ]
        for part in story.parts:
            if isinstance(part, Landscape):
                across = self.height - 2 * _MARGIN
                found += [platypus.NextPageTemplate("across"), platypus.PageBreak()]
                found += [element for inner in part.parts for element in flow.part(inner, across)]
                found += [platypus.NextPageTemplate("upright"), platypus.PageBreak()]
                continue
            elements = flow.part(part, width)
            if isinstance(part, Heading) and part.level == 1:
                elements[0].in_contents = True
            found += elements
        return found

    def contents(self) -> Any:
        contents = require("reportlab.platypus.tableofcontents").TableOfContents()
        contents.levelStyles = [self.flow.style("Contents1", 11, spaceBefore=5)]
        contents.dotsMinLevel = 0
        return contents


def _document_class() -> Any:
    base: Any = require("reportlab.platypus").BaseDocTemplate

    class Report(base):  # type: ignore[misc]
        """Tells the table of contents on which page each chapter begins."""

        def afterFlowable(self, flowable: Any) -> None:  # noqa: N802 - reportlab calls it so
            if getattr(flowable, "in_contents", False):
                self.notify("TOCEntry", (0, flowable.getPlainText(), self.page))

    return Report
