"""The faults of one line of ``corpus.jsonl``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tabrag.errors import UserError
from tabrag.files import inside

_KEYS = {
    *("_id", "title", "text", "page_title", "section", "caption", "grid", "image", "words", "boxes"),
    *("word_cells", "source", "document", "metadata"),
}
_GRID_KEYS = {"cells", "merged", "num_header_rows", "num_header_cols", "top_paths", "left_paths"}
_TEXT_KEYS = ("title", "text", "page_title", "section", "caption")


def table_faults(record: dict[str, Any], *, folder: Path, decode_images: bool) -> list[str]:
    """What is wrong with a table's record, besides its id.

    Args:
        record: The parsed line.
        folder: The data set folder, for the picture.
        decode_images: Also decode the picture.
    """
    return list(_table_faults(record, folder=folder, decode_images=decode_images))


def grid_size(record: dict[str, Any]) -> tuple[int, int] | None:
    """Rows and columns of the record's grid; None where it has none that is usable."""
    grid = record.get("grid")
    cells = grid.get("cells") if isinstance(grid, dict) else None
    if not isinstance(cells, list) or not cells or not all(isinstance(row, list) for row in cells):
        return None
    return len(cells), max(len(row) for row in cells)


def is_cell(value: Any, size: tuple[int, int] | None) -> bool:
    """Whether ``value`` is ``[row, col]`` inside a grid of this size (of any size where None)."""
    if not _is_integers(value, 2) or min(value) < 0:
        return False
    return size is None or (value[0] < size[0] and value[1] < size[1])


def _table_faults(record: dict[str, Any], *, folder: Path, decode_images: bool) -> Iterator[str]:
    yield from (f"missing key '{key}'" for key in ("title", "text") if key not in record)
    yield from (f"unknown key '{key}'; own values belong in 'metadata'" for key in record if key not in _KEYS)
    for key in _TEXT_KEYS:
        if not isinstance(record.get(key, ""), str):
            yield f"'{key}' must be a text, found {shown(record[key])}"
    if record.get("grid") is None and record.get("image") is None:
        yield "neither 'grid' nor 'image': a table needs cells, a picture, or both"
    size = grid_size(record)
    if record.get("grid") is not None:
        yield from _grid_faults(record["grid"], may_be_blank=record.get("image") is not None)
    if record.get("image") is not None:
        yield from image_faults(record["image"], folder=folder, decode=decode_images)
    yield from _word_faults(record, size)
    yield from source_faults(record.get("source"))
    if not isinstance(record.get("document") or "", str):
        yield f"'document' must be the id of a document, found {shown(record['document'])}"
    yield from metadata_faults(record.get("metadata"))


def metadata_faults(metadata: Any) -> Iterator[str]:
    """What is wrong with the metadata of a table or document."""
    if metadata is not None and not (
        isinstance(metadata, dict) and all(isinstance(value, str) for value in metadata.values())
    ):
        yield "'metadata' must be an object whose values are texts"


def source_faults(source: Any) -> Iterator[str]:
    """What is wrong with where a table or document is said to come from."""
    if source is None:
        return
    if not isinstance(source, dict):
        yield f"'source' must be an object, found {shown(source)}"
        return
    for key in ("file", "sheet"):
        if not isinstance(source.get(key) or "", str):
            yield f"'source.{key}' must be a text, found {shown(source[key])}"
    page, box = source.get("page"), source.get("box")
    if page is not None and (type(page) is not int or page < 1):
        yield f"'source.page' must be a whole number from 1 up, found {shown(page)}"
    if box is not None and not is_box(box):
        yield f"'source.box' must be [x0, y0, x1, y1] in 0..1000, found {shown(box)}"


def _grid_faults(grid: Any, *, may_be_blank: bool) -> Iterator[str]:
    if not isinstance(grid, dict):
        yield f"'grid' must be an object with 'cells', found {shown(grid)}"
        return
    yield from (f"unknown key '{key}' in 'grid'" for key in grid if key not in _GRID_KEYS)
    cells = grid.get("cells")
    if not isinstance(cells, list) or not all(isinstance(row, list) for row in cells):
        yield "'grid.cells' must be a list of rows, each a list of texts"
        return
    if not cells or not cells[0]:
        yield "empty table: 'grid.cells' has no row or no column"
        return
    num_rows, num_cols = len(cells), len(cells[0])
    for row, texts in enumerate(cells):
        if len(texts) != num_cols:
            yield f"ragged table: row {row} has {len(texts)} cells, row 0 has {num_cols}"
        for col, text in enumerate(texts):
            if not isinstance(text, str):
                yield f"cell ({row}, {col}) must be a text, found {shown(text)}"
    has_text = any(isinstance(text, str) and text.strip() for texts in cells for text in texts)
    if not has_text and not may_be_blank:  # a picture may show a drawn form that nobody has filled in
        yield "empty table: all cells are blank"
    yield from _region_faults(grid.get("merged") or [], cells)
    for key, limit in (("num_header_rows", num_rows), ("num_header_cols", num_cols)):
        value = grid.get(key, 0)
        if not _is_integers([value], 1) or not 0 <= value <= limit:
            yield f"'grid.{key}' must be a whole number in 0..{limit}, found {shown(value)}"
    for key, count in (("top_paths", num_cols), ("left_paths", num_rows)):
        paths = grid.get(key)
        if paths is None:
            continue
        if not isinstance(paths, list) or len(paths) != count:
            yield f"'grid.{key}' must hold one path for each of the {count} {_axis(key)}"
            continue
        for number, path in enumerate(paths):
            if not isinstance(path, list) or not all(is_cell(cell, (num_rows, num_cols)) for cell in path):
                yield f"'grid.{key}'[{number}] must be a list of [row, col] inside the grid"


def _region_faults(regions: Any, cells: list[list[Any]]) -> Iterator[str]:
    if not isinstance(regions, list):
        yield "'grid.merged' must be a list of [first_row, last_row, first_col, last_col]"
        return
    taken: dict[tuple[int, int], Any] = {}
    for region in regions:
        if not _is_integers(region, 4):
            yield f"merged region {shown(region)} must be [first_row, last_row, first_col, last_col]"
            continue
        first_row, last_row, first_col, last_col = region
        width = min(len(row) for row in cells)
        if not (0 <= first_row <= last_row < len(cells) and 0 <= first_col <= last_col < width):
            yield f"merged region {region} lies outside the table of {len(cells)} x {width} cells"
            continue
        places = [(r, c) for r in range(first_row, last_row + 1) for c in range(first_col, last_col + 1)]
        overlapped = next((taken[place] for place in places if place in taken), None)
        if overlapped is not None:
            yield f"merged regions {overlapped} and {region} overlap"
        taken |= dict.fromkeys(places, region)
        for row, col in places[1:]:
            if cells[row][col] not in ("", None):
                yield f"merged region {region} has text in cell ({row}, {col}), which is not its first"


def image_faults(image: Any, *, folder: Path, decode: bool) -> Iterator[str]:
    """What is wrong with the path of a picture, or with the picture: missing, empty, broken."""
    if not isinstance(image, str) or not image or "\0" in image:
        yield f"'image' must be a path relative to the folder, found {shown(image)}"
        return
    try:
        path = inside(folder, image)
    except UserError as error:
        yield str(error)
        return
    if Path(image).is_absolute():
        yield f"'image' must be a path relative to the folder, found {shown(image)}"
    elif not path.is_file():
        yield f"picture '{image}' is missing"
    elif path.stat().st_size == 0:
        yield f"picture '{image}' is empty"
    elif decode:
        from tabrag.tables.image import check_images

        yield from (f"broken picture: {reason}" for _, reason in check_images([path]))


def _word_faults(record: dict[str, Any], size: tuple[int, int] | None) -> Iterator[str]:
    words, boxes, cells = (record.get(key) for key in ("words", "boxes", "word_cells"))
    if words is None:
        if boxes is not None or cells is not None:
            yield "'boxes' or 'word_cells' without 'words'"
        return
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        yield "'words' must be a list of texts"
        return
    for key, values in (("boxes", boxes), ("word_cells", cells)):
        if values is None and key == "word_cells":
            continue
        if not isinstance(values, list) or len(values) != len(words):
            found = len(values) if isinstance(values, list) else "none"
            yield f"{len(words)} words need as many '{key}', found {found}"
    for number, box in enumerate(boxes if isinstance(boxes, list) else []):
        if not is_box(box):
            yield f"'boxes'[{number}] must be [x0, y0, x1, y1] in 0..1000, found {shown(box)}"
    for number, cell in enumerate(cells if isinstance(cells, list) else []):
        if cell is not None and not is_cell(cell, size):
            yield f"'word_cells'[{number}] must be null or [row, col] inside the grid, found {shown(cell)}"


def _is_integers(value: Any, count: int) -> bool:
    return isinstance(value, list) and len(value) == count and all(type(number) is int for number in value)


def is_box(value: Any) -> bool:
    """Whether ``value`` is ``[x0, y0, x1, y1]`` in 0..1000."""
    return _is_integers(value, 4) and 0 <= value[0] <= value[2] <= 1000 and 0 <= value[1] <= value[3] <= 1000


def _axis(key: str) -> str:
    return "columns" if key == "top_paths" else "rows"


def shown(value: Any) -> str:
    """A value as a message shows it: cut where it is long."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
