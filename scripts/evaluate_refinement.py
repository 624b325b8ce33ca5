"""What refinement keeps of the tables of a data set: cells removed against answers kept.

python scripts/evaluate_refinement.py --data=data/hitab --split=dev --plot=curve.png
python scripts/evaluate_refinement.py --data=data/hitab --checkpoints='{trained: runs/headers/export}'
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tabrag.config import main


@dataclass(kw_only=True)
class Config:
    """What is evaluated.

    Attributes:
        data: Data set folder with gold answer cells (headers.jsonl).
        split: Which questions.
        checkpoints: Header classifiers by the names that the tables show; header words and a random order are
            always compared.
        device: Where the classifiers run: ``cpu``, ``cuda`` or ``cuda:N``; the first GPU, or else the CPU,
            where null.
        dtype: Number format of the classifiers: ``auto`` (bfloat16 on a GPU that has it, else float32),
            ``float32``, ``bfloat16`` or ``float16``.
        max_examples: About so many questions; 0 for all.
        table: Also write the tables to this Markdown file.
        plot: Also draw the curve to this PNG file; needs matplotlib.
    """

    data: str
    split: str = "dev"
    checkpoints: dict[str, str] | None = None
    device: str | None = None
    dtype: str = "auto"
    max_examples: int = 0
    table: str | None = None
    plot: str | None = None


def run(config: Config) -> dict[str, Any]:
    """Score, choose and count; return the figures."""
    from tabrag.evaluation.refinement_report import evaluate_refinement

    return evaluate_refinement(
        config.data,
        split=config.split,
        checkpoints=config.checkpoints,
        device=config.device,
        dtype=config.dtype,
        max_examples=config.max_examples,
        table=config.table,
        plot=config.plot,
    )


if __name__ == "__main__":
    main(run, Config, description="Evaluate the refinement of tables.")
