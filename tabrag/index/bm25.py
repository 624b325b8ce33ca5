"""BM25 over texts, on bm25s."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tabrag.errors import UserError
from tabrag.files import read_json, write_json
from tabrag.index.config import Bm25Config
from tabrag.index.tokens import STOP_WORDS, tokenize

_SETTINGS = "settings.json"
_ARRAYS = {"data": np.float32, "indices": np.int32, "indptr": np.int64}


class Bm25Index:
    """Texts that are found by their words; a text that shares no word with the query is never returned.

    Scores are those of Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond",
    2009, with Lucene's idf, which is always positive.
    """

    def __init__(self, config: Bm25Config | None = None) -> None:
        self.config = config or Bm25Config()
        self._vocabulary: dict[str, int] = {}
        self._num_texts = 0
        self._scores: dict[str, np.ndarray] = {}
        """Sparse, by words: ``data`` and ``indices`` (rows) of word w lie at indptr[w] to indptr[w + 1]."""

    def __len__(self) -> int:
        return self._num_texts

    def build(self, texts: Sequence[str]) -> Bm25Index:
        """Index the texts; empty ones are allowed."""
        import bm25s
        from bm25s.tokenization import Tokenized

        logging.getLogger("bm25s").setLevel(logging.WARNING)
        vocabulary: dict[str, int] = {}
        words = [
            [vocabulary.setdefault(word, len(vocabulary)) for word in self._tokenize(text)] for text in texts
        ]
        self._vocabulary, self._num_texts = vocabulary, len(words)
        self._scores = {name: np.zeros(0, dtype) for name, dtype in _ARRAYS.items()}
        if vocabulary:
            engine = bm25s.BM25(k1=self.config.k1, b=self.config.b, method="lucene")
            engine.index(
                Tokenized(ids=words, vocab=vocabulary), create_empty_token=False, show_progress=False
            )
            self._scores = {name: np.asarray(engine.scores[name], dtype) for name, dtype in _ARRAYS.items()}
        return self

    def search(self, texts: Sequence[str], k: int) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """The k best rows for each query text.

        Args:
            texts: Queries; one without any known word has no hit.
            k: At least 1; fewer rows are returned where fewer match.

        Returns:
            For each query the scores (float32, all above 0, descending) and the rows (int64; equal scores by
            ascending row).

        Raises:
            UserError: ``k`` below 1.
        """
        if k < 1:
            raise UserError(f"k is {k}, but at least one result must be asked for: set k >= 1")
        found = [self._search_one(text, k) for text in texts]
        return [scores for scores, _ in found], [rows for _, rows in found]

    def _search_one(self, text: str, k: int) -> tuple[np.ndarray, np.ndarray]:
        scores = np.zeros(self._num_texts, np.float64)
        for word in self._tokenize(text):
            column = self._vocabulary.get(word)
            if column is not None:
                start, stop = self._scores["indptr"][column : column + 2]
                scores[self._scores["indices"][start:stop]] += self._scores["data"][start:stop]
        rows = scores.nonzero()[0]
        values = scores[rows].astype(np.float32)
        if len(rows) > k:
            kth = np.partition(values, len(values) - k)[len(values) - k]
            rows, values = rows[values >= kth], values[values >= kth]
        order = np.lexsort((rows, -values))[:k]
        return values[order], rows[order].astype(np.int64)

    def narrowed(self, rows: np.ndarray) -> Bm25Index:
        """The same texts' scores, of some texts only.

        Args:
            rows: Which stay, int64, ascending; they are numbered anew from 0.
        """
        index = Bm25Index(self.config)
        index._vocabulary, index._num_texts, index._scores = self._vocabulary, len(rows), self._scores
        if self._vocabulary:
            number = np.full(self._num_texts, -1, np.int32)
            number[rows] = np.arange(len(rows), dtype=np.int32)
            renumbered = number[self._scores["indices"]]
            stays = renumbered >= 0
            before = np.concatenate([[0], stays.cumsum()])
            index._scores = {
                "data": self._scores["data"][stays],
                "indices": renumbered[stays],
                "indptr": before[self._scores["indptr"]],
            }
        return index

    def _tokenize(self, text: str) -> list[str]:
        stop_words = STOP_WORDS if self.config.stop_words else frozenset()
        return tokenize(text, stop_words=stop_words, stem=self.config.stem)

    def save(self, folder: str | Path) -> list[str]:
        """Write the index into an existing folder as JSON and plain arrays; return the names of the files."""
        folder = Path(folder)
        settings = {
            "k1": self.config.k1,
            "b": self.config.b,
            "stem": self.config.stem,
            "stop_words": self.config.stop_words,
            "num_texts": self._num_texts,
            "vocabulary": list(self._vocabulary),
        }
        write_json(folder / _SETTINGS, settings)
        for name in _ARRAYS:
            np.save(folder / f"{name}.npy", self._scores[name], allow_pickle=False)
        return [_SETTINGS, *(f"{name}.npy" for name in _ARRAYS)]

    @classmethod
    def load(cls, folder: str | Path) -> Bm25Index:
        """Read what :meth:`save` wrote; arrays are memory-mapped."""
        folder = Path(folder)
        settings = read_json(folder / _SETTINGS)
        index = cls(Bm25Config(**{name: settings[name] for name in ("k1", "b", "stem", "stop_words")}))
        index._num_texts = settings["num_texts"]
        index._vocabulary = {word: column for column, word in enumerate(settings["vocabulary"])}
        for name in _ARRAYS:
            path = folder / f"{name}.npy"
            mode = "r" if settings["vocabulary"] else None
            index._scores[name] = np.load(path, mmap_mode=mode, allow_pickle=False)
        return index
