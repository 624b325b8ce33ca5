"""The sheets of a workbook in order, hidden or not, and the pictures that lie on them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tabrag.documents.office.drawn_text import text_lines
from tabrag.documents.office.package import OfficePackage, Part, relation
from tabrag.documents.office.xml import children, find, local, value


@dataclass(frozen=True, slots=True)
class SheetPart:
    """A sheet.

    Attributes:
        name: As its tab says.
        is_hidden: Whether Excel shows no tab for it.
        part: Where it is stored.
    """

    name: str
    is_hidden: bool
    part: Part

    def texts(self) -> Iterator[str]:
        """The texts of the boxes and shapes that lie on it; damaged drawings are passed over."""
        for drawing in self.part.of_kind("drawing"):
            try:
                shapes = [one for one in drawing.root.iter() if local(one) == "sp"]
            except ValueError:
                continue
            for shape in shapes:
                body = find(shape, "txBody")
                yield "" if body is None else "\n".join(filter(None, text_lines(body)))

    def pictures(self) -> Iterator[tuple[Part, str]]:
        """The parts of the pictures on it with their descriptions; damaged drawings are passed over."""
        for drawing in self.part.of_kind("drawing"):
            try:
                found = [one for one in drawing.root.iter() if local(one) == "pic"]
            except ValueError:
                continue
            for picture in found:
                blip = find(picture, "blipFill", "blip")
                part = None if blip is None else drawing.related(relation(blip, "embed"))
                if part is not None:
                    yield part, value(find(picture, "nvPicPr", "cNvPr"), "descr")


def sheet_parts(package: OfficePackage) -> list[SheetPart]:
    """The sheets of a workbook.

    Sheets of charts alone and of old macros are none: numbers count worksheets as openpyxl does.

    Raises:
        UserError: Its list of sheets cannot be read.
    """
    sheets = find(package.main_root(), "sheets")
    found = []
    for sheet in [] if sheets is None else children(sheets, "sheet"):
        stated = package.main.relationships.get(relation(sheet))
        part = package.main.related(relation(sheet))
        if stated is not None and stated.kind == "worksheet" and part is not None:
            found.append(SheetPart(value(sheet, "name"), value(sheet, "state").endswith("idden"), part))
    return found
