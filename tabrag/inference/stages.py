"""The stages of a pipeline, each opened on first use from the settings; it stays open."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from tabrag.inference.config import ReaderConfig, RerankConfig
from tabrag.inference.pipeline_config import PipelineConfig

if TYPE_CHECKING:
    from tabrag.data.folder import DataFolder
    from tabrag.inference.answer import Reader
    from tabrag.inference.given_run import GivenRun
    from tabrag.inference.refine import Refine
    from tabrag.inference.rerank import Rerank
    from tabrag.inference.retrieve import Retrieve
    from tabrag.inference.rewrite import Rewrite
    from tabrag.inference.tree import TreeNodes


class Stages:
    """Data, indexes and models of a pipeline.

    Args:
        config: The settings.

    Raises:
        UserError: A setting out of range. What is missing on disk is named by the stage that needs it.
    """

    def __init__(self, config: PipelineConfig) -> None:
        config.check()
        self.config = config

    @cached_property
    def data(self) -> DataFolder:
        """The data set folder."""
        from tabrag.data.folder import DataFolder

        return DataFolder(self.config.data, trees=None if self.config.tree is None else self.config.tree.file)

    @cached_property
    def rewrite(self) -> Rewrite | None:
        """What makes questions stand alone; None where they stay as they are."""
        if self.config.rewrite is None:
            return None
        from tabrag.inference.rewrite import Rewrite

        config, reader = self.config.rewrite, self.config.reader
        same = reader.reader == "chat" and (config.chat, config.server) == (reader.chat, reader.server)
        return Rewrite(config, chat=self.reader.chat if same else None)

    @cached_property
    def retrieve(self) -> Retrieve | GivenRun:
        """The first stage: ``retrieve(queries)`` is a run of ``k`` candidates a query."""
        if self.config.run is not None:
            from tabrag.inference.given_run import GivenRun

            return GivenRun(self.config.run, self.data, k=self.config.k)
        from tabrag.inference.retrieve import Retrieve

        retrieve = Retrieve(self.config)
        if self.data.has_documents:
            retrieve.warn_of_changes(self.data.digests())
        return retrieve

    @cached_property
    def reranker(self) -> Rerank | None:
        """What puts candidates in a better order; None where they stay as they are."""
        from tabrag.inference.rerank import Rerank

        config, reader = self.config.rerank, self.config.reader
        if config is None:
            return None
        # One model in memory for both, so that the reader goes on where the reranker has read the table.
        same = _is_one_model(config, reader)
        chat = self.reader.chat if same else None
        paths = {"image_path": self.data.image_path, "picture_path": self.data.picture_path}
        return Rerank(config, chat=chat, **paths)

    @cached_property
    def tree(self) -> TreeNodes | None:
        """What finds nodes of summary trees; None where there are none."""
        config = self.config.tree
        if config is None or not config.indexes:
            return None
        from tabrag.inference.tree import TreeNodes

        encoding = self.config.encoding
        nodes = TreeNodes(
            config,
            self.data.items,
            checkpoint=self.config.checkpoint,
            encoding=encoding,
            filter=self.config.filter,
        )
        nodes.retrieve.warn_of_changes(self.data.digests())
        return nodes

    @cached_property
    def refiner(self) -> Refine | None:
        """What cuts tables down; None where they are read whole."""
        from tabrag.inference.refine import Refine

        return None if self.config.refine is None else Refine(self.config.refine)

    @cached_property
    def reader(self) -> Reader:
        """What reads the answers."""
        from tabrag.inference.answer import Reader

        return Reader(self.config.reader)

    def open(self) -> Self:
        """Open data, indexes and models now, so that what is missing shows before any work."""
        _ = self.data, self.rewrite, self.retrieve, self.tree
        self._refuse_other_indexes()
        if self.rewrite is not None and self.rewrite.needs_model:
            self.rewrite.chat.num_tokens("")
        if self.reranker is not None:
            self.reranker.open()
        if self.refiner is not None:
            _ = self.refiner.scorer, self.refiner.resolved()
        self.reader.open()
        return self

    def _refuse_other_indexes(self) -> None:
        """Raise :class:`UserError` for an index over another data set folder."""
        from tabrag.inference.foreign import refuse_foreign
        from tabrag.inference.retrieve import Retrieve

        searched = self.retrieve.indexes if isinstance(self.retrieve, Retrieve) else []
        for index in [*searched, *([] if self.tree is None else self.tree.retrieve.indexes)]:
            refuse_foreign(index.item_ids, self.data.items, name=str(index.path))

    def settings(self) -> dict[str, Any]:
        """All that an answer depends on besides its question."""
        return {
            **self.retrieve.settings(),
            **self.data.digests(),
            "rewrite": None if self.rewrite is None else self.rewrite.settings(),
            "tree": None if self.tree is None else self.tree.settings(),
            "rerank": None if self.reranker is None else self.reranker.settings(),
            "refine": None if self.refiner is None else self.refiner.settings(),
            "reader": self.reader.settings(),
        }


def _is_one_model(rerank: RerankConfig, reader: ReaderConfig) -> bool:
    """Whether the reranker's language model is the reader's, with the same settings."""
    if reader.reader != "chat" or rerank.server != reader.server:
        return False
    if rerank.checkpoint is not None:
        return rerank.checkpoint == reader.chat.model
    return rerank.server is not None or rerank.chat == reader.chat
