"""A table, a corpus and a chat model that says what it is told, for tests of readers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tabrag.chat.protocol import Conversation, Reply
from tabrag.tables.grid import make_grid
from tabrag.types import Candidate, Grid, Query, Source, Table


def crops() -> Grid:
    cells = [
        ["region", "2019", "", "2020", ""],
        ["", "wheat", "barley", "wheat", "barley"],
        ["north", "1,200", "310", "1,250", "290"],
        ["south", "900", "450", "870", "1,250"],
        ["total", "2,100", "760", "2,120", "1,540"],
    ]
    return make_grid(
        cells, merged=[(0, 1, 0, 0), (0, 0, 1, 2), (0, 0, 3, 4)], num_header_rows=2, num_header_cols=1
    )


def table(table_id: str = "T1", **fields: object) -> Table:
    values = {"title": "Crops by region", "grid": crops(), "source": Source(file="crops.pdf", page=3)}
    return Table(id=table_id, **{**values, **fields})  # type: ignore[arg-type]


class Corpus:
    def __init__(self, *tables: Table) -> None:
        self.tables = self.items = {one.id: one for one in tables}

    def image_path(self, one: Table) -> Path:
        return Path("data") / str(one.image)


class Chat:
    """A chat model that says what it is told and keeps what it was asked."""

    def __init__(self, *replies: str, scores: Sequence[float] = ()) -> None:
        self.replies, self.scores, self.asked = list(replies), list(scores), []

    def generate_batch(self, conversations: Sequence[Conversation], **_: object) -> list[Reply]:
        self.asked += conversations
        return [Reply(self.replies.pop(0), 0.8) for _ in conversations]

    def score_batch(self, conversations: Sequence[Conversation], choices: Sequence[str]) -> list[list[float]]:
        self.asked += conversations
        return [list(self.scores) for _ in conversations]

    def num_tokens(self, text: str) -> int:
        return len(text.split())


def run(*item_ids: str) -> dict[str, list[Candidate]]:
    return {"q": [Candidate(item_id=item_id, score=1.0, stage="bm25") for item_id in item_ids]}


def ask(text: str, *, task: str = "qa") -> list[Query]:
    return [Query(id="q", text=text, task=task)]


def long_table() -> Table:
    rows = [[f"region {i}", *(str(i * 100 + year) for year in range(20))] for i in range(300)]
    head = ["", *(f"year {2000 + year}" for year in range(20))]
    section = ["northern part", *[""] * 20]
    return table(grid=make_grid([head, section, *rows], num_header_rows=1, num_header_cols=1))
