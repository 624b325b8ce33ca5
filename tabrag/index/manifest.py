"""What an index folder says about itself, and whether its files are whole."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tabrag.errors import UserError
from tabrag.files import read_json, sha256_file, write_json
from tabrag.from_json import from_json

FORMAT_VERSION = 1
MANIFEST = "manifest.json"
KINDS = ("exact", "faiss-flat", "faiss-ivf", "faiss-hnsw", "bm25")


@dataclass(kw_only=True)
class Manifest:
    """The manifest of an index folder.

    Attributes:
        kind: One of :data:`KINDS`.
        metric: ``cosine`` or ``ip``; empty for ``bm25``.
        dim: Dimension of the vectors; 0 for ``bm25``.
        num_entries: Number of entries (rows).
        num_items: Number of distinct items.
        encoder: Fingerprint of the retriever that made the vectors; empty for ``bm25``.
        checkpoint: Where that retriever was loaded from, if known.
        item_max_length: ``max_length`` of the tower that embedded the entries, which may differ from the
            checkpoint's; None for ``bm25``, and for the checkpoint's in indexes older than this note.
        representation: Name and options of the representation that made the entries.
        data: The data set folder of the items, if known.
        digests: SHA-256 of that folder's files when documents were indexed: ids of their parts hold for these
            alone. Empty for tables, and in indexes that are older than this note.
        files: File name to ``{"bytes": ..., "sha256": ...}``.
    """

    kind: str
    metric: str = ""
    dim: int = 0
    num_entries: int = 0
    num_items: int = 0
    encoder: str = ""
    checkpoint: str | None = None
    item_max_length: int | None = None
    representation: dict[str, Any] = field(default_factory=dict)
    data: str | None = None
    digests: dict[str, str] = field(default_factory=dict)
    files: dict[str, dict[str, int | str]] = field(default_factory=dict)

    def write(self, folder: Path) -> None:
        """Note size and checksum of each file of the folder and write the manifest, last of all."""
        self.files = {
            path.name: {"bytes": path.stat().st_size, "sha256": sha256_file(path)}
            for path in sorted(folder.iterdir())
            if path.name != MANIFEST
        }
        write_json(folder / MANIFEST, {"format_version": FORMAT_VERSION, **dataclasses.asdict(self)})


def check_kind(kind: str) -> str:
    """The kind, if there is one of this name."""
    if kind not in KINDS:
        raise UserError(f"index kind '{kind}' is unknown: use one of {', '.join(KINDS)}")
    return kind


def read_manifest(folder: Path, *, verify: bool = True) -> Manifest:
    """Read the manifest of an index folder and compare its files with it.

    Args:
        folder: The index folder.
        verify: Also compare checksums (reads every file once); otherwise only sizes.

    Raises:
        UserError: No index, another format version, or a file that is missing, cut off or changed (it is
            named).
    """
    path = folder / MANIFEST
    if not path.is_file():
        raise UserError(f"{folder}: no index here ({MANIFEST} is missing): build it with infer/index.py")
    values = read_json(path)
    version = values.pop("format_version", None) if isinstance(values, dict) else None
    if version != FORMAT_VERSION:
        raise UserError(
            f"{path}: format version {version}, this tabrag reads {FORMAT_VERSION}: build the index again"
        )
    try:
        manifest = from_json(Manifest, values, where=path)
    except UserError as error:
        raise UserError(f"{error}: build the index again") from error
    for name, noted in manifest.files.items():
        file = folder / name
        if not file.is_file():
            raise UserError(f"{file}: missing, the index is not whole: build it again")
        if file.stat().st_size != noted.get("bytes"):
            raise UserError(
                f"{file}: {file.stat().st_size} bytes instead of {noted.get('bytes')}, the index is not "
                "whole: build it again"
            )
        if verify and sha256_file(file) != noted.get("sha256"):
            raise UserError(
                f"{file}: checksum differs from the manifest, the file has changed: build the index again"
            )
    return manifest
