"""A data set folder into an index folder."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tabrag import distributed
from tabrag.chat.config import LocalChatConfig
from tabrag.data.folder import DataFolder
from tabrag.documents.whole import Item
from tabrag.errors import UserError
from tabrag.index.config import Bm25Config, EncodeConfig
from tabrag.index.filtering import facts_of
from tabrag.index.folder import Index
from tabrag.index.manifest import check_kind
from tabrag.representations import Representation, RepresentationConfig, build, entries_of, item_kind
from tabrag.types import Entry

if TYPE_CHECKING:
    from tabrag.models.retriever import Retriever


def index_folder(
    data: str | Path,
    out: str | Path,
    *,
    kind: str = "exact",
    checkpoint: str | None = None,
    representation: RepresentationConfig | None = None,
    item_max_length: int | None = None,
    metric: str | None = None,
    sync: bool = False,
    bm25: Bm25Config | None = None,
    encoding: EncodeConfig | None = None,
    items: Collection[str] | None = None,
    reuse: Sequence[str | Path] = (),
    vision_features: str | None = None,
) -> dict[str, Any]:
    """Index the tables, or the documents, of a data set folder.

    Args:
        data: The data set folder.
        out: The index folder.
        kind: See :meth:`Index.build`.
        checkpoint: The retriever of a dense index, folder or hub id.
        representation: How tables become entries; a dense index takes its retriever's where None, ``bm25``
            takes ``headers``.
        item_max_length: Most tokens of an entry; those of the retriever where None.
        metric: ``cosine`` or ``ip``; what the retriever was trained on where None.
        sync: Encode only what an existing index lacks, and remove what has vanished.
        bm25: Settings of ``bm25``.
        encoding: Device, number format and batch size.
        items: Ids of the tables (or documents) to index; all where None.
        reuse: Index folders by the same retriever: entries that they hold are not encoded again.
        vision_features: Image-text model, folder or hub id, whose features of the items' pictures are stored
            beside the index (:mod:`tabrag.chat.vision_features`); none are where None.

    Returns:
        ``items``, ``entries``, ``seconds``, ``items_per_second``; of a dense index ``cut_tokens``, the share
        (0..1) of the tokens encoded now that were left out because an entry is longer than the encoder's
        input; after a sync also what changed; with ``vision_features`` also ``pictures``, ``new_pictures``
        and ``failed`` ones.

    Raises:
        UserError: A setting does not fit the kind, the retriever or the index that is to be synced.
    """
    retriever = None
    if check_kind(kind) == "bm25":
        if checkpoint is not None:
            raise UserError("an index of kind 'bm25' has no checkpoint: leave it out, or choose another kind")
        if item_max_length is not None:
            raise UserError("an index of kind 'bm25' has no item_max_length: it takes texts of any length")
        if metric is not None:
            raise UserError("an index of kind 'bm25' has no metric: leave it out")
        representation = representation or RepresentationConfig(name="headers")
    else:
        if checkpoint is None:
            raise UserError(
                f"an index of kind '{kind}' needs a checkpoint: name a retriever's folder or hub id"
            )
        from tabrag.models.retriever import Retriever

        retriever = Retriever.from_pretrained(checkpoint)
        if item_max_length is not None:
            retriever = retriever.with_item_length(item_max_length)
        metric = metric or retriever.metric
        representation = representation or retriever.representation
    trees = representation.options.get("file") if representation.name == "tree" else None
    folder = DataFolder(data, trees=None if trees is None else str(trees))
    represent = build(representation, measure=None if retriever is None else retriever.item.inputs)
    of_what = item_kind(representation)
    entries = _entries(folder, represent, of_what, items)
    digests = folder.digests() if of_what == "document" else {}
    metric = metric or ""
    if sync and reuse:
        raise UserError("sync keeps the index's own vectors: leave reuse out")
    pictures: dict[str, int] = {}
    if vision_features is not None:
        from tabrag.inference.vision_job import pictures_of, store_features

        used = encoding or EncodeConfig()
        chat = LocalChatConfig(model=vision_features, device=used.device, dtype=used.dtype)
        shown = pictures_of(folder, (_item(folder, one) for one in _ids(folder, of_what, items)))
        pictures = store_features(chat, out, shown)
    start = time.perf_counter()
    changes: dict[str, int] = {}
    if sync:
        index = Index.open(out, encoding=encoding)
        index.require(kind=kind, metric=metric, representation=representation, bm25=bm25)
        changes = index.sync(entries, retriever=retriever, digests=digests)
    else:
        index = Index.build(
            out,
            entries,
            kind=kind,
            retriever=retriever,
            metric=metric,
            checkpoint=_absolute(checkpoint),
            representation=representation,
            data=str(Path(data).resolve()),
            digests=digests,
            bm25=bm25,
            encoding=encoding,
            reuse=[Index.open(other, encoding=encoding) for other in reuse],
        )
    seconds = time.perf_counter() - start
    return {
        "items": index.manifest.num_items,
        "entries": index.manifest.num_entries,
        **changes,
        **({} if retriever is None else {"cut_tokens": _cut_tokens(retriever)}),
        "seconds": round(seconds, 3),
        "items_per_second": round(index.manifest.num_items / seconds, 1),
        **pictures,
    }


def read_ids(path: str | Path) -> list[str]:
    """Ids of items from a file, one a line, each once; blank lines are passed over.

    Raises:
        UserError: The file cannot be read, or names nothing.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: no readable file of ids, one a line ({error})") from error
    ids = list(dict.fromkeys(line.strip() for line in lines if line.strip()))
    if not ids:
        raise UserError(f"{path}: names no item; give one id a line")
    return ids


def _entries(
    folder: DataFolder, represent: Representation, kind: str, items: Collection[str] | None
) -> Iterator[Entry]:
    """The entries of all items, which the processes represent together; what is represented decides whether
    those are tables or documents.
    """

    def of_item(item_id: str) -> list[Entry]:
        item = _item(folder, item_id)
        made = entries_of(represent, item, folder=folder.path)
        known = facts_of(item, [entry.item_id for entry in made])
        return [replace(entry, metadata=facts) for entry, facts in zip(made, known, strict=True)]

    for made in distributed.shared_stream(of_item, _ids(folder, kind, items)):
        yield from made


def _item(folder: DataFolder, item_id: str) -> Item:
    try:
        return folder.items[item_id]
    except KeyError as error:
        raise UserError(f"{folder.path}: no item '{item_id}' to index: check the list of ids") from error


def _ids(folder: DataFolder, kind: str, items: Collection[str] | None) -> list[str]:
    """Ids of the items to index."""
    return list(items if items is not None else (folder.tables if kind == "table" else folder.documents).ids)


def _cut_tokens(retriever: Retriever) -> float:
    """The share of the tokens that all processes' item towers have seen and cut."""
    inputs = retriever.item.inputs
    counts = distributed.gather_objects([(inputs.num_cut, inputs.num_tokens)])
    return round(sum(cut for cut, _ in counts) / max(1, sum(seen for _, seen in counts)), 6)


def _absolute(checkpoint: str | None) -> str | None:
    """A local folder as an absolute path, so that the index finds it from anywhere; a hub id as it is."""
    if checkpoint is not None and Path(checkpoint).is_dir():
        return str(Path(checkpoint).resolve())
    return checkpoint
