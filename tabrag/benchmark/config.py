"""Settings of measurements, apart from the code that imports torch."""

from __future__ import annotations

from dataclasses import dataclass

from tabrag.errors import UserError


@dataclass(kw_only=True)
class PicturesConfig:
    """What is measured.

    Attributes:
        checkpoint: A trained reranker that sees pictures (a folder with ``chat_reranker.json``).
        data: Data set folder with pictures.
        run: Run file over the split's queries, whose best tables stand beside the relevant one; empty to
            measure reading alone.
        split: Which queries, and whose tables are read.
        candidates: Tables a question, the relevant one among them: chance is one in so many.
        max_queries: Judge this many questions at most, evenly spread.
        max_readings: Read this many tables at most, evenly spread.
        device: Where the model runs; the first GPU, or else the CPU, where null.
    """

    checkpoint: str
    data: str
    run: str = ""
    split: str = "dev"
    candidates: int = 5
    max_queries: int = 100
    max_readings: int = 100
    device: str | None = None

    def __post_init__(self) -> None:
        if self.candidates < 2:
            raise UserError(f"candidates must be 2 or more, found {self.candidates}")
        if min(self.max_queries, self.max_readings) < 1:
            raise UserError("max_queries and max_readings must be 1 or more")
