"""Training of a language model as reranker and reader: TabRAG's tasks, the loss on the reply alone.

Shapes: B examples, K last positions, V vocabulary.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from tabrag import distributed
from tabrag.chat.config import LocalChatConfig
from tabrag.chat.local import LocalChat
from tabrag.chat.prompts import Shown
from tabrag.data.chat_batches import ChatBatches
from tabrag.data.config import RankingDataConfig, RankingTasksConfig
from tabrag.data.ranking_tasks import RankingTasks
from tabrag.errors import UserError
from tabrag.inference.chat_scorer import ChatPairScorer
from tabrag.inference.runtime import autocast
from tabrag.inference.show import TableShower
from tabrag.models.chat_reranker import ChatReranker
from tabrag.models.inputs.chat import IGNORED
from tabrag.training.gradient_check import GradientCheck
from tabrag.training.ranking_task import RankingTask


class ChatModule(nn.Module):
    """A chat model and its loss as one module."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model
        self.gradients = GradientCheck(model, starts_at_zero=".lora_A.")
        self._can_keep = "logits_to_keep" in inspect.signature(model.forward).parameters
        self._has_run = False

    def forward(self, batch: Mapping[str, Any]) -> Tensor:
        """The mean over the batch's examples of the mean loss of a reply's tokens: scalar Tensor, float32.

        Args:
            batch: See :class:`tabrag.data.chat_batches.ChatBatches`.

        Raises:
            UserError: A trained weight got no gradient in the first step.
        """
        if self.training and torch.is_grad_enabled():
            if self._has_run:
                self.gradients.check()
            self._has_run = True
        losses = torch.cat([self._losses(chunk) for chunk in batch["chunks"]])
        return losses.mean()

    def _losses(self, chunk: Mapping[str, Any]) -> Tensor:
        """Tensor[B] float32; only the positions that predict a reply become logits."""
        inputs = {name: value for name, value in chunk.items() if name not in ("labels", "num_reply")}
        last = chunk["num_reply"] + 1
        keep = {"logits_to_keep": last} if self._can_keep else {}
        logits_BKV = self.model(**inputs, **keep, use_cache=False).logits[:, -last:-1].float()
        labels_BK = chunk["labels"][:, -last + 1 :]
        losses_BK = nn.functional.cross_entropy(
            logits_BKV.transpose(1, 2), labels_BK, reduction="none", ignore_index=IGNORED
        )
        return losses_BK.sum(dim=1) / (labels_BK != IGNORED).sum(dim=1)


class ChatRerankerTask(RankingTask):
    """Implements :class:`tabrag.training.task.Task` for a :class:`ChatReranker`."""

    def __init__(
        self,
        model: ChatReranker,
        *,
        data: RankingDataConfig,
        tasks: RankingTasksConfig,
        batch_size: int,
        seed: int,
        settings: dict[str, Any],
    ) -> None:
        if tasks.read and model.config.show == "text":
            raise UserError("tasks.read reads pictures: set chat.show to image or both, or tasks.read to 0")
        self.module: ChatModule
        super().__init__(
            model, ChatModule(model.model), data=data, batch_size=batch_size, seed=seed, settings=settings
        )
        self.inputs = model.inputs
        self.shower = TableShower(
            model.config.show, model.config.context, self._num_tokens, self.pairs.folder.image_path
        )
        self._shown: dict[str, Shown] = {}
        self.tasks = RankingTasks(
            self.pairs, config=tasks, num_negatives=data.num_negatives, show=self._show, seed=seed
        )
        model.mix = {**dataclasses.asdict(tasks), "negatives_per_positive": data.num_negatives}
        self._facts = self.tasks.facts(
            is_cut=lambda item: self.shower.is_cut(self.pairs.folder.tables[self.pairs.item_ids[item]])
        )

    def _num_tokens(self, text: str) -> int:
        return len(self.inputs.encoder.ids([text])[0])

    def _show(self, item_id: str) -> Shown:
        if item_id not in self._shown:
            self._shown[item_id] = self.shower(self.pairs.folder.tables[item_id])
        return self._shown[item_id]

    def describe(self) -> dict[str, Any]:
        """The training data with its digest and what is remarkable about it, and the weights that learn."""
        return {
            "training queries": len(self.pairs),
            "training data": self.pairs.digest(),
            "base": self.model.base_digest,
            "mix": self.model.mix,
            **self._facts,
            "parameters": sum(p.numel() for p in self.model.trained().values()),
        }

    def epoch_batches(self, **share: Any) -> ChatBatches:
        """See :meth:`tabrag.training.base_task.BaseTask.epoch_batches`."""
        return ChatBatches(self.tasks, inputs=self.inputs, chunk_size=self.data.chunk_size, **share)

    def metrics(self) -> dict[str, float]:
        """None besides the loss.

        Raises:
            UserError: A trained weight got no gradient in the first step.
        """
        self.module.gradients.check()
        return {}

    def evaluate(self) -> dict[str, float]:
        """Figures of the reranked dev run, and ``loss``: the mean of -log P(the right one of True, False).

        See :class:`tabrag.training.rerank_judge.RerankJudge`; the model keeps the blend that is chosen.
        """
        if not self.judge.candidates:
            return {}
        pairs, relevant = self.judge.pairs(), self.judge.relevant()
        device = next(self.model.model.parameters()).device
        with autocast(device, self.model.dtype):
            found = self._scorer().log_probabilities(pairs)
        figures, self.model.blend = self.judge([true - false for true, false in found])
        losses = [-(true if is_it else false) for (true, false), is_it in zip(found, relevant, strict=True)]
        every = [loss for part in distributed.gather_objects([losses]) for loss in part]
        return {**figures, "loss": sum(every) / len(every)}

    def _scorer(self) -> ChatPairScorer:
        """A scorer over the weights as they are now: what it keeps of a prompt does not outlive a step."""
        config = self.model.config
        chat = LocalChat(
            LocalChatConfig(model=config.model, max_length=config.max_length),
            opened=(self.model.model, self.model.tokenizer, self.model.processor),
        )
        return ChatPairScorer(
            chat, show=config.show, context=config.context, image_path=self.pairs.folder.image_path
        )
