"""Let a chat model look at documents of which it is not clear whether they are reports or slides.

python infer/route.py --data=DIR --chat.model=MODEL --show=pictures --out=DIR.layouts.jsonl

scripts/prepare_data.py documents decides by rule; this decides the rest, and is done before anything is
indexed: the layouts stand in the folder's documents.jsonl.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from tabrag.chat.config import LocalChatConfig, ServerChatConfig
from tabrag.config import main


@dataclass(kw_only=True)
class Config:
    """Settings of a job. Killed and started again, it continues.

    Attributes:
        data: Data set folder.
        out: File of decisions (JSONL) to write.
        chat: The language model, and how it runs.
        server: A served language model, in place of ``chat``.
        show: What it sees of the first two pages: ``text``, or ``pictures`` where it reads pictures.
        batch_size: Documents between two saves.
        force: Start anew where the file was begun with other settings.
    """

    data: str
    out: str
    chat: LocalChatConfig = field(default_factory=LocalChatConfig)
    server: ServerChatConfig | None = None
    show: Literal["text", "pictures"] = "text"
    batch_size: int = 16
    force: bool = False


def run(config: Config) -> dict[str, Any]:
    """Decide; return figures."""
    from tabrag import distributed
    from tabrag.inference.route import route_folder

    with distributed.group():
        return route_folder(
            config.data,
            config.out,
            chat=config.chat,
            server=config.server,
            show=config.show,
            batch_size=config.batch_size,
            force=config.force,
        )


if __name__ == "__main__":
    main(run, Config, description="Let a chat model decide whether documents are reports or slides.")
