"""Make an index folder of a data set folder, or bring one up to date.

python infer/index.py --data=DIR --kind=bm25 --out=INDEX
python infer/index.py --data=DIR --checkpoint=RUN/export --out=INDEX
torchrun --nproc_per_node 8 infer/index.py --data=DIR --checkpoint=RUN/export --kind=faiss-ivf --out=INDEX
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tabrag.config import main
from tabrag.index.config import Bm25Config, EncodeConfig
from tabrag.representations import RepresentationConfig


@dataclass(kw_only=True)
class Config:
    """Settings of an index.

    Attributes:
        data: Data set folder.
        out: Index folder to make or to update.
        kind: ``exact``, ``faiss-flat``, ``faiss-ivf``, ``faiss-hnsw`` or ``bm25``.
        checkpoint: Retriever (folder or hub id) of a dense index.
        representation: What is searched; a dense index takes that of its retriever where null, ``bm25`` takes
            ``headers``.
        item_max_length: Most tokens of an entry, for dense indexes; those of the checkpoint where null.
        metric: ``cosine`` or ``ip``, for dense indexes; what the checkpoint was trained on where null.
        sync: Bring an existing index up to date: only new and changed items are encoded, vanished ones
            removed.
        only: File that names the tables or documents to index, one id a line; all where null.
        reuse: Index folders by the same retriever: entries that they hold are not encoded again.
        bm25: Words and scores of ``bm25``.
        encoding: How entries are embedded.
        vision_features: Image-text model (folder or hub id; a trained reranker is one) that will be shown
            the items' pictures: what its vision tower makes of them is stored beside the index, in
            ``OUT.vision_features``, with device and number format of ``encoding``. A chat model that is told
            the index (``rerank.chat.vision_features=OUT``) takes it from there.
    """

    data: str
    out: str
    kind: str = "exact"
    checkpoint: str | None = None
    representation: RepresentationConfig | None = None
    item_max_length: int | None = None
    metric: str | None = None
    sync: bool = False
    only: str | None = None
    reuse: list[str] = field(default_factory=list)
    bm25: Bm25Config = field(default_factory=Bm25Config)
    encoding: EncodeConfig = field(default_factory=EncodeConfig)
    vision_features: str | None = None


def run(config: Config) -> dict[str, Any]:
    """Make or update the index; return its counts."""
    from tabrag import distributed
    from tabrag.inference.index_job import index_folder, read_ids

    with distributed.group():
        return index_folder(
            config.data,
            config.out,
            kind=config.kind,
            checkpoint=config.checkpoint,
            representation=config.representation,
            item_max_length=config.item_max_length,
            metric=config.metric,
            sync=config.sync,
            items=None if config.only is None else read_ids(config.only),
            reuse=config.reuse,
            bm25=config.bm25,
            encoding=config.encoding,
            vision_features=config.vision_features,
        )


if __name__ == "__main__":
    main(run, Config, description="Make an index of a data set folder.")
