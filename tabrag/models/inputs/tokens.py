"""Token ids of texts and of words: a tokenizer's Rust core with truncation that counts what it cuts."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from tabrag.errors import UserError

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

logger = logging.getLogger(__name__)

_VOCABULARIES = ("tokenizer.json", "vocab.txt", "vocab.json", "tokenizer.model", "sentencepiece.bpe.model")


@dataclass(slots=True)
class Tokens:
    """The tokens of one entry.

    Attributes:
        ids: int32 [T] token ids, special tokens included.
        words: int32 [T] index of the word that each token belongs to, -1 for special tokens; None for plain
            text.
    """

    ids: np.ndarray
    words: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.ids)


class Tokenization:
    """Texts or word lists to token ids of at most ``max_length``.

    Attributes:
        num_cut: Tokens left out so far because an entry was too long.
        num_tokens: Tokens seen so far, those left out included.
    """

    def __init__(self, tokenizer: PreTrainedTokenizerFast, *, max_length: int) -> None:
        from tokenizers import Tokenizer

        self.tokenizer = tokenizer
        self.max_length = max_length
        self.num_cut = 0
        self.num_tokens = 0
        self._reported = False
        # A copy: truncation and padding that a file switches on must not act here, nor be switched off in the
        # file.
        self._core = Tokenizer.from_str(tokenizer.backend_tokenizer.to_str())
        self._core.no_truncation()
        self._core.no_padding()
        special = self._core.encode("").ids
        text = self._core.encode("a")
        self._num_prefix = (
            text.special_tokens_mask.index(0) if 0 in text.special_tokens_mask else len(special)
        )
        self._num_suffix = len(special) - self._num_prefix
        self.pad_id = tokenizer.pad_token_id if tokenizer.pad_token_id is not None else 0
        if max_length <= len(special):
            raise UserError(f"max_length {max_length} leaves no room beside {len(special)} special tokens")

    @classmethod
    def load(cls, folder: Path, *, max_length: int, trust_remote_code: bool = False) -> Tokenization:
        """Read the tokenizer of a model folder.

        Raises:
            UserError: The folder has none, or one without a fast version.
        """
        from transformers import AutoTokenizer

        # Without any of these files transformers makes a tokenizer of five tokens, in silence.
        if not any((folder / name).is_file() for name in _VOCABULARIES):
            raise UserError(f"{folder}: no tokenizer (none of {', '.join(_VOCABULARIES)})")
        try:
            tokenizer = AutoTokenizer.from_pretrained(
                folder, local_files_only=True, trust_remote_code=trust_remote_code
            )
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise UserError(f"{folder}: no usable tokenizer ({str(error).splitlines()[0]})") from error
        if not tokenizer.is_fast:
            raise UserError(f"{folder}: {type(tokenizer).__name__} has no tokenizer.json")
        return cls(tokenizer, max_length=max_length)

    def texts(self, texts: Sequence[str]) -> list[Tokens]:
        """Token ids of plain texts."""
        return self._report(
            [
                Tokens(self._cut(np.array(e.ids, dtype=np.int32)))
                for e in self._core.encode_batch_fast(list(texts))
            ]
        )

    def words(self, batch: Sequence[Sequence[str]]) -> list[Tokens]:
        """Token ids of lists of words, each word tokenised by itself."""
        encodings = self._core.encode_batch([list(words) for words in batch], is_pretokenized=True)
        return self._report([self._word_tokens(encoding) for encoding in encodings])

    def pieces(self, texts: Sequence[str]) -> list[list[int]]:
        """Token ids of texts that become parts of a longer input: no special tokens, nothing cut."""
        return [e.ids for e in self._core.encode_batch_fast(list(texts), add_special_tokens=False)]

    @property
    def frame(self) -> tuple[list[int], list[int]]:
        """The special tokens before and after a text."""
        ids = self._core.encode("").ids
        return ids[: self._num_prefix], ids[self._num_prefix :]

    def count_texts(self, texts: Sequence[str]) -> list[int]:
        """Tokens of plain texts if nothing were cut, special ones included; :attr:`num_tokens` stays."""
        return [len(encoding) for encoding in self._core.encode_batch_fast(list(texts))]

    def count_words(self, batch: Sequence[Sequence[str]]) -> list[int]:
        """The same of lists of words, each word tokenised by itself."""
        encodings = self._core.encode_batch_fast([list(words) for words in batch], is_pretokenized=True)
        return [len(encoding) for encoding in encodings]

    def _word_tokens(self, encoding: Any) -> Tokens:
        words = np.array([-1 if word is None else word for word in encoding.word_ids], dtype=np.int32)
        words[np.array(encoding.special_tokens_mask, dtype=bool)] = -1
        ids = np.array(encoding.ids, dtype=np.int32)
        if len(ids) <= self.max_length:
            self.num_tokens += len(ids)
            return Tokens(ids, words)
        end = len(words) - self._num_suffix
        kept = self.max_length - self._num_suffix
        return Tokens(self._cut(ids), np.concatenate([words[:kept], words[end:]]))

    def _cut(self, ids: np.ndarray) -> np.ndarray:
        self.num_tokens += len(ids)
        if len(ids) <= self.max_length:
            # A tokenizer without special tokens gives nothing for an empty text; a row needs one position at
            # least.
            return ids if len(ids) else np.array([self.pad_id], dtype=np.int32)
        self.num_cut += len(ids) - self.max_length
        kept = self.max_length - self._num_suffix
        return np.concatenate([ids[:kept], ids[len(ids) - self._num_suffix :]])

    def _report(self, tokens: list[Tokens]) -> list[Tokens]:
        """Say once that something is cut, with the figures of the batch in which it happened first."""
        if self.num_cut and not self._reported:
            self._reported = True
            logger.warning(
                "entries are cut at max_length=%d: %d of the first %d tokens (%.1f %%) left out; said once",
                self.max_length,
                self.num_cut,
                self.num_tokens,
                100 * self.num_cut / self.num_tokens,
            )
        return tokens

    def pad(self, tokens: Sequence[Tokens]) -> dict[str, Tensor]:
        """Right-padded ``input_ids`` and ``attention_mask``, Tensor[B, T] int64."""
        lengths = np.array([len(one) for one in tokens])
        mask_BT = np.arange(lengths.max(initial=1)) < lengths[:, None]
        ids_BT = np.full(mask_BT.shape, self.pad_id, dtype=np.int64)
        ids_BT[mask_BT] = np.concatenate([one.ids for one in tokens]) if len(tokens) else []
        return {
            "input_ids": torch.from_numpy(ids_BT),
            "attention_mask": torch.from_numpy(mask_BT.astype(np.int64)),
        }

    @property
    def num_ids(self) -> int:
        """How many token ids there are."""
        return self._core.get_vocab_size()

    def save(self, folder: Path) -> None:
        """Write the tokenizer's files."""
        self.tokenizer.save_pretrained(folder)

    def state(self) -> str:
        """The tokenizer's whole definition as text, for fingerprints."""
        return self._core.to_str()
