"""Where the words of a table stand: column widths, line breaks, row heights. Lengths are pixels.

Columns are as wide as their words need and no wider than reads well; long texts wrap. A merged region widens its
columns, and makes its last row taller, when its text needs it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tabrag.tables.fonts import Face, Glyphs, drawable, get_face
from tabrag.tables.reading_order import base_is_right_to_left, visual_order
from tabrag.tables.styles import Look
from tabrag.types import Cell, Grid

# Widths in font sizes (em): a column of text, a header over narrow figures, all columns together.
_MAX_COLUMN, _MAX_HEADER, _MAX_TABLE = 22.0, 9.0, 76.0
_NUMBER = re.compile(
    r"[-+−–(<>≤≥~≈]*\s*[$€£¥]?\s*[-+−–]?[\d.,\s']*\d[\d.,\s']*\s*[%‰)*†‡\]]*|[-–—−.…]+|n/?a", re.I
)
# A word may be cut behind these, and before or behind a character of a script without blanks.
_BREAK_BEHIND = set("-/,;:._|\\")


@dataclass(slots=True)
class PlacedWord:
    """A word with its ink and the pen position (left end of the baseline)."""

    text: str
    glyphs: Glyphs
    x: int
    y: int
    cell: Cell | None


@dataclass(slots=True)
class Block:
    """A text broken into lines. Each line holds (word, ink) in logical order."""

    lines: list[list[tuple[str, Glyphs]]]
    right_to_left: bool

    def line_width(self, line: int, face: Face) -> int:
        words = self.lines[line]
        return sum(glyphs.advance for _, glyphs in words) + face.space * max(0, len(words) - 1)


@dataclass(slots=True)
class CellBox:
    """A printed cell (the whole merged region) and its text."""

    row: int
    col: int
    last_row: int
    last_col: int
    face: Face
    words: list[list[str]]
    """Paragraphs of words."""
    block: Block = field(default_factory=lambda: Block([], False))
    right_aligned: bool = False
    centred: bool = False


@dataclass(slots=True)
class Layout:
    """Edges of the columns and rows (one more than there are), and the cells."""

    x_edges: list[int]
    y_edges: list[int]
    cells: list[CellBox]


def lay_out(grid: Grid, look: Look) -> Layout:
    """Find the size of every row and column and break every text into lines."""
    cells = list(_cell_boxes(grid, look))
    _align(grid, cells)
    padding = 2 * look.pad_x
    widths = _column_widths(cells, grid, look, padding)
    x_edges = _edges(widths)
    for cell in cells:
        width = x_edges[cell.last_col + 1] - x_edges[cell.col] - padding
        cell.block = wrap(cell.words, cell.face, width)
    heights = _row_heights(cells, grid.num_rows, look)
    return Layout(x_edges, _edges(heights), cells)


def split_words(text: str) -> list[list[str]]:
    """Paragraphs of words; words without ink are left out."""
    paragraphs = [[word for word in line.split() if drawable(word)] for line in text.splitlines()]
    return [words for words in paragraphs if words]


def wrap(paragraphs: Sequence[Sequence[str]], face: Face, width: int) -> Block:
    """Break paragraphs into lines of at most `width` pixels; a wider word is cut."""
    right_to_left = base_is_right_to_left(word for words in paragraphs for word in words)
    lines: list[list[tuple[str, Glyphs]]] = []
    for words in paragraphs:
        line: list[tuple[str, Glyphs]] = []
        used = 0
        for word in words:
            for piece, glyphs in _pieces(word, face, width, right_to_left):
                needed = glyphs.advance + (face.space if line else 0)
                if line and used + needed > width:
                    lines.append(line)
                    line, used, needed = [], 0, glyphs.advance
                line.append((piece, glyphs))
                used += needed
        lines.append(line)
    return Block(lines, right_to_left)


def place(
    block: Block, face: Face, *, left: int, right: int, top: int, cell: Cell | None, align: str
) -> Iterator[PlacedWord]:
    """Give each word of a block its place between `left` and `right`, in logical order.

    Args:
        block: The lines.
        face: Their font.
        left: Left end of the space, pixels.
        right: Right end of the space, pixels.
        top: Upper end of the first line, pixels.
        cell: Which cell the words belong to.
        align: ``left``, ``right`` or ``centre``; ``left`` becomes ``right`` for right-to-left text.
    """
    if block.right_to_left and align == "left":
        align = "right"
    baseline = top + face.ascent
    for index, line in enumerate(block.lines):
        free = right - left - block.line_width(index, face)
        pen = left + {"left": 0, "centre": max(free, 0) // 2, "right": free}[align]
        places = [0] * len(line)
        for position in visual_order([word for word, _ in line], block.right_to_left):
            places[position] = pen
            pen += line[position][1].advance + face.space
        for (word, glyphs), x in zip(line, places, strict=True):
            yield PlacedWord(word, glyphs, x, baseline, cell)
        baseline += face.ascent + face.descent


def block_height(block: Block, face: Face) -> int:
    return len(block.lines) * (face.ascent + face.descent)


def is_number(text: str) -> bool:
    """Whether a cell prints a figure (or a mark for a missing one), so that it stands at the right."""
    return _NUMBER.fullmatch(text.strip()) is not None


def _cell_boxes(grid: Grid, look: Look) -> Iterator[CellBox]:
    style = look.style
    plain, bold = (get_face(style.family, look.font_size, bold=heavy) for heavy in (False, True))
    regions = {
        (first_row, first_col): (last_row, last_col)
        for first_row, last_row, first_col, last_col in grid.merged
    }
    covered = {
        (row, col)
        for first_row, last_row, first_col, last_col in grid.merged
        for row in range(first_row, last_row + 1)
        for col in range(first_col, last_col + 1)
    } - regions.keys()
    for row, texts in enumerate(grid.cells):
        for col, text in enumerate(texts):
            if (row, col) in covered:
                continue
            last_row, last_col = regions.get((row, col), (row, col))
            top, side = row < grid.num_header_rows, col < grid.num_header_cols
            heavy = style.header_bold if top else side and style.side_bold
            yield CellBox(row, col, last_row, last_col, bold if heavy else plain, split_words(text))


def _align(grid: Grid, cells: list[CellBox]) -> None:
    """Figures stand at the right, in columns that are mostly figures; so do the headers over them."""
    figures, texts = [0] * grid.num_cols, [0] * grid.num_cols
    for cell in cells:
        if cell.row >= grid.num_header_rows and cell.words and cell.col == cell.last_col:
            counts = figures if is_number(" ".join(cell.words[0])) else texts
            counts[cell.col] += 1
    for cell in cells:
        numeric = figures[cell.col] > texts[cell.col]
        if cell.row < grid.num_header_rows:
            cell.centred = cell.last_col > cell.col
            cell.right_aligned = numeric and not cell.centred
        elif cell.col >= grid.num_header_cols:
            cell.right_aligned = numeric and cell.col == cell.last_col


def _column_widths(cells: list[CellBox], grid: Grid, look: Look, padding: int) -> list[int]:
    em = look.font_size
    narrow, wide = [em] * grid.num_cols, [em] * grid.num_cols
    spanning: list[tuple[CellBox, int, int]] = []
    for cell in cells:
        if not cell.words:
            continue
        longest, total = _extent(cell)
        longest = min(longest, round(_MAX_COLUMN * em))
        limit = (
            _MAX_HEADER
            if cell.row < grid.num_header_rows and cell.col >= grid.num_header_cols
            else _MAX_COLUMN
        )
        natural = max(longest, min(total, round(limit * em)))
        if cell.last_col > cell.col:
            spanning.append((cell, longest, natural))
            continue
        narrow[cell.col] = max(narrow[cell.col], longest)
        wide[cell.col] = max(wide[cell.col], natural)
    for cell, longest, natural in spanning:
        columns = range(cell.col, cell.last_col + 1)
        between = padding * (len(columns) - 1)
        _widen(narrow, columns, longest - between)
        _widen(wide, columns, natural - between)
    return [width + padding for width in _fit(narrow, wide, round(_MAX_TABLE * em))]


def _extent(cell: CellBox) -> tuple[int, int]:
    """Width of the longest word that must stay whole, and of the longest paragraph on one line."""
    face, longest, total = cell.face, 0, 0
    for words in cell.words:
        line = -face.space
        for word in words:
            width = face.glyphs(word).advance
            longest = max(longest, width if not _is_unspaced(word) else min(width, 4 * face.size))
            line += width + face.space
        total = max(total, line)
    return longest, total


def _widen(widths: list[int], columns: range, needed: int) -> None:
    lack = needed - sum(widths[col] for col in columns)
    for index, col in enumerate(columns):
        if lack > 0:
            widths[col] += lack * (index + 1) // len(columns) - lack * index // len(columns)


def _fit(narrow: list[int], wide: list[int], limit: int) -> list[int]:
    """Natural widths where they fit; otherwise the slack above the narrowest widths is shared out."""
    wide = [max(pair) for pair in zip(narrow, wide, strict=True)]
    slack, room = sum(wide) - sum(narrow), limit - sum(narrow)
    if slack <= room or slack == 0:
        return wide
    share = max(room, 0) / slack
    return [low + int((high - low) * share) for low, high in zip(narrow, wide, strict=True)]


def _row_heights(cells: list[CellBox], num_rows: int, look: Look) -> list[int]:
    plain = get_face(look.style.family, look.font_size)
    heights = [plain.ascent + plain.descent + 2 * look.pad_y] * num_rows
    spanning = [cell for cell in cells if cell.last_row > cell.row]
    for cell in cells:
        if cell.last_row == cell.row:
            needed = block_height(cell.block, cell.face) + 2 * look.pad_y
            heights[cell.row] = max(heights[cell.row], needed)
    for cell in spanning:
        needed = block_height(cell.block, cell.face) + 2 * look.pad_y
        lack = needed - sum(heights[cell.row : cell.last_row + 1])
        if lack > 0:
            heights[cell.last_row] += lack
    return heights


def _edges(sizes: list[int]) -> list[int]:
    edges = [0]
    for size in sizes:
        edges.append(edges[-1] + size)
    return edges


def _pieces(word: str, face: Face, width: int, right_to_left: bool) -> Iterator[tuple[str, Glyphs]]:
    """The word, or the parts of it that fit the width (always at least one character each)."""
    glyphs = face.glyphs(word, right_to_left=right_to_left)
    while glyphs.advance > width and len(word) > 1:
        count = max(1, min(len(word) - 1, len(word) * max(width, 1) // glyphs.advance + 1))
        while count > 1 and face.glyphs(word[:count], right_to_left=right_to_left).advance > width:
            count -= 1
        for earlier in range(count, count // 2, -1):
            if word[earlier - 1] in _BREAK_BEHIND or _is_unspaced(word[earlier - 1 : earlier + 1]):
                count = earlier
                break
        if not drawable(word[:count]) or not drawable(word[count:]):
            break
        yield word[:count], face.glyphs(word[:count], right_to_left=right_to_left)
        word = word[count:]
        glyphs = face.glyphs(word, right_to_left=right_to_left)
    yield word, glyphs


def _is_unspaced(text: str) -> bool:
    """Whether the text is of a script that is written without blanks (Chinese, Japanese, Thai, Khmer, Lao)."""
    return any(
        "\u2e80" <= c <= "\u9fff"
        or "\uf900" <= c <= "\uffef"
        or "\u0e00" <= c <= "\u0eff"
        or c >= "\U00020000"
        for c in text
    )
