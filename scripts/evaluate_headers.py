"""How well header rows, header columns and header trees are found in tables whose annotation is kept back.

python scripts/evaluate_headers.py --data=data/hitab --split=dev
python scripts/evaluate_headers.py --data=data/imtqa --part=report --spans=false --misses=misses.jsonl
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tabrag.config import main


@dataclass(kw_only=True)
class Config:
    """Which tables are looked at.

    Attributes:
        data: Data set folder whose tables have annotated headers (HiTab, AIT-QA, IM-TQA).
        split: Only the tables of this split's questions.
        part: ``all``; ``develop`` or ``report``: one half of the tables each, by a hash of the id.
        spans: Whether merged regions are seen; CSV files and pictures have none.
        fill_right: Whether a banner covers the empty cells right of it, and a group label those below it.
        misses: Also write the tables with a wrong number of header rows or columns to this JSONL file.
    """

    data: str
    split: str | None = None
    part: str = "all"
    spans: bool = True
    fill_right: bool = False
    misses: str | None = None


def run(config: Config) -> dict[str, Any]:
    """Find headers and compare; return the figures."""
    from tabrag.evaluation.headers import evaluate_folder

    return evaluate_folder(
        config.data,
        split=config.split,
        part=config.part,
        spans=config.spans,
        fill_right=config.fill_right,
        misses=config.misses,
    )


if __name__ == "__main__":
    main(run, Config, description="Evaluate the detection of headers.")
