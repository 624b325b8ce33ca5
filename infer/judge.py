"""Let a language model judge answers by their facts (FastRAGEval).

python infer/judge.py --data=DIR --split=dev --answers=answers.jsonl --server.url=http://localhost:8000/v1 \
    --server.model=NAME --out=judgements.jsonl
python scripts/evaluate.py --answers=answers.jsonl --judgements=judgements.jsonl --data=DIR --split=dev
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from tabrag.chat.config import LocalChatConfig, ServerChatConfig
from tabrag.config import main


@dataclass(kw_only=True)
class Config:
    """Settings of a judging job. Killed and started again, it continues; unreadable judgements are asked for
    again.

    Attributes:
        data: Data set folder with the reference answers.
        answers: Answers file to judge.
        out: File of judgements (JSONL) to write.
        split: Which queries of the folder.
        several: What several reference answers of a query are: ``any`` one is enough, or parts of one
            answer (``all``).
        chat: The judge, and how it runs.
        server: A served judge, in place of ``chat``.
        max_new_tokens: Length of a reply at most.
        batch_size: Answers between two saves.
        force: Start anew where the file was begun with other settings.
    """

    data: str
    answers: str
    out: str
    split: str = "dev"
    several: Literal["any", "all"] = "any"
    chat: LocalChatConfig = field(default_factory=lambda: LocalChatConfig(max_length=4096))
    server: ServerChatConfig | None = None
    max_new_tokens: int = 1024
    batch_size: int = 16
    force: bool = False


def run(config: Config) -> dict[str, Any]:
    """Judge; return figures."""
    from tabrag import distributed
    from tabrag.inference.judge_job import judge_answers

    with distributed.group():
        return judge_answers(
            config.answers,
            config.data,
            config.out,
            split=config.split,
            chat=config.chat,
            server=config.server,
            several=config.several,
            max_new_tokens=config.max_new_tokens,
            batch_size=config.batch_size,
            force=config.force,
        )


if __name__ == "__main__":
    main(run, Config, description="Let a language model judge answers by their facts.")
