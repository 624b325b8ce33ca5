"""Models that say how likely a table or document holds what a question asks for, pair by pair."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from pathlib import Path
from typing import Any, Protocol

from torch import Tensor, nn

from tabrag.documents.whole import Item
from tabrag.errors import UserError
from tabrag.models.blend import Blend
from tabrag.models.io import resolve
from tabrag.types import Entry

PairInput = Sized
"""What a model is given of one pair; its length is the number of positions that it takes of a batch."""


class PairMaker(Protocol):
    """What makes a model's inputs."""

    def pair(
        self, question: str, item: Item, *, narrow: Callable[[list[Entry]], list[Entry]] | None = None
    ) -> Any:
        """One input, a :data:`PairInput`; ``narrow`` takes some of the item's windows to choose from."""

    def collate(self, pairs: Sequence[Any]) -> dict[str, Tensor]:
        """The model's arguments for a batch."""

    def weigh(self, items: Iterable[Item]) -> None:
        """Take the weights of words from the items of a corpus."""


class PairModel(Protocol):
    """A module whose call gives the log-odds of each pair of a batch, Tensor[B] float32."""

    @property
    def inputs(self) -> PairMaker:
        """What makes its arguments."""

    blend: Blend
    """How the score becomes P(True); set when the model is judged on a dev split."""
    training: bool

    def __call__(self, **batch: Tensor) -> Tensor: ...

    def parameters(self) -> Iterator[nn.Parameter]: ...

    def eval(self) -> Any: ...

    def train(self, mode: bool = True) -> Any: ...

    def to(self, device: Any) -> Any: ...

    def save_pretrained(
        self, folder: str | Path, *, state_dict: Mapping[str, Tensor] | None = None
    ) -> None: ...

    def fingerprint(self) -> str: ...


def load_pair_model(name: str | Path) -> PairModel:
    """The cross-encoder or word reranker in a checkpoint's folder.

    Raises:
        UserError: It is neither, or its files are not exactly the expected ones.
    """
    from tabrag.models import cross_encoder, word_reranker
    from tabrag.models.reranker_files import needed_settings_file

    folder = resolve(name)
    file = needed_settings_file(folder)
    if file == cross_encoder.FILE:
        return cross_encoder.CrossEncoder.from_pretrained(folder)
    if file == word_reranker.FILE:
        return word_reranker.WordReranker.from_pretrained(folder)
    raise UserError(f"{folder}: a chat model ({file}), neither a cross-encoder nor a word reranker")
