"""Settings of a pipeline; it loads nothing that they do not need."""

from __future__ import annotations

from dataclasses import dataclass, field

from tabrag.errors import UserError
from tabrag.index.config import RetrieveConfig
from tabrag.inference.config import ReaderConfig, RefineConfig, RerankConfig, RewriteConfig, TreeConfig


@dataclass(kw_only=True)
class PipelineConfig(RetrieveConfig):
    """What a pipeline searches and how it answers.

    Attributes:
        data: Data set folder of the tables.
        rewrite: How a question of a conversation becomes one that stands alone, and what is searched for;
            questions stay as they are where null.
        indexes: Index folders over it; the rankings of several are fused. None where ``run`` gives the
            candidates.
        run: Run file whose candidates are read, in place of searching indexes; ``gold`` takes the relevant
            tables of each query, which shows what the reader alone can do.
        k: Candidates a question.
        rerank: What puts the candidates in a better order; they stay as they are where null.
        tree: Summary trees whose best nodes the reader gets beside the candidates; none where null.
        refine: Which rows and columns of a table's text the reader gets; all of them where null. Pictures
            stay whole.
        reader: How answers are read.
        batch_size: Questions that go through the stages together; after each batch the answers are on disk.
    """

    data: str
    indexes: list[str] = field(default_factory=list)
    run: str | None = None
    k: int = 10
    rewrite: RewriteConfig | None = None
    rerank: RerankConfig | None = None
    tree: TreeConfig | None = None
    refine: RefineConfig | None = None
    reader: ReaderConfig = field(default_factory=ReaderConfig)
    batch_size: int = 32

    def check(self) -> None:
        """Raise :class:`UserError` where settings are out of range or against each other."""
        if not self.indexes and self.run is None:
            raise UserError(
                "the pipeline has no index: set indexes: [FOLDER, ...], or run for known candidates"
            )
        if self.indexes and self.run is not None:
            raise UserError("indexes and run both give the candidates: set one of them")
        if self.filter and self.run is not None:
            raise UserError("filter narrows indexes, but run gives the candidates: leave one of them out")
        if self.k < 1 or self.batch_size < 1:
            raise UserError(f"k={self.k}, batch_size={self.batch_size}: both must be at least 1")
        if self.refine is not None and self.reader.reader == "chat" and self.reader.show == "image":
            raise UserError(
                "refine cuts down the text of tables, but reader.show=image shows their pictures alone: "
                "set reader.show=text or both, or refine=null"
            )
