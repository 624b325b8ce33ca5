"""Training batches of a header classifier: questions, headers of their gold tables, and which are gold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from tabrag.data.folder import DataFolder
from tabrag.data.header_labels import HeaderExample, grid_of, header_labels
from tabrag.data.sampling import shuffled_batches

if TYPE_CHECKING:
    from tabrag.models.inputs.headers import HeaderInputs, HeaderWindow


class HeaderBatches(torch.utils.data.Dataset[dict[str, Any]]):
    """This process's batches of one epoch; element ``i`` is the whole batch of step ``i``.

    A batch holds ``chunks`` (inputs of like length, see
    :meth:`tabrag.models.inputs.headers.HeaderInputs.collate`, with ``labels``, float Tensor[N]) and
    ``query_ids``. The order of the questions is a function of (seed, epoch); of each global batch a process
    takes every n-th question.
    """

    def __init__(
        self,
        folder: DataFolder,
        examples: Sequence[HeaderExample],
        *,
        inputs: HeaderInputs,
        batch_size: int,
        chunk_size: int,
        num_processes: int,
        rank: int,
        seed: int,
        epoch: int,
    ) -> None:
        self.folder = folder
        self.inputs = inputs
        self.chunk_size = chunk_size
        plan = shuffled_batches(
            len(examples),
            batch_size=batch_size,
            num_processes=num_processes,
            rank=rank,
            key=f"{seed}/{epoch}/headers",
        )
        self.plan = [[examples[number] for number in batch] for batch in plan]

    def __len__(self) -> int:
        return len(self.plan)

    def __getitem__(self, step: int) -> dict[str, Any]:
        found: list[tuple[HeaderWindow, Tensor]] = []
        for example in self.plan[step]:
            grid = grid_of(self.folder, example)
            for axis, values in header_labels(grid, example.gold).items():
                labels = torch.tensor(values, dtype=torch.float32)
                _, windows = self.inputs.windows(example.text, grid, axis)
                found.extend((window, labels[torch.from_numpy(window.headers).long()]) for window in windows)
        found.sort(key=lambda pair: len(pair[0]))
        size = self.chunk_size or max(1, len(found))
        chunks = [
            {
                **self.inputs.collate([window for window, _ in part]),
                "labels": torch.cat([labels for _, labels in part]),
            }
            for first in range(0, len(found), size)
            for part in [found[first : first + size]]
        ]
        return {"chunks": chunks, "query_ids": [example.query_id for example in self.plan[step]]}
