"""How far a judge agrees with answers whose facts are known.

python scripts/evaluate_judge.py --chat.model=offline:smollm2 --out=judged.jsonl
python scripts/evaluate_judge.py --server.url=http://localhost:8000/v1 --server.model=NAME --out=judged.jsonl
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tabrag.chat.config import LocalChatConfig, ServerChatConfig
from tabrag.config import main


@dataclass(kw_only=True)
class Config:
    """Which judge is looked at. Killed and started again, it continues.

    Attributes:
        out: File of judgements (JSONL) to write.
        labelled: File of answers with known facts; the set beside this script where null.
        chat: The judge, and how it runs.
        server: A served judge, in place of ``chat``.
        max_new_tokens: Length of a reply at most.
        batch_size: Answers between two saves.
        force: Start anew where the file was begun with other settings.
    """

    out: str
    labelled: str | None = None
    chat: LocalChatConfig = field(default_factory=lambda: LocalChatConfig(max_length=4096))
    server: ServerChatConfig | None = None
    max_new_tokens: int = 1024
    batch_size: int = 16
    force: bool = False


def run(config: Config) -> dict[str, Any]:
    """Judge the labelled answers; return the agreement and the job's figures."""
    from tabrag import distributed
    from tabrag.evaluation.fastrageval_report import read_judgements
    from tabrag.evaluation.judge_agreement import agreement, read_labelled
    from tabrag.inference.judge_job import Judged, judge_all

    labelled = read_labelled(config.labelled or Path(__file__).with_name("labelled_answers.jsonl"))
    with distributed.group():
        figures = judge_all(
            [Judged(one.id, one.question, one.references, one.prediction) for one in labelled],
            config.out,
            chat=config.chat,
            server=config.server,
            several="any",
            max_new_tokens=config.max_new_tokens,
            batch_size=config.batch_size,
            force=config.force,
        )
    return {"agreement": agreement(labelled, read_judgements(config.out)), "judgements": figures}


if __name__ == "__main__":
    main(run, Config, description="Evaluate a judge of answers.")
