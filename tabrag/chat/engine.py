"""Schedules prompts that begin with the same tables: each beginning once, what follows it in batches."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, TypeVar

from torch import Tensor

from tabrag.chat.passes import Passes, Placed
from tabrag.chat.prefix import Prefix, PrefixCache, TokenCounts, common
from tabrag.chat.prompt_encoder import Prompt, PromptEncoder

T = TypeVar("T")

ROW_TOKENS = 192
"""Tokens of pieces in one row, about: attention over a row costs their square, a new row a copy of keys."""
MAX_PADDING = 0.1
"""Part of a batch that may be padding of what costs most."""


@dataclass(frozen=True, slots=True)
class _Head:
    """The beginning of a prompt, to be run: ``inputs`` are its tensors."""

    place: int
    prompt: Prompt
    num_tokens: int
    inputs: dict[str, Any]


class Engine:
    """Runs prompts behind shared prefixes.

    The prefix of some prompts with the same tables is all that they have in common, at least up to the end of
    the last table: an instruction that stands between table and question is shared by one kind of prompt.

    Args:
        passes: The model.
        encoder: Makes its prompts.
        cache: Where prefixes are kept.
        counts: What went through the model is added here.
        batch_tokens: Positions of a forward pass at most, prefixes and padding included; a prompt that is
            longer runs alone.
    """

    def __init__(
        self,
        passes: Passes,
        encoder: PromptEncoder,
        *,
        cache: PrefixCache,
        counts: TokenCounts,
        batch_tokens: int,
    ) -> None:
        self._passes = passes
        self._encoder = encoder
        self._cache = cache
        self._counts = counts
        self._batch_tokens = batch_tokens

    def waves(self, prompts: Sequence[Prompt], num_wanted: Sequence[int]) -> Iterator[list[Placed]]:
        """Prompts behind their prefixes, some tables at a time; those that cannot share one are left out.

        The tables whose prefixes are kept come first, before others take their place; a prefix that the
        cache does not keep lives for one wave.
        """
        groups: dict[bytes, list[int]] = {}
        for row, prompt in enumerate(prompts):
            if prompt.key is not None:
                groups.setdefault(prompt.key, []).append(row)
        order = sorted(groups.values(), key=lambda rows: _rank(prompts[rows[0]], self._cache))
        for some in batches(order, lambda rows: prompts[rows[0]].num_positions, self._batch_tokens):
            prefixes = self._prefixes([[(prompts[row], num_wanted[row]) for row in rows] for rows in some])
            wave = []
            for rows, prefix in zip(some, prefixes, strict=True):
                for row in rows if prefix is not None else ():
                    ids, wanted = prompts[row].ids, num_wanted[row]
                    if shared := prefix.shared(ids, num_wanted=wanted):
                        wave.append(Placed(row, prefix, prefix.positions(shared), ids[shared:], wanted))
            yield wave

    def log_probs(self, wave: Sequence[Placed]) -> Iterator[tuple[int, Tensor]]:
        """Row and float32 log-probabilities ``Tensor[num_wanted, V]`` of each prompt of a wave."""
        packed = sorted(_packed(wave), key=_num_tokens)
        for rows in batches(packed, _num_positions, self._batch_tokens, even=_num_tokens):
            self._count([one for row in rows for one in row])
            yield from self._passes.log_probs(rows)

    def reply_batches(
        self, wave: Sequence[Placed], *, most: int, pad: int
    ) -> Iterator[tuple[list[int], dict[str, Any]]]:
        """Rows, and inputs of ``generate``, of at most ``most`` prompts of a wave at a time."""
        for some in batches(_in_order(wave), lambda one: one.keep + len(one.ids), self._batch_tokens):
            for part in (some[i : i + most] for i in range(0, len(some), most)):
                self._count(part)
                yield [one.row for one in part], self._passes.continuation(part, pad=pad)

    def _prefixes(self, groups: Sequence[Sequence[tuple[Prompt, int]]]) -> list[Prefix | None]:
        """The prefix of each group of (prompt, wanted last tokens), kept or run now; None without one."""
        found: list[Prefix | None] = []
        missing: list[_Head] = []
        for place, group in enumerate(groups):
            prompt, num_wanted = group[0]
            prefix = self._cache.get(prompt.key or b"")
            if prefix is not None and not prefix.shared(prompt.ids, num_wanted=num_wanted):
                prefix = None
            found.append(prefix)
            if prefix is None:
                head = self._num_shared(group)
                inputs = self._encoder.encode_head(prompt, head) if head > 0 else None
                if inputs is not None:
                    missing.append(_Head(place, prompt, head, inputs))
        texts = sorted((one for one in missing if not one.prompt.images), key=lambda one: one.num_tokens)
        together = batches(texts, _length, self._batch_tokens, even=_length)
        for some in [*([one] for one in missing if one.prompt.images), *together]:
            layers_of = self._passes.prefill([one.inputs for one in some])
            for one, layers in zip(some, layers_of, strict=True):
                num_positions = one.inputs["input_ids"].shape[1]
                ids = one.prompt.ids[: one.num_tokens]
                prefix = Prefix(ids, num_positions, self._encoder.num_fixed(one.prompt), layers)
                self._counts.prefix += num_positions
                self._cache.put(one.prompt.key or b"", prefix)
                found[one.place] = prefix
        return found

    def _num_shared(self, group: Sequence[tuple[Prompt, int]]) -> int:
        """Tokens to run once for a group; at least those up to its first prompt's last table.

        Of a prompt by itself those before its last text: the next question of this kind finds them.
        """
        first, num_wanted = group[0]
        if len(group) == 1:
            return min(self._encoder.before_question(first), len(first.ids) - num_wanted)
        head = self._encoder.head(first)
        alike = [common(first.ids, other.ids) for other, _ in group[1:]]
        return min(min((n for n in alike if n >= head), default=head), len(first.ids) - num_wanted)

    def _count(self, some: Sequence[Placed]) -> None:
        self._counts.suffix += sum(len(one.ids) for one in some)
        self._counts.asked += sum(one.keep + len(one.ids) for one in some)


def batches(
    items: Sequence[T], size: Callable[[T], int], limit: int, *, even: Callable[[T], int] | None = None
) -> Iterator[list[T]]:
    """Items in their order, as many at a time as take ``limit`` at most together when padded (or one).

    Args:
        items: The items.
        size: Positions of one.
        limit: Positions of a batch.
        even: Another size of one; where given, at most :data:`MAX_PADDING` of a batch is padding of that.
    """
    some: list[T] = []
    for item in items:
        more = [*some, item]
        padded = len(more) * max(map(even, more)) if even else 0
        useful = sum(map(even, more)) if even else 0
        if some and (len(more) * max(map(size, more)) > limit or useful < (1 - MAX_PADDING) * padded):
            yield some
            some = []
        some.append(item)
    if some:
        yield some


def _rank(prompt: Prompt, cache: PrefixCache) -> tuple[bool, int]:
    """Kept tables first, then by length."""
    return prompt.key not in cache, prompt.num_positions


def _packed(wave: Sequence[Placed]) -> list[list[Placed]]:
    """Rows of prompts behind one prefix, of about the same number of tokens where a prefix has several."""
    rows: list[list[Placed]] = []
    for _, group in groupby(_in_order(wave), key=lambda one: id(one.prefix)):
        placed = list(group)
        total = _num_tokens(placed)
        limit = math.ceil(total / math.ceil(total / ROW_TOKENS))
        rows.append([])
        for one in placed:
            if rows[-1] and _num_tokens(rows[-1]) + len(one.ids) // 2 > limit:
                rows.append([])
            rows[-1].append(one)
    return rows


def _in_order(wave: Sequence[Placed]) -> list[Placed]:
    """By the length of the prefix, those of one prefix together."""
    return sorted(wave, key=lambda one: (one.prefix.num_positions, id(one.prefix), len(one.ids)))


def _length(head: _Head) -> int:
    return head.num_tokens


def _num_tokens(row: list[Placed]) -> int:
    return sum(len(one.ids) for one in row)


def _num_positions(row: list[Placed]) -> int:
    return max(one.keep for one in row) + _num_tokens(row)
