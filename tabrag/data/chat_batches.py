"""Training batches of a language model that reranks and answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from tabrag.data.ranking_tasks import RankingTasks
from tabrag.data.sampling import shuffled_batches

if TYPE_CHECKING:
    from tabrag.models.inputs.chat import ChatInputs


class ChatBatches(torch.utils.data.Dataset[dict[str, Any]]):
    """This process's batches of one epoch; element ``i`` is the whole batch of step ``i``.

    A batch holds ``chunks`` (examples of like length, see
    :meth:`tabrag.models.inputs.chat.ChatInputs.collate`; those with pictures one by one) and ``query_ids``.
    The order of the queries is a function of (seed, epoch), and so are their examples.
    """

    def __init__(
        self,
        tasks: RankingTasks,
        *,
        inputs: ChatInputs,
        chunk_size: int,
        batch_size: int,
        num_processes: int,
        rank: int,
        seed: int,
        epoch: int,
    ) -> None:
        self.tasks = tasks
        self.inputs = inputs
        self.chunk_size = 1 if inputs.reads_pictures else chunk_size
        self.epoch = epoch
        self.plan = shuffled_batches(
            len(tasks.pairs),
            batch_size=batch_size,
            num_processes=num_processes,
            rank=rank,
            key=f"{seed}/{epoch}/chat",
        )

    def __len__(self) -> int:
        return len(self.plan)

    def __getitem__(self, step: int) -> dict[str, Any]:
        examples = [self.tasks.example(row, epoch=self.epoch) for row in self.plan[step]]
        found = [self.inputs.features(one.messages, one.reply) for one in examples]
        found.sort(key=len)
        size = self.chunk_size or len(found)
        return {
            "chunks": [
                self.inputs.collate(found[first : first + size]) for first in range(0, len(found), size)
            ],
            "query_ids": [one.query_id for one in examples],
        }
