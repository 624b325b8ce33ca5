"""The README's commands, word for word but for folders and sizes."""

from __future__ import annotations

import json
import re
import runpy
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from processes import forget_accelerator

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent
TINY = [
    "--model.query.backbone=offline:tiny-bert",
    "--model.item.backbone=offline:tiny-bert",
    "--train.batch_size=8",
    "--train.epochs=0",
    "--train.max_steps=2",
    "--dev.max_queries=5",
]


def _commands(heading: str) -> list[list[str]]:
    """The commands of the code blocks below a heading."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    section = re.split(r"^## ", text.split(f"\n## {heading}")[1], flags=re.M)[0]
    lines = [
        line
        for block in re.findall(r"^```\n(.*?)^```", section, flags=re.M | re.S)
        for line in block.splitlines()
    ]
    return [shlex.split(line) for line in lines if line.startswith(("python ", "accelerate ", "pip "))]


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., dict]:
    """Runs a command in this process and the test's folder: new ones would import torch again each time."""
    monkeypatch.chdir(tmp_path)

    def run(command: list[str], replacements: dict[str, str], extra: list[str], *, status: int = 0) -> dict:
        arguments = []
        for argument in command[1:]:
            for old, new in replacements.items():
                argument = argument.replace(old, new)
            arguments.append(re.sub(r"(^|=)((?:configs|train|infer|scripts)/)", rf"\1{ROOT}/\2", argument))
        forget_accelerator()
        capsys.readouterr()
        monkeypatch.setattr("sys.argv", [*arguments, *extra])
        code = 0
        try:
            runpy.run_path(arguments[0], run_name="__main__")
        except SystemExit as end:
            code = end.code
        printed = capsys.readouterr()
        assert code == status, f"{shlex.join(command)}\n{printed.err[-3000:]}"
        return json.loads(printed.out.strip().splitlines()[-1])

    return run


def _extra(command: list[str]) -> list[str]:
    if command[1] == "train/retriever.py":
        return TINY
    if command[1] in ("train/header_classifier.py", "train/cell_reader.py"):
        tiny = ["--model.backbone=offline:tiny-bert", "--model.num_layers=1", "--data.max_dev=5"]
        return [*tiny, "--train.batch_size=8", "--train.epochs=0", "--train.max_steps=2"]
    if command[1] == "train/reranker.py":
        words = any("words.yaml" in argument for argument in command)
        tiny = [] if words else ["--cross_encoder.backbone=offline:tiny-bert"]
        return [
            *tiny,
            "--data.max_dev=5",
            "--data.dev_depth=3",
            "--train.batch_size=4",
            "--train.epochs=0",
            "--train.max_steps=2",
        ]
    if command[1] == "scripts/prepare_data.py" and "synthetic_documents" in command:
        return ["--num-documents=5"]
    if command[1] == "scripts/prepare_data.py" and {"hitab", "docrag_open", "tabrag_open"} & set(command):
        return ["--limit=40"]
    return []


def test_hitab_commands(run: Callable[..., dict], data_root: Path, tmp_path: Path) -> None:
    commands = _commands("HiTab, on a CPU")
    assert len(commands) == 10
    figures: dict = {}
    for command in commands:
        figures |= run(command, {"$TABRAG_DATA": str(data_root)}, _extra(command))
    assert 0.05 < figures["Hit@10"] <= 1 and figures["negatives"] > 0
    assert figures["pooled"]["runs"]["fused"]["Recall@10"]["mean"] == figures["Recall@10"]
    assert (tmp_path / "runs/hitab/dev.md").read_text().count("| fused |") == 2

    commands = _commands("Rows, columns and cells")
    assert len(commands) == 16
    figures = {}
    for command in commands:
        figures |= run(command, {"$TABRAG_DATA": str(data_root)}, _extra(command))
    assert (tmp_path / "runs/hitab/refinement.png").stat().st_size > 10_000
    assert "| trained |" in (tmp_path / "runs/hitab/refinement.md").read_text()
    assert figures["qa"]["num_questions"] > 5 and 50 < figures["header_rows"] <= 100
    assert (tmp_path / "runs/hitab/headers_and_cells.md").read_text().count("| bm25_cells |") == 2

    commands = _commands("Rerank")
    assert len(commands) == 11
    figures = {}
    for command in commands:
        figures |= run(command, {"$TABRAG_DATA": str(data_root)}, _extra(command))
    assert figures["pairs"] > 100 and 0 < figures["ECE"] < 1 and figures["failed"] == 0
    assert (tmp_path / "runs/hitab/reliability.png").stat().st_size > 10_000
    assert figures["queries"] > 5 and figures["blend"]["scale"] > 0
    assert (tmp_path / "runs/hitab/reranker_behind_words/cross_encoder.json").is_file()


def test_commands_on_a_persons_own_files(run: Callable[..., dict], files_root: Path, tmp_path: Path) -> None:
    own = tmp_path / "own"
    for kind in ("html", "csv", "xlsx", "md"):
        shutil.copytree(files_root / kind, own / kind)
    first, *others = _commands("Your own files")
    assert len(others) == 9
    made = run(first, {"MY_FILES": str(own)}, [])
    assert made["tables"] > 10 and made["documents"] > 10
    answered = []
    for command in others:
        if "--data.folder=datasets/mine" in command:
            continue  # needs questions of a person
        figures = run(command, {"offline:minilm": "offline:tiny-bert"}, _extra(command))
        answered += [figures] if command[1] == "infer/answer.py" else []
    assert [one["answer"] for one in answered][0] == "$280" and len(answered) == 2
    assert answered[1]["evidence"] and "open" in answered[1]["timings_ms"]


def test_commands_on_documents(run: Callable[..., dict], data_root: Path) -> None:
    commands = _commands("docrag-open")
    assert len(commands) == 6
    replaced = {"$TABRAG_DATA": str(data_root), "offline:minilm": "offline:tiny-bert"}
    figures: dict = {}
    for command in commands:
        figures |= run(command, replaced, _extra(command))
    assert figures["documents"] == 40 and 0.3 < figures["Hit@10"] <= 1


def test_commands_on_the_pool(run: Callable[..., dict], data_root: Path) -> None:
    commands = _commands("tabrag-open")
    assert len(commands) == 7
    figures: dict = {}
    for command in commands:
        # The small pool's sets do not fill a batch each.
        mixed = ["--data.one_set_a_batch=false"] if command[1] == "train/retriever.py" else []
        figures |= run(command, {"$TABRAG_DATA": str(data_root)}, [*_extra(command), *mixed])
    assert figures["tables"] > 20 and 0.3 < figures["Hit@10"] <= 1


def test_commands_on_business_documents(run: Callable[..., dict]) -> None:
    commands = [one for one in _commands("Business documents") if "answers.jsonl" not in " ".join(one)]
    assert len(commands) == 20
    replaced = {"layoutlmv3-minilm": "tiny-layoutlmv3", "minilm": "tiny-bert"}
    evaluated = []
    for command in commands:
        # Five documents are of one company, which is in the last split.
        extra = ["--split=test"] if command[1] == "scripts/evaluate_context.py" else _extra(command)
        figures = run(command, replaced, extra)
        evaluated += [figures] if command[1] == "scripts/evaluate_context.py" else []
    chunks, pages = (one["evidence"] for one in evaluated)
    assert chunks["all"]["queries"] > 5 and chunks["table"]["recall"] > 0.6
    assert 0 < pages["all"]["recall"] < chunks["all"]["recall"]  # the random encoder searches pages alone


@pytest.mark.parametrize(
    "heading",
    [
        "On GPUs",
        "Quickstart",
        "HiTab",
        "Rerank",
        "Your own files",
        "docrag-open",
        "Business documents",
        "tabrag-open",
    ],
)
def test_every_named_file_exists(heading: str) -> None:
    commands = _commands(heading)
    named = [
        word.split("=", 1)[-1]
        for command in commands
        for word in command
        if re.search(r"(^|=)(configs|train|infer|scripts)/", word)
    ]
    assert named or heading == "Quickstart"
    missing = [name for name in named if not (ROOT / name).exists()]
    assert not missing
