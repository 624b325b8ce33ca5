from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from entry_points import ROOT, call, refuse
from indexes import retriever
from tiny_tables import write_tiny

from tabrag.data.folder import write_documents
from tabrag.evaluation.runs import read_run
from tabrag.tables.grid import make_grid
from tabrag.types import Block, Document, Table

INDEX, RETRIEVE = "infer/index.py", "infer/retrieve.py"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write_tiny(tmp_path / "data")


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    retriever().save_pretrained(tmp_path / "checkpoint")
    return tmp_path / "checkpoint"


def test_dense_and_bm25_index_then_a_fused_run(
    data: Path, checkpoint: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dense, words, out = tmp_path / "dense", tmp_path / "words", tmp_path / "run.jsonl"
    figures = call(INDEX, f"--data={data}", f"--checkpoint={checkpoint}", f"--out={dense}", capsys=capsys)
    assert (figures["items"], figures["entries"]) == (2, 2)
    assert json.loads((dense / "manifest.json").read_text())["checkpoint"] == str(checkpoint)
    assert call(INDEX, f"--data={data}", "--kind=bm25", f"--out={words}", capsys=capsys)["items"] == 2
    arguments = [
        f"--indexes=[{dense}, {words}]",
        f"--data={data}",
        "--split=dev",
        f"--out={out}",
        f"--trec={tmp_path / 'run.trec'}",
        "--k=10",
    ]
    figures = call(RETRIEVE, *arguments, capsys=capsys)
    run = read_run(out)
    assert figures["queries"] == figures["new"] == len(run) > 0
    assert figures["ms_per_query"] > 0 and figures["queries_per_second"] > 0
    for candidates in run.values():
        assert sorted(one.item_id for one in candidates) == ["csv/200-csv/0.csv", "plain"]
    assert len((tmp_path / "run.trec").read_text().splitlines()) == 2 * len(run)
    assert call(RETRIEVE, *arguments, capsys=capsys)["new"] == 0
    message = refuse(RETRIEVE, *arguments[:-1], "--k=1", capsys=capsys)
    assert "k changed" in message and "force" in message
    assert call(RETRIEVE, *arguments[:-1], "--k=1", "--force=true", capsys=capsys)["new"] == len(run)


def test_a_single_question(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call(INDEX, f"--data={data}", "--kind=bm25", f"--out={tmp_path / 'words'}", capsys=capsys)
    figures = call(
        RETRIEVE,
        f"--indexes=[{tmp_path / 'words'}]",
        "--question=lemon sales in the north",
        "--k=5",
        capsys=capsys,
    )
    assert [one["item_id"] for one in figures["candidates"]] == ["csv/200-csv/0.csv"]


def test_a_filter_narrows_every_index(
    data: Path, checkpoint: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [str(tmp_path / "words"), str(tmp_path / "dense")]
    call(INDEX, f"--data={data}", "--kind=bm25", f"--out={names[0]}", capsys=capsys)
    call(INDEX, f"--data={data}", f"--checkpoint={checkpoint}", f"--out={names[1]}", capsys=capsys)
    arguments = [f"--indexes=[{', '.join(names)}]", "--question=lemon sales in the north"]
    everything = call(RETRIEVE, *arguments, capsys=capsys)["candidates"]
    assert {one["item_id"] for one in everything} == {"csv/200-csv/0.csv", "plain"}
    narrow = call(RETRIEVE, *arguments, "--filter={title: 'Plain*'}", capsys=capsys)["candidates"]
    assert [one["item_id"] for one in narrow] == ["plain"]
    assert "no item has 'yaer'" in refuse(RETRIEVE, *arguments, "--filter={yaer: 2020}", capsys=capsys)
    assert "an empty filter" in refuse(RETRIEVE, *arguments, "--filter={}", capsys=capsys)


def test_questions_of_a_conversation_are_rewritten(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    call(INDEX, f"--data={data}", "--kind=bm25", f"--out={tmp_path / 'words'}", capsys=capsys)
    asked = {
        "_id": "q",
        "text": "And in the south?",
        "history": [["How many lemon sales in the north?", "3"]],
    }
    (tmp_path / "queries.jsonl").write_text(json.dumps(asked) + "\n")
    arguments = [f"--indexes=[{tmp_path / 'words'}]", f"--queries={tmp_path / 'queries.jsonl'}", "--k=5"]
    call(RETRIEVE, *arguments, f"--out={tmp_path / 'plain.jsonl'}", capsys=capsys)
    assert "rewrite.by=rule" in caplog.text
    out = tmp_path / "run.jsonl"
    call(RETRIEVE, *arguments, "--rewrite.by=rule", f"--out={out}", capsys=capsys)
    plain, rewritten = read_run(tmp_path / "plain.jsonl")["q"], read_run(out)["q"]
    assert rewritten[0].item_id == "csv/200-csv/0.csv" and [one.score for one in plain] != [
        one.score for one in rewritten
    ]
    message = refuse(RETRIEVE, *arguments, f"--out={out}", capsys=capsys)
    assert "rewrite changed" in message
    asked["history"] = [["How many apple sales in the north?", "3"]]
    (tmp_path / "queries.jsonl").write_text(json.dumps(asked) + "\n")
    assert call(RETRIEVE, *arguments, "--rewrite.by=rule", f"--out={out}", capsys=capsys)["new"] == 1


@pytest.mark.slow
def test_torchrun_makes_the_same_index_and_run(
    data: Path, checkpoint: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, two, run = tmp_path / "one", tmp_path / "two", tmp_path / "run.jsonl"
    # A launch each: a second group in the same processes meets at the first one's store, where it may hang.
    launch = [str(Path(sys.executable).parent / "torchrun"), "--nproc_per_node=2", "--standalone"]
    given = [f"--data={data}", f"--checkpoint={checkpoint}"]
    asked = [f"--indexes=[{two}]", f"--data={data}", f"--out={run}"]
    printed = []
    for command in ([str(ROOT / INDEX), *given, f"--out={two}"], [str(ROOT / RETRIEVE), *asked]):
        done = subprocess.run([*launch, *command], capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr[-3000:]
        (line,) = done.stdout.splitlines()
        printed.append(json.loads(line))
    indexed, retrieved = printed
    assert indexed["entries"] == call(INDEX, *given, f"--out={one}", capsys=capsys)["entries"] > 1
    assert np.allclose(np.load(one / "vectors.npy"), np.load(two / "vectors.npy"), atol=1e-5)
    alone = tmp_path / "alone.jsonl"
    call(RETRIEVE, f"--indexes=[{one}]", f"--data={data}", f"--out={alone}", capsys=capsys)
    ranked = [
        {key: [one.item_id for one in hits] for key, hits in read_run(path).items()} for path in (run, alone)
    ]
    assert ranked[0] == ranked[1] and len(ranked[0]) == retrieved["queries"] > 1


@pytest.mark.parametrize("kind", ["exact", "bm25"])
def test_sync_follows_the_data(
    kind: str, data: Path, checkpoint: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [f"--data={data}", f"--kind={kind}", f"--out={tmp_path / 'index'}"]
    arguments += [f"--checkpoint={checkpoint}"] if kind == "exact" else []
    call(INDEX, *arguments, capsys=capsys)
    corpus = data / "corpus.jsonl"
    new = write_tiny(
        tmp_path / "new",
        [
            Table(id="plain", title="Plain", grid=make_grid([["a", "b"], ["1", "2"]], num_header_rows=1)),
            Table(id="third", title="Third", grid=make_grid([["c"], ["3"]], num_header_rows=1)),
        ],
    )
    corpus.write_bytes((new / "corpus.jsonl").read_bytes())
    figures = call(INDEX, *arguments, "--sync=true", capsys=capsys)
    changes = {name: figures[name] for name in ("items", "added", "replaced", "unchanged", "removed")}
    assert changes == {"items": 2, "added": 1, "replaced": 0, "unchanged": 1, "removed": 1}
    message = refuse(INDEX, *arguments, "--sync=true", "--representation.name=markdown", capsys=capsys)
    assert "made with representation" in message


def test_one_checkpoint_over_chunks_of_several_lengths(
    checkpoint: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cells = [["name", "count"], *([f"row {row}", str(row)] for row in range(40))]
    tables = [
        Table(id=name, title="A", grid=make_grid(cells, num_header_rows=1))
        for name in ("plain", "csv/200-csv/0.csv")
    ]
    data = write_tiny(tmp_path / "long", tables)
    program = [f"--data={data}", f"--checkpoint={checkpoint}"]
    figures = {}
    for length in (24, 32, 64):
        out = tmp_path / f"chunks{length}"
        chunks = f"--representation={{name: cells, options: {{chunk: {length}}}}}"
        settings = [f"--item_max_length={length}", chunks, f"--out={out}"]
        figures[length] = call(INDEX, *program, *settings, capsys=capsys)
        manifest = json.loads((out / "manifest.json").read_text())
        assert manifest["item_max_length"] == length
        synced = call(INDEX, *program, *settings, "--sync=true", capsys=capsys)
        assert (synced["encoded"], synced["unchanged"]) == (0, 2)
    assert figures[24]["entries"] > figures[32]["entries"] > figures[64]["entries"] > 2
    assert {one["cut_tokens"] for one in figures.values()} == {0} and figures[24]["items"] == 2
    indexes = f"--indexes=[{tmp_path / 'chunks24'}, {tmp_path / 'chunks64'}]"
    found = call(RETRIEVE, indexes, "--question=row 39", "--k=2", capsys=capsys)
    assert sorted(one["item_id"] for one in found["candidates"]) == ["csv/200-csv/0.csv", "plain"]
    longer = "--representation={name: cells, options: {chunk: 64}}"
    message = refuse(INDEX, *program, longer, f"--out={tmp_path / 'no'}", capsys=capsys)
    assert "longer than the encoder's input of 32" in message
    plain = [*program, longer.replace("64", "24"), f"--out={tmp_path / 'chunks24'}", "--sync=true"]
    assert "with item_max_length 24" in refuse(INDEX, *plain, capsys=capsys)
    words = [f"--data={data}", "--kind=bm25", f"--out={tmp_path / 'words'}", longer.replace("64", "32")]
    assert call(INDEX, *words, capsys=capsys)["entries"] > 2
    assert "no item_max_length" in refuse(INDEX, *words, "--item_max_length=32", capsys=capsys)
    assert "has no metric" in refuse(INDEX, *words, "--metric=ip", capsys=capsys)


def test_what_is_refused_with_status_2(
    data: Path, checkpoint: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words, dense = tmp_path / "words", tmp_path / "dense"
    call(INDEX, f"--data={data}", "--kind=bm25", f"--out={words}", capsys=capsys)
    call(INDEX, f"--data={data}", f"--checkpoint={checkpoint}", f"--out={dense}", capsys=capsys)
    retriever(seed=1).save_pretrained(tmp_path / "other")
    empty = tmp_path / "queries.jsonl"
    empty.write_text('{"_id": "q1", "text": "a"}\n{"_id": "q7", "text": " "}\n')
    unknown = write_tiny(tmp_path / "unknown")
    qrels = unknown / "qrels" / "dev.tsv"
    qrels.write_text(qrels.read_text() + "q1\tnobody\t1\n")
    run = f"--out={tmp_path / 'run.jsonl'}"
    for script, arguments, message in (
        (INDEX, [f"--data={data}", f"--out={tmp_path / 'new'}"], "needs a checkpoint"),
        (INDEX, [f"--data={data}", f"--out={tmp_path / 'new'}", "--kind=flat"], "index kind 'flat'"),
        (
            INDEX,
            [f"--data={tmp_path / 'no'}", f"--out={tmp_path / 'new'}", "--kind=bm25"],
            "no such data set",
        ),
        (INDEX, [f"--data={data}", f"--out={data}", "--kind=bm25"], "is not an index"),
        (RETRIEVE, [f"--indexes=[{words}]", f"--queries={empty}", run], "'q7'"),
        (RETRIEVE, [f"--indexes=[{words}]", "--question= "], "'question'"),
        (RETRIEVE, [f"--indexes=[{words}]", "--question=a", "--k=0"], "k >= 1"),
        (RETRIEVE, [f"--indexes=[{words}]", f"--data={data}"], "name the run file"),
        (RETRIEVE, [f"--indexes=[{words}]", f"--data={unknown}", "--split=dev", run], "'nobody'"),
        (
            RETRIEVE,
            [f"--indexes=[{dense}]", "--question=a", f"--checkpoint={tmp_path / 'other'}"],
            "another encoder",
        ),
        (RETRIEVE, [f"--indexes=[{words}]", "--question=a", "--depth=3"], "depth"),
    ):
        assert message in refuse(script, *arguments, capsys=capsys), message
    assert not (tmp_path / "new").exists() and not (tmp_path / "run.jsonl").exists()
    vectors = dense / "vectors.npy"
    vectors.write_bytes(vectors.read_bytes()[:-8])
    assert "not whole" in refuse(RETRIEVE, f"--indexes=[{dense}]", "--question=a", capsys=capsys)


def test_help_loads_no_torch() -> None:
    program = (
        "import runpy, sys\n"
        "for script in sys.argv[1:]:\n"
        "    sys.argv = ['x', '--help']\n"
        "    try:\n"
        "        runpy.run_path(script, run_name='__main__')\n"
        "    except SystemExit as stop:\n"
        "        assert not stop.code\n"
        "        assert not {'torch', 'transformers', 'bm25s', 'faiss'} & set(sys.modules)\n"
        "        print('done')\n"
    )
    scripts = [str(ROOT / script) for script in (INDEX, RETRIEVE, "scripts/evaluate.py")]
    process = subprocess.run([sys.executable, "-c", program, *scripts], capture_output=True, text=True)
    assert process.stdout.splitlines().count("done") == 3, process.stderr


def test_documents_are_indexed_and_vectors_of_another_index_are_reused(
    data: Path, checkpoint: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = [[Block(kind="text", text=f"Fruit {n}. Lemons {n}.")] for n in range(3)]
    texts[0].append(Block(kind="table", table="plain"))
    write_documents(data, [Document(id=f"d{n}", blocks=blocks) for n, blocks in enumerate(texts)])
    sentences, whole = tmp_path / "sentences", tmp_path / "whole"
    common = [f"--data={data}", f"--checkpoint={checkpoint}"]
    named = "--representation.name=sentences"
    figures = call(INDEX, *common, named, f"--out={sentences}", capsys=capsys)
    assert (figures["items"], figures["entries"]) == (3, 6)
    call(INDEX, *common, "--representation.name=document", f"--out={whole}", capsys=capsys)
    again = tmp_path / "again"
    shared = ["--representation.name=document", f"--reuse=[{sentences}]"]
    assert call(INDEX, *common, *shared, f"--out={again}", capsys=capsys)["entries"] > 6
    assert np.array_equal(np.load(again / "vectors.npy"), np.load(whole / "vectors.npy"))
    assert (again / "entries.jsonl").read_bytes() == (whole / "entries.jsonl").read_bytes()
    (tmp_path / "ids.txt").write_text("d2\n\nd0\nd2\n")
    some = [f"--only={tmp_path / 'ids.txt'}", f"--out={tmp_path / 'some'}"]
    assert call(INDEX, *common, named, *some, capsys=capsys)["items"] == 2
    (tmp_path / "ids.txt").write_text("d7\n")
    assert "no item 'd7'" in refuse(INDEX, *common, named, *some, capsys=capsys)
    write_documents(data, [Document(id="My report.pdf", blocks=[Block(kind="text", text="Gold.")])])
    call(INDEX, f"--data={data}", "--kind=bm25", named, f"--out={tmp_path / 'blank'}", capsys=capsys)
    early = [f"--indexes=[{tmp_path / 'blank'}]", f"--data={data}", f"--out={tmp_path / 'blank.jsonl'}"]
    message = refuse(RETRIEVE, *early, f"--trec={tmp_path / 'blank.trec'}", capsys=capsys)
    assert "'My report.pdf' is empty or holds white space" in message
    assert not (tmp_path / "blank.jsonl").exists()
    out = tmp_path / "run.jsonl"
    (tmp_path / "queries.jsonl").write_text('{"_id": "q", "text": "lemons 2"}\n')
    call(
        RETRIEVE,
        f"--indexes=[{again}]",
        f"--queries={tmp_path / 'queries.jsonl'}",
        f"--out={out}",
        capsys=capsys,
    )
    assert sorted(one.item_id for one in read_run(out)["q"]) == ["d0", "d1", "d2"]
    other = tmp_path / "other"
    retriever(seed=1).save_pretrained(other)
    refused = [f"--data={data}", f"--checkpoint={other}", named, f"--reuse=[{sentences}]"]
    assert "only those of the same retriever" in refuse(
        INDEX, *refused, f"--out={tmp_path / 'x'}", capsys=capsys
    )
    words = refuse(
        INDEX,
        f"--data={data}",
        "--kind=bm25",
        f"--reuse=[{sentences}]",
        f"--out={tmp_path / 'x'}",
        capsys=capsys,
    )
    assert "only those of the same retriever" in words
