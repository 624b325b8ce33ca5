"""Figures of an answers file: how many answers of each task are right, with the right table and without."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median
from typing import Any

from tabrag.data.folder import DataFolder
from tabrag.documents.part import document_of
from tabrag.errors import UserError
from tabrag.evaluation.answer_evidence import score_evidence
from tabrag.evaluation.answer_scores import (
    Figures,
    bleu,
    score_answers,
    score_descriptions,
    score_statements,
)
from tabrag.evaluation.answers import AnswerRules
from tabrag.files import read_jsonl
from tabrag.types import Qrels, Query

_SENTENCE_WORDS = 6


def evaluate_answers(
    path: str | Path, data: str | Path, *, split: str, rules: AnswerRules | None = None
) -> dict[str, Figures]:
    """Figures of an answers file against a split, one record a task.

    Args:
        path: Answers file, as ``infer/answer.py`` writes it.
        data: Data set folder.
        split: Which queries; those without gold answers or label are left out.
        rules: How answers are compared.

    Returns:
        For each of ``qa``, ``verify`` and ``describe`` that the split has queries of, what
        :func:`~tabrag.evaluation.answer_scores.score_answers`,
        :func:`~tabrag.evaluation.answer_scores.score_statements` and
        :func:`~tabrag.evaluation.answer_scores.score_descriptions` give, with

        - ``failed``: queries that could not be answered; they are counted in ``missing``, too;
        - ``right_table``: the share of queries that were read from a relevant table, or one of a relevant
          document (an answer without evidence: from its best candidate), and the main figure among these
          (``exact_match_right_table``, ``accuracy_right_table``, ``bleu_right_table``), 0 where there is
          none;
        - for ``qa``, ``bleu`` where the gold answers are sentences (six words or more, by the median), and
          what :func:`~tabrag.evaluation.answer_evidence.score_evidence` gives where questions name their
          evidence or are unanswerable.

    Raises:
        UserError: A file is missing or broken, or no query of the split has an answer or a label.
    """
    folder = DataFolder(data)
    qrels = folder.qrels(split)
    asked = [folder.queries[query_id] for query_id in qrels if query_id in folder.queries]
    rows = _rows(path)
    found: dict[str, Figures] = {}
    for task, score in _scores(rules).items():
        queries = [query for query in asked if query.task == task and (query.answers or query.label)]
        if queries:
            found[task] = _task_figures(queries, rows, qrels, score, folder)
    if not found:
        raise UserError(f"{data}: no query of split '{split}' has an answer or a label to compare with")
    return found


Score = Callable[[Mapping[str, str], list[Query]], tuple[str, Figures]]
"""Predictions and queries to the name of the main figure, and all figures."""


def _scores(rules: AnswerRules | None) -> dict[str, Score]:
    def qa(predictions: Mapping[str, str], queries: list[Query]) -> tuple[str, Figures]:
        gold = {query.id: query.answers for query in queries}
        figures = score_answers(predictions, gold, rules=rules)
        if median(len(answers[0].split()) for answers in gold.values()) >= _SENTENCE_WORDS:
            said = [predictions.get(query_id, "") for query_id in gold]
            figures["bleu"] = bleu(said, list(gold.values()))
        figures |= score_evidence(predictions, queries, rules=rules)
        return "exact_match", figures

    def verify(predictions: Mapping[str, str], queries: list[Query]) -> tuple[str, Figures]:
        return "accuracy", score_statements(predictions, {query.id: str(query.label) for query in queries})

    def describe(predictions: Mapping[str, str], queries: list[Query]) -> tuple[str, Figures]:
        return "bleu", score_descriptions(predictions, {query.id: query.answers for query in queries})

    return {"qa": qa, "verify": verify, "describe": describe}


def _task_figures(
    queries: list[Query], rows: Mapping[str, dict[str, Any]], qrels: Qrels, score: Score, folder: DataFolder
) -> Figures:
    answered = [query for query in queries if "answer" in rows.get(query.id, {})]
    predictions = {query.id: str(rows[query.id]["answer"]) for query in answered}
    on_right_table = [
        query
        for query in answered
        if any(_is_relevant(item_id, qrels[query.id], folder) for item_id in _read_items(rows[query.id]))
    ]
    main, figures = score(predictions, queries)
    among = score(predictions, on_right_table)[1][main] if on_right_table else 0.0
    return {
        **figures,
        "failed": sum("error" in rows.get(query.id, {}) for query in queries),
        "right_table": len(on_right_table) / len(queries),
        f"{main}_right_table": among,
    }


def _read_items(row: Mapping[str, Any]) -> list[str]:
    """Ids of what an answer was read from: of its evidence, else its best candidate's."""
    evidence = row.get("evidence") or (row.get("candidates") or ())[:1]
    return [one["item_id"] for one in evidence]


def _is_relevant(item_id: str, grades: Mapping[str, int], folder: DataFolder) -> bool:
    """Whether an item is relevant, or the document that it is a table or a part of."""
    if grades.get(item_id, 0) > 0 or grades.get(document_of(item_id), 0) > 0:
        return True
    document = folder.tables.record(item_id).get("document") if item_id in folder.tables else None
    return grades.get(document or "", 0) > 0


def _rows(path: str | Path) -> dict[str, dict[str, Any]]:
    rows: dict[str, dict[str, Any]] = {}
    for number, row in enumerate(read_jsonl(path), start=1):
        query_id = row.get("query_id")
        if not isinstance(query_id, str) or not ("answer" in row or "error" in row):
            raise UserError(f"{path}: record {number}: no query_id, or neither answer nor error in it")
        rows[query_id] = row
    return rows
