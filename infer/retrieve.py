"""Retrieve candidates for queries.

python infer/retrieve.py --indexes='[INDEX]' --question="..."
python infer/retrieve.py --indexes='[DENSE, BM25]' --data=DIR --split=dev --out=run.jsonl --trec=run.trec
python infer/retrieve.py --indexes='[BM25]' --data=DIR --split=dev --rewrite.by=rule --out=run.jsonl
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tabrag.config import main
from tabrag.index.config import RetrieveConfig
from tabrag.inference.config import RewriteConfig


@dataclass(kw_only=True)
class Config(RetrieveConfig):
    """Settings of a retrieval job. Killed and started again, it continues.

    Attributes:
        data: Data set folder with the queries.
        split: Only the queries of this split of it.
        queries: File with queries, in place of ``data``.
        question: A single question, in place of both.
        out: Run file (JSONL); may be left out for a single question.
        trec: Also write the run in TREC's form.
        rewrite: How questions of a conversation become ones that stand alone, and whether step-back questions
            are searched for too; conversations are not looked at where null.
        batch_size: Queries between two saves.
        force: Start anew where the run was begun with other settings.
    """

    data: str | None = None
    split: str | None = None
    queries: str | None = None
    question: str | None = None
    out: str | None = None
    trec: str | None = None
    rewrite: RewriteConfig | None = None
    batch_size: int = 256
    force: bool = False


def run(config: Config) -> dict[str, Any]:
    """Retrieve; return figures, and the candidates of a single question."""
    from tabrag import distributed
    from tabrag.inference.retrieve_job import retrieve_queries

    with distributed.group():
        return retrieve_queries(
            config,
            data=config.data,
            split=config.split,
            queries=config.queries,
            question=config.question,
            out=config.out,
            trec=config.trec,
            rewrite=config.rewrite,
            batch_size=config.batch_size,
            force=config.force,
        )


if __name__ == "__main__":
    main(run, Config, description="Retrieve candidates for queries.")
