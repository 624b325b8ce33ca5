"""Settings of the training data, apart from the code that imports torch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from tabrag.errors import UserError
from tabrag.representations import RepresentationConfig


@dataclass(kw_only=True)
class PairsConfig:
    """Training queries with what is relevant to each and what is easily taken for it.

    Attributes:
        folder: Data set folder with corpus.jsonl, queries.jsonl and qrels/.
        split: Split of the training queries.
        dev_split: Split to evaluate on while training; empty for none.
        negatives: Run file (JSONL) over the training queries, for example BM25's: its candidates are items
            that are easily taken for the relevant one. Empty for none.
        negative_depth: Use the first this many candidates of a query that are not relevant.
        num_negatives: Hard negatives a query, drawn anew each epoch.
        chunk_size: Inputs that are padded to one length and encoded together, after sorting by length: less
            padding, less memory at once, the same loss. 0 encodes a whole batch together, which suits a GPU.
        num_workers: Processes that make batches; 0 makes them in the training process.
    """

    folder: str
    split: str = "train"
    dev_split: str = "dev"
    negatives: str = ""
    negative_depth: int = 20
    num_negatives: int = 0
    chunk_size: int = 0
    num_workers: int = 0

    def __post_init__(self) -> None:
        if self.negative_depth < 1:
            raise UserError(f"negative_depth must be 1 or more, found {self.negative_depth}")
        for name in ("num_negatives", "chunk_size", "num_workers"):
            if getattr(self, name) < 0:
                raise UserError(f"{name} must be 0 or more, found {getattr(self, name)}")


@dataclass(kw_only=True)
class TrainingDataConfig(PairsConfig):
    """What a retriever is trained on; see also :class:`PairsConfig`.

    Attributes:
        num_neighbours: Items with training queries of their own that resemble an item of the batch and join
            it.
        queries_per_item: Most queries on one item in a batch.
        mix_temperature: How the data sets of a pooled folder are mixed: each gets a share of the queries
            proportional to ``size ** (1 / mix_temperature)``. 1 takes each query once; a larger one gives
            small sets more (they repeat their queries) and large ones less (drawn anew each epoch).
        one_set_a_batch: Fill each batch from one data set, whose tables resemble each other most.
        representation: What of an item is encoded.
    """

    num_neighbours: int = 0
    queries_per_item: int = 1
    mix_temperature: float = 1.0
    one_set_a_batch: bool = False
    representation: RepresentationConfig = field(default_factory=RepresentationConfig)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.queries_per_item < 1:
            raise UserError(f"queries_per_item must be 1 or more, found {self.queries_per_item}")
        if self.num_neighbours < 0:
            raise UserError(f"num_neighbours must be 0 or more, found {self.num_neighbours}")
        if not 0 < self.mix_temperature < float("inf"):
            raise UserError(f"mix_temperature must be a number greater than 0, found {self.mix_temperature}")


@dataclass(kw_only=True)
class RankingDataConfig(PairsConfig):
    """What a reranker is trained on; see also :class:`PairsConfig`.

    Attributes:
        dev_run: Run file over the dev queries, whose candidates are reranked to judge the model. Empty for
            none: then there is nothing to judge.
        dev_depth: Candidates of a dev query that are reranked.
        max_dev: Judge on about this many queries, evenly spread; 0 for all.
    """

    dev_run: str = ""
    dev_depth: int = 20
    max_dev: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.dev_depth < 1:
            raise UserError(f"dev_depth must be 1 or more, found {self.dev_depth}")
        if self.max_dev < 0:
            raise UserError(f"max_dev must be 0 or more, found {self.max_dev}")


@dataclass(kw_only=True)
class RankingTasksConfig:
    """What a language model learns of each training query: one of these tasks an epoch.

    Attributes:
        answer: Share of ``answer``: the answer from the relevant table. Shares are relative to each other.
        judge: Share of ``judge``: whether one table answers the question, with ``data.num_negatives`` tables
            that do not for each one that does (1 to 4 serve).
        choose: Share of ``choose``: which of several tables do.
        read: Share of ``read``: what stands in the picture of the relevant table (title, headers or a value),
            which a new projector learns first. It needs a model that sees pictures.
        num_tables: Tables that are shown together at most.
        distractors: Share of ``answer`` in which other tables stand beside the relevant one, 0..1.
        none_relevant: Share of ``choose`` in which no table is relevant, 0..1.
    """

    answer: float = 1.0
    judge: float = 2.0
    choose: float = 1.0
    read: float = 0.0
    num_tables: int = 3
    distractors: float = 0.5
    none_relevant: float = 0.2

    def __post_init__(self) -> None:
        shares = self.shares()
        if not all(0 <= share < float("inf") for share in shares.values()) or not any(shares.values()):
            raise UserError(f"shares of tasks are numbers from 0 up, one of them above 0, found {shares}")
        if self.num_tables < 2:
            raise UserError(f"num_tables must be 2 or more, found {self.num_tables}")
        for name in ("distractors", "none_relevant"):
            if not 0 <= getattr(self, name) <= 1:
                raise UserError(f"{name} is a share, 0..1, found {getattr(self, name)}")

    def shares(self) -> dict[str, float]:
        """Task -> its share, relative to the others."""
        return {"answer": self.answer, "judge": self.judge, "choose": self.choose, "read": self.read}


@dataclass(kw_only=True)
class MiningConfig:
    """How hard negatives are chosen from runs.

    Attributes:
        num_negatives: Negatives a query.
        mix: How several runs become one ranking, by their ranks alone: ``round_robin`` takes the first of
            each, then the second of each, and so on; ``rrf`` is reciprocal rank fusion.
        rrf_k: Constant of reciprocal rank fusion.
        skip: Leave out this many candidates at the top, of those that are not relevant.
        depth: Look no further than this rank, counted in the same way.
        relative_margin: Drop a candidate that scores above ``positive - relative_margin * |positive|`` in one
            of the runs, where ``positive`` is the best score of a relevant table there; null for any score.
        absolute_margin: Drop a candidate that scores above ``positive - absolute_margin``; null for any
            score.
        missing_positive: What a margin does with a run that does not name a relevant table of the query:
            ``keep`` leaves its candidates alone, ``drop`` drops them, since all stand above the relevant one.
        drop_answers: Drop tables that hold the answers of the question, see
            :mod:`tabrag.data.answer_cells`.
        near_duplicates: Drop tables whose different cell texts overlap those of a relevant table by at least
            this share (intersection over union, 0..1); null to keep them.
        tolerance: Scores that follow each other by less than this share of the best one are equal, and
            ordered by id: devices differ in the last digits.
    """

    num_negatives: int = 10
    mix: Literal["round_robin", "rrf"] = "round_robin"
    rrf_k: float = 60
    skip: int = 0
    depth: int = 50
    relative_margin: float | None = None
    absolute_margin: float | None = None
    missing_positive: Literal["keep", "drop"] = "keep"
    drop_answers: bool = True
    near_duplicates: float | None = None
    tolerance: float = 1e-5

    def __post_init__(self) -> None:
        if self.num_negatives < 1:
            raise UserError(f"num_negatives must be 1 or more, found {self.num_negatives}")
        if not 0 <= self.skip < self.depth:
            raise UserError(
                f"the ranks from skip to depth hold nothing: found skip={self.skip} and depth={self.depth}"
            )
        for name in ("relative_margin", "absolute_margin", "rrf_k", "tolerance"):
            value = getattr(self, name)
            if value is not None and not 0 <= value < float("inf"):
                raise UserError(f"{name} must be a number from 0 up, found {value}")
        if self.near_duplicates is not None and not 0 < self.near_duplicates <= 1:
            raise UserError(f"near_duplicates is a share above 0, up to 1, found {self.near_duplicates}")


@dataclass(kw_only=True)
class HeaderDataConfig:
    """What a header classifier is trained on.

    Attributes:
        folder: Data set folder whose ``headers.jsonl`` has gold headers or answer cells.
        split: Split of the training queries.
        dev_split: Split to evaluate on while training; empty for none.
        max_dev: Evaluate on about this many queries, evenly spread; 0 for all.
        chunk_size: Inputs that are padded to one length and encoded together, after sorting by length. 0
            encodes a whole batch together, which suits a GPU.
        num_workers: Processes that make batches; 0 makes them in the training process.
    """

    folder: str
    split: str = "train"
    dev_split: str = "dev"
    max_dev: int = 0
    chunk_size: int = 0
    num_workers: int = 0

    def __post_init__(self) -> None:
        for name in ("max_dev", "chunk_size", "num_workers"):
            if getattr(self, name) < 0:
                raise UserError(f"{name} must be 0 or more, found {getattr(self, name)}")


@dataclass(kw_only=True)
class CellDataConfig:
    """What a cell reader is trained on.

    Attributes:
        folder: Data set folder with answers, and with gold headers or answer cells in ``headers.jsonl``.
        split: Split of the training queries.
        dev_split: Split to evaluate on while training, with the gold table of each query; empty for none.
        max_dev: Evaluate on about this many queries, evenly spread; 0 for all.
        max_tokens: Each time a table is seen, rows and columns are left out at random until it has a random
            number of tokens between half of this and this, the needed ones kept: many small tables in place
            of a few large ones. 0 shows whole tables.
        refiner: Header classifier whose scores say which rows and columns are the hardest to tell from the
            needed ones, and stay the longest; empty: the words shared with the question say it.
        chunk_size: Inputs that are padded to one length and encoded together, after sorting by length. 0
            encodes a whole batch together, which suits a GPU.
        num_workers: Processes that make batches; 0 makes them in the training process.
    """

    folder: str
    split: str = "train"
    dev_split: str = "dev"
    max_dev: int = 0
    max_tokens: int = 0
    refiner: str = ""
    chunk_size: int = 0
    num_workers: int = 0

    def __post_init__(self) -> None:
        for name in ("max_dev", "max_tokens", "chunk_size", "num_workers"):
            if getattr(self, name) < 0:
                raise UserError(f"{name} must be 0 or more, found {getattr(self, name)}")
