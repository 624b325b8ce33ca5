"""Answer questions.

python infer/answer.py --config=configs/pipeline/quickstart.yaml --question="..."
python infer/answer.py --config=configs/pipeline/quickstart.yaml --split=dev --out=answers.jsonl
python infer/answer.py --data=DIR --run=gold --reader.checkpoint=READER --split=dev --out=answers.jsonl
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import Any, Literal

from tabrag.config import main
from tabrag.errors import UserError
from tabrag.inference.pipeline_config import PipelineConfig
from tabrag.types import Turn


@dataclass(kw_only=True)
class Config(PipelineConfig):
    """A pipeline and what it is asked. A job that was killed and is started again continues.

    Attributes:
        question: A single question, answered on the standard streams.
        history: Of the single question: the conversation before it, for ``rewrite``, as
            ``[{question: ..., answer: ...}]``.
        task: Of the single question: ``qa``, ``verify`` for a statement, ``describe`` for a request for a
            sentence.
        split: Only the queries of this split of the data set folder.
        queries: File with queries, in place of those of the data set folder.
        out: Answers file (JSONL).
        force: Start anew where the file was begun with other settings.
    """

    question: str | None = None
    history: list[Turn] = field(default_factory=list)
    task: Literal["qa", "verify", "describe"] = "qa"
    split: str | None = None
    queries: str | None = None
    out: str | None = None
    force: bool = False


def run(config: Config) -> dict[str, Any]:
    """Answer; return the single answer, or the job's figures."""
    from tabrag.inference.answer_job import answer_queries, answer_record, readable
    from tabrag.inference.pipeline import Pipeline

    if config.question is not None:
        pipeline = Pipeline(config)
        answer = pipeline.ask(config.question, task=config.task, history=config.history)
        sys.stderr.write(readable(answer, pipeline.data.items) + "\n")
        return answer_record(answer)
    if config.out is None:
        raise UserError("name the answers file to write (--out), or ask one question (--question)")
    return answer_queries(
        config, out=config.out, split=config.split, queries=config.queries, force=config.force
    )


if __name__ == "__main__":
    main(run, Config, description="Answer questions over tables.")
