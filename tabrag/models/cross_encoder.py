"""Whether a table holds what a question asks for: one text encoder over both.

The pointwise reranker of Nogueira and Cho, "Passage Re-ranking with BERT", 2019, over what is shown of a
table, with three switches on top: vectors that mark tokens which the other side has too; beside the state of
the first token the fit of the question's tokens to the table's (MaxSim of ColBERT, Khattab and Zaharia, 2020,
section 3.3); and facts of words and numbers over the whole table, of which the encoder sees the headers. They
tell words that agree from the first step on, which a few ten thousand pairs hardly teach.

Shapes: ``B`` pairs, ``T`` token positions, ``H`` backbone width, ``F`` facts.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from tabrag.from_json import from_json
from tabrag.models import backbones
from tabrag.models.blend import Blend
from tabrag.models.config import CrossEncoderConfig
from tabrag.models.headed import read_settings, save_headed
from tabrag.models.header_classifier import first_layers
from tabrag.models.inputs.pairs import PairInputs
from tabrag.models.io import load_tensors, resolve
from tabrag.models.weights import add_weights
from tabrag.tables.question_facts import NUM_FACTS

FORMAT_VERSION = 2
FILE = "cross_encoder.json"
_HEAD = "head.safetensors"
_WIDTH = 64
_NUM_MATCHES = 4


class PairHead(nn.Module):
    """From token states to a score: the new weights of a cross-encoder."""

    def __init__(self, width: int, config: CrossEncoderConfig) -> None:
        super().__init__()
        self.dropout = nn.Dropout(config.dropout)
        self.mark = nn.Embedding(4, width) if config.marks else None
        if self.mark is not None:
            nn.init.zeros_(self.mark.weight)
        self.importance = nn.Linear(width, 1) if config.matches else None
        self.facts = nn.Linear(NUM_FACTS, 1, bias=False) if config.word_facts else None
        if self.facts is not None:
            nn.init.zeros_(self.facts.weight)
        num_facts = NUM_FACTS if config.word_facts else 0
        seen = width + (_NUM_MATCHES if config.matches else 0) + num_facts
        self.score = nn.Sequential(nn.Linear(seen, _WIDTH), nn.GELU(), nn.Linear(_WIDTH, 1))

    def forward(
        self, states_BTH: Tensor, words_BTH: Tensor, question_BT: Tensor, table_BT: Tensor, facts_BF: Tensor
    ) -> Tensor:
        """Tensor[B], from the last states, the word vectors and the facts."""
        seen = [self.dropout(states_BTH[:, 0])]
        if self.importance is not None:
            raw_BT = self.importance(states_BTH).squeeze(-1)
            weight_BT = raw_BT.masked_fill(~question_BT, -torch.inf).softmax(dim=1).nan_to_num()
            even_BT = question_BT / question_BT.sum(dim=1, keepdim=True).clamp(min=1)
            for layer_BTH in (words_BTH, states_BTH):
                best_BT = _best_match(layer_BTH, question_BT, table_BT)
                seen += [(best_BT * shares).sum(dim=1, keepdim=True) for shares in (weight_BT, even_BT)]
        if self.facts is None:
            return self.score(torch.cat(seen, dim=1)).squeeze(-1)
        # The linear part is what words alone tell; it is learned long before the states say anything.
        return (self.score(torch.cat([*seen, facts_BF], dim=1)) + self.facts(facts_BF)).squeeze(-1)


def _best_match(layer_BTH: Tensor, question_BT: Tensor, table_BT: Tensor) -> Tensor:
    """The best cosine of each token of the question with one of the table, Tensor[B, T]; 0 elsewhere."""
    units_BTH = torch.nn.functional.normalize(layer_BTH, dim=-1)
    cosines_BTT = units_BTH @ units_BTH.transpose(1, 2)
    best_BT = cosines_BTT.masked_fill(~table_BT[:, None, :], -1.0).amax(dim=2)
    return best_BT.masked_fill(~question_BT, 0.0)


class CrossEncoder(nn.Module):
    """(question, window of a table) to the log-odds that the table holds the answer.

    Attributes:
        config: How it was built.
        backbone: The transformers model.
        inputs: What makes :meth:`forward`'s arguments.
        head: The new weights.
        blend: How the score becomes P(True); set when the model is judged on a dev split.
    """

    def __init__(self, config: CrossEncoderConfig, *, backbone: Any, inputs: PairInputs) -> None:
        super().__init__()
        backbones.check_length(inputs.tokenization.max_length, backbone.config, "text", config.backbone)
        backbones.check_vocabulary(inputs.tokenization.num_ids, backbone, config.backbone)
        self.config = config
        self.backbone = backbone
        self.inputs = inputs
        self.head = PairHead(backbones.width(backbone), config)
        self.blend = Blend()

    @classmethod
    def from_config(cls, config: CrossEncoderConfig) -> CrossEncoder:
        """Start from a backbone with a new head.

        Raises:
            UserError: See :func:`tabrag.models.io.resolve` and :func:`tabrag.models.io.load_backbone`.
        """
        return cls._load(resolve(config.backbone, revision=config.revision), config)

    @classmethod
    def _load(cls, folder: Path, config: CrossEncoderConfig) -> CrossEncoder:
        inputs = PairInputs.load(folder, config)
        return cls(config, backbone=first_layers(folder, config.num_layers), inputs=inputs)

    @classmethod
    def from_pretrained(cls, name: str | Path, *, revision: str | None = None) -> CrossEncoder:
        """Load what :meth:`save_pretrained` wrote.

        Raises:
            UserError: Not a cross-encoder's folder, or its tensors are not exactly the expected ones.
        """
        folder = resolve(name, revision=revision)
        values = read_settings(folder, FILE, kind="cross-encoder", version=FORMAT_VERSION)
        path = folder / FILE
        blend = Blend.from_record(values.pop("blend", None), where=path)
        config = from_json(CrossEncoderConfig, values, where=path)
        model = cls._load(folder, config)
        load_tensors(folder / _HEAD, model.head)
        model.inputs.load_weights(folder)
        model.blend = blend
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
            file=FILE,
            values={"format_version": FORMAT_VERSION, "blend": dataclasses.asdict(self.blend)},
            head="head",
            head_file=_HEAD,
            state_dict=state_dict,
        )

    def forward(
        self,
        *,
        input_ids: Tensor,
        attention_mask: Tensor,
        question: Tensor,
        table: Tensor,
        shared: Tensor,
        facts: Tensor,
    ) -> Tensor:
        """Log-odds that the table of each pair is relevant, Tensor[B] float32.

        Args:
            input_ids: int64 Tensor[B, T].
            attention_mask: int64 Tensor[B, T].
            question: bool Tensor[B, T], tokens of the question.
            table: bool Tensor[B, T], tokens of the table.
            shared: bool Tensor[B, T], tokens that the other side has too.
            facts: float32 Tensor[B, F], what words say about each pair; F is 0 without ``word_facts``.
        """
        words_BTH = self.backbone.get_input_embeddings()(input_ids)
        embeds_BTH = words_BTH
        if self.head.mark is not None:
            embeds_BTH = words_BTH + self.head.mark(2 * table.long() + shared.long())
        states_BTH = self.backbone(inputs_embeds=embeds_BTH, attention_mask=attention_mask)[0]
        # Half precision would make scores of like tables equal.
        dtype = next(self.head.parameters()).dtype
        with torch.autocast(states_BTH.device.type, enabled=False):
            words_BTH = words_BTH.detach().to(dtype)
            return self.head(states_BTH.to(dtype), words_BTH, question, table, facts.to(dtype)).float()

    def fingerprint(self) -> str:
        """32 hex digits that change with anything that changes a score."""
        fields = dataclasses.asdict(self.config)
        for name in ("backbone", "revision", "dropout"):
            del fields[name]
        digest = hashlib.sha256(repr((sorted(fields.items()), dataclasses.astuple(self.blend))).encode())
        digest.update(self.inputs.state().encode())
        add_weights(digest, self.state_dict())
        return digest.hexdigest()[:32]
