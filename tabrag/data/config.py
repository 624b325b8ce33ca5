"""Settings of the training data, apart from the code that imports torch."""

from __future__ import annotations

from dataclasses import dataclass, field

from tabrag.representations import RepresentationConfig


@dataclass(kw_only=True)
class TrainingDataConfig:
    """What a retriever is trained on.

    Attributes:
        folder: Data set folder with corpus.jsonl, queries.jsonl and qrels/.
        split: Split of the training queries.
        dev_split: Split to evaluate on while training; empty for none.
        negatives: Run file (JSONL) over the training queries whose candidates serve as hard negatives; empty
            for none.
        num_negatives: Hard negatives drawn a query and epoch.
        negative_depth: Draw them from the first this many candidates that are not relevant.
        num_workers: Processes that make batches; 0 makes them in the training process.
        representation: What of an item is encoded.
    """

    folder: str
    split: str = "train"
    dev_split: str = "dev"
    negatives: str = ""
    num_negatives: int = 1
    negative_depth: int = 20
    num_workers: int = 0
    representation: RepresentationConfig = field(default_factory=RepresentationConfig)
