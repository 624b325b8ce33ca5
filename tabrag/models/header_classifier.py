"""Which rows and columns a question needs: a text encoder with one score a header.

THoRR's refiner (Kim et al., 2024): ``H = BERT([CLS] question [SEP] headers [SEP])``, ``s = Linear(H)``, once
for the row headers and once for the column headers; a header's score is that of its token. With
``word_facts`` the score of a header's token is that of a small network over its state and a few facts.

Shapes: ``B`` inputs, ``T`` token positions, ``N`` headers of all inputs, ``H`` backbone width, ``F`` facts.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from tabrag.errors import UserError
from tabrag.from_json import from_json, value_from_json
from tabrag.models import backbones
from tabrag.models.config import HeaderClassifierConfig
from tabrag.models.headed import read_settings, save_headed
from tabrag.models.inputs.headers import NUM_FACTS, HeaderInputs
from tabrag.models.io import load_backbone, load_config, load_tensors, resolve
from tabrag.models.token_match import NUM_MATCHES, token_match
from tabrag.models.weights import add_weights

FORMAT_VERSION = 1
_FILE = "header_classifier.json"
_HEAD = "score.safetensors"
_UNSCORED = -1e4
_WIDTH = 64
"""Width of the network over states and facts."""


class HeaderClassifier(nn.Module):
    """(question, headers of one axis) to a score a header.

    Attributes:
        config: How it was built.
        backbone: The transformers model.
        inputs: What makes :meth:`forward`'s arguments.
        score: Linear map ``H -> 1``, or a small network ``H + F -> 1``.
        threshold: The tightest bound of the refine stage with which 97 % of the dev questions kept every
            answer cell; None before it was judged.
    """

    def __init__(self, config: HeaderClassifierConfig, *, backbone: Any, inputs: HeaderInputs) -> None:
        super().__init__()
        backbones.check_length(config.max_length, backbone.config, "text", config.backbone)
        backbones.check_vocabulary(inputs.tokenization.num_ids, backbone, config.backbone)
        self.config = config
        self.backbone = backbone
        self.inputs = inputs
        self.dropout = nn.Dropout(config.dropout)
        width = backbones.width(backbone)
        self.score: nn.Module = nn.Linear(width, 1)
        if config.word_facts:
            seen = width + NUM_FACTS + 2 * NUM_MATCHES
            self.score = nn.Sequential(nn.Linear(seen, _WIDTH), nn.GELU(), nn.Linear(_WIDTH, 1))
        self.threshold: float | None = None

    @classmethod
    def from_config(cls, config: HeaderClassifierConfig) -> HeaderClassifier:
        """Start from a backbone with a new score map.

        Raises:
            UserError: See :func:`tabrag.models.io.resolve` and :func:`tabrag.models.io.load_backbone`.
        """
        return cls._load(resolve(config.backbone, revision=config.revision), config)

    @classmethod
    def _load(cls, folder: Path, config: HeaderClassifierConfig) -> HeaderClassifier:
        inputs = HeaderInputs.load(
            folder,
            max_length=config.max_length,
            parents=config.parents,
            named_cells=config.named_cells,
        )
        return cls(config, backbone=first_layers(folder, config.num_layers), inputs=inputs)

    @classmethod
    def from_pretrained(cls, name: str | Path, *, revision: str | None = None) -> HeaderClassifier:
        """Load what :meth:`save_pretrained` wrote.

        Raises:
            UserError: Not a header classifier's folder, or its tensors are not exactly the expected ones.
        """
        folder = resolve(name, revision=revision)
        values = read_settings(folder, _FILE, kind="header classifier", version=FORMAT_VERSION)
        path = folder / _FILE
        threshold = value_from_json(float | None, values.pop("threshold", None), where=path, key="threshold")
        if threshold is not None and not 0 <= threshold <= 1:
            raise UserError(f"{path}: 'threshold' is {threshold!r}, expected a number in 0..1, or null")
        config = from_json(HeaderClassifierConfig, values, where=path)
        model = cls._load(folder, config)
        load_tensors(folder / _HEAD, model.score)
        model.threshold = threshold
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
            values={"format_version": FORMAT_VERSION, "threshold": self.threshold},
            head="score",
            head_file=_HEAD,
            state_dict=state_dict,
        )

    def forward(
        self,
        *,
        input_ids: Tensor,
        attention_mask: Tensor,
        window: Tensor,
        start: Tensor,
        facts: Tensor,
        question: Tensor,
        owner: Tensor,
    ) -> Tensor:
        """A score for each position, Tensor[B, T] float32; with ``word_facts`` only headers have one.

        Args:
            input_ids: int64 Tensor[B, T].
            attention_mask: int64 Tensor[B, T].
            window: int64 Tensor[N], the input of each header.
            start: int64 Tensor[N], the position of its token.
            facts: Tensor[N, F].
            question: bool Tensor[B, T], tokens of the question.
            owner: int64 Tensor[B, T], the header in 0..N-1 that a token belongs to, else -1.
        """
        states_BTH = self.backbone(input_ids=input_ids, attention_mask=attention_mask)[0]
        # Headers differ by less in their cosines than a short number format can hold.
        with torch.autocast(states_BTH.device.type, enabled=False):
            if not self.config.word_facts:
                states_BTH = self.dropout(states_BTH).to(self._dtype)
                return self.score(states_BTH).squeeze(-1).float()
            with torch.no_grad():
                words_BTH = self.backbone.get_input_embeddings()(input_ids)
            matches = [
                token_match(layer_BTH, question_BT=question, owner_BT=owner, window_N=window)
                for layer_BTH in (words_BTH, states_BTH)
            ]
            states_NH = self.dropout(states_BTH[window, start]).float()
            seen_NW = torch.cat([states_NH, facts, *matches], dim=1)
            scores_N = self.score(seen_NW.to(self._dtype)).squeeze(-1).float()
        unscored_BT = torch.full(input_ids.shape, _UNSCORED, device=scores_N.device)
        return unscored_BT.index_put((window, start), scores_N)

    @property
    def _dtype(self) -> torch.dtype:
        return next(self.score.parameters()).dtype

    def fingerprint(self) -> str:
        """32 hex digits that change with anything that changes a score."""
        config = self.config
        digest = hashlib.sha256(
            repr(
                (config.scoring, config.parents, config.named_cells, config.word_facts, config.max_length)
            ).encode()
        )
        digest.update(self.inputs.state().encode())
        add_weights(digest, self.state_dict())
        return digest.hexdigest()[:32]


def first_layers(folder: Path, num_layers: int | None) -> Any:
    """A text encoder, or its first layers alone.

    Raises:
        UserError: It has fewer layers; see also :func:`tabrag.models.io.load_backbone`.
    """
    config = load_config(folder)
    if num_layers is None or num_layers == config.num_hidden_layers:
        return load_backbone(folder, config=config)
    if num_layers > config.num_hidden_layers:
        raise UserError(
            f"{folder}: num_layers is {num_layers}, but the model has {config.num_hidden_layers} layers"
        )
    dropped = range(num_layers, config.num_hidden_layers)
    config.num_hidden_layers = num_layers
    unused = rf"(^|\.)layers?\.({'|'.join(map(re.escape, map(str, dropped)))})\."
    return load_backbone(folder, config=config, unused=(unused,))
