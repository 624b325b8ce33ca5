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
        checkpoint: Reranker, folder or hub id: a cross-encoder, a word reranker, or a language model that was
            trained to say True or False. Where null, a language model as it is: ``server``, or else ``chat``.
        depth: Candidates of a query that are scored; the others follow below them in their order.
        rank_weight: What the rank before counts, in units of log-odds: 0 is the model alone. That of the
            checkpoint where null.
        device: Where a cross-encoder or word reranker runs: ``cpu``, ``cuda`` or ``cuda:N``; the first GPU,
            or else the CPU, where null.
        dtype: Of a cross-encoder: ``auto`` (bfloat16 on a GPU that has it, else float32), ``float32``,
            ``bfloat16`` or ``float16``.
        batch_tokens: Positions of a cross-encoder's batch, padding included; a word reranker's pair counts as
            one for each of its facts.
        chat: The language model, and how it runs; a trained one is named by ``checkpoint``.
        server: A served language model, in place of ``chat``.
        show: What a language model as it is sees of a candidate: ``text``, ``image`` (of a part of a document
            its pages' pictures) or ``both``.
        context: Budget of a candidate's text for a language model as it is.
        mode: ``pointwise`` scores each candidate by itself; ``listwise`` asks a language model as it is once
            a question for the order of all, whose texts share the budget; ``graded`` asks it for a grade from
            0 to 1 of each by itself, which counts together with the score before.
        num_best: How many candidates ``listwise`` asks for; the others follow in their order.
        grade_by: How ``graded`` comes to a grade: ``score`` (the mean under the model's probabilities of the
            grades) or ``generate`` (what it says behind its reasons, for a model that reasons).
        model_weight: What a grade counts, 0..1; the score before counts the rest: a cosine as it is, other
            scores by where they lie between the least and the best of the question's candidates.
        max_reasoning_tokens: Length at most of a reply of ``generate``.
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
