"""The growth of a tree is measured on real texts and a real encoder."""

from __future__ import annotations

from pathlib import Path

import pytest
from indexes import retriever
from small_report import report, write

from tabrag.benchmark.tree import measure_tree
from tabrag.data.folder import write_documents
from tabrag.errors import UserError
from tabrag.types import Block, Document

pytest.importorskip("sklearn")


def test_growing(tmp_path: Path) -> None:
    data = write(tmp_path / "data")
    topics = ("bread is cheap in the old town", "wine is dear", "trains are late in winter")
    blocks = [Block(kind="text", text=f"In {place} " + f"{topics[place % 3]}. " * 12) for place in range(40)]
    write_documents(data, [report(), Document(id="b", blocks=[*blocks, *blocks])])
    retriever().save_pretrained(tmp_path / "checkpoint")
    figures = measure_tree(str(data), checkpoint=str(tmp_path / "checkpoint"), num_chunks=30)
    assert figures["chunks"] == figures["different_chunks"] == figures["nodes"][0] == 30
    assert len(figures["nodes"]) > 1 and 0 < figures["nodes"][1] < 30
    for clocks in (figures["seconds"], figures["cpu_seconds"]):
        assert clocks["all"] == pytest.approx(clocks["embedding"] + clocks["without_embedding"], abs=0.11)
    assert figures["peak_rss_mb"] > 50
    with pytest.raises(UserError, match="not 5000"):
        measure_tree(str(data), checkpoint=str(tmp_path / "checkpoint"), num_chunks=5000)
