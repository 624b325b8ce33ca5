"""TAT-QA: questions over tables and paragraphs of annual reports; dev and test.

All contexts (a table and its paragraphs) of one report make one document, in the order of the file. The
official split is that of the contexts, so most documents have questions of both.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

from tabrag.chat.calculator import CalculatorError
from tabrag.chat.formula import read_formula
from tabrag.data.card import Card
from tabrag.data.dataset import Dataset
from tabrag.data.sources.base import Row, rows
from tabrag.data.sources.document_base import (
    EVIDENCE,
    Asked,
    DocumentTables,
    Made,
    document_set,
    gold_of,
    plain_grid,
)
from tabrag.types import Block, Document, GoldHeaders, Grid, Query, Source

NAME = "TAT-QA"
LICENCE = "cc-by-4.0"
CITATION = (
    "Zhu et al., TAT-QA: A Question Answering Benchmark on a Hybrid of Tabular and Textual Content in "
    "Finance, ACL 2021"
)
URL = "https://github.com/NExTplusplus/TAT-QA"
NOTE = (
    "A document holds all contexts of one annual report: most documents have questions of dev and of test. "
    "A table stands before its paragraphs: the source does not say its place. Questions are judged on "
    "documents. Answers are as the source writes them; a percentage has its sign, other scales are those of "
    "the table. Gold cells are the source's facts, which only test has; formulas are its derivations."
)
SPLITS = ("dev", "test")


def read(folder: Path, limit: int | None = None) -> Dataset:
    """Read the data set from the folder of its normalised copy; ``limit`` keeps that many documents."""
    contexts = _contexts(folder)
    place_of = {
        context["id"]: (document_id, number)
        for document_id, group in contexts.items()
        for number, context in enumerate(group, start=1)
    }

    def made(kept: Collection[str] | None, _: Counter[str]) -> Iterator[Made]:
        for document_id, group in contexts.items():
            if kept is None or document_id in kept:
                yield _document(document_id, group)

    cells_of = {
        context["id"]: _table_of(context)["cells"] for group in contexts.values() for context in group
    }

    @cache
    def grid_of(context_id: str) -> Grid:
        return plain_grid(cells_of[context_id], num_header_cols=1)

    questions = {
        split: [
            _question(row, *place_of[row["doc_id"]], grid_of) for row in rows(folder, split, data_set=NAME)
        ]
        for split in SPLITS
    }
    card = Card(name=NAME, licence=LICENCE, citation=CITATION, url=URL, note=NOTE)
    return document_set(card=card, made=made, questions=questions, limit=limit)


def _contexts(folder: Path) -> dict[str, list[Row]]:
    """Report -> its contexts; a context whose report is not known is a document of its own."""
    contexts: defaultdict[str, list[Row]] = defaultdict(list)
    for row in rows(folder, "documents", data_set=NAME):
        contexts[row["report"] or row["id"]].append(row)
    return dict(contexts)


def _document(document_id: str, contexts: list[Row]) -> Made:
    title = document_id.replace("_", " ").replace("-", " ") if contexts[0]["report"] else ""
    tables = DocumentTables(document_id, page_title=title)
    blocks = []
    for context in contexts:
        cells = _table_of(context)["cells"]
        table_id = tables.add(lambda cells=cells: plain_grid(cells, num_header_cols=1), context=context["id"])
        blocks.append(Block(kind="table", table=table_id))
        paragraphs = [block for block in context["blocks"] if block["type"] == "paragraph"]
        blocks += [Block(kind="text", text=block["text"]) for block in paragraphs]
    document = Document(id=document_id, title=title, blocks=blocks, source=Source(file=document_id))
    return Made(id=document_id, document=lambda: document, tables=tables)


def _table_of(context: Row) -> Row:
    return next(block for block in context["blocks"] if block["type"] == "table")


def _question(row: Row, document_id: str, number: int, grid_of: Callable[[str], Grid]) -> Asked:
    answers = [str(answer) for answer in row["answers"]]
    if row["scale"] == "percent":
        answers = [answer if "%" in answer else f"{answer}%" for answer in answers]
    query = Query(
        id=row["id"], text=row["question"], answers=answers, evidence=EVIDENCE.get(row["answer_from"], "")
    )
    table_id = f"{document_id}#t{number}"
    return Asked(document_id=document_id, query=query, gold=lambda: _gold(row, table_id, grid_of))


def _gold(row: Row, table_id: str, grid_of: Callable[[str], Grid]) -> GoldHeaders | None:
    facts = [tuple(mapping["table"]) for mapping in row.get("mappings") or [] if "table" in mapping]
    gold = gold_of(grid_of(row["doc_id"]), row["id"], table_id, facts) if facts else None
    if row["answer_type"] == "arithmetic":
        with suppress(CalculatorError):  # some derivations are sentences
            formula = read_formula(row["derivation"]).text
            gold = gold or GoldHeaders(query_id=row["id"], table_id=table_id)
            gold.formula = formula
    return gold
