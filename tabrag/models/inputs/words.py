"""A question and an item to numbers that words alone tell: the inputs of a word reranker.

The same code in training and in inference. Neither a tokenizer nor a length stands between: the whole table
or document counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import torch
from torch import Tensor

from tabrag.documents.whole import Item
from tabrag.models.inputs.word_facts import WordFacts
from tabrag.tables.question_facts import ItemWords
from tabrag.tables.text import title_text
from tabrag.types import Entry, Table


class WordInputs:
    """Inputs of :class:`tabrag.models.word_reranker.WordReranker`.

    Attributes:
        facts: What makes them.
    """

    def __init__(self) -> None:
        self.facts = WordFacts(_words)

    def pair(
        self, question: str, item: Item, *, narrow: Callable[[list[Entry]], list[Entry]] | None = None
    ) -> list[float]:
        """One input: the facts of a question and an item, [F]; there are no windows to narrow."""
        return self.facts(question, item)

    def weigh(self, items: Iterable[Item]) -> None:
        """Take the weights of words from the items of a corpus."""
        self.facts.weigh(items)

    def collate(self, pairs: Sequence[list[float]]) -> dict[str, Tensor]:
        """One batch: ``facts``, float32 Tensor[B, F]."""
        return {"facts": torch.tensor(list(pairs), dtype=torch.float32)}

    def save(self, folder: Path) -> None:
        """Write the weights of words."""
        self.facts.save(folder)


def _words(item: Item) -> ItemWords:
    """The words of a table; of a document the title, and as cells what its blocks and tables say."""
    if isinstance(item, Table):
        return ItemWords.of_table(item)
    texts = [block.text for block in item.document.blocks]
    for table in item.tables.values():
        texts.append(title_text(table))
        if table.grid is None:
            texts += [word.text for word in table.words or ()]
        else:
            texts += [cell for row in table.grid.cells for cell in row]
    return ItemWords.of_texts(item.document.title, texts)
