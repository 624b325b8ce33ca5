"""What a source gives: tables, queries, judgements and the card, before they become a folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tabrag.data.card import Card
from tabrag.types import GoldHeaders, Qrels, Query, Table


class LazyTables(Iterable[Table]):
    """Tables that are read anew each time they are iterated, so that a large source needs little memory."""

    def __init__(self, read: Callable[[], Iterator[Table]]) -> None:
        self._read = read

    def __iter__(self) -> Iterator[Table]:
        return self._read()


@dataclass(kw_only=True)
class Dataset:
    """A data set as a source gives it.

    Attributes:
        card: Name, licence and citation.
        tables: The tables; may be lazy.
        queries: Questions and statements of all splits.
        qrels: Judgements by split.
        gold_headers: Relevant headers and answer cells, where known.
        images: Pictures to be copied: path in the folder -> file.
        failed: Files that could not be read, as ``{"file", "reason"}``.
        repairs: How often a rule had to mend the source's data, by rule; complete once ``tables`` has been
            iterated.
    """

    card: Card
    tables: Iterable[Table]
    queries: list[Query] = field(default_factory=list)
    qrels: dict[str, Qrels] = field(default_factory=dict)
    gold_headers: list[GoldHeaders] = field(default_factory=list)
    images: dict[str, Path] = field(default_factory=dict)
    failed: list[dict[str, str]] = field(default_factory=list)
    repairs: Counter[str] = field(default_factory=Counter)
