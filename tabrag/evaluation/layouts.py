"""How well the layouts of documents are told: slides are the class that is looked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tabrag.data.document_records import LAYOUTS
from tabrag.errors import UserError
from tabrag.files import read_jsonl

_FOUND = "horizontal"


@dataclass(frozen=True, slots=True)
class Wrong:
    """A document whose layout is not what it should be.

    Attributes:
        document: Its id.
        truth: ``horizontal`` or ``vertical``.
        found: The same, or empty where the rule was not sure.
    """

    document: str
    truth: str
    found: str


def read_layouts(path: str | Path) -> dict[str, str]:
    """Layouts that people have told: lines with ``document`` (its id) and ``layout``.

    Raises:
        UserError: The file is missing or broken, or names no layout.
    """
    layouts: dict[str, str] = {}
    for number, row in enumerate(read_jsonl(path), start=1):
        name, layout = row.get("document"), row.get("layout")
        if not isinstance(name, str) or not layout or layout not in LAYOUTS:
            raise UserError(f"{path}: record {number}: 'document' names one, 'layout' one of its layouts")
        layouts[name] = layout
    return layouts


def layout_figures(truth: Mapping[str, str], found: Mapping[str, str]) -> tuple[dict[str, Any], list[Wrong]]:
    """Compare layouts.

    Precision, recall and F1 are those of ``horizontal``. Where nothing was found, a document counts as
    ``vertical``, since it is read as such, and also as ``unsure``.

    Args:
        truth: Layout by document.
        found: The same; empty where nothing is sure.

    Returns:
        ``documents``, ``absent``, ``horizontal`` (how many are), ``found``, ``right``, ``missed``, ``unsure``
        (and of these ``unsure_horizontal``),
        ``precision``, ``recall`` and ``f1`` (None where there is nothing to divide by), and what is wrong.

    Raises:
        UserError: None of the documents is there.
    """
    names = [name for name in truth if name in found]
    if not names:
        raise UserError("none of the documents whose layout is told is in the folder")
    wrong = [
        Wrong(name, truth[name], found[name])
        for name in names
        if (truth[name] == _FOUND) != (found[name] == _FOUND)
    ]
    positive = sum(truth[name] == _FOUND for name in names)
    predicted = sum(found[name] == _FOUND for name in names)
    right = sum(truth[name] == found[name] == _FOUND for name in names)
    precision = right / predicted if predicted else None
    recall = right / positive if positive else None
    figures = {
        "documents": len(names),
        "absent": len(truth) - len(names),
        "horizontal": positive,
        "found": predicted,
        "right": right,
        "missed": positive - right,
        "unsure": sum(not found[name] for name in names),
        "unsure_horizontal": sum(not found[name] for name in names if truth[name] == _FOUND),
        "precision": _rounded(precision),
        "recall": _rounded(recall),
        "f1": _rounded(2 * right / (positive + predicted) if positive + predicted else None),
    }
    return figures, wrong


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
