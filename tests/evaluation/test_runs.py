from __future__ import annotations

from pathlib import Path

import pytest
from run_files import write_run

from tabrag.errors import UserError
from tabrag.evaluation.runs import RunFile, read_qrels, read_run, write_trec
from tabrag.types import Candidate, Run

RUN: Run = {
    "q1": [
        Candidate(item_id="tab/é", score=0.1 + 0.2, stage="dense"),
        Candidate(item_id="007", score=-1.0, stage="dense"),
    ],
    "q2": [],
}


def test_a_run_comes_back_as_it_was(tmp_path: Path) -> None:
    write_run(tmp_path / "run.jsonl", RUN)
    assert read_run(tmp_path / "run.jsonl") == RUN
    lazy = RunFile(tmp_path / "run.jsonl")
    assert len(lazy) == 2 and list(lazy) == ["q1", "q2"]
    assert [lazy[query_id] for query_id in ("q2", "q1")] == [RUN["q2"], RUN["q1"]]


def test_trec_form(tmp_path: Path) -> None:
    write_trec(tmp_path / "run.trec", RUN, tag="mine")
    assert (tmp_path / "run.trec").read_text(encoding="utf-8").splitlines() == [
        "q1 Q0 tab/é 1 0.30000000000000004 mine",
        "q1 Q0 007 2 -1.0 mine",
    ]
    with pytest.raises(UserError, match="'a b'"):
        write_trec(tmp_path / "bad.trec", {"q": [Candidate(item_id="a b", score=1.0, stage="")]})
    assert not (tmp_path / "bad.trec").exists()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"query_id": "q1", "candidates": [{"item_id": "a"}]}', r"run\.jsonl:2.*score"),
        ('{"candidates": []}', r"run\.jsonl:2.*query_id"),
        ('{"query_id": "q0", "candidates": []}', "'q0' occurs twice"),
        ('{"query_id": "q1", "candidates": [{"item_id": "a", "score": NaN}]}', "'a' is nan"),
        ('{"query_id": 7, "candidates": []}', r"run\.jsonl:2.*id 7 is not a string"),
        ('{"query_id": "q1", "candidates": [{"item_id": 7, "score": 1}]}', "id 7 is not a string"),
        ("[]", "expected a JSON object"),
        ('{"query_id": ', "not a JSON object"),
        ("\n[", r"run\.jsonl:3: not a JSON object"),
    ],
)
def test_broken_run_files_are_named_with_the_place(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text('{"query_id": "q0", "candidates": []}\n' + line + "\n")
    for read in (read_run, RunFile):
        with pytest.raises(UserError, match=message) as caught:
            read(path)
        assert str(path) in str(caught.value)


def test_qrels_in_both_forms(tmp_path: Path) -> None:
    beir, trec = tmp_path / "dev.tsv", tmp_path / "qrels.txt"
    beir.write_text("query-id\tcorpus-id\tscore\nq 1\tt1\t1\nq 1\tt2\t0\n")
    trec.write_text("q1 0 t1 2\n\nq1 0 t2 0\n")
    assert read_qrels(beir) == {"q 1": {"t1": 1, "t2": 0}}
    assert read_qrels(trec) == {"q1": {"t1": 2, "t2": 0}}
    beir.write_bytes("query-id\tcorpus-id\tscore\r\nq\u2028 1\tt\x851\t1\r\n".encode())
    assert read_qrels(beir) == {"q\u2028 1": {"t\x851": 1}}
    trec.write_text("q1 0 t1 2\nq1 t1\n")
    with pytest.raises(UserError, match=r"qrels.txt:2"):
        read_qrels(trec)
    with pytest.raises(UserError, match="not found"):
        read_qrels(tmp_path / "none.tsv")
