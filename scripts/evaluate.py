"""Figures of run files against the judgements of a data set folder or of a file, and of answers files.

python scripts/evaluate.py --run=run.jsonl --data=DIR --split=dev
python scripts/evaluate.py --runs='{bm25: a.jsonl, dense: b.jsonl}' --baseline=bm25 --data=DIR --split=dev
python scripts/evaluate.py --run=run.jsonl --qrels=qrels.tsv
python scripts/evaluate.py --run=chunks.jsonl --data=DIR --split=dev --by=document
python scripts/evaluate.py --answers=answers.jsonl --data=DIR --split=dev
python scripts/evaluate.py --answers=answers.jsonl --judgements=judgements.jsonl --data=DIR --split=dev
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tabrag.config import main
from tabrag.errors import UserError
from tabrag.evaluation.answers import AnswerRules


@dataclass(kw_only=True)
class Config:
    """What is evaluated: one run with all its figures, or several side by side for each data set.

    Attributes:
        run: Run file.
        runs: In place of ``run``: several run files by the names that the tables show.
        answers: In place of ``run``: answers file, compared with the answers and labels of the folder's
            queries; figures for each task.
        judgements: With ``answers``: what a judge said of them (``infer/judge.py``); FastRAGEval's figures
            stand beside the others then.
        rules: How answers are compared.
        data: Data set folder with the judgements.
        split: Which judgements of the folder.
        qrels: File with judgements in BEIR's or TREC's form, in place of ``data``.
        by: What is judged: ``item`` (what a run names), or ``document`` (chunks, pages, summaries and tables
            as the documents that they belong to, each at its best place).
        ties: Equal scores: ``id`` (by ascending item id) or ``average`` (over all orders).
        per_query: Also write the figures of each query to this JSONL file.
        ks: Cut-offs of a single run; 1, 5, 10 and 50 where null.
        figures: Columns of several runs; Recall@1, @5, @10, @50 and MRR@10 where null.
        baseline: Which of several runs the others are compared with.
        table: Also write the tables of several runs to this Markdown file.
    """

    run: str | None = None
    runs: dict[str, str] | None = None
    answers: str | None = None
    judgements: str | None = None
    rules: AnswerRules = field(default_factory=AnswerRules)
    data: str | None = None
    split: str = "dev"
    qrels: str | None = None
    by: str = "item"
    ties: str = "id"
    per_query: str | None = None
    ks: list[int] | None = None
    figures: list[str] | None = None
    baseline: str | None = None
    table: str | None = None


def run(config: Config) -> dict[str, Any]:
    """Evaluate; return figures, intervals and counts."""
    from tabrag.evaluation.comparison import FIGURES
    from tabrag.evaluation.ranking_report import compare_runs, evaluate_run

    if sum(given is not None for given in (config.run, config.runs, config.answers)) != 1:
        raise UserError("name exactly one of run (a run file), runs (several by name) and answers (a file)")
    if config.answers is not None:
        return _evaluate_answers(config, config.answers)
    if config.judgements is not None:
        raise UserError("judgements belong to answers: leave them out, or name the answers file they judge")
    foreign = ("figures", "baseline", "table") if config.runs is None else ("ks",)
    for name in foreign:
        if getattr(config, name) is not None:
            raise UserError(f"{name} belongs to {'runs' if config.runs is None else 'run'}: leave it out")
    judged: dict[str, Any] = {
        "split": config.split,
        "qrels": config.qrels,
        "by": config.by,
        "ties": config.ties,
        "per_query": config.per_query,
    }
    if config.run is not None:
        return evaluate_run(
            config.run, config.data, ks=(1, 5, 10, 50) if config.ks is None else config.ks, **judged
        )
    assert config.runs is not None
    return compare_runs(
        config.runs,
        config.data,
        figures=FIGURES if config.figures is None else config.figures,
        baseline=config.baseline,
        table=config.table,
        **judged,
    )


def _evaluate_answers(config: Config, answers: str) -> dict[str, Any]:
    """Figures for each task, with those of ``judgements`` under ``fastrageval``."""
    from tabrag.data.folder import DataFolder
    from tabrag.evaluation.answer_report import evaluate_answers

    if config.data is None:
        raise UserError("answers need the data set folder with the gold answers: set data")
    figures: dict[str, Any] = evaluate_answers(answers, config.data, split=config.split, rules=config.rules)
    if config.judgements is not None:
        from tabrag.evaluation.fastrageval_report import evaluate_judgements, show_judgements
        from tabrag.inference.retrieve import select_queries

        queries = select_queries(data=DataFolder(config.data), split=config.split)
        judged = evaluate_judgements(config.judgements, answers, queries, rules=config.rules)
        show_judgements(judged, title=config.judgements)
        for task, found in judged.items():
            figures.setdefault(task, {})["fastrageval"] = found
    return figures


if __name__ == "__main__":
    main(run, Config, description="Evaluate run files.")
