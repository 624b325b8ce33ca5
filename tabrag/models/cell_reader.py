"""Which operator answers a question, and on which cells of a table: a text encoder with small heads.

One pass over question and headers; a row or column is known by the state of its innermost header, the mean of
those above it, and a few facts. A cell's score is that of its row plus that of its column plus a product of
both. The operators are those of :mod:`tabrag.tables.programs`, as in the programs over cells of TAPAS (Herzig
et al., 2020, section 3) and of HiTab's baseline (Cheng et al., 2022), with operands in order.

Shapes: ``B`` tables, ``T`` tokens, ``N`` headers, ``R`` rows, ``C`` columns, ``H`` backbone width, ``D`` the
width of rows and columns, ``O`` operators.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from tabrag.errors import UserError
from tabrag.from_json import from_json
from tabrag.models import backbones
from tabrag.models.config import CellReaderConfig
from tabrag.models.headed import read_settings, save_headed
from tabrag.models.header_classifier import first_layers
from tabrag.models.inputs.cell_batch import NUM_KINDS
from tabrag.models.inputs.cell_table import NUM_AXIS_FACTS, NUM_CELL_FACTS, CellTableInputs
from tabrag.models.io import load_tensors, resolve
from tabrag.models.weights import add_weights
from tabrag.tables.programs import OPERATORS

FORMAT_VERSION = 1
_FILE = "cell_reader.json"
_HEADS = "heads.safetensors"
HEADER = "header"
CHOICES = (HEADER, *OPERATORS)
"""What the model chooses between: a header as the answer, or an operator on body cells."""
ROLES = ("first", "second", "member")
"""What a body cell can be: the only or first operand, the second one, or one of a set."""


_RANK = 32
"""Rank of the product of a row and a column."""


class CellLogits(NamedTuple):
    """Scores before any softmax or sigmoid, float32; impossible places have the lowest number there is.

    Attributes:
        choice: Tensor[B, O] of :data:`CHOICES`.
        cells: Tensor[B, 3, R, C], one plane for each of :data:`ROLES`.
        headers: Tensor[B, N].
    """

    choice: Tensor
    cells: Tensor
    headers: Tensor


class Heads(nn.Module):
    """All that lies on top of the encoder."""

    def __init__(self, hidden: int, width: int, dropout: float) -> None:
        super().__init__()
        self.kinds = nn.Embedding(NUM_KINDS, hidden)
        nn.init.zeros_(self.kinds.weight)  # so that training begins with what the encoder knows
        self.dropout = nn.Dropout(dropout)
        self.axes = nn.ModuleDict(
            {
                name: nn.Sequential(
                    nn.Linear(2 * hidden + NUM_AXIS_FACTS, width), nn.GELU(), nn.LayerNorm(width)
                )
                for name in ("row", "col")
            }
        )
        self.alone = nn.ModuleDict({name: nn.Linear(width, len(ROLES)) for name in ("row", "col")})
        self.together = nn.ModuleDict(
            {name: nn.Linear(width, len(ROLES) * _RANK, bias=False) for name in ("row", "col")}
        )
        self.cell = nn.Linear(NUM_CELL_FACTS, len(ROLES))
        self.header = nn.Sequential(nn.Linear(hidden, width), nn.GELU(), nn.Linear(width, 1))
        self.choice = nn.Sequential(nn.Linear(2 * hidden, width), nn.GELU(), nn.Linear(width, len(CHOICES)))


class CellReader(nn.Module):
    """(question, table) to scores of operators, cells and headers.

    Attributes:
        config: How it was built.
        backbone: The transformers model.
        inputs: What makes :meth:`forward`'s arguments.
        heads: The scores on top.
    """

    def __init__(self, config: CellReaderConfig, *, backbone: Any, inputs: CellTableInputs) -> None:
        super().__init__()
        backbones.check_length(config.max_length, backbone.config, "text", config.backbone)
        backbones.check_vocabulary(inputs.tokenization.num_ids, backbone, config.backbone)
        self.config = config
        self.backbone = backbone
        self.inputs = inputs
        backbone.get_input_embeddings().requires_grad_(config.train_words)
        self.heads = Heads(backbones.width(backbone), config.width, config.dropout)

    @classmethod
    def from_config(cls, config: CellReaderConfig) -> CellReader:
        """Start from a backbone with new heads.

        Raises:
            UserError: See :func:`tabrag.models.io.resolve` and :func:`tabrag.models.io.load_backbone`.
        """
        return cls._load(resolve(config.backbone, revision=config.revision), config)

    @classmethod
    def _load(cls, folder: Path, config: CellReaderConfig) -> CellReader:
        inputs = CellTableInputs.load(
            folder, max_length=config.max_length, header_length=config.header_length
        )
        return cls(config, backbone=first_layers(folder, config.num_layers), inputs=inputs)

    @classmethod
    def from_pretrained(cls, name: str | Path, *, revision: str | None = None) -> CellReader:
        """Load what :meth:`save_pretrained` wrote.

        Raises:
            UserError: Not a cell reader's folder, one with other operators, or its tensors are not exactly
                the expected ones.
        """
        folder = resolve(name, revision=revision)
        values = read_settings(folder, _FILE, kind="cell reader", version=FORMAT_VERSION)
        path, choices = folder / _FILE, values.pop("choices", None)
        if choices != list(CHOICES):
            raise UserError(
                f"{path}: the operators {choices}, but this tabrag reads {list(CHOICES)}: train it anew"
            )
        config = from_json(CellReaderConfig, values, where=path)
        model = cls._load(folder, config)
        load_tensors(folder / _HEADS, model.heads)
        return model.eval()

    def save_pretrained(self, folder: str | Path, *, state_dict: Mapping[str, Tensor] | None = None) -> None:
        """Write the checkpoint folder; it stands whole or the previous one stays.

        Args:
            folder: Where to.
            state_dict: This module's gathered tensors, where its own are partitioned over processes.
        """
        save_headed(
            self,
            folder,
            file=_FILE,
            values={"format_version": FORMAT_VERSION, "choices": list(CHOICES)},
            head="heads",
            head_file=_HEADS,
            state_dict=state_dict,
        )

    def forward(
        self,
        *,
        input_ids: Tensor,
        attention_mask: Tensor,
        kinds: Tensor,
        header_of: Tensor,
        row_paths: Tensor,
        row_parents: Tensor,
        col_paths: Tensor,
        col_parents: Tensor,
        row_facts: Tensor,
        col_facts: Tensor,
        cell_facts: Tensor,
        row_mask: Tensor,
        col_mask: Tensor,
        header_mask: Tensor,
    ) -> CellLogits:
        """Scores of a batch; the arguments are those of :func:`tabrag.models.inputs.cell_batch.collate`."""
        heads = self.heads
        embedded_BTH = self.backbone.get_input_embeddings()(input_ids) + heads.kinds(kinds)
        states_BTH = self.backbone(inputs_embeds=embedded_BTH, attention_mask=attention_mask)[0].float()
        states_BTH = heads.dropout(states_BTH)
        headers_BNH = _means(states_BTH, header_of, header_mask.shape[1])
        asked_BT = (attention_mask.bool() & (kinds == 0)).float()
        asked_BH = (states_BTH * asked_BT[..., None]).sum(1) / asked_BT.sum(1, keepdim=True).clamp_min(1)
        choice_BO = heads.choice(torch.cat([states_BTH[:, 0], asked_BH], dim=-1))

        vectors, alone, together = {}, {}, {}
        for name, own, above, facts in (
            ("row", row_paths, row_parents, row_facts),
            ("col", col_paths, col_parents, col_facts),
        ):
            vectors[name] = heads.axes[name](
                torch.cat([own @ headers_BNH, above @ headers_BNH, facts], dim=-1)
            )
            alone[name] = heads.alone[name](vectors[name])
            together[name] = heads.together[name](vectors[name]).unflatten(-1, (len(ROLES), _RANK))
        cells = torch.einsum("brkd,bckd->bkrc", together["row"], together["col"]) / _RANK**0.5
        cells = cells + alone["row"].transpose(1, 2)[..., None] + alone["col"].transpose(1, 2)[:, :, None]
        cells = cells + heads.cell(cell_facts).permute(0, 3, 1, 2)
        lowest = torch.finfo(cells.dtype).min
        body_BRC = row_mask[:, :, None] & col_mask[:, None, :]
        return CellLogits(
            choice_BO,
            cells.masked_fill(~body_BRC[:, None], lowest),
            heads.header(headers_BNH).squeeze(-1).masked_fill(~header_mask, lowest),
        )

    def fingerprint(self) -> str:
        """32 hex digits that change with anything that changes a score."""
        digest = hashlib.sha256(f"{self.config.max_length} {self.inputs.state()}".encode())
        add_weights(digest, self.state_dict())
        return digest.hexdigest()[:32]


def _means(states_BTH: Tensor, header_of_BT: Tensor, num_headers: int) -> Tensor:
    """The mean state of each header's tokens, Tensor[B, N, H]; 0 for a number that no token has."""
    place_BT = header_of_BT.clamp_min(0)
    belongs_BT = (header_of_BT >= 0).to(states_BTH.dtype)
    batch, _, hidden = states_BTH.shape
    sums = states_BTH.new_zeros(batch, num_headers, hidden)
    sums = sums.scatter_add(1, place_BT[..., None].expand(-1, -1, hidden), states_BTH * belongs_BT[..., None])
    counts = states_BTH.new_zeros(batch, num_headers).scatter_add(1, place_BT, belongs_BT)
    return sums / counts.clamp_min(1)[..., None]
