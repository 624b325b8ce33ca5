"""How much of the questions' evidence a pipeline would show its reader, by kind of evidence; no model reads.

python scripts/evaluate_context.py --config=configs/pipeline/mm_bizrag_tcte.yaml --split=dev
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tabrag.config import main
from tabrag.inference.pipeline_config import PipelineConfig


@dataclass(kw_only=True)
class Config(PipelineConfig):
    """A pipeline and the questions to look at; see ``infer/answer.py --help`` for what it consists of.

    Attributes:
        split: Which questions of the data set folder.
        per_query: Also write which facts of each question are shown to this JSONL file.
    """

    split: str = "dev"
    per_query: str | None = None


def run(config: Config) -> dict[str, Any]:
    """Evaluate; return figures."""
    from tabrag.evaluation.context_report import evaluate_contexts

    return evaluate_contexts(config, split=config.split, per_query=config.per_query)


if __name__ == "__main__":
    main(run, Config, description="Evidence in what a pipeline shows its reader.")
