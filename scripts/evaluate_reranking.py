"""The ranking before and after reranking, and whether P(True) means what it says.

python scripts/evaluate_reranking.py --data=DIR --split=dev --before=fused.jsonl --run=reranked.jsonl
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tabrag.config import main


@dataclass(kw_only=True)
class Config:
    """What is evaluated.

    Attributes:
        data: Data set folder with the judgements.
        before: Run file that went into reranking.
        run: Run file that came out.
        split: Which queries.
        reference: Run file of the same reranking by another engine (``server``) or number format (``dtype``):
            also tell how far the two agree.
        plot: Also draw the reliability diagram to this PNG file; needs matplotlib.
    """

    data: str
    before: str
    run: str
    split: str = "dev"
    reference: str | None = None
    plot: str | None = None


def run(config: Config) -> dict[str, Any]:
    """Evaluate; return the figures."""
    from tabrag.evaluation.reranking_report import evaluate_reranking

    return evaluate_reranking(
        config.data,
        split=config.split,
        before=config.before,
        run=config.run,
        reference=config.reference,
        plot=config.plot,
    )


if __name__ == "__main__":
    main(run, Config, description="Evaluate a reranker.")
