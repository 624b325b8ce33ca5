"""FinQA: numerical questions over pages of annual reports; the published parts of it.

The pages of one report make one document, in the order of their numbers. There is no official split of the
questions with programs, so the splits are made here: a report with any official dev question is dev as a
whole, so that none of those is ever trained on; of the other reports, half of the companies go to train and
half to test, drawn by a hash of the company's symbol. No report stands in two splits, and no company in train
and test.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path

from tabrag.data.card import Card
from tabrag.data.dataset import Dataset
from tabrag.data.finqa_programs import gold_formula
from tabrag.data.sources.base import Row, rows
from tabrag.data.sources.document_base import Asked, DocumentTables, Made, document_set, gold_of, plain_grid
from tabrag.errors import UserError
from tabrag.tables.values import parse_value
from tabrag.types import Block, Document, GoldHeaders, Page, Query, Source

NAME = "FinQA"
LICENCE = "cc-by-sa-4.0"
CITATION = "Chen et al., FinQA: A Dataset of Numerical Reasoning over Financial Data, EMNLP 2021"
URL = "https://github.com/czyssrs/FinQA"
NOTE = (
    "Parts of FinQA: 848 of the 883 official dev questions (answers only) and 451 others with programs and "
    "evidence, 20 of which are in dev too. A document holds the known pages of one annual report; pages of "
    "which only the sentences are known have them sorted (metadata.unordered_pages). Questions are judged on "
    "documents. Splits are made here: reports with official dev questions are dev; the companies of the "
    "others are train or test by a hash of their symbol. Answers of dev are values of programs: a percentage "
    "can stand as a fraction there."
)
_PAGE = re.compile(r"page_(\d+)")
_NUMBER = re.compile(r"(?<![\w.#])-?\d+(?:\.\d+)?")


def read(folder: Path, limit: int | None = None) -> Dataset:
    """Read the data set from the folder of its normalised copy; ``limit`` keeps that many documents."""
    pages: defaultdict[str, list[Row]] = defaultdict(list)
    for row in rows(folder, "documents", data_set=NAME):
        pages[row["report"]].append(row)
    for group in pages.values():
        group.sort(key=_page_number)
    place_of = {
        page["id"]: (number, page) for group in pages.values() for number, page in enumerate(group, start=1)
    }

    def made(kept: Collection[str] | None, _: Counter[str]) -> Iterator[Made]:
        for report, group in pages.items():
            if kept is None or report in kept:
                yield _document(report, group)

    bench = {row["id"]: row for row in rows(folder, "bench", data_set=NAME)}
    dev = {row["id"]: row for row in rows(folder, "dev", data_set=NAME)}
    held_out = {row["report"] for row in dev.values()}
    held_out |= {row["report"] for row in bench.values() if row["in_official_dev"]}
    questions: dict[str, list[Asked]] = {"train": [], "dev": [], "test": []}
    for row in (dev | bench).values():  # of a question in both, the one with its program
        split = "dev" if row["report"] in held_out else split_of(row["report"])
        questions[split].append(_question(row, *place_of[row["doc_id"]]))
    card = Card(name=NAME, licence=LICENCE, citation=CITATION, url=URL, note=NOTE)
    return document_set(card=card, made=made, questions=questions, limit=limit)


def split_of(report: str) -> str:
    """``train`` or ``test`` of a report that has no official dev question: the same for a company's reports.

    Args:
        report: ``SYMBOL_YEAR``.
    """
    symbol = report.rpartition("_")[0]
    return ("train", "test")[hashlib.blake2b(symbol.encode(), digest_size=1).digest()[0] % 2]


def _page_number(page: Row) -> int:
    match = _PAGE.search(page["id"])
    if match is None:
        raise UserError(f"{NAME}: the id '{page['id']}' of a page has no page_NUMBER in it")
    return int(match.group(1))


def _document(report: str, pages: list[Row]) -> Made:
    title = report.replace("_", " ")
    tables = DocumentTables(report, page_title=title)
    blocks = []
    for page in pages:
        number = _page_number(page)
        for block in page["blocks"]:
            if block["type"] == "table":
                table_id = tables.add(
                    lambda cells=block["cells"]: plain_grid(cells), page=number, page_id=page["id"]
                )
                blocks.append(Block(kind="table", table=table_id, page=number))
            else:
                blocks.append(Block(kind="text", text=block["text"], page=number))
    unordered = [str(_page_number(page)) for page in pages if not page["order_known"]]
    document = Document(
        id=report,
        title=title,
        blocks=blocks,
        pages=[Page(number=_page_number(page)) for page in pages],
        source=Source(file=report),
        metadata={"unordered_pages": " ".join(unordered)} if unordered else {},
    )
    return Made(id=report, document=lambda: document, tables=tables)


def _question(row: Row, number: int, page: Row) -> Asked:
    kinds = {key.partition("_")[0] for key in row.get("evidence") or ()}
    evidence = "both" if len(kinds) > 1 else next(iter(kinds), "")
    query = Query(id=row["id"], text=row["question"], answers=list(row["answers"]), evidence=evidence)
    table_id = f"{row['report']}#t{number}"
    return Asked(document_id=row["report"], query=query, gold=lambda: _gold(row, table_id, page))


def _gold(row: Row, table_id: str, page: Row) -> GoldHeaders | None:
    """The evidence rows, in them the cells with the numbers of the program, and the program as a formula.

    The rows are those of FinQA's form, which joins the header rows into one: from the last row up they are
    those of the printed table.
    """
    if not row.get("program"):
        return None
    table = next(block for block in page["blocks"] if block["type"] == "table")
    cells = table["cells"]
    shift = len(cells) - len(table["cells_finqa"])
    gold_rows = [
        int(key.removeprefix("table_")) + shift for key in row["evidence"] if key.startswith("table_")
    ]
    operands = {abs(float(text)) for text in _NUMBER.findall(row["program"])}
    facts = [
        (line, col)
        for line in gold_rows
        if 0 <= line < len(cells)
        for col, text in enumerate(cells[line])
        if (value := parse_value(text)) is not None and abs(value.number) in operands
    ]
    gold = gold_of(plain_grid(cells), row["id"], table_id, facts, rows=gold_rows)
    gold = gold or GoldHeaders(query_id=row["id"], table_id=table_id)
    with suppress(UserError):  # a program that names a row by another name than the table
        gold.formula = gold_formula(row["program"], table["cells_finqa"]).text
    return gold
