"""Put the candidates of a run in a better order.

python infer/rerank.py --checkpoint=RERANKER --data=DIR --run=run.jsonl --split=dev --out=reranked.jsonl
python infer/rerank.py --server.url=http://localhost:8000/v1 --server.model=NAME --data=DIR ...
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tabrag.config import main
from tabrag.inference.config import RerankConfig, RewriteConfig, TreeFileConfig


@dataclass(kw_only=True)
class Config(RerankConfig):
    """Settings of a reranking job. Killed and started again, it continues.

    Attributes:
        data: Data set folder of the tables or documents and of the queries.
        run: Run file with the candidates.
        split: Only the queries of this split of the data set folder.
        queries: File with queries, in place of those of the data set folder.
        rewrite: How questions of a conversation become ones that stand alone, as in the run; conversations
            are not looked at where null. Step-back questions are for retrieval alone.
        tree: The file of summary trees whose nodes are candidates; needed where the run has such.
        out: Run file (JSONL) to write.
        trec: Also write the run in TREC's form.
        batch_size: Queries between two saves.
        force: Start anew where the run was begun with other settings.
    """

    data: str
    run: str
    out: str
    split: str | None = None
    queries: str | None = None
    rewrite: RewriteConfig | None = None
    tree: TreeFileConfig | None = None
    trec: str | None = None
    batch_size: int = 64
    force: bool = False


def run(config: Config) -> dict[str, Any]:
    """Rerank; return figures."""
    from tabrag import distributed
    from tabrag.inference.rerank_job import rerank_queries

    with distributed.group():
        return rerank_queries(
            config,
            data=config.data,
            run=config.run,
            out=config.out,
            split=config.split,
            queries=config.queries,
            rewrite=config.rewrite,
            trees=None if config.tree is None else config.tree.file,
            trec=config.trec,
            batch_size=config.batch_size,
            force=config.force,
        )


if __name__ == "__main__":
    main(run, Config, description="Put the candidates of a run in a better order.")
