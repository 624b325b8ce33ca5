"""Choose anew how much the rank and the score before reranking count beside a reranker's own score.

python scripts/fit_blend.py --checkpoint=RERANKER --data=DIR --before=run.jsonl --run=reranked.jsonl --out=NEW
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tabrag.config import main


@dataclass(kw_only=True)
class Config:
    """A checkpoint and the runs that choose.

    Attributes:
        checkpoint: Reranker, folder or hub id.
        data: Data set folder with the judgements.
        before: Run file that went into reranking, of the kind that the reranker shall stand behind.
        run: Run file that came out, by this checkpoint with its own ``rank_weight``.
        out: Folder of the checkpoint with the new blend.
        split: Which queries choose.
    """

    checkpoint: str
    data: str
    before: str
    run: str
    out: str
    split: str = "dev"


def run(config: Config) -> dict[str, Any]:
    """Write the checkpoint; return the figures."""
    from tabrag.evaluation.refit import refit_blend

    return refit_blend(
        config.checkpoint,
        data=config.data,
        split=config.split,
        before=config.before,
        run=config.run,
        out=config.out,
    )


if __name__ == "__main__":
    main(run, Config, description="Fit a reranker's blend to another kind of run.")
