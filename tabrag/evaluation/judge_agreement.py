"""Agreement of a judge's facts and figures with known ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tabrag.errors import UserError
from tabrag.evaluation.answer_scores import score_answers
from tabrag.evaluation.correlation import correlations
from tabrag.evaluation.fastrageval import (
    FactScores,
    Judgement,
    JudgementError,
    judgement_from_record,
    score,
)
from tabrag.files import read_jsonl

_FIGURES = ("recall", "precision", "f1")


@dataclass(frozen=True, slots=True)
class LabelledAnswer:
    """An answer whose facts are known.

    Attributes:
        id: Its id.
        kind: What is hard about it, for example ``rounding``.
        question: What was asked.
        references: Reference answers; several are alternatives.
        prediction: The answer.
        gold: Its facts with their flags.
    """

    id: str
    kind: str
    question: str
    references: tuple[str, ...]
    prediction: str
    gold: Judgement


def read_labelled(path: str | Path) -> list[LabelledAnswer]:
    """Read a JSONL file of labelled answers: ``id``, ``kind``, ``question``, ``references``, ``prediction``,
    ``ref_facts`` and ``pred_facts`` as a judge gives them.

    Raises:
        UserError: A record is of another form, or an id occurs twice.
    """
    found: dict[str, LabelledAnswer] = {}
    for number, row in enumerate(read_jsonl(path), start=1):
        try:
            texts = [row[name] for name in ("id", "kind", "question", "prediction")]
            references = row["references"]
            if not isinstance(references, list) or not references:
                raise TypeError("references must be a list")
            if not all(isinstance(one, str) for one in (*texts, *references)):
                raise TypeError("id, kind, question, prediction and references must be texts")
            one = LabelledAnswer(*texts[:3], tuple(references), texts[3], judgement_from_record(row))
        except (KeyError, TypeError, JudgementError) as error:
            raise UserError(f"{path}: record {number} is no labelled answer ({error!r})") from error
        if one.id in found:
            raise UserError(f"{path}: record {number}: id '{one.id}' occurs twice")
        found[one.id] = one
    return list(found.values())


def agreement(labelled: Sequence[LabelledAnswer], rows: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """How far judgements agree with the labels, over the labelled answers whose judgement was read.

    Args:
        labelled: Answers with known facts.
        rows: Of a file of judgements, by id; those with ``error``, and those that are missing, count in no
            figure but ``coverage``; those that were settled without a judge in none but ``settled``.

    Returns:
        ``items``, ``settled``, ``read``, ``coverage`` (of those not settled); for ``recall``,
        ``precision`` and ``f1`` the ``correlations`` of
        :func:`tabrag.evaluation.correlation.correlations`, ``mean_error`` (0..1), ``gold_mean`` and
        ``judged_mean``; ``same_recall`` and so on: shares with exactly the gold figure; ``same_ref_facts``
        and ``same_pred_facts``: shares with as many facts, and ``ref_facts_off`` and ``pred_facts_off``: how
        many more or fewer, in the mean; ``by_kind``: kind to ``items``, ``read`` and the mean error of recall
        and F1; ``token_f1``: the correlations of word overlap with the gold F1 over the same answers, for
        comparison. What there is nothing to compute from is None.
    """
    num_items = len(labelled)
    labelled = [one for one in labelled if not _is_settled(rows.get(one.id, {}))]
    pairs = [
        (one, judgement_from_record(rows[one.id]))
        for one in labelled
        if one.id in rows and "error" not in rows[one.id]
    ]
    gold = [score(one.gold) for one, _ in pairs]
    judged = [score(judgement) for _, judgement in pairs]
    overlap = [_token_f1(one) for one, _ in pairs]
    found: dict[str, Any] = {
        "items": num_items,
        "settled": num_items - len(labelled),
        "read": len(pairs),
        "coverage": len(pairs) / len(labelled) if labelled else None,
    }
    for name in _FIGURES:
        first, second = _values(gold, name), _values(judged, name)
        found[name] = {
            **correlations(first, second),
            "mean_error": _mean([abs(a - b) for a, b in zip(first, second, strict=True)]),
            "gold_mean": _mean(first),
            "judged_mean": _mean(second),
        }
        found[f"same_{name}"] = _mean(
            [float(getattr(a, name) == getattr(b, name)) for a, b in zip(gold, judged, strict=True)]
        )
    for name in ("ref_facts", "pred_facts"):
        off = [abs(len(getattr(one.gold, name)) - len(getattr(said, name))) for one, said in pairs]
        found[f"same_{name}"] = _mean([float(one == 0) for one in off])
        found[f"{name}_off"] = _mean([float(one) for one in off])
    kinds = sorted({one.kind for one in labelled})
    found["by_kind"] = {kind: _kind(kind, labelled, pairs, gold, judged) for kind in kinds}
    found["token_f1"] = correlations(_values(gold, "f1"), overlap)
    return found


def _is_settled(row: Mapping[str, Any]) -> bool:
    return "ref_facts" in row and row.get("reply") is None


def _kind(
    kind: str,
    labelled: Sequence[LabelledAnswer],
    pairs: Sequence[tuple[LabelledAnswer, Judgement]],
    gold: Sequence[FactScores],
    judged: Sequence[FactScores],
) -> dict[str, Any]:
    places = [place for place, (one, _) in enumerate(pairs) if one.kind == kind]
    return {
        "items": sum(one.kind == kind for one in labelled),
        "read": len(places),
        **{
            f"{name}_error": _mean(
                [abs(float(getattr(gold[i], name) - getattr(judged[i], name))) for i in places]
            )
            for name in ("recall", "f1")
        },
    }


def _token_f1(one: LabelledAnswer) -> float:
    return float(score_answers({one.id: one.prediction}, {one.id: one.references})["token_f1"])  # type: ignore[arg-type]


def _values(scores: Sequence[FactScores], name: str) -> list[float]:
    return [float(getattr(one, name)) for one in scores]


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
