"""Settings: types are checked, and mistakes name the key and the file."""

from __future__ import annotations

import runpy
import subprocess
import sys
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Literal

import pytest

from tabrag.config import load, parse, to_dict
from tabrag.errors import UserError
from tabrag.inference.pipeline import Pipeline
from tabrag.inference.pipeline_config import PipelineConfig

ROOT = Path(__file__).parent.parent


@dataclass(kw_only=True)
class Inner:
    """Attributes:
    lr: Learning rate.
    """

    lr: float = 1e-3
    betas: tuple[float, float] = (0.9, 0.98)


@dataclass(kw_only=True)
class Outer:
    """Attributes:
    data: Folder.
    """

    data: str
    inner: Inner = field(default_factory=Inner)
    kind: Literal["a", "b"] = "a"


def _yaml(tmp_path: Path, text: str) -> str:
    path = tmp_path / "settings.yaml"
    path.write_text(text)
    return str(path)


def test_file_and_dotted_overrides(tmp_path: Path) -> None:
    path = _yaml(tmp_path, "data: x\ninner:\n  lr: 1e-5\n  betas: [0.8, 0.9]\nkind: b\n")
    assert load(Outer, path) == Outer(data="x", inner=Inner(lr=1e-5, betas=(0.8, 0.9)), kind="b")
    config = parse(Outer, ["--config", path, "--inner.lr=2e-5", "--kind", "a"])
    assert config == Outer(data="x", inner=Inner(lr=2e-5, betas=(0.8, 0.9)), kind="a")
    assert to_dict(config)["inner"] == {"lr": 2e-5, "betas": [0.8, 0.9]}


@pytest.mark.parametrize("joined", [True, False])
def test_the_record_of_a_run_is_a_config(tmp_path: Path, joined: bool) -> None:
    path = tmp_path / "run.yaml"
    path.write_text(
        "settings:\n  data: x\n  inner: {lr: 1.0e-05, betas: [0.8, 0.9]}\nenvironment: {python: x}\n"
    )
    flag = [f"--config={path}"] if joined else ["--config", str(path)]
    expected = Outer(data="y", inner=Inner(lr=1e-5, betas=(0.8, 0.9)))
    assert parse(Outer, [*flag, "--data=y"]) == expected
    with pytest.raises(UserError, match=r"lrr.*run\.yaml"):
        parse(Outer, [*flag, "--inner.lrr=1"])


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("data: x\ninner:\n  lrr: 3\n", "lrr"),
        ("data: x\ninner:\n  lr: quick\n", "inner.lr"),
        ("data: x\nkind: c\n", "kind"),
        ("data: x\nextra: 1\n", "extra"),
        ("kind: a\n", "data"),
    ],
)
def test_a_mistake_names_the_key_and_the_file(tmp_path: Path, text: str, key: str) -> None:
    path = _yaml(tmp_path, text)
    with pytest.raises(UserError) as caught:
        parse(Outer, ["--config", path])
    assert key in str(caught.value) and "settings.yaml" in str(caught.value)


def test_a_mistyped_flag_and_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="inner.lrr"):
        parse(Outer, ["--data=x", "--inner.lrr=3"])
    with pytest.raises(UserError, match="nowhere.yaml"):
        parse(Outer, ["--config", str(tmp_path / "nowhere.yaml")])


_SCRIPT = """
from dataclasses import dataclass
from tabrag.config import main
from tabrag.errors import UserError

@dataclass(kw_only=True)
class Config:
    fault: str = ""

def run(config):
    if config.fault == "user":
        raise UserError("table 't': no cells; add some")
    if config.fault == "stop":
        raise KeyboardInterrupt
    print("progress is elsewhere")
    return {"hits": 3, **({config.fault: 1} if config.fault else {"failed": 0})}

main(run, Config)
"""


@pytest.mark.parametrize(
    ("arguments", "status", "stdout_end", "stderr"),
    [
        ([], 0, '{"hits": 3, "failed": 0}', ""),
        (["--fault=failed"], 3, '{"hits": 3, "failed": 1}', ""),
        (["--fault=partial"], 3, '{"hits": 3, "partial": 1}', ""),
        (["--fault=user"], 2, "", "error: table 't': no cells; add some"),
        (["--fault=stop"], 130, "", "stopped"),
        (["--falt=user"], 2, "", "falt"),
    ],
)
def test_exit_status_and_last_line(arguments: list[str], status: int, stdout_end: str, stderr: str) -> None:
    done = subprocess.run([sys.executable, "-c", _SCRIPT, *arguments], capture_output=True, text=True)
    assert done.returncode == status
    assert done.stdout.strip().endswith(stdout_end) and stderr in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("program", sorted((ROOT / "infer").glob("*.py")), ids=lambda path: path.stem)
def test_each_setting_is_explained_and_none_twice(program: Path) -> None:
    from jsonargparse import ArgumentParser

    config = runpy.run_path(str(program))["Config"]
    parser = ArgumentParser()
    parser.add_class_arguments(config)
    actions = [one for one in parser._actions if "help" not in one.dest]
    assert len(actions) > 4
    assert [one.dest for one in actions if not one.help or "undocumented" in one.help] == []
    for base in [one for one in config.__mro__[1:] if is_dataclass(one)]:
        inherited = {field.name for field in fields(base)} - set(config.__annotations__)
        assert [name for name in inherited if f"\n        {name}: " in str(config.__doc__)] == []


@pytest.mark.parametrize("path", sorted((ROOT / "configs" / "pipeline").glob("*.yaml")), ids=lambda p: p.stem)
def test_every_pipeline_recipe_loads(path: Path) -> None:
    config = load(PipelineConfig, path)
    assert config.data and config.indexes
    Pipeline(config)
