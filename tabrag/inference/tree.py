"""The nodes of summary trees that fit a question: they stand beside the ranked candidates, for the reader.

MHier-RAG's cross-page retrieval (Gong et al., arXiv 2508.00579): all layers are searched together, and the
best nodes join the pages up to a number of tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tabrag.data.items import Items
from tabrag.documents.whole import WholeDocument
from tabrag.errors import UserError
from tabrag.index.config import EncodeConfig, FilterValue, RetrieveConfig
from tabrag.inference.config import TreeConfig
from tabrag.inference.retrieve import Retrieve
from tabrag.tables.token_estimate import estimate_tokens
from tabrag.types import Candidate, Query, Run

STAGE = "tree"


class TreeNodes:
    """Called with queries it gives a run of nodes, all of stage ``tree``.

    Attributes:
        retrieve: What searches the indexes of nodes.

    Args:
        config: The settings.
        items: Where nodes are found.
        checkpoint: Retriever of the dense indexes; the one that each index names where None.
        encoding: How questions are embedded.
        filter: Of which documents nodes may be found; of all where None.

    Raises:
        UserError: A setting out of range, or an index that is not usable.
    """

    def __init__(
        self,
        config: TreeConfig,
        items: Items,
        *,
        checkpoint: str | None = None,
        encoding: EncodeConfig | None = None,
        filter: dict[str, FilterValue] | None = None,
    ) -> None:
        if config.k < 1 or config.max_tokens < 1:
            raise UserError(
                f"tree.k={config.k}, tree.max_tokens={config.max_tokens}: both must be at least 1"
            )
        self.config = config
        self._items = items
        self.retrieve = Retrieve(
            RetrieveConfig(
                indexes=config.indexes,
                checkpoint=checkpoint,
                k=config.k,
                fusion=config.fusion,
                encoding=encoding or EncodeConfig(),
                filter=filter,
            )
        )

    def __call__(self, queries: Sequence[Query]) -> Run:
        """The best nodes of each query, as many as the tokens allow, at least one."""
        found = self.retrieve(queries)
        return {query.id: self._fitting(found.get(query.id, [])) for query in queries}

    def settings(self) -> dict[str, Any]:
        """All that the nodes depend on besides the queries."""
        return {
            **self.retrieve.settings(),
            "max_tokens": self.config.max_tokens,
        }

    def _fitting(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        kept: list[Candidate] = []
        room = self.config.max_tokens
        for candidate in candidates:
            item = self._items[candidate.item_id]
            blocks = item.document.blocks if isinstance(item, WholeDocument) else []
            room -= sum(estimate_tokens(block.text) for block in blocks)
            if room < 0 and kept:
                break
            kept.append(Candidate(item_id=candidate.item_id, score=candidate.score, stage=STAGE))
        return kept
