"""Settings of the training data, apart from the code that imports torch."""

from __future__ import annotations

from dataclasses import dataclass, field

from tabrag.errors import UserError
from tabrag.representations import RepresentationConfig


@dataclass(kw_only=True)
class TrainingDataConfig:
    """What a retriever is trained on.

    Attributes:
        folder: Data set folder with corpus.jsonl, queries.jsonl and qrels/.
        split: Split of the training queries.
        dev_split: Split to evaluate on while training; empty for none.
        negatives: Run file (JSONL) over the training queries, for example BM25's: its candidates are items
            that are easily taken for the relevant one. Empty for none.
        negative_depth: Use the first this many candidates of a query that are not relevant.
        num_negatives: Candidates encoded as hard negatives, drawn anew each epoch, a query.
        num_neighbours: Items with training queries of their own that resemble an item of the batch and join
            it.
        queries_per_item: Most queries on one item in a batch.
        mix_temperature: How the data sets of a pooled folder are mixed: each gets a share of the queries
            proportional to ``size ** (1 / mix_temperature)``. 1 takes each query once; a larger one gives
            small sets more (they repeat their queries) and large ones less (drawn anew each epoch).
        one_set_a_batch: Fill each batch from one data set, whose tables resemble each other most.
        chunk_size: Entries that are padded to one length and encoded together, after sorting by length: less
            padding, less memory at once, the same loss. 0 encodes a whole batch together, which suits a GPU.
        num_workers: Processes that make batches; 0 makes them in the training process.
        representation: What of an item is encoded.
    """

    folder: str
    split: str = "train"
    dev_split: str = "dev"
    negatives: str = ""
    negative_depth: int = 20
    num_negatives: int = 0
    num_neighbours: int = 0
    queries_per_item: int = 1
    mix_temperature: float = 1.0
    one_set_a_batch: bool = False
    chunk_size: int = 0
    num_workers: int = 0
    representation: RepresentationConfig = field(default_factory=RepresentationConfig)

    def __post_init__(self) -> None:
        for name in ("negative_depth", "queries_per_item"):
            if getattr(self, name) < 1:
                raise UserError(f"{name} must be 1 or more, found {getattr(self, name)}")
        for name in ("num_negatives", "num_neighbours", "chunk_size", "num_workers"):
            if getattr(self, name) < 0:
                raise UserError(f"{name} must be 0 or more, found {getattr(self, name)}")
        if not 0 < self.mix_temperature < float("inf"):
            raise UserError(f"mix_temperature must be a number greater than 0, found {self.mix_temperature}")
