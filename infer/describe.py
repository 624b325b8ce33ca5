"""Let a language model describe what a representation lists; indexes then search its sentences.

python infer/describe.py --data=DIR --representation.name=hrcl --chat.model=MODEL --out=DIR/hrcl.jsonl
python infer/index.py --data=DIR --representation.name=hrcl --representation.written=DIR/hrcl.jsonl ...

Of documents, the tables and pictures of a representation of their parts, by a model that reads pictures:

python infer/describe.py --data=DIR --representation.name=chunks --max_new_tokens=256 \
    --server='{url: URL, model: MODEL}' --out=DIR/chunks.jsonl
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tabrag.chat.config import LocalChatConfig, ServerChatConfig
from tabrag.config import main
from tabrag.representations import RepresentationConfig


@dataclass(kw_only=True)
class Config:
    """Settings of a description job. Killed and started again, it continues.

    Attributes:
        data: Data set folder.
        out: File of descriptions (JSONL) to write.
        representation: Of tables, whose texts are described; or ``chunks`` or ``pages``, whose tables and
            pictures are.
        chat: The language model, and how it runs.
        server: A served language model, in place of ``chat``.
        max_new_tokens: Length of a description at most.
        batch_size: Entries between two saves.
        force: Start anew where the file was begun with other settings.
    """

    data: str
    out: str
    representation: RepresentationConfig = field(default_factory=lambda: RepresentationConfig(name="hrcl"))
    chat: LocalChatConfig = field(default_factory=LocalChatConfig)
    server: ServerChatConfig | None = None
    max_new_tokens: int = 96
    batch_size: int = 64
    force: bool = False


def run(config: Config) -> dict[str, Any]:
    """Describe; return figures."""
    from tabrag import distributed
    from tabrag.inference.describe_job import describe_folder

    with distributed.group():
        return describe_folder(
            config.data,
            config.out,
            representation=config.representation,
            chat=config.chat,
            server=config.server,
            max_new_tokens=config.max_new_tokens,
            batch_size=config.batch_size,
            force=config.force,
        )


if __name__ == "__main__":
    main(run, Config, description="Let a language model describe what a representation lists.")
