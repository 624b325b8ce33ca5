"""An index folder that is open for search."""

from __future__ import annotations

import copy
import dataclasses
import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from tabrag.errors import UserError
from tabrag.index.bm25 import Bm25Index
from tabrag.index.config import EncodeConfig
from tabrag.index.engine import load_vectors, narrow_engine, open_engine
from tabrag.index.filtering import Filter
from tabrag.index.fingerprint import fingerprint
from tabrag.index.items import search_items
from tabrag.index.manifest import Manifest, read_manifest
from tabrag.index.rows import Row, read_rows
from tabrag.types import Candidate, Query, Run

if TYPE_CHECKING:
    from tabrag.models.retriever import Retriever


class SearchIndex:
    """An index folder that is open for search.

    Attributes:
        path: The folder.
        manifest: What it says about itself.
        encoding: How queries are embedded.
    """

    def __init__(self, path: Path, manifest: Manifest, rows: list[Row], encoding: EncodeConfig) -> None:
        self.path = path
        self.manifest = manifest
        self.encoding = encoding
        self._rows = rows
        self._engine = open_engine(path, manifest, encoding)
        self._checked: Any = None
        """The retriever whose fingerprint has been compared already."""
        self._is_narrowed = False

    def __len__(self) -> int:
        """Number of items."""
        return self.manifest.num_items

    @property
    def item_ids(self) -> Iterator[str]:
        """Distinct item ids, in ascending order, as the rows stand; no list of them is made."""
        return (item_id for item_id, _ in itertools.groupby(row.item_id for row in self._rows))

    @classmethod
    def open(cls, path: str | Path, *, encoding: EncodeConfig | None = None, verify: bool = True) -> Self:
        """Open an index folder.

        Args:
            path: The folder.
            encoding: How queries are embedded.
            verify: Compare the files' checksums with the manifest.

        Raises:
            UserError: It is no index, not whole, or of another format version.
        """
        path = Path(path)
        while True:
            place = _inode(path)
            try:
                index = cls._open(path, encoding or EncodeConfig(), verify)
            except (UserError, OSError):
                if _inode(path) == place:
                    raise
                continue
            if _inode(path) == place:
                return index
            # Another process has put a new index here meanwhile: what was read may be a mixture.

    @classmethod
    def _open(cls, path: Path, encoding: EncodeConfig, verify: bool) -> Self:
        manifest = read_manifest(path, verify=verify)
        rows = read_rows(path)
        index = cls(path, manifest, rows, encoding)
        for name, count in (("entries", len(rows)), ("rows in the index", len(index._engine))):
            if count != manifest.num_entries:
                raise UserError(
                    f"{path}: {count} {name} but {manifest.num_entries} in the manifest, the index is not "
                    "whole: build it again"
                )
        return index

    def narrowed(self, passes: Filter) -> Self:
        """The same index with some of its items only, to be searched and not to be changed.

        The search is exact, whatever the kind; BM25's word statistics stay those of all items.

        Args:
            passes: Which items stay.

        Raises:
            UserError: No item passes, or none has a name that is asked for.
            ValueError: It has been narrowed before.
        """
        self._refuse_narrowed()
        passes.check_names({name for row in self._rows for name in row.metadata}, where=str(self.path))
        kept = [number for number, row in enumerate(self._rows) if passes(row.metadata)]
        if not kept:
            raise UserError(f"{self.path}: no item passes the filter on {', '.join(passes.names)}")
        index = copy.copy(self)
        index._is_narrowed = True
        index._rows = [self._rows[number] for number in kept]
        index._engine = narrow_engine(self._engine, self.path, self.manifest, np.array(kept), self.encoding)
        num_items = len({row.item_id for row in index._rows})
        index.manifest = dataclasses.replace(self.manifest, num_entries=len(kept), num_items=num_items)
        return index

    def vectors(self) -> tuple[list[Row], np.ndarray]:
        """The rows of a dense index and their memory-mapped vectors, float32 [N, E]."""
        self._refuse_narrowed()
        return self._rows, load_vectors(self.path, len(self._rows))

    def _refuse_narrowed(self) -> None:
        if self._is_narrowed:
            raise ValueError("a narrowed index has some of its items only: use the one it came from")

    def search(self, queries: Sequence[Query], k: int, retriever: Retriever | None = None) -> Run:
        """The k best items of each query; an item counts with its best entry.

        Args:
            queries: May be empty.
            k: At least 1; a smaller collection gives fewer candidates.
            retriever: Embeds the queries; not needed for ``bm25``.

        Returns:
            Candidates of stage ``bm25`` or ``dense``, best first, equal scores by ascending item id.

        Raises:
            UserError: ``k`` below 1, or a retriever other than the one that made the index.
        """
        if k < 1:
            raise UserError(f"k is {k}, but at least one result must be asked for: set k >= 1")
        questions: Any
        if isinstance(self._engine, Bm25Index):
            stage, questions = "bm25", [query.text for query in queries]
        else:
            stage, questions = "dense", self._embed(queries, retriever)
        found = search_items(
            self._engine.search,
            questions,
            k,
            item_of=lambda row: self._rows[row].item_id,
            num_entries=len(self._rows),
            num_items=self.manifest.num_items,
        )
        return {
            query.id: [Candidate(item_id=item_id, score=score, stage=stage) for item_id, score in hits]
            for query, hits in zip(queries, found, strict=True)
        }

    def _embed(self, queries: Sequence[Query], retriever: Retriever | None) -> np.ndarray:
        from tabrag.inference.encode import encode_queries

        if retriever is None:
            raise UserError(
                f"{self.path}: an index of kind '{self.manifest.kind}' needs its retriever to embed queries"
            )
        self.check_retriever(retriever)
        if not queries:
            return np.zeros((0, self.manifest.dim), np.float32)
        return encode_queries(retriever, queries, progress=False, **dataclasses.asdict(self.encoding))

    def check_retriever(self, retriever: Retriever) -> None:
        """Raise :class:`UserError` where another retriever made the index."""
        if retriever is self._checked:
            return
        found = fingerprint(retriever)
        if found != self.manifest.encoder:
            raise UserError(
                f"{self.path}: made by another encoder (fingerprint {self.manifest.encoder}, this one has "
                f"{found}): use the checkpoint it was built with ({self.manifest.checkpoint or 'unknown'}"
                f"{self._length_note(retriever)}) or build it again"
            )
        self._checked = retriever

    def _length_note(self, retriever: Retriever) -> str:
        length = self.manifest.item_max_length
        same = length is None or length == retriever.item.config.max_length
        return "" if same else f", with item_max_length {length}"


def _inode(path: Path) -> int | None:
    """Which folder stands at ``path``: another one has another number."""
    try:
        return path.stat().st_ino
    except OSError:
        return None
