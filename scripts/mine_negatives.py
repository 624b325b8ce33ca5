"""Choose hard negatives for training from runs over the training queries.

python scripts/mine_negatives.py --data=DIR --runs='[bm25.jsonl]' --out=negatives.jsonl
python scripts/mine_negatives.py --data=DIR --runs='[RUN, RUN]' --relative_margin=0.05 --out=negatives.jsonl
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tabrag.config import main
from tabrag.data.config import MiningConfig


@dataclass(kw_only=True)
class Config(MiningConfig):
    """What is mined. The output is a run file: name it in the trainer's ``data.negatives``.

    Attributes:
        data: Data set folder.
        runs: Run files over the queries of ``split``, made by infer/retrieve.py over all its tables.
        out: Run file to write; OUT without its suffix and ``.report.json`` says what was dropped and why.
        split: Split of the queries.
    """

    data: str
    runs: list[str]
    out: str
    split: str = "train"


def run(config: Config) -> dict[str, Any]:
    """Mine; return counts of negatives and of what was dropped."""
    from tabrag.data.negatives import mine_negatives

    return mine_negatives(config, data=config.data, split=config.split, runs=config.runs, out=config.out)


if __name__ == "__main__":
    main(run, Config, description="Choose hard negatives from runs.")
