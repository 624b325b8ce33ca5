"""Settings of the models, apart from the code that imports torch: ``--help`` and mistakes answer at once."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

from tabrag.errors import UserError
from tabrag.inference.config import ContextConfig
from tabrag.representations import RepresentationConfig

MIN_HEADER_LENGTH = 16
"""Fewest tokens of a header classifier's input: below, no question and header fit together."""

KINDS = ("text", "layoutlmv3", "image")


@dataclass(kw_only=True)
class EmbedderConfig:
    """How an embedder is built and what its inputs look like.

    Attributes:
        backbone: Folder, hub id or ``offline:NAME`` of the model that it starts from.
        inputs: ``text``, ``layoutlmv3`` (words, boxes, picture) or ``image`` (a vision backbone).
        revision: Branch, tag or commit of a hub id.
        pooling: ``mean`` over text positions (over patches where there is no text) or ``cls``, the first
            position.
        normalize: Divide each vector by its length.
        prefix: Put before each text.
        max_length: Most tokens of an entry, special tokens included; 0 for a layoutlmv3 that sees the picture
            alone.
        pixels: Whether a layoutlmv3 looks at the picture at all.
        projection_dim: Width of a linear map on top; None for none.
        trust_remote_code: Run code that the backbone's folder brings.
    """

    backbone: str
    inputs: Literal["text", "layoutlmv3", "image"] = "text"
    revision: str | None = None
    pooling: Literal["mean", "cls"] = "mean"
    normalize: bool = True
    prefix: str = ""
    max_length: int = 256
    pixels: bool = True
    projection_dim: int | None = None
    trust_remote_code: bool = False

    def __post_init__(self) -> None:
        if self.inputs not in KINDS:
            raise UserError(f"inputs '{self.inputs}' is none of {', '.join(KINDS)}")
        if self.pooling not in ("mean", "cls"):
            raise UserError(f"pooling '{self.pooling}' is neither 'mean' nor 'cls'")
        if self.projection_dim is not None and self.projection_dim < 1:
            raise UserError(f"projection_dim {self.projection_dim} is not 1 or more (null: no projection)")
        if self.inputs == "layoutlmv3":
            check_mode(max_length=self.max_length, pixels=self.pixels)


@dataclass(kw_only=True)
class RetrieverConfig:
    """How a retriever is built.

    Attributes:
        query: The tower that reads queries.
        item: The tower that reads entries.
        share_towers: One set of weights for both; prefix and max_length may still differ.
        temperature: What similarities are divided by, 0.01 or more.
        learn_temperature: Whether training moves it.
    """

    query: EmbedderConfig
    item: EmbedderConfig
    share_towers: bool = False
    temperature: float = 0.05
    learn_temperature: bool = True

    def __post_init__(self) -> None:
        if not (self.temperature >= 0.01 and math.isfinite(self.temperature)):
            raise UserError(f"temperature {self.temperature} is not a number of 0.01 or more")


@dataclass(kw_only=True)
class HeaderClassifierConfig:
    """How a header classifier is built and what it reads.

    Attributes:
        backbone: Folder, hub id or ``offline:NAME`` of the text encoder that it starts from.
        revision: Branch, tag or commit of a hub id.
        num_layers: Keep this many of the backbone's first layers; null for all.
        scoring: ``sigmoid``: each header by itself, several may be gold. ``softmax``: one distribution over
            the tokens of the input, as in the paper.
        parents: ``repeat`` writes the whole path of each header; ``once`` a parent before its first child
            only, which is about a third shorter.
        named_cells: Whether a header is followed by those of its cells that the question names. The paper
            reads headers alone.
        word_facts: Whether a header's score also sees how its words fit the question's. The paper's does not.
        max_length: Most tokens of an input; a longer list of headers is read in windows.
        dropout: Before the scores.
    """

    backbone: str
    revision: str | None = None
    num_layers: int | None = None
    scoring: Literal["sigmoid", "softmax"] = "sigmoid"
    parents: Literal["repeat", "once"] = "once"
    named_cells: bool = True
    word_facts: bool = True
    max_length: int = 512
    dropout: float = 0.1

    def __post_init__(self) -> None:
        if self.scoring not in ("sigmoid", "softmax"):
            raise UserError(f"scoring '{self.scoring}' is neither 'sigmoid' nor 'softmax'")
        if self.parents not in ("repeat", "once"):
            raise UserError(f"parents '{self.parents}' is neither 'repeat' nor 'once'")
        if self.num_layers is not None and self.num_layers < 1:
            raise UserError(f"num_layers {self.num_layers} is not 1 or more (null: all of them)")
        if self.max_length < MIN_HEADER_LENGTH:
            raise UserError(f"max_length {self.max_length} is not {MIN_HEADER_LENGTH} or more")
        if not 0 <= self.dropout < 1:
            raise UserError(f"dropout {self.dropout} does not lie in 0..1 (1 excluded)")


@dataclass(kw_only=True)
class CellReaderConfig:
    """How a cell reader is built and what it reads.

    Attributes:
        backbone: Folder, hub id or ``offline:NAME`` of the text encoder that it starts from.
        revision: Branch, tag or commit of a hub id.
        num_layers: Keep this many of the backbone's first layers; null for all.
        train_words: Whether training changes the backbone's word vectors, two thirds of MiniLM's weights.
        width: Width of the vectors that stand for rows and columns.
        max_length: Most tokens of an input; of a table that is longer the best rows and columns are read.
        header_length: Most tokens of one header.
        dropout: Before the scores.
    """

    backbone: str
    revision: str | None = None
    num_layers: int | None = None
    train_words: bool = False
    width: int = 192
    max_length: int = 320
    header_length: int = 24
    dropout: float = 0.1

    def __post_init__(self) -> None:
        for name in ("width", "header_length"):
            if getattr(self, name) < 1:
                raise UserError(f"{name} {getattr(self, name)} is not 1 or more")
        if self.num_layers is not None and self.num_layers < 1:
            raise UserError(f"num_layers {self.num_layers} is not 1 or more (null: all of them)")
        if self.max_length < MIN_HEADER_LENGTH:
            raise UserError(f"max_length {self.max_length} is not {MIN_HEADER_LENGTH} or more")
        if not 0 <= self.dropout < 1:
            raise UserError(f"dropout {self.dropout} does not lie in 0..1 (1 excluded)")


@dataclass(kw_only=True)
class CrossEncoderConfig:
    """How a cross-encoder is built and what it reads of a pair (question, table).

    Attributes:
        backbone: Folder, hub id or ``offline:NAME`` of the text encoder that it starts from; the ``query/``
            folder of a trained retriever is one.
        revision: Branch, tag or commit of a hub id.
        num_layers: Keep this many of the backbone's first layers; null for all.
        representation: What of a table it reads; of several windows the one that shares the most tokens with
            the question.
        question_length: Most tokens of a question; the rest is cut, with a warning.
        table_length: Most tokens of a window of a table.
        named_cells: Whether a window is followed by the table's body cells that the question names.
        marks: Whether a token's vector says that it stands on the other side too.
        matches: Whether the score also sees how well the question's tokens fit the table's.
        word_facts: Whether it also sees which words and numbers of the question the whole table has, see
            :func:`tabrag.tables.question_facts.question_facts`; the words' weights come from the training
            corpus and are saved.
        dropout: Before the score.
    """

    backbone: str
    revision: str | None = None
    num_layers: int | None = None
    representation: RepresentationConfig = field(default_factory=RepresentationConfig)
    question_length: int = 64
    table_length: int = 160
    named_cells: bool = True
    marks: bool = True
    matches: bool = True
    word_facts: bool = True
    dropout: float = 0.1

    def __post_init__(self) -> None:
        if self.num_layers is not None and self.num_layers < 1:
            raise UserError(f"num_layers {self.num_layers} is not 1 or more (null: all of them)")
        for name in ("question_length", "table_length"):
            if getattr(self, name) < 4:
                raise UserError(f"{name} {getattr(self, name)} is not 4 or more")
        if not 0 <= self.dropout < 1:
            raise UserError(f"dropout {self.dropout} does not lie in 0..1 (1 excluded)")


@dataclass(kw_only=True)
class WordRerankerConfig:
    """How a word reranker is built.

    Attributes:
        hidden: Hidden units of a network over the facts, beside their weighted sum; 0 for that sum alone.
            They learn the training tables better, and carry less over to tables of another kind.
        dropout: After the hidden units.
    """

    hidden: int = 0
    dropout: float = 0.1

    def __post_init__(self) -> None:
        if self.hidden < 0:
            raise UserError(f"hidden {self.hidden} is not 0 or more (0: a weighted sum of the facts alone)")
        if not 0 <= self.dropout < 1:
            raise UserError(f"dropout {self.dropout} does not lie in 0..1 (1 excluded)")


@dataclass(kw_only=True)
class LoraConfig:
    """Low-rank adapters (Hu et al., 2021, "LoRA") on the linear layers of a tower.

    Attributes:
        rank: Rank of an adapter.
        alpha: Its output is multiplied by ``alpha / rank``.
        dropout: Before an adapter.
    """

    rank: int = 16
    alpha: float = 32.0
    dropout: float = 0.05

    def __post_init__(self) -> None:
        if self.rank < 1:
            raise UserError(f"lora.rank {self.rank} is not 1 or more")
        if not (self.alpha > 0 and math.isfinite(self.alpha)):
            raise UserError(f"lora.alpha {self.alpha} is not a number above 0")
        if not 0 <= self.dropout < 1:
            raise UserError(f"lora.dropout {self.dropout} does not lie in 0..1 (1 excluded)")


@dataclass(kw_only=True)
class ChatRerankerConfig:
    """Which language model becomes a reranker that also answers, what of it is trained, and what it sees.

    Attributes:
        model: Folder, hub id or ``offline:smollm2`` of a chat model, text or image-text.
        revision: Branch, tag or commit of a hub id.
        language: How the language model is trained: ``lora`` (adapters), ``full`` or ``frozen``.
        vision: The same of the vision tower.
        projector: ``full`` or ``frozen``: what stands between the two. It counts where pictures are shown.
        lora: The adapters.
        four_bit: Keep the frozen weights of the language model in 4 bits (NF4; Dettmers et al., 2023,
            "QLoRA"); on a GPU alone.
        dtype: Number format of the frozen weights; ``auto`` is bfloat16 on a GPU that has it, else float32.
            What is trained is kept in float32.
        gradient_checkpointing: Compute activations again in the backward pass: less memory, more time.
        show: What is seen of a table: its ``text``, its ``image``, or ``both``.
        context: Budget of a table's text.
        max_length: Tokens of a prompt at most, pictures included; longer table texts are shortened, pictures
            and questions never.
        max_pixels: Width times height at most of a picture, for models that read any size (Qwen-VL); null
            for the model's own limit.
    """

    model: str
    revision: str | None = None
    language: Literal["lora", "full", "frozen"] = "lora"
    vision: Literal["lora", "full", "frozen"] = "frozen"
    projector: Literal["full", "frozen"] = "full"
    lora: LoraConfig = field(default_factory=LoraConfig)
    four_bit: bool = False
    dtype: Literal["auto", "float32", "bfloat16", "float16"] = "auto"
    gradient_checkpointing: bool = False
    show: Literal["text", "image", "both"] = "text"
    context: ContextConfig = field(default_factory=ContextConfig)
    max_length: int = 1024
    max_pixels: int | None = None

    def __post_init__(self) -> None:
        if self.max_length < 16:
            raise UserError(f"max_length {self.max_length} is not 16 or more")
        if self.max_pixels is not None and self.max_pixels < 1:
            raise UserError(f"max_pixels {self.max_pixels} is not 1 or more (null: the model's own limit)")
        if self.four_bit and self.language == "full":
            raise UserError("four_bit keeps frozen weights: set language to lora (or frozen)")
        if self.vision != "frozen" and self.show == "text":
            raise UserError(
                f"vision: {self.vision} with show: text trains a tower that sees nothing: set vision to "
                "frozen, or show pictures"
            )


def check_mode(*, max_length: int, pixels: bool) -> None:
    """Refuse a LayoutLMv3 that sees nothing.

    Raises:
        UserError: Neither words nor picture.
    """
    if max_length <= 0 and not pixels:
        raise UserError(
            "layoutlmv3 inputs with max_length 0 and pixels false see nothing: switch one of them on"
        )
