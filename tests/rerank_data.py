"""A small corpus with runs over its training and dev queries, to train rerankers on."""

from __future__ import annotations

import json
from pathlib import Path

from run_files import write_run

from tabrag.data.prepare import prepare
from tabrag.data.synthetic import corpus
from tabrag.types import Candidate

NUM_CANDIDATES = 4


def write_data(path: Path, *, render: bool = False) -> Path:
    """``data/`` and, for both splits, ``SPLIT.jsonl``: the relevant table second, others around it."""
    prepare(corpus.make(num_tables=20, seed=0), path / "data", render=render, num_workers=1)
    rows = [json.loads(line) for line in (path / "data/corpus.jsonl").read_text().splitlines()]
    items = [row["_id"] for row in rows]
    for split in ("train", "dev"):
        lines = (path / f"data/qrels/{split}.tsv").read_text().splitlines()[1:]
        run = {}
        for number, line in enumerate(lines):
            query, gold, _ = line.split("\t")
            others = [item for item in items if item != gold]
            chosen = [others[(number * 3 + step) % len(others)] for step in range(NUM_CANDIDATES - 1)]
            chosen.insert(1, gold)
            run[query] = [Candidate(item_id=one, score=9.0 - n, stage="bm25") for n, one in enumerate(chosen)]
        write_run(path / f"{split}.jsonl", run)
    return path
