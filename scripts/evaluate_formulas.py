"""How many formulas that annotators gave evaluate to the answers that they gave.

python scripts/evaluate_formulas.py --data=data/finqa
python scripts/evaluate_formulas.py --data=data/tatqa --split=dev
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tabrag.config import main


@dataclass(kw_only=True)
class Config:
    """Which formulas are looked at.

    Attributes:
        data: Folder of the normalised copy of FinQA (with ``bench.jsonl.gz``) or TAT-QA.
        split: Name of the question file; ``bench`` where there is one, else ``dev``.
    """

    data: str
    split: str | None = None


def run(config: Config) -> dict[str, Any]:
    """Evaluate the formulas; return the figures, and each formula that fails with its reason."""
    from tabrag.evaluation.formulas import evaluate_folder

    return evaluate_folder(config.data, split=config.split)


if __name__ == "__main__":
    main(run, Config, description="Evaluate gold formulas.")
