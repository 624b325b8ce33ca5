from __future__ import annotations

from pathlib import Path

import pytest
from entry_points import call, refuse

from tabrag.data.card import Card
from tabrag.data.folder import write_folder
from tabrag.files import write_jsonl
from tabrag.tables.grid import make_grid
from tabrag.types import Grid, Query, Table

SCRIPT = "scripts/evaluate.py"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Two tables, and queries of all three tasks about the first."""
    grid = make_grid([["a", "b"], ["1", "2"]], num_header_rows=1)
    sentence = "the table says that a is one and b is two"
    write_folder(
        tmp_path / "data",
        tables=[Table(id=name, grid=grid) for name in ("t", "u")],
        queries=[
            Query(id="q1", text="a?", answers=["1"]),
            Query(id="q2", text="b?", answers=["2", "1"]),
            Query(id="v1", text="a is 1", task="verify", label="SUPPORTED"),
            Query(id="v2", text="a is 2", task="verify", label="REFUTED"),
            Query(id="v3", text="a is red", task="verify", label="NOT ENOUGH INFO"),
            Query(id="d1", text="describe it", task="describe", answers=[sentence]),
            Query(id="s1", text="what does it say?", answers=[sentence]),
        ],
        qrels={
            "dev": {name: {"t": 1} for name in ("q1", "q2", "v1", "v2", "v3", "d1")},
            "test": {"s1": {"t": 1}},
        },
        card=Card(name="x", licence="x", citation="x"),
    )
    return tmp_path / "data"


def answers(path: Path, table: str = "t", **said: str | None) -> str:
    rows = [
        {"query_id": name, "answer": text, "evidence": [{"item_id": table}]}
        if text is not None
        else {"query_id": name, "error": "broken"}
        for name, text in said.items()
    ]
    write_jsonl(path, rows)
    return f"--answers={path}"


def test_each_task_has_its_figures(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = answers(
        tmp_path / "a.jsonl", q1="1", q2=None, v1="supported", v2="perhaps", v3="NOT ENOUGH INFO",
        d1="the table says that a is one and b is two", other="1",
    )  # fmt: skip
    figures = call(SCRIPT, file, f"--data={data}", "--split=dev", capsys=capsys)
    assert list(figures) == ["qa", "verify", "describe"]
    qa, verify, describe = figures.values()
    assert (qa["exact_match"], qa["num_questions"], qa["missing"], qa["failed"]) == (0.5, 2, 1, 1)
    assert (qa["right_table"], qa["exact_match_right_table"]) == (0.5, 1)
    assert "bleu" not in qa
    assert (verify["accuracy"], verify["accuracy_parsed"]) == (pytest.approx(2 / 3), 1)
    assert (verify["unparsed_ids"], verify["right_table"]) == (["v2"], 1)
    assert verify["accuracy_right_table"] == verify["accuracy"]
    assert (describe["bleu"], describe["token_f1"], describe["bleu_right_table"]) == (
        pytest.approx(1),
        1,
        pytest.approx(1),
    )


def test_rules_and_other_tables(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for rules, right in (("any", 0.5), ("set", 0), ("ordered", 0)):
        file = answers(tmp_path / "a.jsonl", "u", q1="2", q2="1")
        figures = call(
            SCRIPT, file, f"--data={data}", "--split=dev", f"--rules.several={rules}", capsys=capsys
        )
        assert (figures["qa"]["exact_match"], figures["qa"]["right_table"]) == (right, 0)
        assert figures["qa"]["exact_match_right_table"] == 0
        assert figures["verify"]["missing"] == 3
    file = answers(tmp_path / "a.jsonl", q2="1; 2")
    figures = call(SCRIPT, file, f"--data={data}", "--split=dev", "--rules.several=set", capsys=capsys)
    assert figures["qa"]["exact_match"] == 0.5


def test_questions_with_sentences_for_answers(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = answers(tmp_path / "a.jsonl", s1="the table says that a is one")
    figures = call(SCRIPT, file, f"--data={data}", "--split=test", capsys=capsys)
    assert list(figures) == ["qa"]
    assert 0.3 < figures["qa"]["bleu"] < figures["qa"]["token_f1"] < 1


def test_faults(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = answers(tmp_path / "a.jsonl", q1="1")
    assert "set data" in refuse(SCRIPT, file, capsys=capsys)
    assert "no split 'train'" in refuse(SCRIPT, file, f"--data={data}", "--split=train", capsys=capsys)
    write_jsonl(tmp_path / "b.jsonl", [{"answer": "x"}])
    message = refuse(SCRIPT, f"--answers={tmp_path / 'b.jsonl'}", f"--data={data}", capsys=capsys)
    assert "record 1: no query_id" in message


def test_a_table_of_a_relevant_document_is_right(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tables = [Table(id=f"{name}#t1", document=name, grid=Grid(cells=[["1"]])) for name in ("d", "e")]
    write_folder(
        tmp_path / "data",
        tables=tables,
        queries=[Query(id="q1", text="a?", answers=["1"])],
        qrels={"dev": {"q1": {"d": 1}}},
        card=Card(name="x"),
    )
    shares = [
        call(
            SCRIPT,
            answers(tmp_path / "a.jsonl", table=item, q1="1"),
            f"--data={tmp_path / 'data'}",
            "--split=dev",
            capsys=capsys,
        )["qa"]["right_table"]
        for item in ("d", "d#t1", "e#t1", "gone")
    ]
    assert shares == [1, 1, 0, 0]


def test_unanswerable_questions_stand_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_folder(
        tmp_path / "data",
        tables=[Table(id=name, grid=Grid(cells=[["1"]])) for name in ("t", "u")],
        queries=[
            Query(id="q1", text="a?", answers=["1"], evidence="table"),
            Query(id="q2", text="b?", answers=["Not answerable"], evidence="none"),
            Query(id="q3", text="c?", answers=["2"], evidence="text"),
        ],
        qrels={"dev": {f"q{number}": {"t": 1} for number in (1, 2, 3)}},
        card=Card(name="x"),
    )
    rows = [
        {"query_id": "q1", "answer": "1", "evidence": [{"item_id": "t"}]},
        {"query_id": "q2", "answer": "Not answerable", "evidence": [], "candidates": [{"item_id": "t"}]},
        {"query_id": "q3", "answer": "Not answerable", "evidence": [], "candidates": [{"item_id": "u"}]},
    ]
    write_jsonl(tmp_path / "a.jsonl", rows)
    call_ = (SCRIPT, f"--answers={tmp_path / 'a.jsonl'}", f"--data={tmp_path / 'data'}", "--split=dev")
    figures = call(*call_, capsys=capsys)["qa"]
    assert figures["exact_match_by_evidence"] == {"none": 1, "table": 1, "text": 0}
    assert (figures["exact_match_answerable"], figures["answer_f1"]) == (0.5, pytest.approx(2 / 3))
    assert (figures["refusal_precision"], figures["refusal_recall"]) == (0.5, 1)
    # What a refusal was read from is its best candidate.
    assert figures["right_table"] == pytest.approx(2 / 3) and figures["exact_match_right_table"] == 1
