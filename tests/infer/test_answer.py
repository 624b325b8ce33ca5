from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from entry_points import refuse

from tabrag.config import parse
from tabrag.data.card import Card
from tabrag.data.folder import write_folder
from tabrag.errors import UserError
from tabrag.files import read_jsonl, write_jsonl
from tabrag.index.folder import Index
from tabrag.inference import answer_job
from tabrag.inference.answer_job import readable
from tabrag.inference.pipeline import Pipeline
from tabrag.representations import RepresentationConfig, build
from tabrag.tables.grid import make_grid
from tabrag.types import Answer, Evidence, Query, Source, Table

SCRIPT = Path(__file__).parents[2] / "infer" / "answer.py"
TOPICS = ("wheat", "barley", "cattle", "timber", "salmon", "cotton", "copper", "cement", "paper", "sugar")


def question(i: int) -> Query:
    return Query(id=f"q{i}", text=f"what was the production of {TOPICS[i]} in the south in 2020?")


def row(query: Query) -> dict[str, str]:
    return {"_id": query.id, "text": query.text}


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("infer_answer", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["infer_answer"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("answers")
    tables = []
    for i, topic in enumerate(TOPICS):
        cells = [["region", "2019", "2020"]]
        cells += [
            [name, str(100 * i + j), str(100 * i + j + 50)] for j, name in enumerate(("north", "south"), 1)
        ]
        grid = make_grid(cells, num_header_rows=1, num_header_cols=1)
        source = Source(file=f"{topic}.pdf", page=i + 1)
        tables.append(Table(id=f"t{i}", title=f"production of {topic}", grid=grid, source=source))
    write_folder(
        root / "data",
        tables=tables,
        queries=[question(i) for i in range(10)],
        qrels={"dev": {f"q{i}": {f"t{i}": 1} for i in range(4)}},
        card=Card(name="x", licence="x", citation="x"),
    )
    represent = build(RepresentationConfig())
    found = [e for table in tables for e in represent(table, folder=root / "data")]
    Index.build(root / "index", found, kind="bm25")
    return root


def arguments(folder: Path, *more: str) -> list[str]:
    return [f"--data={folder / 'data'}", f"--indexes=[{folder / 'index'}]", *more]


def test_a_question_gives_readable_lines_and_json(
    script: ModuleType, folder: Path, capsys: pytest.CaptureFixture[str]
):
    config = parse(script.Config, arguments(folder, f"--question={question(3).text}"))
    record = script.run(config)
    assert record["answer"] == "352"
    assert record["evidence"][0]["cells"] == [(2, 2)]
    assert json.loads(json.dumps(record))["evidence"][0]["source"]["page"] == 4
    shown = capsys.readouterr().err
    for fact in ("352  (confidence", "production of timber", "row      south", "column   2020", "timber.pdf"):
        assert fact in shown
    assert "page     4" in shown


def test_the_script_prints_one_json_object_last(folder: Path):
    command = [sys.executable, str(SCRIPT), *arguments(folder, f"--question={question(1).text}")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout.splitlines()[-1])["answer"] == "152"
    assert "production of barley" in done.stderr


def test_a_wrong_setting_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]):
    asked = arguments(folder, f"--question={question(1).text}", "--k=0")
    assert "k=0" in refuse("infer/answer.py", *asked, capsys=capsys)


def test_all_queries_once_and_in_order(script: ModuleType, folder: Path, tmp_path: Path):
    out = tmp_path / "answers.jsonl"
    figures = script.run(parse(script.Config, arguments(folder, f"--out={out}", "--batch_size=4")))
    rows = list(read_jsonl(out))
    assert [one["query_id"] for one in rows] == [f"q{i}" for i in range(10)]
    assert [one["answer"] for one in rows] == [str(100 * i + 52) for i in range(10)]
    names = "query_id question answer confidence evidence formula notes candidates timings_ms".split()
    assert list(rows[0]) == names
    assert (figures["queries"], figures["new"], figures["failed"]) == (10, 10, 0)
    dev = tmp_path / "dev.jsonl"
    script.run(parse(script.Config, arguments(folder, f"--out={dev}", "--split=dev")))
    assert [one["query_id"] for one in read_jsonl(dev)] == ["q0", "q1", "q2", "q3"]


def test_a_killed_job_continues_and_other_settings_are_refused(
    script: ModuleType, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    out, asked = tmp_path / "answers.jsonl", tmp_path / "queries.jsonl"
    write_jsonl(asked, [row(question(i)) for i in range(9)])
    options = arguments(folder, f"--out={out}", f"--queries={asked}", "--batch_size=2")
    answered: list[str] = []
    whole = answer_job.rows_or_errors

    def rows(query_ids: list[str], *rest: Any) -> list[dict[str, Any]]:
        if len(answered) == 4:
            raise KeyboardInterrupt
        answered.extend(query_ids)
        return whole(query_ids, *rest)

    monkeypatch.setattr(answer_job, "rows_or_errors", rows)
    with pytest.raises(KeyboardInterrupt):
        script.run(parse(script.Config, options))
    monkeypatch.undo()
    journal = out.with_name("answers.jsonl.journal")
    assert len(journal.read_text(encoding="utf-8").splitlines()) == 5  # settings and four answers
    with journal.open("a", encoding="utf-8") as file:
        file.write('{"key": "half a li')
    write_jsonl(asked, [row(question(9)), *(row(question(i)) for i in range(9))])
    figures = script.run(parse(script.Config, options))
    assert figures["new"] == 6
    assert [one["query_id"] for one in read_jsonl(out)] == ["q9", *(f"q{i}" for i in range(9))]
    with pytest.raises(UserError, match="k changed"):
        script.run(parse(script.Config, [*options, "--k=5"]))
    assert script.run(parse(script.Config, [*options, "--k=5", "--force=true"]))["new"] == 10


def test_a_query_that_fails_leaves_the_others_answered(
    script: ModuleType, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    read = Pipeline.read

    def fails(self: Pipeline, queries: list[Query], run: dict, parts: dict) -> list[Answer]:
        if any(query.id == "q3" for query in queries):
            raise UserError("picture of t3 is broken")
        return read(self, queries, run, parts)

    monkeypatch.setattr(Pipeline, "read", fails)
    out = tmp_path / "answers.jsonl"
    config = parse(script.Config, arguments(folder, f"--out={out}"))
    assert script.run(config)["failed"] == 1
    rows = list(read_jsonl(out))
    assert rows[3] == {"query_id": "q3", "question": question(3).text, "error": "picture of t3 is broken"}
    assert [one.get("answer") for one in rows].count(None) == 1
    monkeypatch.undo()
    assert script.run(config) | {"seconds": 0, "queries_per_second": 0} == {
        "queries": 10, "new": 1, "failed": 0, "seconds": 0, "queries_per_second": 0,
    }  # fmt: skip


def test_nothing_to_do_is_said(script: ModuleType, folder: Path):
    with pytest.raises(UserError, match="--out"):
        script.run(parse(script.Config, arguments(folder)))


def test_an_answer_without_cells_is_marked_for_people():
    table = Table(
        id="t", title="Crops", grid=make_grid([["a", "b"], ["c", "1"]], num_header_rows=1, num_header_cols=1)
    )
    evidence = Evidence(item_id="t", rows=[1], image="images/t.png")
    answer = Answer(query_id="q", question="b?", answer="7", evidence=[evidence], notes=["unit differs: x"])
    text = readable(answer, {"t": table})
    assert "  note     unit differs: x\n" in text
    assert "word for word" in text and "picture  images/t.png" in text and "row      c" in text
    assert "no answer" in readable(Answer(query_id="q", question="b?", answer=""), {})
