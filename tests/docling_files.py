"""Files as Docling writes them, for tests: the least that a ``DoclingDocument`` needs."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from parse_files import parsed, png

from tabrag.documents.docling.parse import parse_docling
from tabrag.documents.parsed import Parsed

PDF, WORD = "application/pdf", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
WIDTH, HEIGHT = 600.0, 800.0
"""Of the pages, in points."""
FRUIT = [["name", "tons"], ["lemon", "5"], ["plum", "7"]]
"""The texts of a table."""


def at(page: int, left: float, top: float, right: float, bottom: float, **more: Any) -> dict[str, Any]:
    """A provenance; sides in points from the upper left corner, written from the lower left one."""
    box = {"l": left, "t": HEIGHT - top, "r": right, "b": HEIGHT - bottom, "coord_origin": "BOTTOMLEFT"}
    return {"page_no": page, "bbox": box, "charspan": [0, 1], **more}


def uri(*, side: int = 40, colour: str = "red") -> str:
    """A picture of one colour as a ``data:`` address."""
    return "data:image/png;base64," + base64.b64encode(png(side=side, colour=colour)).decode()


def cell(row: int, col: int, text: str, *, rows: int = 1, cols: int = 1, **more: Any) -> dict[str, Any]:
    """A cell of a table; ``header=True`` marks it as a header of its column, ``stub=True`` of its row."""
    return {
        "row_span": rows,
        "col_span": cols,
        "start_row_offset_idx": row,
        "end_row_offset_idx": row + rows,
        "start_col_offset_idx": col,
        "end_col_offset_idx": col + cols,
        "text": text,
        "column_header": more.pop("header", False),
        "row_header": more.pop("stub", False),
        "row_section": more.pop("section", False),
        **more,
    }


def rows_of(texts: Sequence[Sequence[str]], **more: Any) -> list[dict[str, Any]]:
    """A cell for each text, the first row marked as header."""
    return [
        cell(row, col, text, header=row == 0, **more)
        for row, line in enumerate(texts)
        for col, text in enumerate(line)
    ]


class DoclingFile:
    """A document to which items are added in reading order.

    Args:
        mimetype: Of the file that was converted.
        version: Of the format.
        num_pages: Pages of 600 x 800 points.
    """

    def __init__(self, mimetype: str = PDF, *, version: str = "1.10.0", num_pages: int = 1) -> None:
        self.data: dict[str, Any] = {
            "schema_name": "DoclingDocument",
            "version": version,
            "name": "report",
            "origin": {"mimetype": mimetype, "binary_hash": 1, "filename": "report.pdf"},
            "furniture": {"self_ref": "#/furniture", "children": [], "name": "_root_"},
            "body": {"self_ref": "#/body", "children": [], "name": "_root_"},
            **{name: [] for name in ("groups", "texts", "pictures", "tables")},
            **{name: [] for name in ("key_value_items", "form_items")},
            "pages": {
                str(number): {"size": {"width": WIDTH, "height": HEIGHT}, "page_no": number}
                for number in range(1, num_pages + 1)
            },
        }

    def add(self, kind: str, *, parent: str = "#/body", prov: Any = (), **item: Any) -> str:
        """Add an item to one of the lists, as the last child of its parent (none of any where empty)."""
        reference = f"#/{kind}/{len(self.data[kind])}"
        self.data[kind].append(
            {
                "self_ref": reference,
                "parent": {"$ref": parent or "#/body"},
                "children": [],
                "prov": [prov] if isinstance(prov, dict) else list(prov),
                **item,
            }
        )
        if parent:
            self.item(parent)["children"].append({"$ref": reference})
        return reference

    def text(self, label: str, text: str, **more: Any) -> str:
        """Add a text."""
        return self.add("texts", label=label, text=text, orig=text, **more)

    def table(self, cells: list[dict[str, Any]], size: tuple[int, int], **more: Any) -> str:
        """Add a table of so many rows and columns; ``captions`` and ``footnotes`` are references."""
        for key in ("captions", "footnotes"):
            more[key] = [{"$ref": reference} for reference in more.get(key, ())]
        data = {"table_cells": cells, "num_rows": size[0], "num_cols": size[1]}
        return self.add("tables", label=more.pop("label", "table"), data=data, **more)

    def item(self, reference: str) -> dict[str, Any]:
        """What a reference leads to."""
        name, _, place = reference.removeprefix("#/").partition("/")
        return self.data[name][int(place)] if place else self.data[name]

    def write(self, path: Path) -> Path:
        """Write it; returns the path."""
        path.write_text(json.dumps(self.data), encoding="utf-8")
        return path


def read(file: DoclingFile, folder: Path, **options: object) -> Parsed:
    """What is read of a document, written into ``folder``."""
    return parsed(parse_docling, file.write(folder / "report.json"), out=folder / "out", **options)
