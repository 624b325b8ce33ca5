"""The program that reranks: whole, killed and continued, its mistakes."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
import torch
from entry_points import call, refuse
from run_files import write_run
from small_report import write as write_report

from tabrag.data.prepare import prepare
from tabrag.data.synthetic import corpus
from tabrag.evaluation.runs import read_run
from tabrag.files import write_jsonl
from tabrag.models import tiny
from tabrag.models.config import CrossEncoderConfig
from tabrag.models.cross_encoder import CrossEncoder
from tabrag.representations import RepresentationConfig
from tabrag.types import Candidate

PROGRAM = "infer/rerank.py"


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data set folder, a reranker that knows nothing, and a run of five candidates over its dev queries."""
    path = tmp_path_factory.mktemp("work")
    prepare(corpus.make(num_tables=20, seed=0), path / "data")
    tiny.bert(path / "bert")
    _save_reranker(path / "reranker", CrossEncoderConfig(backbone=str(path / "bert")))
    rows = [json.loads(line) for line in (path / "data/corpus.jsonl").read_text().splitlines()]
    items = [row["_id"] for row in rows][:5]
    lines = (path / "data/qrels/dev.tsv").read_text().splitlines()[1:]
    candidates = [Candidate(item_id=item, score=9.0 - n, stage="bm25") for n, item in enumerate(items)]
    write_run(path / "run.jsonl", {line.split("\t")[0]: candidates for line in lines})
    return path


def _save_reranker(path: Path, config: CrossEncoderConfig) -> Path:
    torch.manual_seed(0)
    model = CrossEncoder.from_config(config)
    with torch.no_grad():
        for parameter in model.head.parameters():
            parameter.normal_()
    model.save_pretrained(path)
    return path


def _arguments(work: Path, out: str, **changes: str) -> list[str]:
    given = {
        "checkpoint": str(work / "reranker"),
        "data": str(work / "data"),
        "run": str(work / "run.jsonl"),
        "split": "dev",
        "out": str(work / out),
        **changes,
    }
    return [f"--{name}={value}" for name, value in given.items()]


def test_questions_of_a_conversation_are_rewritten(
    work: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    query_id = next(iter(read_run(work / "run.jsonl")))
    asked = {"_id": query_id, "text": "And in 2019?", "history": [["How many cattle in 2018?", "3"]]}
    (work / "asked.jsonl").write_text(json.dumps(asked) + "\n")
    arguments = [
        one
        for one in _arguments(work, "plain.jsonl", queries=str(work / "asked.jsonl"))
        if "split" not in one
    ]
    call(PROGRAM, *arguments, capsys=capsys)
    assert "rewrite.by=rule" in caplog.text
    rewritten = [one.replace("plain", "rewritten") for one in arguments] + ["--rewrite.by=rule"]
    call(PROGRAM, *rewritten, capsys=capsys)
    plain, better = (read_run(work / name)[query_id] for name in ("plain.jsonl", "rewritten.jsonl"))
    assert {one.item_id for one in plain} == {one.item_id for one in better}
    assert [one.score for one in plain] != [one.score for one in better]
    assert "rewrite changed" in refuse(PROGRAM, *rewritten[:-1], capsys=capsys)


def test_a_run_is_reranked_and_a_killed_job_goes_on(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = _arguments(work, "out.jsonl", depth="4")
    figures = call(PROGRAM, *arguments, f"--trec={work / 'out.trec'}", capsys=capsys)
    before, after = read_run(work / "run.jsonl"), read_run(work / "out.jsonl")
    assert figures["queries"] == len(before) > 3 and figures["pairs"] == 4 * len(before)
    assert figures["failed"] == 0 and figures["pairs_per_second"] > 0
    assert list(after) == list(before)
    for query_id, candidates in after.items():
        assert {one.item_id for one in candidates} == {one.item_id for one in before[query_id]}
        scores = [one.score for one in candidates]
        assert scores == sorted(scores, reverse=True) and scores[3] >= 0 > scores[4]
    orders = {tuple(one.item_id for one in candidates) for candidates in after.values()}
    assert len(orders) > 1
    assert len((work / "out.trec").read_text().splitlines()) == 5 * len(before)
    journal = work / "out.jsonl.journal"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:3]) + lines[3][:20])  # killed while it wrote its third row
    (work / "out.jsonl").unlink()
    again = call(PROGRAM, *arguments, capsys=capsys)
    assert again["new"] == len(before) - 2
    for query_id, candidates in read_run(work / "out.jsonl").items():
        assert [one.item_id for one in candidates] == [one.item_id for one in after[query_id]]
        pairs = zip(candidates, after[query_id], strict=True)
        assert all(abs(one.score - other.score) < 1e-5 for one, other in pairs)  # other batch mates


def test_mistakes(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call(PROGRAM, *_arguments(work, "first.jsonl"), capsys=capsys)
    assert "depth changed" in refuse(PROGRAM, *_arguments(work, "first.jsonl", depth="2"), capsys=capsys)
    assert "cross_encoder.json" in refuse(
        PROGRAM, *_arguments(work, "x.jsonl", checkpoint=str(work / "bert")), capsys=capsys
    )
    assert "not found" in refuse(
        PROGRAM, *_arguments(work, "x.jsonl", run=str(work / "no.jsonl")), capsys=capsys
    )
    other = write_run(work / "other.jsonl", {"q": [Candidate(item_id="t", score=1.0, stage="x")]})
    assert "no candidates for any" in refuse(
        PROGRAM, *_arguments(work, "x.jsonl", run=str(other)), capsys=capsys
    )
    assert not (work / "x.jsonl").exists()


def test_a_run_of_another_corpus_is_refused_and_a_strange_candidate_fails_its_query(
    work: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = read_run(work / "run.jsonl")
    strange = Candidate(item_id="elsewhere", score=0.5, stage="bm25")
    foreign = write_run(work / "foreign.jsonl", {query_id: [strange] for query_id in before})
    said = refuse(PROGRAM, *_arguments(work, "foreign-out.jsonl", run=str(foreign)), capsys=capsys)
    assert "foreign.jsonl: the data set folder holds none" in said and "'elsewhere'" in said
    assert not (work / "foreign-out.jsonl").exists()
    part = Candidate(item_id="elsewhere#p3", score=0.5, stage="bm25")
    first, second, *others = before
    mixed = {**before, first: [strange, *before[first]], second: [*before[second], part]}
    write_run(work / "mixed.jsonl", mixed)
    arguments = _arguments(work, "mixed-out.jsonl", run=str(work / "mixed.jsonl"), depth="4")
    figures = call(PROGRAM, *arguments, capsys=capsys)  # the second stands below the depth
    assert figures["failed"] == 2
    rows = {row["query_id"]: row for row in map(json.loads, (work / "mixed-out.jsonl").open())}
    assert "'elsewhere' is no item" in rows[first]["error"]
    assert "'elsewhere#p3' is no item" in rows[second]["error"]
    assert others and all("error" not in rows[one] and rows[one]["candidates"] for one in others)


def test_nodes_of_summary_trees_are_reranked_beside_chunks(
    work: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = write_report(tmp_path / "data")
    config = CrossEncoderConfig(
        backbone=str(work / "bert"), representation=RepresentationConfig(name="document")
    )
    nodes = [
        {"number": 1, "layer": 0, "text": "Fruit sold well.", "units": [1, 2]},
        {"number": 2, "layer": 1, "text": "Fruit, in short.", "children": [1]},
    ]
    write_jsonl(tmp_path / "trees.jsonl", [{"_id": "r.pdf", "nodes": nodes}])
    write_jsonl(tmp_path / "asked.jsonl", [{"_id": "q", "text": "How did fruit sell?"}])
    items = ["r.pdf#u3-5", "r.pdf#n2", "r.pdf#u1-2"]
    candidates = [Candidate(item_id=item, score=3.0 - n, stage="bm25") for n, item in enumerate(items)]
    run = write_run(tmp_path / "run.jsonl", {"q": candidates})
    arguments = [
        f"--checkpoint={_save_reranker(tmp_path / 'reranker', config)}",
        f"--data={data}",
        f"--run={run}",
        f"--queries={tmp_path / 'asked.jsonl'}",
        f"--out={tmp_path / 'out.jsonl'}",
    ]
    said = refuse(PROGRAM, *arguments, capsys=capsys)
    assert "run.jsonl: 'r.pdf#n2' is a node" in said and "tree.file" in said
    assert not (tmp_path / "out.jsonl").exists()
    trees = f"--tree.file={tmp_path / 'trees.jsonl'}"
    figures = call(PROGRAM, *arguments, trees, capsys=capsys)
    assert (figures["pairs"], figures["failed"]) == (3, 0)
    better = read_run(tmp_path / "out.jsonl")["q"]
    assert {one.item_id for one in better} == set(items) and len({one.score for one in better}) == 3
    nodes[1]["text"] = "Something else altogether, about coal and steel."
    write_jsonl(tmp_path / "trees.jsonl", [{"_id": "r.pdf", "nodes": nodes}])
    assert "trees changed" in refuse(PROGRAM, *arguments, trees, capsys=capsys)
    call(PROGRAM, *arguments, trees, "--force=true", capsys=capsys)
    runs = (better, read_run(tmp_path / "out.jsonl")["q"])
    before, after = ({one.item_id: math.log(one.score) for one in run} for run in runs)
    assert [abs(before[item] - after[item]) > 0.01 for item in items] == [False, True, False]
