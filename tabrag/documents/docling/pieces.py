"""The body of a ``DoclingDocument`` as pieces in reading order: texts, tables with captions, pictures."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tabrag.documents.docling.cells import CellTable, read_cells
from tabrag.documents.docling.places import Place, Places
from tabrag.documents.docling.tree import (
    DoclingTree,
    kind_of_reference,
    list_of,
    object_of,
    reference_of,
    text_of,
    whole_of,
)
from tabrag.errors import UserError

_KINDS = {
    "title": "heading",
    "section_header": "heading",
    "field_heading": "heading",
    "list_item": "list",
    "caption": "caption",
    "footnote": "note",
}
_BOXES = {"checkbox_selected": "\u2612 ", "checkbox_unselected": "\u2610 "}
_RUNNING = {"page_header": "header", "page_footer": "footer"}
_GRAPHS = ("key_value_items", "form_items")
_NO_BLANK_BEFORE = re.compile(r"\s+(?=[.,;:!?)\]}\u2019\u201d%])")
_MAX_LABELS = 1000
"""Characters of the text upon a picture that describe it."""


@dataclass(slots=True, kw_only=True)
class Piece:
    """A block before it is one.

    Attributes:
        kind: As of a block.
        place: Where it stands.
        text: What it says; of a picture its description.
        level: Of a heading.
        table: Of a table: its cells; None for other kinds.
        caption: Of a table or picture.
        notes: Footnotes of a table.
        image: Address of the picture of a picture or table.
        chart: Of a table: whether it holds the numbers of a chart.
        outer: Of a table: the one in whose cell it stands.
        labels: Of a picture: texts upon it.
    """

    kind: str
    place: Place = field(default_factory=Place)
    text: str = ""
    level: int = 0
    table: CellTable | None = None
    caption: str = ""
    notes: list[str] = field(default_factory=list)
    image: str = ""
    chart: bool = False
    outer: Piece | None = None
    labels: list[str] = field(default_factory=list)


class PieceReader:
    """Reads the items of a document once each, whatever refers to them how often.

    Args:
        tree: The document.
        places: Its pages.
    """

    def __init__(self, tree: DoclingTree, places: Places) -> None:
        self.tree, self.places = tree, places
        self.pieces: list[Piece] = []
        self.title = ""
        self.running: dict[str, dict[str, None]] = {"header": {}, "footer": {}}
        """Texts of page headers and footers."""
        self.num_apart = 0
        """Tables and pictures that stand in headers and footers, or are hidden."""
        self.num_added = 0
        """Items that are not in the reading order, which come last."""
        self.lost: list[str] = []
        """What could not be read."""
        self._seen: set[str] = set()
        titles = [item for ref in tree.content() if (item := tree.item(ref) or {}).get("label") == "title"]
        self._has_title = any(_layer(item) == "body" for item in titles)

    def read(self) -> None:
        """Read the furniture, then the body, then what neither of them leads to."""
        self._walk("#/furniture", in_furniture=True)
        self._walk("#/body")
        for reference in self.tree.content():
            if reference not in self._seen:
                before = len(self.pieces)
                self._walk(reference)
                self.num_added += len(self.pieces) > before

    def _walk(self, root: str, *, in_furniture: bool = False) -> None:
        """Visit an item and all below it, without recursion: files may be nested at will."""
        stack: list[tuple[str, Piece | None]] = [(root, None)]
        while stack:
            reference, within = stack.pop()
            item = self.tree.item(reference)
            if item is None or reference in self._seen:
                continue
            self._seen.add(reference)
            layer = "furniture" if in_furniture else _layer(item)
            inner = self._visit(reference, item, layer, within)
            children = self.tree.references(item, "children")
            stack += [(child, inner) for child in reversed(children)]

    def _visit(self, reference: str, item: dict[str, Any], layer: str, within: Piece | None) -> Piece | None:
        """Take up one item.

        Returns:
            The table or picture that its children stand in.
        """
        name = kind_of_reference(reference)
        if name in ("tables", "pictures"):
            if layer not in ("body", "notes"):
                self.num_apart += 1
                return within
            return self._table(item, within) if name == "tables" else self._picture(item, within)
        if name in _GRAPHS:
            for text in self._graph(item):
                self._put(Piece(kind="text", text=text, place=self.places.place(item)), within)
        elif item.get("label") == "inline":
            self._text(item, self._inline(item), layer, within)
        elif name not in ("groups", "body", "furniture"):
            self._text(item, self._own_text(item), layer, within)
        return within

    def _text(self, item: dict[str, Any], text: str, layer: str, within: Piece | None) -> None:
        label = item.get("label")
        label = label if isinstance(label, str) else ""
        if label in _RUNNING or layer == "furniture":
            running = _RUNNING.get(label, "")
            if running and text.strip():
                self.running[running][" ".join(text.split())] = None
            elif label == "title" and not self._has_title:
                self.title = self.title or " ".join(text.split())
            return
        if layer not in ("body", "notes") or label == "empty_value":
            return
        kind = "note" if layer == "notes" else _KINDS.get(label, "text")
        level = 0
        if kind == "heading" and label == "title":
            level = 1
            self.title = self.title or " ".join(text.split())
        elif kind == "heading":
            level = min(max(whole_of(item, "level") or 1, 1), 8) + self._has_title
        elif kind == "list" and item.get("enumerated") is True and text.strip():
            text = f"{text_of(item, 'marker')} {text}".strip()
        text = _BOXES.get(label, "") + text
        self._put(Piece(kind=kind, text=text, level=level, place=self.places.place(item)), within)

    def _put(self, piece: Piece, within: Piece | None) -> None:
        """Add a text. The cells of a table hold theirs already; those upon a picture describe it."""
        if within is None:
            self.pieces.append(piece)
        elif within.kind == "picture" and piece.text.strip():
            within.labels.append(piece.text)

    def _own_text(self, item: dict[str, Any]) -> str:
        """The text of an item; where it has none, that of the pieces of which its line is made."""
        text = text_of(item, "text")
        if text.strip():
            return text
        first = next(iter(self.tree.references(item, "children")), None)
        group = self.tree.item(first) if first is not None and first not in self._seen else None
        if first is not None and group is not None and group.get("label") == "inline":
            self._seen.add(first)
            return self._inline(group)
        return text_of(item, "orig")

    def _inline(self, group: dict[str, Any]) -> str:
        """One line of text out of its pieces, each of which is set or linked in its own way."""
        texts: list[str] = []
        stack = self.tree.references(group, "children")[::-1]
        while stack:
            reference = stack.pop()
            item = self.tree.item(reference) or {}
            if reference in self._seen or kind_of_reference(reference) not in ("texts", "groups"):
                continue  # what is no text follows as an item of its own
            self._seen.add(reference)
            texts.append(text_of(item, "text") or text_of(item, "orig"))
            stack += self.tree.references(item, "children")[::-1]
        return _NO_BLANK_BEFORE.sub("", " ".join(filter(None, map(str.strip, texts))))

    def _table(self, item: dict[str, Any], within: Piece | None) -> Piece | None:
        place = self.places.place(item)
        table = self._cells(object_of(item, "data"), place)
        if table is None:
            return within
        if item.get("label") == "document_index":
            for row in table.cells:
                self._put(Piece(kind="text", text=" ".join(filter(None, row)), place=place), within)
            return within
        piece = Piece(kind="table", table=table, place=place, outer=within, image=_image(item))
        self._with_caption(piece, item)
        return piece

    def _picture(self, item: dict[str, Any], within: Piece | None) -> Piece:
        place = self.places.place(item)
        piece = Piece(kind="picture", place=place, text=_description(item), image=_image(item))
        inner = within if within is not None and within.kind == "table" else None
        piece.outer = inner
        self._with_caption(piece, item)
        for chart in _charts(item):
            table = self._cells(object_of(chart, "chart_data"), place)
            if table is not None:
                title = text_of(chart, "title")
                self.pieces.append(
                    Piece(kind="table", table=table, place=place, caption=title, chart=True, outer=inner)
                )
        return piece

    def _with_caption(self, piece: Piece, item: dict[str, Any]) -> None:
        """Add a table or picture, its caption before it or behind it and its footnotes, where none of them
        has a place of its own further up."""
        captions = self._beside(item, "captions", "caption")
        notes = self._beside(item, "footnotes", "note")
        piece.caption = " ".join(" ".join(caption.text.split()) for caption, _ in captions)
        piece.notes = [" ".join(note.text.split()) for note, _ in notes]
        new = [caption for caption, is_new in captions if is_new]
        if piece.kind == "table":
            self.pieces += new
        self.pieces.append(piece)
        if piece.kind == "picture":
            self.pieces += new
        self.pieces += [note for note, is_new in notes if is_new]

    def _beside(self, item: dict[str, Any], key: str, kind: str) -> list[tuple[Piece, bool]]:
        """The texts that a table or picture refers to, and whether none of them was read before."""
        found = []
        for reference in self.tree.references(item, key):
            if kind_of_reference(reference) != "texts":
                continue  # a table or picture comes in its own place
            text = self.tree.item(reference) or {}
            is_new = reference not in self._seen
            self._seen.add(reference)
            said = self._own_text(text)
            if said.strip():
                found.append((Piece(kind=kind, text=said, place=self.places.place(text)), is_new))
        return found

    def _cells(self, data: dict[str, Any], place: Place) -> CellTable | None:
        try:
            table = read_cells(data, lambda entry: self.places.bounds(entry, place.page))
        except UserError as error:
            self.lost.append(str(error))
            return None
        if table is not None and table.num_lost:
            self.lost.append(f"{table.num_lost} cells of a table stand outside it and are left out")
        return table

    def _graph(self, item: dict[str, Any]) -> Iterator[str]:
        """Pairs of key and value that are no items of their own."""
        graph = object_of(item, "graph")
        cells = {
            number: cell
            for cell in list_of(graph, "cells")
            if isinstance(cell, dict) and (number := whole_of(cell, "cell_id")) is not None
        }
        paired: set[int] = set()
        for link in list_of(graph, "links"):
            if not isinstance(link, dict) or link.get("label") != "to_value":
                continue
            key, value = whole_of(link, "source_cell_id"), whole_of(link, "target_cell_id")
            if key in cells and value in cells and not self._is_item(cells[key], cells[value]):
                paired |= {key, value}  # type: ignore[arg-type]
                yield f"{text_of(cells[key], 'text').strip()}: {text_of(cells[value], 'text').strip()}"  # type: ignore[index]
        yield from (
            text_of(cell, "text")
            for number, cell in cells.items()
            if number not in paired and not self._is_item(cell)
        )

    def _is_item(self, *cells: dict[str, Any]) -> bool:
        """Whether all of them are texts of the document too."""
        references = [reference_of(cell.get("item_ref")) for cell in cells]
        return all(ref is not None and self.tree.item(ref) is not None for ref in references)


def description(piece: Piece) -> str:
    """What describes a picture: what somebody said of it, and what is written upon it."""
    return " ".join(filter(None, [piece.text, " ".join(piece.labels)[:_MAX_LABELS]]))


def _layer(item: dict[str, Any]) -> str:
    """``body`` where the item does not say: files before version 1.1 do not."""
    layer = item.get("content_layer")
    return layer if isinstance(layer, str) else "body"


def _image(item: dict[str, Any]) -> str:
    return text_of(object_of(item, "image"), "uri")


def _description(item: dict[str, Any]) -> str:
    told = text_of(object_of(object_of(item, "meta"), "description"), "text")
    said = [text_of(one, "text") for one in _annotations(item, "description")]
    return next((text for text in (told, *said) if text.strip()), "")


def _charts(item: dict[str, Any]) -> list[dict[str, Any]]:
    chart = object_of(object_of(item, "meta"), "tabular_chart")
    return [chart] if chart else _annotations(item, "tabular_chart_data")


def _annotations(item: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [one for one in list_of(item, "annotations") if isinstance(one, dict) and one.get("kind") == kind]
