"""Upload a checkpoint to the Hugging Face hub: one commit with the checkpoint's files and a fresh card."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

from tabrag.errors import UserError
from tabrag.models.card import model_card
from tabrag.models.card_kinds import kind_of

logger = logging.getLogger(__name__)

_SUFFIXES = (".json", ".safetensors", ".txt", ".model", ".jinja")


def push(
    checkpoint: str | Path, repo: str, *, private: bool = False, dry_run: bool = False
) -> dict[str, Any]:
    """Upload a checkpoint's folder.

    Args:
        checkpoint: The folder; it is loaded strictly first, so that nothing broken is published.
        repo: Hub id ``owner/name``.
        private: Make a new repository private.
        dry_run: Do all but the upload.

    Returns:
        ``repo``, ``files`` (paths), ``bytes``, ``url`` (None in a dry run).

    Raises:
        UserError: The folder is no sound checkpoint, the id is no hub id, there is no token, or the hub
            refuses.
    """
    from huggingface_hub import CommitOperationAdd, HfApi
    from huggingface_hub.errors import HfHubHTTPError, LocalTokenNotFoundError, OfflineModeIsEnabled

    folder = Path(checkpoint)
    if repo.count("/") != 1:
        raise UserError(f"repo '{repo}' is not of the form owner/name")
    kind = kind_of(folder)
    kind.load(folder)
    card = model_card(folder, name=repo)
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix in _SUFFIXES)
    names = [path.relative_to(folder).as_posix() for path in paths]
    figures: dict[str, Any] = {
        "repo": repo,
        "files": ["README.md", *names],
        "bytes": sum(path.stat().st_size for path in paths) + len(card.encode()),
        "url": None,
    }
    if dry_run:
        logger.info("dry run, nothing is uploaded; the card:\n%s", card)
        return figures
    operations = [CommitOperationAdd(path_in_repo="README.md", path_or_fileobj=card.encode())]
    operations += [
        CommitOperationAdd(path_in_repo=name, path_or_fileobj=str(path))
        for name, path in zip(names, paths, strict=True)
    ]
    api = HfApi()
    try:
        api.create_repo(repo, private=private, exist_ok=True)
        commit = api.create_commit(repo, operations, commit_message=f"Upload {kind.name}")
    except LocalTokenNotFoundError as error:
        raise UserError("no hub token: log in with  hf auth login  or set HF_TOKEN") from error
    except (HfHubHTTPError, OfflineModeIsEnabled, OSError) as error:
        raise UserError(f"the hub refuses '{repo}': {str(error).splitlines()[0]}") from error
    figures["url"] = str(commit.commit_url)
    return figures
