"""Questions of ``files.jsonl``: whether a run ranks the right file and the right table first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tabrag.data.records import query_to_record
from tabrag.errors import UserError
from tabrag.evaluation.fact_places import places
from tabrag.evaluation.files_report import FileRead, document_of
from tabrag.evaluation.table_facts import cells_at, has_row, plain
from tabrag.files import write_jsonl
from tabrag.types import Query, Run, Table

CUTS = (1, 3, 10)


def questions_of(records: Sequence[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any], Query]]:
    """Path, question and query of each question; the query's id is ``PATH#q1``, ``PATH#q2``..."""
    for record in records:
        for number, question in enumerate(record.get("questions") or [], start=1):
            answers = [str(question["answer"]), *map(str, question.get("accept") or [])]
            query = Query(id=f"{record['path']}#q{number}", text=question["question"], answers=answers)
            yield record["path"], question, query


def write_queries(records: Sequence[dict[str, Any]], path: str | Path) -> int:
    """Write the questions as a file for ``infer/retrieve.py --queries``; return how many."""
    return write_jsonl(path, (query_to_record(query) for _, _, query in questions_of(records)))


def right_tables(tables: Sequence[Table], question: dict[str, Any]) -> list[str]:
    """Ids of the tables that hold the answer's cell.

    A table whose cell says exactly the answer goes before one whose cell holds it among other words, and that
    before one that has the column and the row alone (an answer may be made of several cells).
    """
    cell = question["cell"]
    column, row = cell.get("column"), cell.get("row")
    answers = [plain(str(text)) for text in [question["answer"], *(question.get("accept") or [])]]
    meant = places(tables, page=cell.get("page"), where=cell.get("where"))
    texts = {table.id: [plain(text) for _, text in cells_at(table, column, row)] for table in meant}
    exact = [item for item, found in texts.items() if any(text in answers for text in found)]
    if exact:
        return exact
    inside = [item for item, found in texts.items() if any(one in text for text in found for one in answers)]
    if inside:
        return inside
    labels = [[label] for label in row or []] or [None]
    return [
        table.id
        for table in meant
        if any(cells_at(table, column, None)) and all(has_row(table, label) for label in labels)
    ]


def rank_questions(
    records: Sequence[dict[str, Any]], read: Callable[[str], FileRead], run: Run
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Shares of the questions whose right file and right table are among the first of a run.

    Files are ranked by their first candidate. A question without a known cell counts for files alone; one
    whose right table was not found in its file counts as a table that is missed.

    Returns:
        ``file@1``, ``table@1`` and so on with the numbers of questions, in all and per kind; and one row a
        question: ranks (1-based, None where absent) and what stood first.

    Raises:
        UserError: The run lacks a question.
    """
    rows: list[dict[str, Any]] = []
    kinds = {record["path"]: record["kind"] for record in records}
    for path, question, query in questions_of(records):
        if query.id not in run:
            raise UserError(f"the run has no query '{query.id}': retrieve for the file of --queries again")
        items = [candidate.item_id for candidate in run[query.id]]
        files = list(dict.fromkeys(map(document_of, items)))
        tables = [item for item in items if document_of(item) != item]
        row = {"query_id": query.id, "kind": kinds[path], "question": query.text}
        row |= {"file_rank": _rank(files, [path]), "first_file": files[0] if files else None}
        if "cell" in question:
            right = right_tables(read(path).tables, question)
            row |= {"tables": right, "table_rank": _rank(tables, right)}
            row["first_table"] = tables[0] if tables else None
        rows.append(row)
    groups = {"all": rows}
    for row in rows:
        groups.setdefault(row["kind"], []).append(row)
    return {name: _shares(group) for name, group in groups.items()}, rows


def _shares(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    with_cell = [row for row in rows if "table_rank" in row]
    shares: dict[str, Any] = {"questions": len(rows), "questions_with_table": len(with_cell)}
    for what, group in (("file", rows), ("table", with_cell)):
        for cut in CUTS:
            hits = sum((row[f"{what}_rank"] or cut + 1) <= cut for row in group)
            shares[f"{what}@{cut}"] = round(hits / max(len(group), 1), 4)
    shares["table_not_read"] = sum(not row["tables"] for row in with_cell)
    return shares


def _rank(items: Sequence[str], wanted: Sequence[str]) -> int | None:
    return next((rank for rank, item in enumerate(items, start=1) if item in wanted), None)
