from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from entry_points import call, refuse

from tabrag.data.config import TrainingDataConfig
from tabrag.data.folder import DataFolder
from tabrag.data.pairs import TrainingPairs
from tabrag.data.prepare import prepare
from tabrag.data.synthetic import make
from tabrag.evaluation.runs import RunFile, read_run
from tabrag.files import write_jsonl

SCRIPT = "scripts/mine_negatives.py"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus") / "data"
    prepare(make(20, 0), folder)
    return folder


def _write(path: Path, data: Path, *, seed: int, noise: float = 0.0) -> Path:
    """A run over the training queries: many equal scores, in any order, and noise like a device's."""
    folder = DataFolder(data)
    rows = []
    for number, query_id in enumerate(folder.qrels("train")):
        levels, device = random.Random(f"{seed}/{number}"), random.Random(f"{noise}/{number}")
        scores = {item_id: float(levels.randrange(1, 8)) for item_id in folder.tables.ids}
        names = list(scores)
        device.shuffle(names)
        candidates = [
            {"item_id": name, "score": scores[name] + device.uniform(-noise, noise), "stage": "dense"}
            for name in names
        ]
        rows.append({"query_id": query_id, "candidates": candidates})
    write_jsonl(path, rows)
    return path


def _arguments(data: Path, out: Path, *runs: Path) -> tuple[str, ...]:
    listed = ", ".join(map(str, runs))
    return (f"--data={data}", f"--runs=[{listed}]", f"--out={out}", "--num_negatives=4", "--skip=1")


def test_a_run_file_that_the_trainer_reads_whatever_device_ranked(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outputs = []
    for noise in (0.0, 1e-6):
        runs = [_write(tmp_path / f"{seed}-{noise}.jsonl", data, seed=seed, noise=noise) for seed in (1, 2)]
        out = tmp_path / f"negatives-{noise}.jsonl"
        figures = call(
            SCRIPT, *_arguments(data, out, *runs), "--mix=rrf", "--relative_margin=0.1", capsys=capsys
        )
        outputs.append(out.read_bytes())
        report = json.loads((tmp_path / f"negatives-{noise}.report.json").read_text())
        assert report.pop("settings")["mix"] == "rrf" and report == figures
        assert figures["negatives"] > 0 < figures["dropped"]["margin"]
    assert outputs[0] == outputs[1]
    assert (tmp_path / "1-0.0.jsonl").read_bytes() != (tmp_path / "1-1e-06.jsonl").read_bytes()
    mined = read_run(out)
    qrels = DataFolder(data).qrels("train")
    assert list(mined) == list(qrels)
    for query_id, candidates in mined.items():
        scores = [candidate.score for candidate in candidates]
        assert len(scores) <= 4 and scores == sorted(scores, reverse=True)
        assert not {candidate.item_id for candidate in candidates} & qrels[query_id].keys()
    pairs = TrainingPairs(TrainingDataConfig(folder=str(data), negatives=str(out), num_negatives=2))
    named = [[pairs.item_ids[item] for item in items] for items in pairs.negatives]
    assert named == [[candidate.item_id for candidate in mined[query_id]] for query_id in pairs.query_ids]


def test_what_is_refused_with_status_2(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, run = tmp_path / "out.jsonl", _write(tmp_path / "run.jsonl", data, seed=1)
    assert "not found" in refuse(SCRIPT, *_arguments(data, out, tmp_path / "none.jsonl"), capsys=capsys)
    assert "at least one run" in refuse(SCRIPT, *_arguments(data, out), capsys=capsys)
    assert "no split" in refuse(SCRIPT, *_arguments(data, out, run), "--split=other", capsys=capsys)
    assert "depth" in refuse(SCRIPT, *_arguments(data, out, run), "--depth=1", capsys=capsys)
    run.write_text(run.read_text() + run.read_text().splitlines()[0])
    assert "occurs twice" in refuse(SCRIPT, *_arguments(data, out, run), capsys=capsys)
    assert not out.exists()


def test_a_run_file_is_read_a_query_at_a_time(data: Path, tmp_path: Path) -> None:
    path = _write(tmp_path / "run.jsonl", data, seed=1)
    path.write_text("\n" + path.read_text())
    whole, lazy = read_run(path), RunFile(path)
    assert len(lazy) == len(whole) > 5 and list(lazy) == list(whole)
    assert all(lazy[query_id] == whole[query_id] for query_id in reversed(list(whole)))
    assert "nobody" not in lazy and lazy.get("nobody", ()) == ()
