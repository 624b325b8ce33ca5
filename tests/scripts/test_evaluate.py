from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from entry_points import ROOT, call, refuse
from run_files import write_run
from tiny_tables import write_tiny

from tabrag.data.folder import DataFolder
from tabrag.types import Candidate, Run

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


@pytest.fixture
def pooled(tmp_path: Path) -> list[str]:
    """Two runs over queries of two data sets, as arguments of the script."""
    data = write_tiny(tmp_path / "data")
    queries = [{"_id": f"{name}{n}", "text": "?", "data_set": name} for name in "xy" for n in range(6)]
    (data / "queries.jsonl").write_text("".join(json.dumps(query) + "\n" for query in queries))
    lines = [f"{query['_id']}\tplain\t1\n" for query in queries]
    (data / "qrels" / "dev.tsv").write_text("".join(lines))
    files = []
    for name, step in (("a", 2), ("b", 3)):
        run: Run = {
            query["_id"]: [
                Candidate(item_id="plain", score=float(number % step), stage="dense"),
                Candidate(item_id="csv/200-csv/0.csv", score=0.5, stage="dense"),
            ]
            for number, query in enumerate(queries)
        }
        files.append(f"{name}: {write_run(tmp_path / f'{name}.jsonl', run)}")
    return [f"--runs={{{', '.join(files)}}}", f"--data={data}", "--baseline=a"]


def test_several_runs_for_each_data_set(
    pooled: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    extra = [f"--table={tmp_path / 'out.md'}", f"--per_query={tmp_path / 'each.jsonl'}"]
    result = call(SCRIPT, *pooled, *extra, capsys=capsys)
    assert {name: group["queries"] for name, group in result["data_sets"].items()} == {"x": 6, "y": 6}
    means = {
        name: [result[group]["runs"][name]["Recall@1"]["mean"] for group in ("pooled", "macro")]
        for name in "ab"
    }
    assert means == {"a": [0.5, 0.5], "b": [8 / 12, pytest.approx(8 / 12)]}
    assert result["pooled"]["runs"]["b"]["Recall@1"]["difference"] == pytest.approx(2 / 12)
    text = (tmp_path / "out.md").read_text()
    assert "| pooled (12) | a | 50.0 [" in text and "| mean of 2 sets | b | +16.7 [" in text
    each = [json.loads(line) for line in (tmp_path / "each.jsonl").read_text().splitlines()]
    assert len(each) == 24 and sum(row["Recall@1"] for row in each if row["run"] == "b") == 8
    assert [row["data_set"] for row in each[:7]] == [*"xxxxxx", "y"]
    chosen = call(SCRIPT, *pooled, "--figures=[MRR, Hit@2]", capsys=capsys)
    assert list(chosen["pooled"]["runs"]["a"]) == chosen["figures"] == ["MRR", "Hit@2"]


def test_the_same_bytes_come_out_whatever_the_hash_seed(pooled: list[str], tmp_path: Path) -> None:
    outputs = set()
    for seed in ("0", "1"):
        done = subprocess.run(
            [sys.executable, str(ROOT / SCRIPT), *pooled, f"--table={tmp_path / 'out.md'}"],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        assert "pooled" in done.stderr and len(done.stdout.splitlines()) == 1
        outputs.add(done.stdout + (tmp_path / "out.md").read_text())
    assert len(outputs) == 1


def test_what_is_refused_with_status_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = write_tiny(tmp_path / "data")
    write_run(tmp_path / "run.jsonl", {"q1": []})
    good = [f"--run={tmp_path / 'run.jsonl'}", f"--data={data}"]
    assert "no split 'other'" in refuse(SCRIPT, *good, "--split=other", capsys=capsys)
    assert "not found" in refuse(SCRIPT, "--run=none.jsonl", good[1], capsys=capsys)
    for sources in (good[:1], [*good, f"--qrels={data / 'qrels' / 'dev.tsv'}"]):
        assert "exactly one source" in refuse(SCRIPT, *sources, capsys=capsys)
    assert "'best'" in refuse(SCRIPT, *good, "--ties=best", capsys=capsys)
    for cuts in ("[0]", "[]"):
        assert "at least 1" in refuse(SCRIPT, *good, f"--ks={cuts}", capsys=capsys)
    several = [f"--runs={{x: {tmp_path / 'run.jsonl'}}}", good[1]]
    assert "exactly one of run" in refuse(SCRIPT, *several, good[0], capsys=capsys)
    assert "exactly one of run" in refuse(SCRIPT, good[1], capsys=capsys)
    assert "baseline belongs to runs" in refuse(SCRIPT, *good, "--baseline=x", capsys=capsys)
    assert "ks belongs to run:" in refuse(SCRIPT, *several, "--ks=[1]", capsys=capsys)
    assert "'y' is none of the runs" in refuse(SCRIPT, *several, "--baseline=y", capsys=capsys)
    qrels = data / "qrels" / "dev.tsv"
    qrels.write_text(qrels.read_text() + "q1\tnobody\t1\n")
    message = refuse(SCRIPT, *good, capsys=capsys)
    assert "unknown item ids: 'nobody'" in message


def test_chunks_are_judged_by_their_documents(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    run = {
        "q1": [
            Candidate(item_id=f"{name}#u{n}-{n}", score=1 / n, stage="bm25")
            for n, name in enumerate(("a.pdf", "a.pdf", "b.pdf"), 1)
        ]
    }
    write_run(tmp_path / "run.jsonl", run)
    (tmp_path / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq1\tb.pdf\t1\n")
    arguments = [f"--qrels={tmp_path / 'qrels.tsv'}", "--ks=[2]"]
    one = [f"--run={tmp_path / 'run.jsonl'}", *arguments]
    assert call(SCRIPT, *one, capsys=capsys)["MRR"] == 0
    assert "by=document" in caplog.text
    caplog.clear()
    assert call(SCRIPT, *one, "--by=document", capsys=capsys)["MRR"] == 0.5
    assert caplog.text == ""
    several = [f"--runs={{chunks: {tmp_path / 'run.jsonl'}}}", arguments[0], "--figures=[Hit@2]"]
    for by, hit in (("item", 0), ("document", 1)):
        figures = call(SCRIPT, *several, f"--by={by}", capsys=capsys)
        assert figures["pooled"]["runs"]["chunks"]["Hit@2"]["mean"] == hit
    assert "item, document" in refuse(SCRIPT, *one, "--by=page", capsys=capsys)
