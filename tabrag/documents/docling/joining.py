"""Tables of a ``DoclingDocument`` that run over pages: Docling keeps their parts apart."""

from __future__ import annotations

from dataclasses import replace

from tabrag.documents.docling.pieces import Piece
from tabrag.documents.joins import TablePart, is_continued, try_join, without_continued
from tabrag.documents.page_content import PageTable


def join_pieces(pieces: list[Piece]) -> tuple[list[Piece], list[str]]:
    """Append the parts of tables to their first ones.

    A part stands on the page after, with nothing between the two but a caption that says the table goes on,
    or says the same again.

    Args:
        pieces: In reading order; tables among them are changed in place.

    Returns:
        The pieces without the parts that were joined and their captions; what was not joined though it
        follows directly.
    """
    kept: list[Piece] = []
    notes: list[str] = []
    last: tuple[Piece, TablePart] | None = None
    between: list[Piece] = []
    for piece in pieces:
        part = _part(piece)
        if part is None:
            last = None if piece.kind in ("table", "picture") else last
            between.append(piece)
            kept.append(piece)
            continue
        if last is not None and part.page == last[1].last_page + 1:
            said = _said_again(between, last[0])
            if said is not None:
                joined, note = try_join(last[1], part, said_continued=said)
                notes += [note] if note else []
                if joined:
                    gone = set(map(id, between))
                    kept = [other for other in kept if id(other) not in gone]
                    _grow(last[0], last[1], piece)
                    between = []
                    continue
        kept.append(piece)
        last, between = (piece, part), []
    return kept, notes


def _part(piece: Piece) -> TablePart | None:
    """A table as a part; None for other pieces, and where its page is not known."""
    table, place = piece.table, piece.place
    if table is None or place.page is None or piece.chart or piece.outer is not None:
        return None
    page_table = PageTable(
        box=place.bounds or (0.0, 0.0, 0.0, 0.0),
        cells=table.cells,
        merged=table.merged,
        col_edges=table.col_edges,
    )
    return TablePart(
        page_table,
        place.page,
        place.last_page or place.page,
        stands_out=table.num_header_rows is not None,
        last_edges=table.col_edges,
    )


def _said_again(between: list[Piece], table: Piece) -> bool | None:
    """Whether captions between two parts say that the table goes on; None where other text parts them."""
    said = False
    for piece in between:
        text = " ".join(piece.text.split())
        if piece.kind not in ("caption", "text", "heading") or not is_continued(text):
            if piece.kind != "caption" or text != table.caption:
                return None
            continue
        again, caption = without_continued(text), without_continued(table.caption)
        if not caption.startswith(again) or (again and caption[len(again) :][:1].isalnum()):
            return None
        said = True
    return said


def _grow(piece: Piece, part: TablePart, lower: Piece) -> None:
    if piece.table is not None:
        piece.table.cells, piece.table.merged = part.table.cells, part.table.merged
    piece.place = replace(piece.place, last_page=part.last_page)
    piece.notes += [note for note in lower.notes if note not in piece.notes]
