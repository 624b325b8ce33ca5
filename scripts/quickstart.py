"""From nothing to a trained retriever, an index and cited answers, on a CPU without a network.

Runs the same commands that a person would type, prints each, and writes a report: report.html and
metrics.json.
"""

from __future__ import annotations

import importlib.util
import json
import logging
import shlex
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tabrag.config import main, parse

ROOT = Path(__file__).resolve().parent.parent
logger = logging.getLogger(__name__)


@dataclass(kw_only=True)
class Config:
    """Settings of the quickstart.

    Attributes:
        out: Folder for everything it makes; its stages are skipped where they have been done before.
        retriever: Settings of the retriever.
        header_classifier: Settings of the model that chooses rows and columns.
        cell_reader: Settings of the model that answers.
        num_tables: Size of the synthetic corpus.
        seed: Seed of corpus and training.
        overrides: Further arguments for the retriever's training, for example ``["--train.max_steps=4"]``.
    """

    out: str = "runs/quickstart"
    retriever: str = str(ROOT / "configs/retriever/small.yaml")
    header_classifier: str = str(ROOT / "configs/header_classifier/quickstart.yaml")
    cell_reader: str = str(ROOT / "configs/cell_reader/quickstart.yaml")
    num_tables: int = 400
    seed: int = 0
    overrides: list[str] | None = None


def run(config: Config) -> dict[str, Any]:
    """Make the corpus, train, index, compare, answer, report; return the comparison."""
    started = time.perf_counter()
    out = Path(config.out)
    data, runs, index = out / "data", out / "retrieved", out / "index"
    training = [f"--config={config.retriever}", f"--data.folder={data}", f"--train.seed={config.seed}"]
    overrides = config.overrides or []

    corpus = ["synthetic", f"--num-tables={config.num_tables}", f"--seed={config.seed}", "--render"]
    _stage(data, "scripts/prepare_data.py", *corpus, f"--out={data}")
    for name, extra in (("untrained", ["--train.epochs=0"]), ("trained", overrides)):
        folder = out / name
        done = folder / "metrics.json"
        _stage(done, "train/retriever.py", *training, *extra, "--resume=auto", f"--out={folder}")
    for name, settings in (
        ("header_classifier", config.header_classifier),
        ("cell_reader", config.cell_reader),
    ):
        folder = out / name
        given = [f"--config={settings}", f"--data.folder={data}", f"--train.seed={config.seed}"]
        _stage(folder / "metrics.json", f"train/{name}.py", *given, "--resume=auto", f"--out={folder}")
    _stage(
        index / "bm25",
        "infer/index.py",
        f"--config={ROOT / 'configs/index/bm25.yaml'}",
        f"--data={data}",
        f"--out={index / 'bm25'}",
    )
    for name, checkpoint in (("untrained", "untrained"), ("dense", "trained")):
        folder, export = index / name, out / checkpoint / "export"
        _stage(folder, "infer/index.py", f"--data={data}", f"--checkpoint={export}", f"--out={folder}")

    systems = {}
    for title, parts in {
        "BM25": ["bm25"],
        "untrained": ["untrained"],
        "trained": ["dense"],
        "fused (BM25 + trained)": ["bm25", "dense"],
    }.items():
        path = runs / f"{'+'.join(parts)}.jsonl"
        folders = json.dumps([str(index / part) for part in parts])
        queries = [f"--data={data}", "--split=test"]
        _call("infer/retrieve.py", f"--indexes={folders}", *queries, f"--out={path}")
        figures = _call("scripts/evaluate.py", f"--run={path}", *queries)
        systems[title] = {name: figures[name] for name in ("Hit@1", "Hit@5", "Hit@10", "Hit@50", "MRR@10")}

    pipeline = ROOT / "configs/pipeline/quickstart.yaml"
    folders = json.dumps([str(index / "bm25"), str(index / "dense")])
    asked = [
        f"--config={pipeline}",
        f"--data={data}",
        f"--indexes={folders}",
        f"--refine.checkpoint={out / 'header_classifier/export'}",
        f"--reader.checkpoint={out / 'cell_reader/export'}",
    ]
    _call("infer/answer.py", *asked, "--split=test", f"--out={out / 'answers.jsonl'}")

    from tabrag.evaluation.quickstart import write_quickstart_report
    from tabrag.inference.pipeline import Pipeline
    from tabrag.inference.pipeline_config import PipelineConfig

    return write_quickstart_report(
        out,
        pipeline=Pipeline(parse(PipelineConfig, asked)),
        systems=systems,
        seconds=time.perf_counter() - started,
    )


def _stage(result: Path, *command: str) -> None:
    """Run a command unless what it makes, whole or not at all, is there already."""
    if result.exists():
        logger.info("%s is there already", result)
        return
    _call(*command)


def _call(program: str, *arguments: str) -> dict[str, Any]:
    """Run an entry point with a command line, in this process: that spares importing torch a dozen times."""
    logger.info("$ %s", shlex.join(["python", program, *arguments]))
    name = f"_program_{Path(program).stem}"
    spec = importlib.util.spec_from_file_location(name, ROOT / program)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their annotations up there
    spec.loader.exec_module(module)
    if hasattr(module, "parser"):
        return module.run(module.parser().parse_args(arguments))
    return module.run(parse(module.Config, list(arguments)))


if __name__ == "__main__":
    main(run, Config, description=__doc__.splitlines()[0])
