from __future__ import annotations

import json
from pathlib import Path

import pytest
from entry_points import call, refuse
from tiny_tables import write_tiny

from tabrag.data.folder import DataFolder
from tabrag.evaluation.runs import write_run
from tabrag.types import Candidate

SCRIPT = "scripts/evaluate.py"


def test_figures_intervals_and_per_query(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = write_tiny(tmp_path / "data")
    qrels = DataFolder(data).qrels("dev")
    gold = {query_id: next(iter(grades)) for query_id, grades in qrels.items()}
    other = {"plain": "csv/200-csv/0.csv", "csv/200-csv/0.csv": "plain"}
    run = {
        query_id: [
            Candidate(item_id=other[item_id], score=0.9, stage="dense"),
            Candidate(item_id=item_id, score=0.4, stage="dense"),
        ]
        for query_id, item_id in gold.items()
    }
    write_run(tmp_path / "run.jsonl", run)
    figures = call(
        SCRIPT,
        f"--run={tmp_path / 'run.jsonl'}",
        f"--data={data}",
        "--split=dev",
        "--ks=[1, 2]",
        f"--per_query={tmp_path / 'each.jsonl'}",
        capsys=capsys,
    )
    assert (figures["Hit@1"], figures["Hit@2"], figures["MRR"], figures["queries"]) == (0, 1, 0.5, len(gold))
    assert figures["intervals"]["MRR"] == [0.5, 0.5]
    arguments = (f"--run={tmp_path / 'run.jsonl'}", f"--qrels={data / 'qrels' / 'dev.tsv'}", "--ks=[1, 2]")
    assert call(SCRIPT, *arguments, capsys=capsys) == figures
    each = [json.loads(line) for line in (tmp_path / "each.jsonl").read_text().splitlines()]
    assert [row["query_id"] for row in each] == list(gold) and {row["MRR@2"] for row in each} == {0.5}


def test_the_table_for_people_goes_to_standard_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from tabrag.evaluation.ranking_report import evaluate_run

    data = write_tiny(tmp_path / "data")
    write_run(tmp_path / "run.jsonl", {"q1": []})
    evaluate_run(tmp_path / "run.jsonl", data, split="dev")
    printed = capsys.readouterr()
    assert printed.out == "" and "nDCG" in printed.err and "queries" in printed.err


def test_what_is_refused_with_status_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = write_tiny(tmp_path / "data")
    write_run(tmp_path / "run.jsonl", {"q1": []})
    good = [f"--run={tmp_path / 'run.jsonl'}", f"--data={data}"]
    assert "no split 'other'" in refuse(SCRIPT, *good, "--split=other", capsys=capsys)
    assert "not found" in refuse(SCRIPT, "--run=none.jsonl", good[1], capsys=capsys)
    for sources in (good[:1], [*good, f"--qrels={data / 'qrels' / 'dev.tsv'}"]):
        assert "exactly one source" in refuse(SCRIPT, *sources, capsys=capsys)
    assert "'best'" in refuse(SCRIPT, *good, "--ties=best", capsys=capsys)
    assert "at least 1" in refuse(SCRIPT, *good, "--ks=[0]", capsys=capsys)
    qrels = data / "qrels" / "dev.tsv"
    qrels.write_text(qrels.read_text() + "q1\tnobody\t1\n")
    message = refuse(SCRIPT, *good, capsys=capsys)
    assert "unknown item ids: 'nobody'" in message
