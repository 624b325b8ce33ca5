"""Which part may import which, kept by reading the code."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "tabrag"
OPTIONAL = {
    *("faiss", "docling", "peft", "wandb", "deepspeed"),
    *("onnxruntime", "rapidocr", "onnx", "gguf", "matplotlib", "sacrebleu", "httpx", "bitsandbytes"),
    *("pdfplumber", "pdfminer", "pypdfium2", "docx", "pptx", "reportlab", "sklearn", "threadpoolctl"),
}
FORBIDDEN = {
    "tabrag/losses": ("tabrag",),
    "tabrag/tables": ("tabrag.models", "tabrag.data", "tabrag.inference", "tabrag.training", "torch"),
    "tabrag/documents": ("tabrag.models", "tabrag.data", "tabrag.inference", "tabrag.training", "torch"),
    "tabrag/models": ("tabrag.data", "tabrag.training", "tabrag.index", "tabrag.evaluation"),
    "tabrag/inference": ("tabrag.training", "tabrag.data.sources", "wandb", "deepspeed"),
    "tabrag/training": ("tabrag.data.sources", "tabrag.tables"),
    "tabrag/representations": ("tabrag.models", "tabrag.data", "torch"),
}
PROGRAMS = sorted(path for folder in ("train", "infer", "scripts") for path in (ROOT / folder).glob("*.py"))


@cache
def _nodes(path: Path) -> tuple[ast.Module, list[ast.AST]]:
    """A file's tree, and all that import something in it."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return tree, [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]


def _imports(path: Path, *, top_level: bool = False) -> set[str]:
    tree, everything = _nodes(path)
    nodes = tree.body if top_level else everything
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def _within(name: str, module: str) -> bool:
    return name == module or name.startswith(module + ".")


def test_the_records_need_the_standard_library_alone() -> None:
    names = _imports(PACKAGE / "types.py")
    assert names and all(name.split(".")[0] in sys.stdlib_module_names for name in names)


@pytest.mark.parametrize("folder", sorted(FORBIDDEN))
def test_layers(folder: str) -> None:
    files = sorted((ROOT / folder).rglob("*.py"))
    assert len(files) > 1
    found = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in files
        for name in sorted(_imports(path))
        if any(_within(name, module) for module in FORBIDDEN[folder])
    ]
    assert not found


def test_only_one_file_knows_torch_distributed() -> None:
    users = {
        str(path.relative_to(ROOT))
        for path in PACKAGE.rglob("*.py")
        if any(_within(name, "torch.distributed") for name in _imports(path))
    }
    assert users == {"tabrag/distributed.py"}


def test_training_takes_only_what_it_judges_by_from_inference() -> None:
    names = {
        name
        for path in (PACKAGE / "training").rglob("*.py")
        for name in _imports(path)
        if _within(name, "tabrag.inference")
    }
    judges = ("encode", "classify_headers", "cell_reader", "score_pairs", "chat_scorer", "show", "runtime")
    modules = {f"tabrag.inference.{judge}" for judge in judges}
    assert modules <= names and all(any(_within(name, module) for module in modules) for name in names)


def test_optional_packages_are_imported_where_they_are_used() -> None:
    found = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in PACKAGE.rglob("*.py")
        for name in _imports(path, top_level=True)
        if name.split(".")[0] in OPTIONAL
    ]
    assert not found


def test_entry_points_do_not_import_each_other() -> None:
    assert len(PROGRAMS) > 5
    for path in PROGRAMS:
        assert not {name.split(".")[0] for name in _imports(path)} & {"train", "infer", "scripts"}, path


def test_importing_the_package_loads_no_torch() -> None:
    shown = []
    for statement in ("import tabrag", "import tabrag; tabrag.Retriever"):
        code = f"import sys; {statement}; print('torch' in sys.modules)"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        shown.append(done.stdout.strip())
    assert shown == ["False", "True"]


_HELP = """
import contextlib, io, json, runpy, sys
heavy = {'torch', 'transformers', 'datasets', 'bm25s', 'faiss', 'scipy'}
told = {}
for program in sys.argv[1:]:
    sys.argv = [program, '--help']
    before, code, said = set(sys.modules), None, io.StringIO()
    try:
        with contextlib.redirect_stdout(said):
            runpy.run_path(program, run_name='__main__')
    except SystemExit as stop:
        code = stop.code
    told[program] = [code or 0, sorted(heavy & (set(sys.modules) - before)), 'usage:' in said.getvalue()]
    for name in [name for name in sys.modules if name.split('.')[0] == 'tabrag']:
        del sys.modules[name]
print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def helps() -> dict[str, list[object]]:
    """Program -> exit code, heavy packages that ``--help`` loads, whether it says how to use it."""
    command = [sys.executable, "-c", _HELP, *map(str, PROGRAMS)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_help_answers_without_loading_torch(program: Path, helps: dict[str, list[object]]) -> None:
    assert helps[str(program)] == [0, [], True]


def test_no_file_is_too_long() -> None:
    long = {
        str(path.relative_to(ROOT)): count
        for path in [*PACKAGE.rglob("*.py"), *PROGRAMS]
        if (count := len(path.read_text(encoding="utf-8").splitlines())) > 400
    }
    assert not long
