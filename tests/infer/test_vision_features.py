"""Vision features made with an index, then taken by reranker and reader: the same runs and answers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from entry_points import ROOT, call, refuse
from noise import noise
from run_files import write_run
from tiny_chat import save_llava
from transformers import CLIPVisionModel

from tabrag.chat.vision_features import VisionFeatures, folder_of
from tabrag.data.card import Card
from tabrag.data.folder import write_folder
from tabrag.evaluation.runs import read_run
from tabrag.files import read_jsonl
from tabrag.tables.grid import make_grid
from tabrag.types import Candidate, Query, Table

INDEX = "infer/index.py"


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four tables, three of them with pictures, a run over them, and an image-text model."""
    path = tmp_path_factory.mktemp("work")
    save_llava(path / "llava")
    grid = make_grid([["", "2010"], ["r1", "7"]], num_header_rows=1, num_header_cols=1)
    images = {f"t{number}": f"images/{number}.png" for number in range(3)}
    tables = [Table(id=f"t{n}", title=f"table {n}", grid=grid, image=images.get(f"t{n}")) for n in range(4)]
    write_folder(
        path / "data",
        tables=tables,
        queries=[Query(id="q", text="what is r1 in 2010?")],
        qrels={"dev": {"q": {"t1": 1}}},
        card=Card(name="x", licence="x", citation="x"),
    )
    (path / "data/images").mkdir()
    for number in range(3):
        picture = noise((40, 30), 200, seed=number).convert("RGB")
        picture.save(path / f"data/images/{number}.png")
    candidates = [Candidate(item_id=one, score=9.0 - n, stage="bm25") for n, one in enumerate(images)]
    write_run(path / "run.jsonl", {"q": candidates})
    return path


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows by one with each run of a vision tower."""
    found: list[int] = []
    forward = CLIPVisionModel.forward

    def counted(self: Any, *args: Any, **kwargs: Any) -> Any:
        found.append(1)
        return forward(self, *args, **kwargs)

    monkeypatch.setattr(CLIPVisionModel, "forward", counted)
    return found


def chat(work: Path, stage: str, index: Path | None) -> list[str]:
    settings = [f"--{stage}chat.model={work / 'llava'}", f"--{stage}chat.device=cpu"]
    return settings if index is None else [*settings, f"--{stage}chat.vision_features={index}"]


def test_runs_and_answers_are_the_same_without_the_tower(
    work: Path, runs: list[int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    index = tmp_path / "index"
    made = [f"--data={work / 'data'}", "--kind=bm25", f"--out={index}", f"--vision_features={work / 'llava'}"]
    figures = call(INDEX, *made, "--encoding.device=cpu", capsys=capsys)
    assert [figures[name] for name in ("items", "pictures", "new_pictures", "failed")] == [4, 3, 3, 0]
    assert len(runs) == 3
    again = call(INDEX, *made, "--encoding.device=cpu", "--sync=true", capsys=capsys)
    assert (again["new_pictures"], again["unchanged"], len(runs)) == (0, 4, 3)

    common = [f"--data={work / 'data'}", f"--run={work / 'run.jsonl'}", "--split=dev"]
    scores, confidences = [], []
    for where in (None, index):
        runs.clear()
        out = tmp_path / f"{where is None}.jsonl"
        ranked = [*common, f"--out={out}", "--show=image"]
        call("infer/rerank.py", *ranked, *chat(work, "", where), capsys=capsys)
        scores.append({one.item_id: one.score for one in read_run(out)["q"]})
        read = [*common, f"--out={tmp_path / f'a{where is None}.jsonl'}", "--reader.reader=chat"]
        read += ["--reader.show=image", "--reader.max_new_tokens=4", *chat(work, "reader.", where)]
        call("infer/answer.py", *read, capsys=capsys)
        (row,) = read_jsonl(tmp_path / f"a{where is None}.jsonl")
        confidences.append((row["answer"], row["confidence"]))
        assert bool(runs) == (where is None)
    assert scores[1] == pytest.approx(scores[0], abs=1e-5)
    assert len({round(score, 4) for score in scores[0].values()}) == 3
    assert confidences[1][0] == confidences[0][0]
    assert confidences[1][1] == pytest.approx(confidences[0][1], abs=1e-5)


def test_a_picture_that_does_not_open_and_tables_without_any(
    work: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = [f"--data={work / 'data'}", "--kind=bm25", f"--vision_features={work / 'llava'}"]
    (tmp_path / "only").write_text("t3\n")
    message = refuse(INDEX, *made, f"--out={tmp_path / 'a'}", f"--only={tmp_path / 'only'}", capsys=capsys)
    assert "no item has a picture" in message and not (tmp_path / "a").exists()
    picture = work / "data/images/2.png"
    whole = picture.read_bytes()
    picture.write_bytes(b"nothing")
    figures = call(INDEX, *made, f"--out={tmp_path / 'b'}", capsys=capsys)
    picture.write_bytes(whole)
    assert (figures["items"], figures["pictures"], figures["failed"]) == (4, 3, 1)


@pytest.mark.slow
def test_torchrun_shares_the_pictures(work: Path, tmp_path: Path) -> None:
    launch = [str(Path(sys.executable).parent / "torchrun"), "--nproc_per_node=2", "--standalone"]
    made = [f"--data={work / 'data'}", "--kind=bm25", f"--vision_features={work / 'llava'}"]
    command = [*launch, str(ROOT / INDEX), *made, f"--out={tmp_path / 'index'}", "--encoding.device=cpu"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    assert '"new_pictures": 3' in done.stdout
    assert len(VisionFeatures(folder_of(tmp_path / "index"))) == 3
    assert len(list(folder_of(tmp_path / "index").glob("*.safetensors"))) == 2
