from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tabrag.errors import UserError
from tabrag.evaluation.fastrageval import JudgedFact, Judgement, judgement_record
from tabrag.evaluation.fastrageval_report import (
    evaluate_judgements,
    read_judgements,
    reference_answers,
    show_judgements,
    summarise,
)
from tabrag.types import Query


def row(query_id: str, covered: str, supported: str, *, answer: str = "x", **more: Any) -> dict[str, Any]:
    """A row of a file of judgements from flags: ``110`` are two facts that hold and one that does not."""
    facts = [
        tuple(JudgedFact(f"fact {i}", flag == "1") for i, flag in enumerate(flags))
        for flags in (covered, supported)
    ]
    record = judgement_record(Judgement(*facts))
    return {"query_id": query_id, "answer": answer, "reply": "...", **record, "mended": "", **more}


def failed(query_id: str, fault: str = "syntax") -> dict[str, Any]:
    return {"query_id": query_id, "answer": "x", "reply": "?", "fault": fault, "error": "it cannot be read"}


def test_means_are_over_what_was_read_and_say_so() -> None:
    rows = [
        row("a", "1", "1", mended="code"),
        row("b", "10", "1", mended="model"),
        row("c", "000", ""),
        row("d", "1", "1", reply=None),
        failed("e"),
        failed("f", "cut_off"),
        failed("g"),
    ]
    found = summarise(rows)
    assert found["recall"] == (1 + 1 / 2 + 0 + 1) / 4
    assert found["precision"] == 3 / 4
    assert found["f1"] == pytest.approx((1 + 2 / 3 + 0 + 1) / 4)
    assert (found["counted"], found["judged"], found["unparsed"], found["coverage"]) == (4, 4, 3, 3 / 6)
    assert found["faults"] == {"cut_off": 1, "syntax": 2} and found["unparsed_ids"] == ["e", "f", "g"]
    assert (found["mended_by_code"], found["mended_by_model"], found["settled"]) == (1, 1, 1)
    assert found["without_claims"] == 1
    assert found["bounds"]["recall"] == pytest.approx([2.5 / 7, 5.5 / 7])
    low, high = found["intervals"]["recall"]
    assert 0 <= low < found["recall"] < high <= 1
    assert found["micro"] == {
        "recall": 3 / 7, "precision": 1.0, "f1": pytest.approx(2 * 3 / 7 / (10 / 7)),
        "ref_facts": 7, "covered_facts": 3, "pred_facts": 3, "supported_facts": 3,
    }  # fmt: skip


def test_the_system_s_failures_count_and_the_judge_s_do_not() -> None:
    rows = [row("a", "1", "1"), failed("b")]
    assert summarise(rows)["recall"] == 1
    found = summarise(rows, num_without=1, num_unjudged=2)
    assert (found["recall"], found["counted"], found["coverage"]) == (1 / 2, 2, 1 / 2)
    assert found["bounds"]["recall"] == [1 / 5, 4 / 5]
    assert (found["without_answer"], found["unjudged"], found["unparsed"]) == (1, 2, 1)


def test_nothing_read_is_no_figure_and_no_nan() -> None:
    for rows in ([], [failed("a"), failed("b")]):
        found = summarise(rows)
        assert found["recall"] is found["f1"] is found["intervals"] is found["micro"]["recall"] is None
        json.dumps(found, allow_nan=False)
    assert found["coverage"] == 0 and found["bounds"]["f1"] == [0, 1]


def test_stored_figures_are_not_trusted() -> None:
    forged = {**row("a", "10", "0"), "recall": 1.0, "f1": 1.0}
    assert (summarise([forged])["recall"], summarise([forged])["f1"]) == (1 / 2, 0)
    with pytest.raises(UserError, match="query 'a' is broken"):
        summarise([{**forged, "ref_facts": [{"fact": "a", "covered": 1}]}])


def test_references() -> None:
    assert reference_answers(Query(id="a", text="?", answers=["x", " ", "y"])) == ("x", "y")
    assert reference_answers(Query(id="a", text="?", evidence="none")) == ("Not answerable",)
    assert reference_answers(Query(id="a", text="?", evidence="none", answers=["n"])) == ("n",)
    assert reference_answers(Query(id="a", text="?", evidence="text")) == ()
    assert reference_answers(Query(id="a", text="?", task="verify", answers=["x"])) == ()


QUERIES = [
    Query(id="a", text="?", answers=["12"], evidence="table"),
    Query(id="b", text="?", answers=["13"], evidence="table"),
    Query(id="c", text="?", answers=["14"], evidence="text"),
    Query(id="d", text="?", answers=["15"], evidence="text"),
    Query(id="e", text="?", answers=["16"], evidence="text"),
    Query(id="f", text="?", evidence="none"),
    Query(id="g", text="?", task="verify", label="SUPPORTED"),
    Query(id="h", text="?", task="describe", answers=["Sales rose."]),
]


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in rows))
    return path


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    answers = [
        {"query_id": name, "answer": text}
        for name, text in zip("abcdfgh", "12 12 14 9 x y z".split(), strict=True)
    ]
    judgements = [
        row("a", "1", "1", answer="12"),
        row("b", "0", "0", answer="12"),
        {**failed("c"), "answer": "14"},
        row("f", "1", "1", answer="x"),
        row("h", "10", "11", answer="z"),
    ]
    error = {"query_id": "e", "error": "a picture does not open"}
    return (
        write(tmp_path / "answers.jsonl", [*answers, error]),
        write(tmp_path / "judgements.jsonl", judgements),
    )


def test_figures_of_each_task_and_kind_with_the_classic_ones(
    files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    answers, judgements = files
    found = evaluate_judgements(judgements, answers, QUERIES)
    assert list(found) == ["qa", "describe"]
    qa = found["qa"]
    # a and f right, b wrong, e without an answer; c could not be read, d was not judged
    assert (qa["counted"], qa["judged"], qa["without_answer"], qa["unparsed"], qa["unjudged"]) == (
        4,
        3,
        1,
        1,
        1,
    )
    assert qa["recall"] == 2 / 4 and qa["coverage"] == 3 / 4
    assert qa["classic"]["exact_match"] == 1 / 4  # of a, b, e and f: c's right answer is not compared
    assert {kind: one["recall"] for kind, one in qa["by_evidence"].items()} == {
        "none": 1, "table": 1 / 2, "text": 0,
    }  # fmt: skip
    assert sum(one["counted"] for one in qa["by_evidence"].values()) == qa["counted"]
    assert found["describe"]["recall"] == 1 / 2 and found["describe"]["precision"] == 1
    assert "bleu" in found["describe"]["classic"] and "by_evidence" not in found["describe"]
    show_judgements(found, title="t")
    printed = capsys.readouterr()
    assert printed.out == "" and "75.0" in printed.err and "table" in printed.err


def test_judgements_of_other_answers_and_broken_files_are_told(
    files: tuple[Path, Path], tmp_path: Path
) -> None:
    answers, judgements = files
    changed = write(tmp_path / "changed.jsonl", [{"query_id": "a", "answer": "21"}])
    with pytest.raises(UserError, match="query 'a' is one of another answer"):
        evaluate_judgements(judgements, changed, QUERIES)
    with pytest.raises(UserError, match="no query of the split has a reference"):
        evaluate_judgements(judgements, answers, QUERIES[6:7])
    twice = write(tmp_path / "twice.jsonl", [failed("a"), failed("a")])
    with pytest.raises(UserError, match="record 2: query 'a' occurs twice"):
        read_judgements(twice)
    with pytest.raises(UserError, match="record 1: no query_id"):
        read_judgements(write(tmp_path / "bad.jsonl", [{"query_id": "a", "answer": "x", "ref_facts": []}]))
