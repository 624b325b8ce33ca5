"""Conversations whose last question cannot be read alone, with what a stand-alone question must hold.

Those of the part ``tuned`` were looked at while the rules were written, those of ``held_out`` were not.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

from tabrag.types import Turn


@dataclass(frozen=True, slots=True)
class Conversation:
    """A rewrite is right where it holds each of ``has`` and none of ``lacks`` (whole words, any case), or,
    with ``same``, where the question stays as it is."""

    history: list[Turn]
    question: str
    has: tuple[str, ...]
    lacks: tuple[str, ...]
    same: bool

    def is_right(self, text: str) -> bool:
        if self.same:
            return text == self.question
        return all(_holds(text, one) for one in self.has) and not any(_holds(text, one) for one in self.lacks)


def conversations(part: str) -> list[Conversation]:
    """Those of ``tuned`` or ``held_out``."""
    lines = Path(__file__).with_suffix(".jsonl").read_text(encoding="utf-8").splitlines()
    return [_read(record) for record in map(json.loads, lines) if record["part"] == part]


def _read(record: dict) -> Conversation:
    history = [Turn(question=question, answer=answer) for question, answer in record["turns"]]
    has, lacks = tuple(record.get("has", ())), tuple(record.get("lacks", ()))
    return Conversation(history, record["question"], has, lacks, record.get("same", False))


def _holds(text: str, phrase: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(phrase)}(?!\w)", text, re.IGNORECASE) is not None
