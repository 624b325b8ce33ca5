"""Uploading: what goes up, in one commit, and nothing in a dry run."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from safetensors.torch import load_file, save_file

from tabrag.errors import UserError
from tabrag.models import tiny
from tabrag.models.config import EmbedderConfig, RetrieverConfig
from tabrag.models.retriever import Retriever
from tabrag.representations import RepresentationConfig

SCRIPT = Path(__file__).parents[2] / "scripts" / "push_to_hub.py"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("push_to_hub", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["push_to_hub"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture()
def checkpoint(tmp_path: Path) -> Path:
    (tmp_path / "bert").mkdir()
    tiny.bert(tmp_path / "bert")
    tower = EmbedderConfig(backbone=str(tmp_path / "bert"))
    Retriever.from_config(RetrieverConfig(query=tower, item=tower), RepresentationConfig()).save_pretrained(
        tmp_path / "export"
    )
    (tmp_path / "export" / "optimizer.bin").write_bytes(b"not for others")
    return tmp_path / "export"


@pytest.fixture()
def hub(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Any]]:
    calls: list[tuple[str, Any]] = []

    class Api:
        def create_repo(self, repo: str, **options: Any) -> None:
            calls.append(("create_repo", {"repo": repo, **options}))

        def create_commit(self, repo: str, operations: list[Any], **options: Any) -> Any:
            calls.append(("create_commit", operations))
            return SimpleNamespace(commit_url=f"https://hub.example/{repo}/commit/1")

    monkeypatch.setattr("huggingface_hub.HfApi", Api)
    return calls


def test_upload(script: ModuleType, checkpoint: Path, hub: list[tuple[str, Any]]) -> None:
    config = script.Config(checkpoint=str(checkpoint), repo="someone/tables", private=True)
    figures = script.run(config)
    assert figures["url"].endswith("someone/tables/commit/1")
    (create, options), (commit, operations) = hub
    assert create == "create_repo" and options["private"] and options["exist_ok"]
    assert commit == "create_commit"
    uploaded = {operation.path_in_repo: operation.path_or_fileobj for operation in operations}
    assert list(uploaded) == figures["files"]
    assert {"retriever.json", "query/model.safetensors", "item/embedder.json", "README.md"} <= set(uploaded)
    assert "optimizer.bin" not in uploaded
    assert b"from_pretrained('someone/tables')" in uploaded["README.md"]
    assert figures["bytes"] > 100_000


def test_dry_run_uploads_nothing(script: ModuleType, checkpoint: Path, hub: list[tuple[str, Any]]) -> None:
    before = sorted(path.name for path in checkpoint.iterdir())
    figures = script.run(script.Config(checkpoint=str(checkpoint), repo="someone/tables", dry_run=True))
    assert figures["url"] is None and "query/model.safetensors" in figures["files"]
    assert json.loads(json.dumps(figures)) == figures
    assert hub == [] and sorted(path.name for path in checkpoint.iterdir()) == before


def test_broken_checkpoint_is_not_published(
    script: ModuleType, checkpoint: Path, hub: list[tuple[str, Any]]
) -> None:
    state = load_file(checkpoint / "item" / "model.safetensors")
    del state["embeddings.word_embeddings.weight"]
    save_file(state, checkpoint / "item" / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(UserError, match="embeddings.word_embeddings.weight"):
        script.run(script.Config(checkpoint=str(checkpoint), repo="someone/tables"))
    with pytest.raises(UserError, match="owner/name"):
        script.run(script.Config(checkpoint=str(checkpoint), repo="tables"))
    assert hub == []


def test_command_line() -> None:
    done = subprocess.run([sys.executable, str(SCRIPT), "--help"], capture_output=True, text=True, check=True)
    assert all(flag in done.stdout for flag in ("--checkpoint", "--repo", "--private", "--dry_run"))
    done = subprocess.run([sys.executable, str(SCRIPT), "--repo=a/b"], capture_output=True, text=True)
    assert done.returncode == 2 and "checkpoint" in done.stderr
