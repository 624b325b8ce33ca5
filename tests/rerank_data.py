"""A small corpus with runs over its training and dev queries, to train rerankers on."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

from run_files import write_run

from tabrag.data.folder import write_documents
from tabrag.data.prepare import prepare
from tabrag.data.synthetic import corpus
from tabrag.evaluation.runs import read_run
from tabrag.types import Block, Candidate, Document

NUM_CANDIDATES = 4


def as_documents(path: Path, out: Path) -> Path:
    """What :func:`write_data` wrote, each table in a document of its own, which is judged in its place."""
    shutil.copytree(path / "data", out / "data")
    rows = [json.loads(line) for line in (path / "data/corpus.jsonl").read_text().splitlines()]
    documents = [
        Document(
            id=f"d-{row['_id']}",
            title=row["title"],
            blocks=[
                Block(kind="text", text=f"{row['title']} is told here. See the table."),
                Block(kind="table", table=row["_id"]),
            ],
        )
        for row in rows
    ]
    write_documents(out / "data", documents)
    for split in ("train", "dev"):
        qrels = out / f"data/qrels/{split}.tsv"
        first, *lines = qrels.read_text().splitlines()
        judged = [line.split("\t") for line in lines]
        told = [f"{query}\td-{item}\t{grade}" for query, item, grade in judged]
        qrels.write_text("\n".join([first, *told]) + "\n")
        run = read_run(path / f"{split}.jsonl")
        write_run(
            out / f"{split}.jsonl",
            {
                query: [replace(one, item_id=f"d-{one.item_id}") for one in candidates]
                for query, candidates in run.items()
            },
        )
    return out


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
