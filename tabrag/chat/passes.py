"""Forward passes over prompts that share their beginning.

A beginning (prefix) runs once. What follows it in several prompts runs as *one* sequence behind it: the
pieces stand one after another, each at the positions it has in its own prompt, and a mask lets a token see
its prefix and the tokens before it in its own piece. Nothing is padded and no keys are copied for that.
Several such rows make a batch, whose keys are padded on the left.

Shapes: R rows of a batch, P positions of one prefix, K of the longest, Q tokens of pieces, C columns whose
predictions are wanted, H key-value heads, D width of a head, V vocabulary.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor

from tabrag.chat.prefix import Layers, Prefix


@dataclass(frozen=True, slots=True)
class Placed:
    """A prompt behind its prefix.

    Attributes:
        row: Its place among the prompts that were given.
        prefix: The prefix.
        keep: Positions of the prefix that belong to the prompt.
        ids: Tokens that follow them.
        num_wanted: Last tokens whose predictions are wanted.
    """

    row: int
    prefix: Prefix
    keep: int
    ids: tuple[int, ...]
    num_wanted: int


class Passes:
    """The passes of one model; :mod:`tabrag.chat.sharing` says which models can do them."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self._argument = cache_argument(model)
        self._mask_kind = mask_kind(model)

    def prefill(self, rows: Sequence[dict[str, Any]]) -> list[Layers]:
        """Keys and values ``Tensor[1, H, P, D]`` of each layer, for each of some beginnings of prompts.

        Args:
            rows: Tensors of one prompt each; several may be given where they hold no pictures.
        """
        past = self._empty()
        lengths = [row["input_ids"].shape[1] for row in rows]
        if len(rows) == 1:
            inputs = dict(rows[0])
        else:  # padding behind a prompt is seen by none of its tokens
            inputs = {
                name: torch.cat([_right_padded(row[name], max(lengths)) for row in rows])
                for name in ("input_ids", "attention_mask")
            }
        inputs = {name: tensor.to(self._model.device) for name, tensor in inputs.items()}
        self._model(**inputs, **{self._argument: past}, use_cache=True, logits_to_keep=1)
        if len(rows) == 1:
            return [tuple((layer.keys, layer.values) for layer in past.layers)]
        return [
            tuple(
                (layer.keys[i : i + 1, :, :length].clone(), layer.values[i : i + 1, :, :length].clone())
                for layer in past.layers
            )  # cloned, so that the padded batch can go
            for i, length in enumerate(lengths)
        ]

    def log_probs(self, rows: Sequence[list[Placed]]) -> list[tuple[int, Tensor]]:
        """One forward pass; a row holds prompts behind one prefix."""
        device = self._model.device
        keeps = [max(one.keep for one in row) for row in rows]
        most_K, most_Q = max(keeps), max(sum(len(one.ids) for one in row) for row in rows)
        ids_RQ = torch.zeros(len(rows), most_Q, dtype=torch.long)
        positions_RQ = torch.zeros_like(ids_RQ)
        piece_RQ = torch.zeros_like(ids_RQ)  # 0: padding, which sees itself
        limit_RQ = torch.zeros_like(ids_RQ)  # positions of the prefix that a token sees
        wanted: list[tuple[int, int, range]] = []
        for r, row in enumerate(rows):
            start = 0
            for number, one in enumerate(row, start=1):
                end = start + len(one.ids)
                ids_RQ[r, start:end] = torch.tensor(one.ids)
                positions_RQ[r, start:end] = torch.arange(one.keep, one.keep + len(one.ids))
                piece_RQ[r, start:end], limit_RQ[r, start:end] = number, one.keep
                wanted.append((one.row, r, range(end - one.num_wanted, end)))
                start = end
        at_RK = torch.arange(most_K) - (most_K - torch.tensor(keeps)).unsqueeze(1)  # below 0: padding
        sees_RQK = (at_RK.unsqueeze(1) >= 0) & (at_RK.unsqueeze(1) < limit_RQ.unsqueeze(2))
        sees_RQQ = (piece_RQ.unsqueeze(1) == piece_RQ.unsqueeze(2)).tril()
        mask = torch.cat([sees_RQK, sees_RQQ], dim=2).unsqueeze(1).to(device)
        if self._mask_kind == "added":
            low = torch.finfo(self._model.dtype).min
            mask = torch.zeros(mask.shape, dtype=self._model.dtype, device=device).masked_fill(~mask, low)
        columns = sorted({column for *_, some in wanted for column in some})
        logits_RCV = self._model(
            input_ids=ids_RQ.to(device),
            attention_mask=mask,
            position_ids=positions_RQ.to(device),
            **{
                self._argument: self._past(
                    [(row[0].prefix, keep) for row, keep in zip(rows, keeps, strict=True)]
                )
            },
            use_cache=True,
            logits_to_keep=torch.tensor(columns, device=device),
        ).logits
        place = {column: i for i, column in enumerate(columns)}
        return [
            (row, torch.log_softmax(logits_RCV[r, [place[column] for column in some]].float(), dim=-1))
            for row, r, some in wanted
        ]

    def continuation(self, some: Sequence[Placed], *, pad: int) -> dict[str, Any]:
        """Inputs of ``generate`` for prompts behind their prefixes: ids, mask, and the filled cache.

        The ids of the prefixes are ``pad``, since only their keys and values are read.
        """
        most_K = max(one.keep for one in some)
        most_Q = max(len(one.ids) for one in some)
        ids = torch.full((len(some), most_K + most_Q), pad)
        mask = torch.zeros_like(ids)
        for row, one in enumerate(some):
            ids[row, -len(one.ids) :] = torch.tensor(one.ids)
            mask[row, most_K - one.keep : most_K] = 1
            mask[row, -len(one.ids) :] = 1
        device = self._model.device
        return {
            "input_ids": ids.to(device),
            "attention_mask": mask.to(device),
            self._argument: self._past([(one.prefix, one.keep) for one in some]),
        }

    def _empty(self) -> Any:
        from transformers import DynamicCache

        return DynamicCache(config=self._model.config)

    def _past(self, rows: Sequence[tuple[Prefix, int]]) -> Any:
        """A cache of the first positions of each row's prefix, padded on the left.

        The layers only ever replace their tensors by longer ones, so the prefix's own are given as they are.
        """
        past = self._empty()
        most = max(keep for _, keep in rows)
        first, keep = rows[0]
        same = all(prefix is first and other == keep for prefix, other in rows)
        for number, layer in enumerate(past.layers):
            pair = []
            for part in (0, 1):
                if same:
                    tensor = first.layers[number][part][:, :, :keep].expand(len(rows), -1, -1, -1)
                else:
                    tensor = torch.cat(
                        [_left_padded(p.layers[number][part][:, :, :n], most) for p, n in rows]
                    )
                pair.append(tensor)
            layer.lazy_initialization(*pair)
            layer.keys, layer.values = pair
        return past


def cache_argument(model: Any) -> str:
    """The name under which ``forward`` takes the keys and values of earlier tokens."""
    parameters = inspect.signature(model.forward).parameters
    return "cache" if "cache" in parameters else "past_key_values"


def mask_kind(model: Any) -> Literal["bool", "added"]:
    """Whether the model's attention takes a mask of booleans, or one that is added to the logits."""
    return "bool" if model.config.get_text_config()._attn_implementation == "sdpa" else "added"


def _left_padded(tensor_1HPD: Tensor, length: int) -> Tensor:
    return torch.nn.functional.pad(tensor_1HPD, (0, 0, length - tensor_1HPD.shape[2], 0))


def _right_padded(tensor_1S: Tensor, length: int) -> Tensor:
    return torch.nn.functional.pad(tensor_1S, (0, length - tensor_1S.shape[1]))
