"""A question and what is shown of a table to token ids: ``[CLS] question [SEP] table [SEP]``.

The same code in training and in inference. Of each token it is known on which side it stands and whether the
other side has it too; of each pair, what the words of the whole table say about it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from tabrag.documents.select import fill, rarity_scores
from tabrag.documents.whole import Item
from tabrag.errors import UserError
from tabrag.models.config import CrossEncoderConfig
from tabrag.models.inputs.kept import Kept, KeptIds, item_size
from tabrag.models.inputs.tokens import Tokenization, Tokens
from tabrag.models.inputs.word_facts import WordFacts
from tabrag.representations import build, entries_of, item_kind
from tabrag.tables.axes import named_cells
from tabrag.tables.question_facts import ItemWords
from tabrag.types import Entry, Table

logger = logging.getLogger(__name__)

NAMED_LENGTH = 32
"""Most tokens of the cells that the question names; they come on top of the table's."""
NUM_SPECIAL = 3
_JOINT = " | "


@dataclass(frozen=True, slots=True)
class PairTokens:
    """One input.

    Attributes:
        ids: int32 [T] token ids.
        question: The first token of the question, and the one after its last.
        table: The first token of the table, and the one after its last.
        facts: float32 [F] what words say about the pair; F is 0 without ``word_facts``.
    """

    ids: np.ndarray
    question: tuple[int, int]
    table: tuple[int, int]
    facts: np.ndarray

    def __len__(self) -> int:
        return len(self.ids)


@dataclass
class PairInputs:
    """Inputs of a cross-encoder; also the measure of the windows that a table is shown in.

    Attributes:
        tokenization: The tokenizer.
        config: See :class:`tabrag.models.config.CrossEncoderConfig`.
        facts: What words say about a question and the whole of an item; None without ``word_facts``.
    """

    tokenization: Tokenization
    config: CrossEncoderConfig
    facts: WordFacts | None = field(default=None, init=False)
    _windows: Kept[tuple[Item, list[Entry]]] = field(default_factory=Kept, repr=False)
    _is_reported: bool = field(default=False, repr=False)

    @classmethod
    def load(cls, folder: Path, config: CrossEncoderConfig) -> PairInputs:
        """Read the tokenizer of a model folder."""
        length = config.question_length + config.table_length + NAMED_LENGTH + NUM_SPECIAL
        return cls(Tokenization.load(folder, max_length=length), config)

    def load_weights(self, folder: Path) -> None:
        """Read the weights of words that :meth:`save` wrote; nothing happens without ``word_facts``.

        Raises:
            UserError: They are missing or broken.
        """
        if self.facts is not None:
            self.facts.load(folder)

    def __post_init__(self) -> None:
        self._ids = KeptIds(self.tokenization)
        self.facts = WordFacts(self._words) if self.config.word_facts else None
        self._represent = build(self.config.representation, measure=self)
        self._of_tables = item_kind(self.config.representation) == "table"

    @property
    def limit(self) -> int:
        """Most tokens of a window of a table."""
        return self.config.table_length

    def windows(self, item: Item) -> list[Entry]:
        """What can be shown of a table or a document, in parts; of one that says nothing its title.

        Raises:
            UserError: The representation is not one of such items.
        """
        if self._of_tables != isinstance(item, Table):
            kinds = ("table", "document") if isinstance(item, Table) else ("document", "table")
            raise UserError(
                f"'{item.id}' is a {kinds[0]}, but the cross-encoder reads {kinds[1]}s (representation "
                f"'{self.config.representation.name}'): use a run and judgements of {kinds[1]}s, or a "
                f"cross-encoder of {kinds[0]}s"
            )
        known = self._windows.get(item.id)
        if known is None or known[0] != item:
            known = item, entries_of(self._represent, item)
            texts = sum(len(entry.text) for entry in known[1])
            self._windows.put(item.id, known, size=item_size(item) + texts)
        if known[1]:
            return known[1]
        title = item.title if isinstance(item, Table) else item.document.title  # a page of a picture alone
        return [Entry(id=item.id, item_id=item.id, text=title)]

    def best_window(self, question: str, windows: Sequence[Entry]) -> Entry:
        """What is shown with a question.

        Of a table the window with most of the question's different tokens; the first of equals. Judged on dev
        questions, reading this one alone ranks as well as the best score of all windows. Of a document as
        many of the entries that fit the question best as find room, in the document's order.
        """
        if len(windows) == 1:
            return windows[0]
        if not self._of_tables:
            return self._packed(question, windows)
        asked, *tables = (set(ids) for ids in self._ids([question, *(window.text for window in windows)]))
        return max(zip(windows, tables, strict=True), key=lambda pair: len(asked & pair[1]))[0]

    def _packed(self, question: str, entries: Sequence[Entry]) -> Entry:
        asked, *found = self._ids([question, *(entry.text for entry in entries)])
        (joint,) = self._ids([_JOINT.strip()])
        chosen = fill(
            rarity_scores(asked, found), [len(ids) + len(joint) for ids in found], budget=self.limit
        )
        text = _JOINT.join(entries[place].text for place in chosen)
        return Entry(id=entries[0].item_id, item_id=entries[0].item_id, text=text)

    def named(self, question: str, item: Item) -> list[str]:
        """Texts of the body cells that the question names, where they are shown."""
        if not isinstance(item, Table) or item.grid is None or not self.config.named_cells:
            return []
        return [item.grid.cells[row][col] for row, col in named_cells(item.grid, question)]

    def weigh(self, items: Iterable[Item]) -> None:
        """Take the weights of words from the items of a corpus that it reads, tables or documents; nothing
        happens without ``word_facts``.
        """
        if self.facts is not None:
            self.facts.weigh(item for item in items if self._of_tables == isinstance(item, Table))

    def _words(self, item: Item) -> ItemWords:
        if isinstance(item, Table):
            return ItemWords.of_table(item)
        return ItemWords.of_texts(item.document.title, [entry.text for entry in self.windows(item)])

    def count(self, entries: Sequence[Entry]) -> list[int]:
        """Tokens of the text of each entry, nothing cut."""
        return [len(ids) for ids in self._ids([entry.text for entry in entries])]

    def pair(
        self, question: str, item: Item, *, narrow: Callable[[list[Entry]], list[Entry]] | None = None
    ) -> PairTokens:
        """One input of a question and an item: the window that fits the question best (:meth:`best_window`),
        the cells that it names, and the facts.

        Args:
            question: The question.
            item: A table or document.
            narrow: Takes some of the item's windows, at least one, to choose from.

        Raises:
            UserError: See :meth:`windows`.
        """
        windows = self.windows(item)
        window = self.best_window(question, windows if narrow is None else narrow(windows))
        facts = [] if self.facts is None else self.facts(question, item)
        return self.features(question, window, self.named(question, item), facts)

    def features(
        self, question: str, entry: Entry, named: Sequence[str] = (), facts: Sequence[float] = ()
    ) -> PairTokens:
        """One input.

        Args:
            question: The question; beyond ``question_length`` tokens it is cut, which is said once.
            entry: A window of a table; what does not fit is cut at its end.
            named: Texts of cells that the question names.
            facts: What words say about the question and the whole item, [F].
        """
        before, after = self.tokenization.frame
        asked, table = self._ids([question, entry.text])
        if len(asked) > self.config.question_length and not self._is_reported:
            self._is_reported = True
            logger.warning(
                "a question of %d tokens is cut to %d; said once", len(asked), self.config.question_length
            )
        asked = asked[: self.config.question_length]
        table = [*table[: self.limit], *self._named(named)]
        first = len(before) + len(asked) + len(after)
        ids = [*before, *asked, *after, *table, *after]
        return PairTokens(
            np.array(ids, dtype=np.int32),
            (len(before), len(before) + len(asked)),
            (first, first + len(table)),
            np.array(facts, dtype=np.float32),
        )

    def _named(self, texts: Sequence[str]) -> list[int]:
        ids: list[int] = []
        for number, piece in enumerate(self._ids(list(dict.fromkeys(texts)))):
            mark = self._ids(["|" if number == 0 else ";"])[0]
            if len(ids) + len(mark) + len(piece) > NAMED_LENGTH:
                break
            ids += [*mark, *piece]
        return ids

    def collate(self, pairs: Sequence[PairTokens]) -> dict[str, Tensor]:
        """One batch.

        Returns:
            ``input_ids`` and ``attention_mask``, int64 Tensor[B, T]; ``question``, ``table`` and ``shared``,
            bool Tensor[B, T]: tokens of the question, of the table, and those that the other side has too;
            ``facts``, float32 Tensor[B, F].
        """
        padded = self.tokenization.pad([Tokens(pair.ids) for pair in pairs])
        question_BT = np.zeros(padded["input_ids"].shape, dtype=bool)
        table_BT, shared_BT = np.zeros_like(question_BT), np.zeros_like(question_BT)
        for row, pair in enumerate(pairs):
            asked, table = slice(*pair.question), slice(*pair.table)
            question_BT[row, asked], table_BT[row, table] = True, True
            shared_BT[row, asked] = np.isin(pair.ids[asked], pair.ids[table])
            shared_BT[row, table] = np.isin(pair.ids[table], pair.ids[asked])
        return {
            **padded,
            "question": torch.from_numpy(question_BT),
            "table": torch.from_numpy(table_BT),
            "shared": torch.from_numpy(shared_BT),
            "facts": torch.from_numpy(np.stack([pair.facts for pair in pairs])),
        }

    def save(self, folder: Path) -> None:
        """Write the tokenizer's files and the weights of words."""
        self.tokenization.save(folder)
        if self.facts is not None:
            self.facts.save(folder)

    def state(self) -> str:
        """The whole definition of tokenizer and weights as text, for fingerprints."""
        return self.tokenization.state() + ("" if self.facts is None else self.facts.state())
