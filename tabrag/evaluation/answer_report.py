"""Figures of an answers file: how many answers are right, with the right table and without."""

from __future__ import annotations

from pathlib import Path

from tabrag.data.folder import DataFolder
from tabrag.errors import UserError
from tabrag.evaluation.answers import AnswerRules, exact_match, score_answers
from tabrag.files import read_jsonl


def evaluate_answers(
    path: str | Path, data: str | Path, *, split: str, rules: AnswerRules | None = None
) -> dict[str, float | int]:
    """Exact match of an answers file with the gold answers of a split.

    Args:
        path: Answers file, as ``infer/answer.py`` writes it.
        data: Data set folder.
        split: Which queries; those without gold answers (statements) are left out.
        rules: How answers are compared.

    Returns:
        What :func:`tabrag.evaluation.answers.score_answers` gives, over the queries of the split;
        ``right_table``, the share of them whose answer was read from a relevant table; and
        ``exact_match_right_table``, the exact match among these; 0 where there is none.

    Raises:
        UserError: A file is missing or broken, or no query of the split has an answer.
    """
    folder = DataFolder(data)
    qrels = folder.qrels(split)
    gold = {
        query_id: folder.queries[query_id].answers
        for query_id in qrels
        if query_id in folder.queries and folder.queries[query_id].answers
    }
    if not gold:
        raise UserError(f"{data}: no query of split '{split}' has an answer to compare with")
    predictions: dict[str, str] = {}
    on_right_table: list[bool] = []
    for number, row in enumerate(read_jsonl(path), start=1):
        query_id = row.get("query_id")
        if not isinstance(query_id, str) or not ("answer" in row or "error" in row):
            raise UserError(f"{path}: record {number}: no query_id, or neither answer nor error in it")
        if query_id not in gold or "error" in row:
            continue
        predictions[query_id] = str(row["answer"])
        tables = {evidence["item_id"] for evidence in row.get("evidence") or ()}
        if any(qrels[query_id].get(table, 0) > 0 for table in tables):
            on_right_table.append(exact_match(predictions[query_id], gold[query_id], rules=rules))
    return {
        **score_answers(predictions, gold, rules=rules),
        "right_table": len(on_right_table) / len(gold),
        "exact_match_right_table": sum(on_right_table) / max(1, len(on_right_table)),
    }
