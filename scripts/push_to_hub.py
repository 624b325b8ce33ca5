"""Upload a checkpoint to the Hugging Face hub with a generated model card.

python scripts/push_to_hub.py --checkpoint=runs/hitab/export --repo=OWNER/NAME --private=true
python scripts/push_to_hub.py --checkpoint=runs/hitab/export --repo=OWNER/NAME --dry_run=true
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tabrag.config import main


@dataclass(kw_only=True)
class Config:
    """What to upload and where to.

    Attributes:
        checkpoint: Folder of a retriever, header classifier or cell reader, for example a run's ``export``.
        repo: Hub id ``owner/name``; made where it does not exist.
        private: Make a new repository private.
        dry_run: Check everything and say what would be uploaded, without the network.
    """

    checkpoint: str
    repo: str
    private: bool = False
    dry_run: bool = False


def run(config: Config) -> dict[str, Any]:
    """Check the checkpoint, write its card, upload."""
    from tabrag.models.push import push

    return push(config.checkpoint, config.repo, private=config.private, dry_run=config.dry_run)


if __name__ == "__main__":
    main(run, Config, description="Upload a checkpoint to the Hugging Face hub.")
