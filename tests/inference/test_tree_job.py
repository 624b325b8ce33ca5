"""Trees grown by several processes: each grows some, and the file is that of one process."""

from __future__ import annotations

from pathlib import Path

import pytest
from indexes import retriever
from processes import run_distributed
from small_report import report, write

from tabrag.data.folder import write_documents
from tabrag.errors import UserError
from tabrag.inference import tree_job
from tabrag.inference.tree_job import grow_trees
from tabrag.types import Block, Document

pytest.importorskip("sklearn")


def _document(number: int) -> Document:
    topics = ("bread is cheap", "wine is dear", "trains are late")
    texts = [f"In {1980 + place} {topics[(place + number) % 3]} in Lund." for place in range(12 + number)]
    return Document(id=f"d{number}", blocks=[Block(kind="text", text=text, page=1) for text in texts])


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("trees")
    write(path / "data")
    write_documents(path / "data", [report(), *map(_document, range(4))])
    retriever().save_pretrained(path / "checkpoint")
    return path


def test_processes_share_the_documents(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def grown(out: Path) -> int:
        """How many trees this process grows."""
        count = 0
        grow = tree_job.grow

        def counted(*args: object, **options: object) -> object:
            nonlocal count
            count += 1
            return grow(*args, **options)

        monkeypatch.setattr(tree_job, "grow", counted)
        config = tree_job.GrowConfig(leaf_tokens=20)
        figures = grow_trees(
            work / "data", out, checkpoint=str(work / "checkpoint"), config=config, batch_size=3
        )
        monkeypatch.undo()
        assert figures["trees"] == figures["new"] == 5 and figures["summaries"] > 2
        return count

    assert run_distributed(lambda rank: grown(work / "two.jsonl"), 2) == [2, 3]
    assert grown(work / "one.jsonl") == 5
    assert (work / "two.jsonl").read_bytes() == (work / "one.jsonl").read_bytes()


def test_a_document_that_fails_in_one_process_is_a_row_of_all(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leaves_of = tree_job.leaves_of

    def broken(whole: tree_job.WholeDocument, **options: object) -> object:
        if whole.id == "d1":
            raise UserError("d1 is broken")
        return leaves_of(whole, **options)

    monkeypatch.setattr(tree_job, "leaves_of", broken)

    def grown(rank: int) -> tuple[float, float]:
        figures = grow_trees(work / "data", work / "failed.jsonl", checkpoint=str(work / "checkpoint"))
        return figures["trees"], figures["failed"]

    assert run_distributed(grown, 2) == [(5, 1)] * 2
