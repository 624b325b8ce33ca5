"""Reading known candidates: a run file, or the gold tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from tabrag.data.card import Card
from tabrag.data.folder import DataFolder, write_folder
from tabrag.errors import UserError
from tabrag.evaluation.answer_report import evaluate_answers
from tabrag.evaluation.runs import run_record
from tabrag.files import write_jsonl
from tabrag.inference.answer_job import answer_queries
from tabrag.inference.config import RefineConfig
from tabrag.inference.given_run import GivenRun
from tabrag.inference.pipeline import Pipeline
from tabrag.inference.pipeline_config import PipelineConfig
from tabrag.tables.grid import make_grid
from tabrag.types import Candidate, Query, Table


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    def table(name: str, number: int) -> Table:
        cells = [["region", "2019", "2020"], ["north", str(number), str(number + 1)]]
        return Table(id=name, title=name, grid=make_grid(cells, num_header_rows=1, num_header_cols=1))

    queries = [
        Query(id=f"q{n}", text="how many in the north in 2020?", answers=[str(10 * n + 1)]) for n in range(3)
    ]
    write_folder(
        tmp_path / "data",
        tables=[table(f"t{n}", 10 * n) for n in range(3)],
        queries=queries,
        qrels={"dev": {"q0": {"t0": 1}, "q1": {"t1": 1, "t2": 2}}, "test": {"q2": {"t2": 1}}},
        card=Card(name="x", licence="x", citation="x"),
    )
    return tmp_path / "data"


def test_gold_tables_come_by_grade(folder: Path) -> None:
    given = GivenRun("gold", DataFolder(folder), k=5)
    queries = [Query(id=f"q{n}", text="?") for n in (2, 1, 7)]
    found = {query_id: [one.item_id for one in some] for query_id, some in given(queries).items()}
    assert found == {"q2": ["t2"], "q1": ["t2", "t1"], "q7": []}
    assert GivenRun("gold", DataFolder(folder), k=1).settings() != given.settings()


def test_answers_from_gold_tables_and_from_a_run_file(folder: Path, tmp_path: Path) -> None:
    config = PipelineConfig(data=str(folder), run="gold")
    answer_queries(config, out=tmp_path / "gold.jsonl", split="test")
    figures = evaluate_answers(tmp_path / "gold.jsonl", folder, split="test")["qa"]
    assert figures["exact_match"] == figures["right_table"] == figures["exact_match_right_table"] == 1
    assert figures["num_questions"] == 1

    run = {"q0": ["t0"], "q1": ["t0"]}  # the second one is wrong
    rows = [
        run_record(query_id, [Candidate(item_id=one, score=1.0, stage="x") for one in items])
        for query_id, items in run.items()
    ]
    write_jsonl(tmp_path / "run.jsonl", rows)
    config = PipelineConfig(data=str(folder), run=str(tmp_path / "run.jsonl"))
    answer_queries(config, out=tmp_path / "dev.jsonl", split="dev")
    figures = evaluate_answers(tmp_path / "dev.jsonl", folder, split="dev")["qa"]
    assert (figures["exact_match"], figures["right_table"], figures["exact_match_right_table"]) == (
        0.5,
        0.5,
        1.0,
    )
    assert evaluate_answers(tmp_path / "dev.jsonl", folder, split="test")["qa"]["missing"] == 1


def test_faults_are_named(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="set one of them"):
        Pipeline(PipelineConfig(data=str(folder), run="gold", indexes=["x"]))
    with pytest.raises(UserError, match=r"nowhere\.jsonl"):
        Pipeline(PipelineConfig(data=str(folder), run=str(tmp_path / "nowhere.jsonl"))).open()
    write_jsonl(tmp_path / "new.jsonl", [{"_id": "new", "text": "how many?"}])
    with pytest.raises(UserError, match="none of the 1 queries is judged"):
        answer_queries(
            PipelineConfig(data=str(folder), run="gold"), out=tmp_path / "a", queries=tmp_path / "new.jsonl"
        )
    foreign = run_record("q0", [Candidate(item_id="elsewhere", score=1.0, stage="x")])
    write_jsonl(tmp_path / "foreign.jsonl", [foreign])
    for refine in (None, RefineConfig()):
        config = PipelineConfig(data=str(folder), run=str(tmp_path / "foreign.jsonl"), refine=refine)
        with pytest.raises(UserError, match="'elsewhere' is no item of the corpus"):
            list(Pipeline(config).ask_all([Query(id="q0", text="how many?")]))
    config = PipelineConfig(data=str(folder), run=str(tmp_path / "foreign.jsonl"))
    with pytest.raises(UserError, match=r"foreign\.jsonl: the data set folder holds none.*'elsewhere'"):
        answer_queries(config, out=tmp_path / "foreign-answers.jsonl", split="dev")
    with pytest.raises(UserError, match=r"foreign\.jsonl: no candidates for any of the 1 queries"):
        answer_queries(config, out=tmp_path / "foreign-answers.jsonl", split="test")
    known = Candidate(item_id="t0", score=1.0, stage="x")
    write_jsonl(tmp_path / "foreign.jsonl", [foreign, run_record("q1", [known])])
    assert answer_queries(config, out=tmp_path / "some.jsonl", split="dev")["failed"] == 1
    write_jsonl(tmp_path / "broken.jsonl", [{"question": "?"}])
    with pytest.raises(UserError, match="record 1"):
        evaluate_answers(tmp_path / "broken.jsonl", folder, split="dev")
