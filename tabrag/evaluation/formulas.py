"""Whether the formulas that annotators gave evaluate to the answers that they gave: FinQA and TAT-QA."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tabrag.chat.formula import read_formula
from tabrag.chat.formula_shape import shape_of
from tabrag.data.finqa_programs import gold_formula
from tabrag.data.sources.base import Row, rows
from tabrag.errors import UserError

_SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9}


def evaluate_folder(folder: str | Path, *, split: str | None = None) -> dict[str, Any]:
    """The share of right formulas in the normalised copy of FinQA or TAT-QA.

    Args:
        folder: Holds ``bench.jsonl.gz`` (FinQA) or files with a ``derivation`` (TAT-QA).
        split: Name of the question file; ``bench`` where there is one, else ``dev``.

    Returns:
        ``data_set``, ``formulas``, ``right``, ``share`` (0..1), and ``wrong``: of each question whose formula
        fails its id, the formula as given, the answer and the reason. TAT-QA also has ``no_arithmetic``: how
        many derivations are no formula because no number is computed.

    Raises:
        UserError: The folder holds neither.
    """
    path = Path(folder)
    name = split or ("bench" if any(path.glob("bench.jsonl*")) else "dev")
    questions = list(rows(path, name, data_set="the formulas"))
    if any("program" in row for row in questions):
        return _figures("finqa", _finqa(path, questions))
    if any(row.get("derivation") for row in questions):
        return _figures("tatqa", _tatqa(questions)) | {"no_arithmetic": _no_arithmetic(questions)}
    raise UserError(
        f"{path}: the questions of {name} have neither a program (FinQA) nor a derivation (TAT-QA)"
    )


def _figures(data_set: str, checks: Iterator[tuple[Row, str, str | None]]) -> dict[str, Any]:
    count, wrong = 0, []
    for row, written, reason in checks:
        count += 1
        if reason is not None:
            answer = row.get("exe_answer", row["answers"])
            wrong.append({"id": row["id"], "formula": written, "answer": answer, "reason": reason})
    right = count - len(wrong)
    return {
        "data_set": data_set,
        "formulas": count,
        "right": right,
        "share": round(right / count, 4) if count else None,
        "wrong": wrong,
    }


def _finqa(folder: Path, questions: list[Row]) -> Iterator[tuple[Row, str, str | None]]:
    tables = {row["id"]: row for row in rows(folder, "tables", data_set="FinQA")}
    for row in questions:
        table = tables[row["table_id"]]
        reason: str | None
        try:
            found = gold_formula(row["program"], table.get("cells_finqa") or table["cells"]).answer()
            reason = None if found == row["exe_answer"] else f"its value is {found}"
        except UserError as error:
            reason = str(error)
        yield row, row["program"], reason


def _tatqa(questions: list[Row]) -> Iterator[tuple[Row, str, str | None]]:
    for row in questions:
        if row["answer_type"] != "arithmetic":
            continue
        wanted = row["answers"][0]
        reason: str | None
        try:
            value = _in_scale(row["derivation"], row["scale"])
            decimals = len(wanted.partition(".")[2])
            # Answers are rounded by hand, a half either way.
            near = abs(value - float(wanted.replace(",", ""))) <= 0.5000001 * 10**-decimals
            reason = None if near else f"its value is {value:.6g}"
        except ValueError as error:
            reason = str(error)
        yield row, row["derivation"], reason


def _in_scale(derivation: str, scale: str) -> float:
    """The value in the scale of its answer: a share as a percentage, 60,000,000 as 60,000 thousand."""
    formula = read_formula(derivation)
    shape = shape_of(formula)
    if scale == "percent":
        return formula.value * (100 if shape.is_share and not shape.hundreds else 1)
    has_scale_word = any(word in number for word in _SCALES for number in formula.numbers.values())
    return formula.value / (_SCALES.get(scale, 1.0) if has_scale_word else 1.0)


def _no_arithmetic(questions: list[Row]) -> dict[str, int]:
    kinds = Counter(row["answer_type"] for row in questions if row.get("derivation"))
    return {kind: count for kind, count in sorted(kinds.items()) if kind != "arithmetic"}
