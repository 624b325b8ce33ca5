"""Figures of a file of judgements (FastRAGEval), with the classic ones over the same queries.

What counts as what, so that no failure passes for a score and none disappears:

==========================================  ================================================================
an answer whose judgement was read          counts with its figures
an answer that is missing, or failed        counts 0: the system gave none (so do the classic figures)
a judgement that could not be read          counts in no mean; ``unparsed``, by kind in ``faults``; ``bounds``
                                            says what the means would be were all of them 0, or all 1
an answer without a judgement               as the former; ``unjudged``
==========================================  ================================================================
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from tabrag.errors import UserError
from tabrag.evaluation.answer_scores import score_answers, score_descriptions
from tabrag.evaluation.answers import AnswerRules
from tabrag.evaluation.fastrageval import (
    FLAGS,
    PRED_FACTS,
    REF_FACTS,
    FactScores,
    Judgement,
    JudgementError,
    judgement_from_record,
    score,
)
from tabrag.evaluation.ranking import bootstrap_means
from tabrag.files import encodable, read_jsonl
from tabrag.types import Query

UNANSWERABLE = "Not answerable"
TASKS = ("qa", "describe")
"""Tasks with reference answers; statements have labels, which need no judge."""
NAMES = ("precision", "recall", "f1")
_CLASSIC = ("exact_match", "token_f1", "bleu")
_MAX_NAMED = 20
_NONE = FactScores(Fraction(0), Fraction(0), Fraction(0))


def reference_answers(query: Query) -> tuple[str, ...]:
    """The reference answers of a query; none where it has none, or is a statement.

    A question that is said to be unanswerable has the reference :data:`UNANSWERABLE` where it has no other.
    """
    if query.task not in TASKS:
        return ()
    answers = tuple(answer for answer in query.answers if answer.strip())
    return answers or ((UNANSWERABLE,) if query.evidence == "none" else ())


def read_answers(path: str | Path) -> dict[str, dict[str, Any]]:
    """The rows of an answers file by query id: each with ``answer`` (a text), or ``error``.

    Raises:
        UserError: A row is of another form, or a query occurs twice.
    """
    return _by_query(path, lambda row: isinstance(row.get("answer"), str) or "error" in row, "answer")


def read_judgements(path: str | Path) -> dict[str, dict[str, Any]]:
    """The rows of a file of judgements by query id: each with both lists of facts, or ``error``.

    Raises:
        UserError: A row is of another form, or a query occurs twice.
    """

    def is_judgement(row: Mapping[str, Any]) -> bool:
        return isinstance(row.get("answer"), str) and ("error" in row or all(name in row for name in FLAGS))

    return _by_query(path, is_judgement, f"answer and {REF_FACTS} with {PRED_FACTS}")


def summarise(
    rows: Sequence[Mapping[str, Any]], *, num_without: int = 0, num_unjudged: int = 0
) -> dict[str, Any]:
    """Figures over judgements.

    Args:
        rows: Of a file of judgements.
        num_without: Queries without an answer, which count 0.
        num_unjudged: Answers without a judgement, which count in no mean.

    Returns:
        ``precision``, ``recall``, ``f1``: means over the ``counted`` answers (0..1; None where there are
        none), which are the ``judged`` ones and those of ``without_answer``; ``intervals``: 95 % each, by a
        bootstrap over answers; ``bounds``; ``coverage``: judgements read among those asked for;
        ``unparsed`` with ``faults`` (kind to number) and the first of their ids in ``unparsed_ids``;
        ``unjudged``;
        ``mended_by_code`` and ``mended_by_model``; ``settled`` without a call; ``without_claims``: answers
        without any fact, whose precision is 0; ``micro``: the same figures over all facts of the judged
        answers taken together, with the numbers of facts.

    Raises:
        UserError: A row holds no judgement.
    """
    judged = [row for row in rows if "error" not in row]
    bad = [row for row in rows if "error" in row]
    judgements = [_judgement(row) for row in judged]
    scores = [*map(score, judgements), *[_NONE] * num_without]
    left_out = len(bad) + num_unjudged
    num_settled = sum(row.get("reply") is None for row in judged)
    num_asked = len(rows) - num_settled
    return {
        **{name: _mean(scores, name) for name in NAMES},
        "intervals": _intervals(scores),
        "bounds": {name: _bounds(scores, name, left_out) for name in NAMES},
        "counted": len(scores),
        "judged": len(judged),
        "without_answer": num_without,
        "unparsed": len(bad),
        "unjudged": num_unjudged,
        "coverage": (len(judged) - num_settled) / num_asked if num_asked else None,
        "faults": dict(sorted(Counter(str(row.get("fault", "unknown")) for row in bad).items())),
        "unparsed_ids": [row["query_id"] for row in bad[:_MAX_NAMED]],
        "mended_by_code": sum(row.get("mended") == "code" for row in judged),
        "mended_by_model": sum(row.get("mended") == "model" for row in judged),
        "settled": num_settled,
        "without_claims": sum(not one.pred_facts for one in judgements),
        "micro": _micro(judgements),
    }


def evaluate_judgements(
    judgements: str | Path,
    answers: str | Path,
    queries: Sequence[Query],
    *,
    rules: AnswerRules | None = None,
) -> dict[str, dict[str, Any]]:
    """Figures of judgements for each task, and for each kind of evidence that the queries name.

    Args:
        judgements: File of judgements.
        answers: The answers file that was judged.
        queries: Those of a split.
        rules: How the classic figures compare answers.

    Returns:
        For each of :data:`TASKS` that ``queries`` hold with reference answers, what :func:`summarise` gives,
        ``classic`` (the classic figures over the same, the counted, queries), and ``by_evidence``: kind to
        the same two.

    Raises:
        UserError: A file is broken, no query has a reference, or a judgement is one of another answer.
    """
    given, judged = read_answers(answers), read_judgements(judgements)
    for query_id, row in judged.items():
        answer = given.get(query_id, {}).get("answer")
        if answer is not None and encodable(answer) != row["answer"]:
            raise UserError(
                f"{judgements}: the judgement of query '{query_id}' is one of another answer than that in "
                f"{answers}: judge that file (infer/judge.py)"
            )
    found: dict[str, dict[str, Any]] = {}
    for task in TASKS:
        asked = [query for query in queries if query.task == task and reference_answers(query)]
        if not asked:
            continue
        found[task] = _figures(asked, given, judged, task, rules)
        kinds = sorted({query.evidence for query in asked} - {""})
        if kinds:
            found[task]["by_evidence"] = {
                kind: _figures([one for one in asked if one.evidence == kind], given, judged, task, rules)
                for kind in kinds
            }
    if not found:
        raise UserError(f"{judgements}: no query of the split has a reference answer")
    return found


def show_judgements(figures: Mapping[str, Mapping[str, Any]], *, title: str) -> None:
    """Print what :func:`evaluate_judgements` gave as a table to standard error, in percent."""
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title, caption="95 % intervals over the counted answers; coverage: judgements read")
    heads = ("", "counted", "coverage", *NAMES, *_CLASSIC)
    for head in heads:
        table.add_column(head, justify="left" if not head else "right")
    for task, found in figures.items():
        for name, one in [(task, found), *dict(found.get("by_evidence", {})).items()]:
            low_high = one["intervals"] or {}
            cells = [_percent(one[figure], low_high.get(figure)) for figure in NAMES]
            classic = [_percent(one["classic"].get(figure)) for figure in _CLASSIC]
            table.add_row(name, str(one["counted"]), _percent(one["coverage"]), *cells, *classic)
    Console(stderr=True).print(table)


def _percent(value: float | None, interval: Sequence[float] | None = None) -> str:
    if value is None:
        return "-"
    shown = f"{100 * value:.1f}"
    return f"{shown}\n{100 * interval[0]:.1f}-{100 * interval[1]:.1f}" if interval else shown


def _figures(
    asked: Sequence[Query],
    given: Mapping[str, Mapping[str, Any]],
    judged: Mapping[str, Mapping[str, Any]],
    task: str,
    rules: AnswerRules | None,
) -> dict[str, Any]:
    answered = {query.id for query in asked if "answer" in given.get(query.id, {})}
    rows = [judged[query.id] for query in asked if query.id in answered and query.id in judged]
    left_out = {row["query_id"] for row in rows if "error" in row} | (answered - judged.keys())
    counted = {query.id: list(reference_answers(query)) for query in asked if query.id not in left_out}
    predictions = {query_id: given[query_id]["answer"] for query_id in counted if query_id in answered}
    classic: Mapping[str, Any] = (
        score_answers(predictions, counted, rules=rules)
        if task == "qa"
        else score_descriptions(predictions, counted)
    )
    names = [name for name in _CLASSIC if name in classic]
    return {
        **summarise(rows, num_without=len(asked) - len(answered), num_unjudged=len(answered - judged.keys())),
        "classic": {name: classic[name] if counted else None for name in names},
    }


def _judgement(row: Mapping[str, Any]) -> Judgement:
    try:
        return judgement_from_record(row)
    except JudgementError as error:
        raise UserError(f"the judgement of query '{row['query_id']}' is broken: {error}") from error


def _mean(scores: Sequence[FactScores], name: str) -> float | None:
    return float(sum(getattr(one, name) for one in scores) / len(scores)) if scores else None


def _bounds(scores: Sequence[FactScores], name: str, left_out: int) -> list[float] | None:
    """The mean with all that is left out as 0, and as 1."""
    total = len(scores) + left_out
    least = sum((getattr(one, name) for one in scores), Fraction(0))
    return [float(least / total), float((least + left_out) / total)] if total else None


def _intervals(scores: Sequence[FactScores]) -> dict[str, list[float]] | None:
    if not scores:
        return None
    values_NF = np.array([[float(getattr(one, name)) for name in NAMES] for one in scores])
    low, high = np.percentile(bootstrap_means(values_NF), [2.5, 97.5], axis=0)
    return {name: [float(low[i]), float(high[i])] for i, name in enumerate(NAMES)}


def _micro(judgements: Sequence[Judgement]) -> dict[str, float | int | None]:
    """Figures of all facts together: not of the distinct ones, which may be the same in two answers."""
    ref_facts = [fact for one in judgements for fact in one.ref_facts]
    pred_facts = [fact for one in judgements for fact in one.pred_facts]
    whole = Judgement(tuple(ref_facts), tuple(pred_facts))
    figures = score(whole) if judgements else None
    return {
        **{name: float(getattr(figures, name)) if figures else None for name in NAMES},
        "ref_facts": len(ref_facts),
        "covered_facts": sum(fact.holds for fact in ref_facts),
        "pred_facts": len(pred_facts),
        "supported_facts": sum(fact.holds for fact in pred_facts),
    }


def _by_query(
    path: str | Path, is_valid: Callable[[dict[str, Any]], bool], needed: str
) -> dict[str, dict[str, Any]]:
    rows: dict[str, dict[str, Any]] = {}
    for number, row in enumerate(read_jsonl(path), start=1):
        query_id = row.get("query_id")
        if not isinstance(query_id, str) or not is_valid(row):
            raise UserError(f"{path}: record {number}: no query_id, or neither {needed} nor error in it")
        if query_id in rows:
            raise UserError(f"{path}: record {number}: query '{query_id}' occurs twice")
        rows[query_id] = row
    return rows
