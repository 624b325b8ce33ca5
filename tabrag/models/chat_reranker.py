"""A language model that says whether a table answers a question, and answers it: TabRAG's second stage.

Xu et al., 2026 ("TabRAG"), section 3.2: one image-text model (or text model), trained with low-rank adapters,
reranks by the probability of its reply ``True`` and then answers. A checkpoint holds what was trained and all
that inference needs but the base, which it names and recognises.
"""

from __future__ import annotations

import dataclasses
import hashlib
import logging
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from tabrag.chat.loading import open_model, reads_pictures
from tabrag.chat.prompts import RANK_LABELS, Shown, rank_prompt
from tabrag.errors import UserError
from tabrag.files import atomic_folder, write_json
from tabrag.models import peft_adapter
from tabrag.models.blend import Blend
from tabrag.models.chat_files import BASE, FILE, ChatRerankerFile, base_digest, is_trained_on_base, read
from tabrag.models.config import ChatRerankerConfig
from tabrag.models.four_bit import four_bit_settings
from tabrag.models.inputs.chat import ChatInputs
from tabrag.models.io import check_tensors, load_config, quiet, resolve, save_tensors, write_model
from tabrag.models.towers import towers_of
from tabrag.models.trained_parts import is_full, limit_pixels, prepare, read_tensors
from tabrag.models.weights import add_weights

logger = logging.getLogger(__name__)

_TRAINED = "trained.safetensors"
_EXAMPLE = rank_prompt("Which region has the highest total?", [Shown("example", "A table", "a | b\n1 | 2")])


class ChatReranker:
    """A chat model with the parts that are trained.

    Attributes:
        config: How it was built.
        model: The transformers model; what of it is trained has gradients, in float32 while it trains.
        tokenizer: Its tokenizer.
        processor: What puts pictures into its prompts; None for a text model.
        label_ids: Label -> its token ids after a prompt.
        mix: What it was trained on, for the records.
        blend: How log-odds become P(True); set when the model is judged on a dev split.
    """

    def __init__(
        self,
        config: ChatRerankerConfig,
        *,
        model: Any,
        tokenizer: Any,
        processor: Any,
        base_digest: str,
        dtype: torch.dtype,
    ) -> None:
        self.config = config
        self.model = model
        self.tokenizer = tokenizer
        self.processor = processor
        self.base_digest = base_digest
        self.mix: dict[str, Any] = {}
        self.blend = Blend()
        self.dtype = dtype
        ids = self.inputs.choice_ids(_EXAMPLE, RANK_LABELS)
        self.label_ids = dict(zip(RANK_LABELS, ids, strict=True))

    @classmethod
    def from_config(cls, config: ChatRerankerConfig, *, device: torch.device | None = None) -> ChatReranker:
        """Start from a base, with new adapters.

        Args:
            config: The settings.
            device: Where it goes; the CPU where None.

        Raises:
            UserError: See :func:`tabrag.models.io.resolve`; the model is of a kind that cannot be trained;
                it reads no pictures and should; 4 bits without a GPU.
        """
        from tabrag.inference import runtime

        device = device or torch.device("cpu")
        folder = resolve(config.model, revision=config.revision)
        if is_trained_on_base(folder):
            raise UserError(f"{folder} is a trained model on a base: merge it first (scripts/merge.py)")
        made = cls._open(
            config, folder, device=device, dtype=runtime.precision(config.dtype, device), files=None
        )
        logger.info(
            "labels: %s",
            ", ".join(f"{label} = {ids} {_shown(made, ids)}" for label, ids in made.label_ids.items()),
        )
        if config.gradient_checkpointing:
            # Without re-entrance the gradient finds adapters behind inputs that have none.
            enable = getattr(made.model, "activation_checkpointing_enable", None)
            (enable or made.model.gradient_checkpointing_enable)({"use_reentrant": False})
        return made

    @classmethod
    def _open(
        cls,
        config: ChatRerankerConfig,
        folder: Path,
        *,
        device: torch.device,
        dtype: torch.dtype,
        files: Path | None,
    ) -> ChatReranker:
        base_config = load_config(folder)
        pictures = reads_pictures(base_config, config.model)
        if config.show != "text" and not pictures:
            raise UserError(f"{config.model} reads no pictures: set show: text")
        towers = towers_of(base_config, pictures=pictures)
        digest = base_digest(folder)
        quantization = None
        if config.four_bit:
            kept = ("lm_head", *towers.vision, *towers.projector)
            quantization = four_bit_settings(device, without=kept)
        model, tokenizer, processor = open_model(
            folder, device=device, dtype=dtype, quantization=quantization, files=files
        )
        if files is None and config.max_pixels is not None:
            limit_pixels(processor, config.max_pixels)
        prepare(model, config, towers)
        return cls(
            config,
            model=model,
            tokenizer=tokenizer,
            processor=processor,
            base_digest=digest,
            dtype=dtype,
        )

    @classmethod
    def from_pretrained(
        cls,
        name: str | Path,
        *,
        revision: str | None = None,
        device: torch.device | None = None,
        dtype: torch.dtype = torch.float32,
    ) -> ChatReranker:
        """Load what :meth:`save_pretrained` wrote, for inference.

        Args:
            name: Folder or hub id.
            revision: Branch, tag or commit of a hub id.
            device: Where it goes; the CPU where None.
            dtype: Number format of all weights.

        Raises:
            UserError: It is no such checkpoint, its base is not there or another one, or its tensors are not
                exactly those that were trained.
        """
        folder = resolve(name, revision=revision)
        found = read(folder)
        if not found.base_digest:
            raise UserError(f"{folder}: a merged model: open it as a plain chat model")
        base = folder / BASE
        if not base.is_dir():
            try:
                base = resolve(found.config.model, revision=found.config.revision)
            except UserError as error:
                raise UserError(
                    f"{folder}: its base model is not there: {error}; or put it into {folder / BASE}"
                ) from error
        if base_digest(base) != found.base_digest:
            raise UserError(
                f"{folder}: was trained on another model than {base} (weights {base_digest(base)}, expected "
                f"{found.base_digest}): name the right one in {FILE}, or put it into {folder / BASE}"
            )
        device = device or torch.device("cpu")
        config = found.config
        if config.four_bit and device.type != "cuda":
            logger.info("%s: trained with 4-bit weights, which %s has not: %s", folder, device, dtype)
            config = dataclasses.replace(config, four_bit=False)
        made = cls._open(config, base, device=device, dtype=dtype, files=folder)
        if made.label_ids != found.label_ids:
            raise UserError(
                f"{folder}: its labels have the tokens {made.label_ids} here, {found.label_ids} in training: "
                "the tokenizer is another one"
            )
        made._restore(folder)
        made.model.requires_grad_(False).eval()
        made.mix, made.blend = found.mix, found.blend
        return made

    @property
    def inputs(self) -> ChatInputs:
        """What makes training inputs."""
        return ChatInputs.of(self.model, self.tokenizer, self.processor, max_length=self.config.max_length)

    def trained(self) -> dict[str, Tensor]:
        """Every tensor that is trained, by its name in the model."""
        return {name: p for name, p in self.model.named_parameters() if p.requires_grad}

    def save_pretrained(self, folder: str | Path) -> None:
        """Write the checkpoint folder; it stands whole or the previous one stays.

        Raises:
            UserError: A tensor is empty (partitioned and not gathered) or not finite.
        """
        trained = self.trained()
        adapters = {
            peft_adapter.public_name(name): tensor
            for name, tensor in trained.items()
            if peft_adapter.is_adapter(name)
        }
        others = {name: tensor for name, tensor in trained.items() if not peft_adapter.is_adapter(name)}
        config = dataclasses.replace(self.config, model=_lasting(self.config.model))
        with atomic_folder(folder) as temporary:
            if adapters:
                save_tensors(adapters, temporary / peft_adapter.WEIGHTS)
                peft_adapter.save_settings(self.model, config.lora, temporary, base=config.model)
            if others:
                save_tensors(others, temporary / _TRAINED)
            self._save_files(temporary, config, digest=self.base_digest)

    def save_merged(self, folder: str | Path, *, dtype: torch.dtype | None = None) -> int:
        """Write a model that needs neither base nor adapters, and opens in any tool; this one is used up.

        Args:
            folder: Where to.
            dtype: Number format of the weights; as they are where None.

        Returns:
            How many weights the adapters changed; a warning where none.

        Raises:
            UserError: The weights are in 4 bits.
        """
        if self.config.four_bit:
            raise UserError("4-bit weights take no adapters in: open the checkpoint with float32 on a CPU")
        num_adapters = sum(map(peft_adapter.is_adapter, dict(self.model.named_parameters())))
        changed = peft_adapter.merge(self.model)
        if num_adapters and not changed:
            logger.warning("%s: the adapters change nothing: were they trained?", folder)
        self.dtype = dtype or self.dtype
        with atomic_folder(folder) as temporary:
            check_tensors(self.model.state_dict())
            write_model(self.model.to(self.dtype), temporary)
            self._save_files(temporary, dataclasses.replace(self.config, model=""), digest="")
        return changed

    def fingerprint(self) -> str:
        """32 hex digits that change with anything that changes a score."""
        state = {name: p for name, p in self.model.named_parameters() if self._is_trained(name)}
        fixed = (self.base_digest, sorted(dataclasses.asdict(self.config).items()), self.label_ids)
        digest = hashlib.sha256(repr((fixed, dataclasses.astuple(self.blend))).encode())
        add_weights(digest, state)
        return digest.hexdigest()[:32]

    def _is_trained(self, name: str) -> bool:
        towers = towers_of(self.model.config, pictures=self.processor is not None)
        return peft_adapter.is_adapter(name) or is_full(name, self.config, towers, self.model.config)

    def _save_files(self, folder: Path, config: ChatRerankerConfig, *, digest: str) -> None:
        with quiet():
            (self.processor or self.tokenizer).save_pretrained(folder)
        file = ChatRerankerFile(
            config=config,
            base_digest=digest,
            dtype=str(self.dtype).removeprefix("torch."),
            label_ids=self.label_ids,
            mix=self.mix,
            blend=self.blend,
        )
        write_json(folder / FILE, file.to_json())

    def _restore(self, folder: Path) -> None:
        expected = self.trained()
        for file, of_adapters in ((peft_adapter.WEIGHTS, True), (_TRAINED, False)):
            own = {
                peft_adapter.public_name(name) if of_adapters else name: tensor
                for name, tensor in expected.items()
                if peft_adapter.is_adapter(name) == of_adapters
            }
            found = read_tensors(folder / file) if own or (folder / file).is_file() else {}
            peft_adapter.check_names(folder / file, found, own)
            for name, tensor in own.items():
                tensor.data.copy_(found[name])
        for tensor in expected.values():
            tensor.data = tensor.data.to(self.dtype)


def _lasting(model: str) -> str:
    """A base's name that means the same from another working folder."""
    path = Path(model).expanduser()
    return str(path.resolve()) if path.is_dir() else model


def _shown(reranker: ChatReranker, ids: list[int]) -> list[str]:
    return reranker.tokenizer.convert_ids_to_tokens(ids)
