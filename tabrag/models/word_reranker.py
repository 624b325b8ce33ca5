"""Whether a table holds what a question asks for, by words and numbers alone: no encoder.

A weighted sum of facts of words over the whole pair (:func:`tabrag.tables.question_facts.question_facts`),
trained as a conditional logit (McFadden, 1974), and a small network beside it if wanted. It reads a pair in
less than a millisecond and knows nothing of what words mean; behind a retriever that does, the two add up.

Shapes: ``B`` pairs, ``F`` facts.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping
from pathlib import Path

import torch
from torch import Tensor, nn

from tabrag.files import atomic_folder, write_json
from tabrag.from_json import from_json
from tabrag.models.blend import Blend
from tabrag.models.config import WordRerankerConfig
from tabrag.models.headed import read_settings
from tabrag.models.inputs.words import WordInputs
from tabrag.models.io import load_tensors, resolve, save_tensors
from tabrag.models.weights import add_weights
from tabrag.tables.question_facts import NUM_FACTS

FORMAT_VERSION = 1
FILE = "word_reranker.json"
_TENSORS = "word_reranker.safetensors"


class WordReranker(nn.Module):
    """(question, item) to the log-odds that the item holds the answer.

    Attributes:
        config: How it was built.
        inputs: What makes :meth:`forward`'s arguments.
        blend: How the score becomes P(True); set when the model is judged on a dev split.
    """

    def __init__(self, config: WordRerankerConfig) -> None:
        super().__init__()
        self.config = config
        self.inputs = WordInputs()
        self.blend = Blend()
        self.facts = nn.Linear(NUM_FACTS, 1)
        nn.init.zeros_(self.facts.weight)
        nn.init.zeros_(self.facts.bias)
        self.hidden = (
            nn.Sequential(
                nn.Linear(NUM_FACTS, config.hidden),
                nn.GELU(),
                nn.Dropout(config.dropout),
                nn.Linear(config.hidden, 1),
            )
            if config.hidden
            else None
        )

    @classmethod
    def from_pretrained(cls, name: str | Path, *, revision: str | None = None) -> WordReranker:
        """Load what :meth:`save_pretrained` wrote.

        Raises:
            UserError: Not a word reranker's folder, or its tensors are not exactly the expected ones.
        """
        folder = resolve(name, revision=revision)
        values = read_settings(folder, FILE, kind="word reranker", version=FORMAT_VERSION)
        blend = Blend.from_record(values.pop("blend", None), where=folder / FILE)
        model = cls(from_json(WordRerankerConfig, values, where=folder / FILE))
        load_tensors(folder / _TENSORS, model)
        model.inputs.facts.load(folder)
        model.blend = blend
        return model.eval()

    def save_pretrained(self, folder: str | Path, *, state_dict: Mapping[str, Tensor] | None = None) -> None:
        """Write the checkpoint folder; it stands whole or the previous one stays.

        Args:
            folder: Where to.
            state_dict: This module's gathered tensors, where its own are partitioned over processes.
        """
        with atomic_folder(folder) as temporary:
            save_tensors(self.state_dict() if state_dict is None else state_dict, temporary / _TENSORS)
            self.inputs.save(temporary)
            values = {"format_version": FORMAT_VERSION, "blend": dataclasses.asdict(self.blend)}
            write_json(temporary / FILE, {**values, **dataclasses.asdict(self.config)})

    def forward(self, *, facts: Tensor) -> Tensor:
        """Log-odds that the item of each pair is relevant, Tensor[B] float32.

        Args:
            facts: float32 Tensor[B, F].
        """
        # Half precision would make scores of like tables equal.
        with torch.autocast(facts.device.type, enabled=False):
            facts_BF = facts.to(self.facts.weight.dtype)
            score_B1 = self.facts(facts_BF)
            if self.hidden is not None:
                score_B1 = score_B1 + self.hidden(facts_BF)
            return score_B1.squeeze(-1).float()

    def fingerprint(self) -> str:
        """32 hex digits that change with anything that changes a score."""
        digest = hashlib.sha256(repr((self.config.hidden, dataclasses.astuple(self.blend))).encode())
        digest.update(self.inputs.facts.state().encode())
        add_weights(digest, self.state_dict())
        return digest.hexdigest()[:32]
