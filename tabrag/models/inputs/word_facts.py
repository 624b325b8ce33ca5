"""What words and numbers say about a question and a whole item, with the weights of words of a corpus."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from tabrag.documents.whole import Item
from tabrag.errors import UserError
from tabrag.files import read_json, sha256_json, write_json
from tabrag.from_json import from_json
from tabrag.models.inputs.kept import Kept, item_size
from tabrag.tables.question_facts import ItemWords, WordWeights, question_facts

_FILE = "word_weights.json"


@dataclass
class WordFacts:
    """The facts of :func:`tabrag.tables.question_facts.question_facts`; items that were seen stay prepared.

    Attributes:
        words_of: The words of an item.
        weights: What a word tells; all alike before :meth:`weigh`.
    """

    words_of: Callable[[Item], ItemWords]
    weights: WordWeights = field(default_factory=WordWeights)
    _items: Kept[tuple[Item, ItemWords]] = field(default_factory=Kept, repr=False)

    def weigh(self, items: Iterable[Item]) -> None:
        """Take the weights of words from the items of a corpus."""
        self.weights = WordWeights.of(map(self.words_of, items))

    def __call__(self, question: str, item: Item) -> list[float]:
        """Facts of a question and the whole of a table or document, [NUM_FACTS]."""
        known = self._items.get(item.id)
        if known is None or known[0] != item:
            known = item, self.words_of(item)
            self._items.put(item.id, known, size=item_size(item))
        return question_facts(question, known[1], self.weights)

    def load(self, folder: Path) -> None:
        """Read what :meth:`save` wrote.

        Raises:
            UserError: It is missing or broken.
        """
        self.weights = _read(folder / _FILE)

    def save(self, folder: Path) -> None:
        """Write the weights of words."""
        weights = {"num_items": self.weights.num_items, "counts": dict(self.weights.counts)}
        write_json(folder / _FILE, weights)

    def state(self) -> str:
        """The weights as text, for fingerprints."""
        return sha256_json([self.weights.num_items, sorted(self.weights.counts.items())])


@dataclass
class _Weights:
    """What the file says: of how many items, and how many of them hold each word."""

    num_items: int
    counts: dict[str, int]


def _read(path: Path) -> WordWeights:
    if not path.is_file():
        raise UserError(f"{path} is missing: it belongs to the reranker; copy the checkpoint again")
    found = from_json(_Weights, read_json(path), where=path)
    if found.num_items < 1:
        raise UserError(f"{path}: 'num_items' is {found.num_items}, expected 1 or more")
    for word, count in found.counts.items():
        if not 1 <= count <= found.num_items:
            raise UserError(f"{path}: 'counts.{word}' is {count}, expected 1 to {found.num_items} items")
    return WordWeights(found.num_items, found.counts)
