"""A blend for another kind of run: the copy differs in it alone, and the model's scores come back exactly."""

from __future__ import annotations

import json
import logging
import random
import shutil
from pathlib import Path

import pytest
import torch
from entry_points import call, refuse
from rerank_data import write_data
from run_files import write_run

from tabrag.data.folder import DataFolder
from tabrag.evaluation.refit import judged_queries
from tabrag.evaluation.runs import read_run
from tabrag.inference.score_pairs import PairScorer
from tabrag.models.blend import Blend, ScoreBlend
from tabrag.models.card import write_card
from tabrag.models.config import WordRerankerConfig
from tabrag.models.pair_model import load_pair_model
from tabrag.models.reranker_files import read_settings
from tabrag.models.word_reranker import WordReranker
from tabrag.types import Candidate

PROGRAM = "scripts/fit_blend.py"
OLD = Blend(0.5, 1.5, -1.0, ScoreBlend("bm25", 2.0, 0.1, 0.8, -0.5))


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """``data/``, ``dev.jsonl`` of another reranker's probabilities, and ``words/``, a checkpoint."""
    path = write_data(tmp_path_factory.mktemp("work"))
    draw = random.Random(0)
    run = {
        query: [
            Candidate(item_id=one.item_id, score=chance, stage="rerank")
            for one, chance in zip(some, sorted((draw.random() for _ in some), reverse=True), strict=True)
        ]
        for query, some in read_run(path / "dev.jsonl").items()
    }
    write_run(path / "chances.jsonl", run)
    model = WordReranker(WordRerankerConfig())
    torch.manual_seed(0)
    torch.nn.init.normal_(model.facts.weight)
    items = DataFolder(path / "data").items
    model.inputs.weigh(items[name] for name in items.ids)
    model.blend = OLD
    model.save_pretrained(path / "words")
    write_card(path / "words", settings={}, metrics={"MRR": 0.123}, data=[])
    return path


def _rerank(work: Path, run: str, checkpoint: Path, out: Path, capsys: pytest.CaptureFixture[str]) -> str:
    arguments = [f"--checkpoint={checkpoint}", f"--run={work / run}", f"--out={out}"]
    call("infer/rerank.py", f"--data={work / 'data'}", "--split=dev", *arguments, capsys=capsys)
    return str(out)


@pytest.mark.parametrize("before", ["dev.jsonl", "chances.jsonl"])
def test_the_models_scores_come_back_from_its_probabilities(
    work: Path, before: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = _rerank(work, before, work / "words", tmp_path / "reranked.jsonl", capsys)
    folder = DataFolder(work / "data")
    run = read_run(work / before)
    found = judged_queries(run, read_run(out), folder.qrels("dev"), OLD)
    scorer = PairScorer(load_pair_model(work / "words"))
    expected = [
        scorer([(folder.queries[query].text, folder.items[one.item_id]) for one in run[query]])
        for query in folder.qrels("dev")
    ]
    assert len({score for some in expected for score in some}) > 20
    assert [list(query.scores) for query in found] == [pytest.approx(some, abs=1e-6) for some in expected]


def test_the_copy_ranks_better_and_differs_in_blend_and_card_alone(
    work: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = _rerank(work, "chances.jsonl", work / "words", tmp_path / "old.jsonl", capsys)
    arguments = [f"--data={work / 'data'}", f"--checkpoint={work / 'words'}"]
    runs = [f"--before={work / 'chances.jsonl'}", f"--run={run}", f"--out={tmp_path / 'new'}"]
    figures = call(PROGRAM, *arguments, *runs, capsys=capsys)
    assert figures["after"]["MRR"] > figures["before"]["MRR"]
    assert 0 < figures["held_out"]["MRR"] <= figures["after"]["MRR"]
    assert read_settings(tmp_path / "new")[2] != read_settings(work / "words")[2] == OLD
    names = {path.name for path in (work / "words").iterdir()}
    assert names == {path.name for path in (tmp_path / "new").iterdir()}
    changed = {
        name
        for name in names
        if (work / "words" / name).read_bytes() != (tmp_path / "new" / name).read_bytes()
    }
    assert changed == {"word_reranker.json", "training.json", "README.md"}
    metrics = json.loads((tmp_path / "new/training.json").read_text())["metrics"]
    assert metrics == figures["after"] | {f"held_out/{n}": v for n, v in figures["held_out"].items()}
    card = (tmp_path / "new/README.md").read_text()
    assert "\n# new\n" in card and repr(str(tmp_path / "new")) in card and ".tmp" not in card
    reranked = _rerank(work, "chances.jsonl", tmp_path / "new", tmp_path / "reranked.jsonl", capsys)
    judged = ["--split=dev", f"--data={work / 'data'}", f"--before={run}", f"--run={reranked}"]
    assert call("scripts/evaluate_reranking.py", *judged, capsys=capsys)["after"]["MRR"] == pytest.approx(
        figures["after"]["MRR"]
    )


def test_candidates_below_the_depth_of_a_second_reranking_do_not_count(
    work: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = _rerank(work, "dev.jsonl", work / "words", tmp_path / "first.jsonl", capsys)
    judged = ["--split=dev", f"--data={work / 'data'}", f"--before={first}"]
    second = tmp_path / "second.jsonl"
    arguments = [f"--checkpoint={work / 'words'}", f"--run={first}", f"--out={second}", "--depth=2"]
    call("infer/rerank.py", f"--data={work / 'data'}", "--split=dev", *arguments, capsys=capsys)
    run = read_run(second)
    assert {one.stage for some in run.values() for one in some} == {"rerank"}
    found = judged_queries(read_run(first), run, DataFolder(work / "data").qrels("dev"), OLD)
    assert {len(query.scores) for query in found} == {2}
    assert call("scripts/evaluate_reranking.py", *judged, f"--run={second}", capsys=capsys)[
        "pairs"
    ] == 2 * len(found)


def test_nothing_else_is_written_over(work: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = _rerank(work, "dev.jsonl", work / "words", tmp_path / "reranked.jsonl", capsys)
    common = [f"--data={work / 'data'}", f"--before={work / 'dev.jsonl'}", f"--run={run}"]
    common.append(f"--checkpoint={work / 'words'}")
    for out, said in (
        (work / "words", "is the checkpoint, or lies in it"),
        (work / "words/new", "is the checkpoint, or lies in it"),
        (work / "data", "something else than a reranker"),
        (work / "dev.jsonl", "something else than a reranker"),
    ):
        assert said in refuse(PROGRAM, *common, f"--out={out}", capsys=capsys)
    assert read_settings(work / "words")[2] == OLD and (work / "data/corpus.jsonl").is_file()
    for _ in range(2):  # an older result is replaced
        call(PROGRAM, *common, f"--out={tmp_path / 'new'}", capsys=capsys)
    (tmp_path / "new/training.json").write_text("[]")
    Path(f"{run}.journal").unlink()  # it would say that another checkpoint made the run
    common[-1] = f"--checkpoint={tmp_path / 'new'}"
    assert "training.json" in refuse(PROGRAM, *common, f"--out={tmp_path / 'newer'}", capsys=capsys)


def test_a_run_that_its_journal_says_is_of_another_reranker_is_refused(
    work: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    run = _rerank(work, "dev.jsonl", work / "words", tmp_path / "reranked.jsonl", capsys)
    journal = Path(f"{run}.journal")
    header, *rows = journal.read_text().splitlines(keepends=True)
    settings = json.loads(header)["settings"]
    arguments = [f"--data={work / 'data'}", f"--before={work / 'dev.jsonl'}", f"--run={run}"]
    arguments += [f"--checkpoint={work / 'words'}", f"--out={tmp_path / 'new'}"]
    for change, said in (
        ({"model": "0" * 32}, "reranked.jsonl: by its journal not reranked with"),
        ({"behind": settings}, "two rerankers in one go"),
        ({"blend": {**settings["blend"], "rank_weight": 2.0, "scores": None}}, r"(rerank.rank_weight)"),
    ):
        journal.write_text(json.dumps({"settings": {**settings, **change}}) + "\n" + "".join(rows))
        assert said in refuse(PROGRAM, *arguments, capsys=capsys)
    journal.write_text("[]\n")
    assert "reranked.jsonl.journal:1: expected a JSON object" in refuse(PROGRAM, *arguments, capsys=capsys)
    assert not (tmp_path / "new").exists()
    journal.write_text(header + "".join(rows))
    with caplog.at_level(logging.WARNING):
        num_queries = call(PROGRAM, *arguments, capsys=capsys)["queries"]
    assert f"only {num_queries} judged queries of split 'dev'" in caplog.text and num_queries < 20


def test_faults(work: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [f"--data={work / 'data'}", f"--before={work / 'dev.jsonl'}", f"--out={tmp_path / 'new'}"]
    words = f"--checkpoint={work / 'words'}"
    said = refuse(PROGRAM, *arguments, words, f"--run={work / 'dev.jsonl'}", capsys=capsys)
    assert "before and after reranking" in said
    copied = shutil.copy(work / "dev.jsonl", tmp_path / "copied.jsonl")
    said = refuse(PROGRAM, *arguments, words, f"--run={copied}", capsys=capsys)
    assert "no reranked candidates" in said
    said = refuse(
        PROGRAM, *arguments, f"--checkpoint={work / 'data'}", f"--run={work / 'dev.jsonl'}", capsys=capsys
    )
    assert "no reranker's folder" in said
    other = {
        query: [Candidate(item_id=one.item_id, score=0.5, stage="rerank") for one in some[1:]]
        for query, some in read_run(work / "dev.jsonl").items()
    }
    run = write_run(tmp_path / "other.jsonl", other)
    assert "name the run that was reranked" in refuse(
        PROGRAM, *arguments, words, f"--run={run}", capsys=capsys
    )
    assert not (tmp_path / "new").exists()
