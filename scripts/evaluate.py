"""Figures of a run file against the judgements of a data set folder or of a file.

python scripts/evaluate.py --run=run.jsonl --data=DIR --split=dev
python scripts/evaluate.py --run=run.jsonl --qrels=qrels.tsv
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tabrag.config import main


@dataclass(kw_only=True)
class Config:
    """What is evaluated.

    Attributes:
        run: Run file.
        data: Data set folder with the judgements.
        split: Which judgements of the folder.
        qrels: File with judgements in BEIR's or TREC's form, in place of ``data``.
        ks: Cut-offs.
        ties: Equal scores: ``id`` (by ascending item id) or ``average`` (over all orders).
        per_query: Also write the figures of each query to this JSONL file.
    """

    run: str
    data: str | None = None
    split: str = "dev"
    qrels: str | None = None
    ks: list[int] = field(default_factory=lambda: [1, 5, 10, 50])
    ties: str = "id"
    per_query: str | None = None


def run(config: Config) -> dict[str, Any]:
    """Evaluate; return figures, intervals and counts."""
    from tabrag.evaluation.ranking_report import evaluate_run

    return evaluate_run(
        config.run,
        config.data,
        split=config.split,
        qrels=config.qrels,
        ks=config.ks,
        ties=config.ties,
        per_query=config.per_query,
    )


if __name__ == "__main__":
    main(run, Config, description="Evaluate a run file.")
