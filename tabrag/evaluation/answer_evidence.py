"""Figures by where in a document the answer stands, with unanswerable questions apart.

Accuracy over all questions partly rewards a system for refusing: one that retrieves less, and so refuses
more, is right more often where there is no answer. The answerable questions alone, and two F1 measures, do
not have this fault.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tabrag.evaluation.answer_refusals import is_refusal
from tabrag.evaluation.answer_replies import final_answer
from tabrag.evaluation.answer_scores import Figures
from tabrag.evaluation.answers import AnswerRules, exact_match
from tabrag.types import Query

NO_EVIDENCE = "none"
"""``Query.evidence`` of an unanswerable question."""


def score_evidence(
    predictions: Mapping[str, str], queries: Sequence[Query], *, rules: AnswerRules | None = None
) -> Figures:
    """Figures of questions over documents.

    Args:
        predictions: Answers by query id.
        queries: Questions with gold answers; unanswerable are those whose evidence is ``none``, and those
            whose gold answers all say so.
        rules: How answers are compared.

    Returns:
        Nothing where no question names its evidence and none is unanswerable. Else, all 0..1, with missing
        answers wrong:

        - ``exact_match_by_evidence``, and the numbers of questions in ``num_by_evidence``, by the kinds of
          evidence that questions name;
        - ``exact_match_answerable`` over the ``num_answerable`` questions that have an answer;
        - ``answer_f1`` (MMLongBench-Doc, Ma et al., 2024, section 3.3): harmonic mean of that figure and of
          the share of right answers to these questions among all that were not refused;
        - where some are unanswerable, ``refusal_precision`` (unanswerable ones among the ``num_refused``),
          ``refusal_recall`` (refused ones among the ``num_unanswerable``) and ``refusal_f1``; an empty
          answer is no refusal.
    """
    given = {query.id: final_answer(predictions[query.id]) for query in queries if query.id in predictions}
    open_ = {query.id for query in queries if _is_unanswerable(query)}
    kinds = sorted({query.evidence for query in queries} - {""})
    if not kinds and not open_:
        return {}
    right = {
        query.id
        for query in queries
        if query.id in given and _is_right(given[query.id], query, query.id in open_, rules)
    }
    refused = {query_id for query_id, text in given.items() if is_refusal(text)}
    by_kind = {kind: [query.id for query in queries if query.evidence == kind] for kind in kinds}
    recall = len(right - open_) / max(1, len(queries) - len(open_))
    precision = len(right - open_) / max(1, len(queries) - len(refused))
    figures: Figures = {
        "exact_match_by_evidence": {
            kind: sum(one in right for one in ids) / len(ids) for kind, ids in by_kind.items()
        },
        "num_by_evidence": {kind: len(ids) for kind, ids in by_kind.items()},
        "exact_match_answerable": recall,
        "num_answerable": len(queries) - len(open_),
        "answer_f1": _f1(precision, recall),
        "num_unanswerable": len(open_),
        "num_refused": len(refused),
    }
    if open_:
        told, found = len(refused & open_) / max(1, len(refused)), len(refused & open_) / len(open_)
        figures |= {"refusal_precision": told, "refusal_recall": found, "refusal_f1": _f1(told, found)}
    return figures


def _is_unanswerable(query: Query) -> bool:
    gold = query.answers
    return query.evidence == NO_EVIDENCE or (bool(gold) and all(map(is_refusal, gold)))


def _is_right(prediction: str, query: Query, unanswerable: bool, rules: AnswerRules | None) -> bool:
    if unanswerable:
        return is_refusal(prediction)
    return exact_match(prediction, query.answers, rules=rules, sample_id=query.id)


def _f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
