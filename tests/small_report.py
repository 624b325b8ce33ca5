"""A small report with a table, pictures and headings, that the tests of representations of parts share."""

from __future__ import annotations

from pathlib import Path

from noise import noise

from tabrag.data.card import Card
from tabrag.data.folder import write_documents, write_folder
from tabrag.tables.grid import make_grid
from tabrag.types import Block, Document, Page, Query, Table

TABLE = "r.pdf#t1"


def table(num_rows: int = 3) -> Table:
    """Sales by year."""
    rows = [[f"lemon {number}", str(10 + number), str(20 + number)] for number in range(num_rows)]
    cells = [["fruit", "2019", "2020"], *rows]
    return Table(
        id=TABLE,
        title="Table 1: Sales",
        page_title="Fruit report",
        grid=make_grid(cells, num_header_rows=1, num_header_cols=1),
        document="r.pdf",
    )


def report(*, layout: str = "", pages: bool = True) -> Document:
    """Three pages; the third one has a picture and no block."""
    low, high = (0, 0, 1000, 400), (0, 500, 1000, 1000)
    blocks = [
        Block(kind="heading", text="Trade", level=1, page=1, box=low),
        Block(kind="text", text="Fruit sold well. Lemons did not.", page=1, box=low),
        Block(kind="caption", text="Table 1: Sales", page=1, box=high),
        Block(kind="table", table=TABLE, page=1, box=high),
        Block(kind="heading", text="Prices", level=2, page=2),
        Block(kind="text", text="Figure 1 shows a fall. It ended.", page=2, box=low),
        Block(kind="picture", image="images/logo.png", text="ACME", page=2, box=high, decoration=True),
        Block(kind="picture", image="images/chart.png", text="EUR 4", page=2, box=high),
        Block(kind="caption", text="Figure 1: Price of lemons", page=2, box=high),
        Block(kind="text", text="Nobody knows why.", page=2, box=high),
    ]
    if not pages:
        for block in blocks:
            block.page = None
    numbers = range(1, 4) if pages else ()
    return Document(
        id="r.pdf",
        title="Fruit report",
        blocks=blocks,
        pages=[
            Page(number=number, image=f"pages/{number}.png" if number > 1 else None) for number in numbers
        ],
        layout=layout,
    )


def write(path: Path, document: Document | None = None, *, num_rows: int = 3) -> Path:
    """A data set folder of the report with its pictures."""
    queries = [Query(id="q1", text="price of lemons in figure 1")]
    card = Card(name="Report", licence="mit", citation="Nobody, 2020", url="https://example.org")
    write_folder(
        path, tables=[table(num_rows)], queries=queries, qrels={"dev": {"q1": {"r.pdf": 1}}}, card=card
    )
    for name in ("images/logo.png", "images/chart.png", "pages/2.png", "pages/3.png"):
        (path / name).parent.mkdir(exist_ok=True)
        noise((40, 30), len(name)).convert("RGB").save(path / name)
    write_documents(path, [document or report()])
    return path
