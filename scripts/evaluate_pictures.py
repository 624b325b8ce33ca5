"""What a reranker takes from the pictures of tables: judged and read with them, and with white ones instead.

python scripts/evaluate_pictures.py --checkpoint=RUN/export --data=DIR --split=dev --run=bm25_dev.jsonl
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tabrag.benchmark.config import PicturesConfig
from tabrag.config import main


@dataclass(kw_only=True)
class Config(PicturesConfig):
    """What is measured."""


def run(config: Config) -> dict[str, Any]:
    """Measure; return the figures."""
    from tabrag.benchmark.pictures import measure_pictures

    return measure_pictures(config)


if __name__ == "__main__":
    main(run, Config, description="Measure what a reranker takes from pictures.")
