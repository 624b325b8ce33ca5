"""An index as a folder: entries, vectors or words, and a manifest that says which encoder made it.

Rows are ordered by item id, so that an index that was changed item by item equals one that was built at once.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tabrag.errors import UserError
from tabrag.index.bm25 import Bm25Index
from tabrag.index.config import Bm25Config, EncodeConfig
from tabrag.index.fingerprint import fingerprint
from tabrag.index.manifest import Manifest, check_kind
from tabrag.index.rows import item_hashes
from tabrag.index.searching import SearchIndex
from tabrag.index.writing import ENTRIES_PER_SHARD, refuse_foreign, write_index
from tabrag.types import Entry

if TYPE_CHECKING:
    from tabrag.models.retriever import Retriever
    from tabrag.representations import RepresentationConfig


class Index(SearchIndex):
    """An index folder that is open for search, and that is built and changed."""

    @classmethod
    def build(
        cls,
        path: str | Path,
        entries: Iterable[Entry],
        *,
        kind: str = "exact",
        retriever: Retriever | None = None,
        metric: str = "cosine",
        checkpoint: str | None = None,
        representation: RepresentationConfig | None = None,
        data: str | None = None,
        digests: Mapping[str, str] | None = None,
        bm25: Bm25Config | None = None,
        encoding: EncodeConfig | None = None,
        entries_per_shard: int = ENTRIES_PER_SHARD,
        reuse: Sequence[Index] = (),
    ) -> Index:
        """Build an index; it stands at ``path`` only once it is complete.

        Vectors are made in shards that are kept beside ``path`` until then: a build that was killed and is
        started again encodes only what is missing. Every process of a group calls this alike.

        Args:
            path: The folder to make; an older index there is replaced.
            entries: Read once, in any order.
            kind: ``exact``, ``faiss-flat``, ``faiss-ivf``, ``faiss-hnsw`` or ``bm25``.
            retriever: Makes the vectors; None for ``bm25``.
            metric: ``cosine`` or ``ip``.
            checkpoint: Where the retriever came from, for the manifest.
            representation: How the entries were made, for the manifest; the retriever's own where None.
            data: Their data set folder, for the manifest.
            digests: Of that folder's files, for the manifest.
            bm25: Settings of ``bm25``.
            encoding: Device, number format and batch size.
            entries_per_shard: Entries that are encoded between two saves.
            reuse: Dense indexes by the same retriever: entries that they hold are not encoded again.

        Raises:
            UserError: An unknown kind, no retriever for a dense kind, two entries of one id, an unusable
                vector, nothing to reuse in an index of ``reuse``, or ``path`` holds something else.
        """
        path = Path(path)
        if representation is None and retriever is not None:
            representation = retriever.representation
        manifest = Manifest(
            kind=check_kind(kind),
            checkpoint=checkpoint,
            representation={} if representation is None else dataclasses.asdict(representation),
            data=data,
            digests=dict(digests or {}),
        )
        if kind != "bm25":
            if retriever is None:
                raise UserError(f"an index of kind '{kind}' needs a retriever: name a checkpoint")
            manifest.metric, manifest.dim = metric, retriever.item.dim
            manifest.encoder = fingerprint(retriever)
            manifest.item_max_length = retriever.item.config.max_length
        for other in reuse:
            if kind == "bm25" or other.manifest.encoder != manifest.encoder:
                raise UserError(
                    f"{other.path}: no vectors to reuse for {path}: only those of the same retriever, "
                    "with the same item_max_length, serve"
                )
        refuse_foreign(path)
        encoding = encoding or EncodeConfig()
        write_index(
            path,
            manifest,
            entries,
            retriever=retriever,
            bm25=bm25,
            encoding=encoding,
            entries_per_shard=entries_per_shard,
            known=[other.vectors() for other in reuse],
        )
        return cls.open(path, encoding=encoding, verify=False)

    def require(
        self,
        *,
        kind: str,
        metric: str,
        representation: RepresentationConfig | None,
        bm25: Bm25Config | None = None,
    ) -> None:
        """Refuse to go on with an index that was made with other settings.

        Args:
            kind: The kind it must have.
            metric: The metric it must have, if it is dense.
            representation: The representation it must have; any where None.
            bm25: The settings that an index of kind ``bm25`` must have; any where None.
        """
        settings = {name: getattr(self.manifest, name) for name in ("kind", "metric", "representation")}
        # Indexes that are older than descriptions do not name any.
        settings["representation"] = {"written": None, **settings["representation"]}
        expected: dict[str, Any] = {"kind": kind}
        if kind != "bm25":
            expected["metric"] = metric
        if representation is not None:
            expected["representation"] = dataclasses.asdict(representation)
        if bm25 is not None and isinstance(self._engine, Bm25Index):
            expected["bm25"], settings["bm25"] = bm25, self._engine.config
        for name, value in expected.items():
            found = settings[name]
            if found != value:
                raise UserError(
                    f"{self.path}: made with {name} {found}, not {value}: use the same setting, or build the "
                    "index again without sync"
                )

    def update(
        self, entries: Iterable[Entry], *, retriever: Retriever | None = None, remove: Collection[str] = ()
    ) -> dict[str, int]:
        """Add or replace the items that the entries belong to, and remove others.

        An item is replaced as a whole. Entries with known content are not encoded again.

        Args:
            entries: All entries of each item that is new or has changed.
            retriever: The one that made the index; not needed for ``bm25``.
            remove: Ids of items to remove.

        Returns:
            Numbers of items: ``added``, ``replaced``, ``unchanged``, ``removed``, and ``encoded`` entries.

        Raises:
            UserError: An id to remove that the index lacks, or another retriever.
        """
        known = {row.item_id for row in self._rows}
        unknown = [item_id for item_id in remove if item_id not in known]
        if unknown:
            raise UserError(
                f"{self.path}: no item '{unknown[0]}' to remove ({len(unknown)} unknown ids in all)"
            )
        return self._change(entries, set(remove), retriever, keep_others=True)

    def delete(self, item_ids: Collection[str]) -> dict[str, int]:
        """Remove items; see :meth:`update`."""
        return self.update([], remove=item_ids)

    def sync(
        self,
        entries: Iterable[Entry],
        *,
        retriever: Retriever | None = None,
        digests: Mapping[str, str] | None = None,
    ) -> dict[str, int]:
        """Make the index hold exactly the items of ``entries``; see :meth:`update` and :meth:`build`."""
        return self._change(entries, set(), retriever, keep_others=False, digests=digests)

    def _change(
        self,
        entries: Iterable[Entry],
        remove: set[str],
        retriever: Retriever | None,
        *,
        keep_others: bool,
        digests: Mapping[str, str] | None = None,
    ) -> dict[str, int]:
        self._refuse_narrowed()
        bm25 = self._engine.config if isinstance(self._engine, Bm25Index) else None
        if retriever is not None and bm25 is None:
            self.check_retriever(retriever)
        before = item_hashes(self._rows)
        kept = [row for row in self._rows if keep_others and row.item_id not in remove]
        manifest = dataclasses.replace(self.manifest)
        manifest.digests = dict(manifest.digests if digests is None else digests)
        dense = self.manifest.kind != "bm25"
        num_encoded = write_index(
            self.path,
            manifest,
            entries,
            retriever=retriever,
            bm25=bm25,
            encoding=self.encoding,
            kept=kept,
            known=[self.vectors()] if dense else [],
        )
        fresh = Index.open(self.path, encoding=self.encoding, verify=False)
        self.manifest, self._rows, self._engine = fresh.manifest, fresh._rows, fresh._engine
        after = item_hashes(self._rows)
        return {
            "added": len(after.keys() - before.keys()),
            "replaced": sum(before[item_id] != after[item_id] for item_id in before.keys() & after.keys()),
            "unchanged": sum(before[item_id] == after[item_id] for item_id in before.keys() & after.keys()),
            "removed": len(before.keys() - after.keys()),
            "encoded": num_encoded,
        }
