"""MultiHiertt: pages of annual reports with several hierarchical tables and text, without questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from tabrag.data.card import Card
from tabrag.data.dataset import Dataset
from tabrag.data.sources.base import Row, rows
from tabrag.data.sources.document_base import DocumentTables, Made, document_set
from tabrag.tables.grid import Region, make_grid
from tabrag.tables.headers import infer_headers
from tabrag.tables.values import parse_value
from tabrag.types import Block, Document, Grid, Source

NAME = "MultiHiertt"
LICENCE = "mit"
CITATION = (
    "Zhao et al., MultiHiertt: Numerical Reasoning over Multi Hierarchical Tabular and Textual Data, ACL 2022"
)
URL = "https://github.com/psunlpgroup/MultiHiertt"
NOTE = (
    "Documents without questions: a corpus of tables and text to be told apart from the relevant ones. Cells "
    "that the source repeats under a span are merged again, cells that it leaves empty are filled by rule; "
    "header rows and columns are found by rule. Text before the first table is missing in the source."
)


def read(folder: Path, limit: int | None = None) -> Dataset:
    """Read the documents from the folder of the normalised copy; ``limit`` keeps that many."""

    def made(kept: Collection[str] | None, repairs: Counter[str]) -> Iterator[Made]:
        for row in rows(folder, "documents", data_set=NAME):
            if kept is None or row["id"] in kept:
                yield _document(row, repairs)

    card = Card(name=NAME, licence=LICENCE, citation=CITATION, url=URL, note=NOTE)
    return document_set(card=card, made=made, questions={}, limit=limit)


def spelled_out_spans(cells: Sequence[Sequence[str]], num_header_rows: int) -> list[Region]:
    """Regions of texts that a source repeats in each cell of a span.

    - Header rows: equal neighbours in a row are one region, up to where the row above begins another one; a
      text that fills all columns but the first (a unit) is one region all the same. Equal regions below each
      other are one.
    - Body rows: a label that stands in the first column and again in those next to it.

    Args:
        cells: Texts, row by row, all rows of one length.
        num_header_rows: Header rows at the top.
    """
    width = len(cells[0])
    regions: list[Region] = []
    above = [0] * width  # the first column of the run that each column belongs to
    for row in range(num_header_rows):
        first_of = list(range(width))
        fills = len(set(cells[row][1:])) == 1
        for col in range(1, width):
            is_same = cells[row][col].strip() != "" and cells[row][col] == cells[row][col - 1]
            is_cut = above[col] != above[col - 1] and not (fills and col > 1)
            if is_same and not is_cut:
                first_of[col] = first_of[col - 1]
        for first in sorted(set(first_of)):
            last = max(col for col in range(width) if first_of[col] == first)
            over = next((r for r in regions if r[1] == row - 1 and r[2:] == (first, last)), None)
            is_text = cells[row][first].strip() != ""
            if over is not None and is_text and cells[row][first] == cells[row - 1][first]:
                regions[regions.index(over)] = (over[0], row, first, last)
            else:
                regions.append((row, row, first, last))
        above = first_of
    for row in range(num_header_rows, len(cells)):
        label, last = cells[row][0], 0
        if label.strip() and parse_value(label) is None:
            while last + 1 < width and cells[row][last + 1] == label:
                last += 1
        regions.append((row, row, 0, last))
    return [region for region in regions if region[0] < region[1] or region[2] < region[3]]


def _document(row: Row, repairs: Counter[str]) -> Made:
    tables = DocumentTables(row["id"])
    blocks = []
    for block in row["blocks"]:
        if block["type"] == "table":
            table_id = tables.add(lambda cells=block["cells"]: _grid(cells, repairs))
            blocks.append(Block(kind="table", table=table_id))
        elif block["text"].strip():
            blocks.append(Block(kind="text", text=block["text"]))
    document = Document(
        id=row["id"],
        blocks=blocks,
        source=Source(file=row["id"]),
        metadata={"examples": " ".join(row["examples"]), "split": row["split"]},
    )
    return Made(id=row["id"], document=lambda: document, tables=tables)


def _grid(cells: list[list[str]], repairs: Counter[str]) -> Grid:
    num_header_rows = infer_headers(make_grid(cells), fill_right=True).num_header_rows
    spans = spelled_out_spans(cells, num_header_rows)
    if spans:
        repairs["tables with repeated texts merged into spans"] += 1
    return infer_headers(make_grid(cells, merged=spans), fill_right=True)
