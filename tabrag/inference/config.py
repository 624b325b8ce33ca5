"""Settings of the readers. Light to import: command lines are made from them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from tabrag.chat.config import LocalChatConfig, ServerChatConfig
from tabrag.index.config import FusionConfig


@dataclass(kw_only=True)
class ContextConfig:
    """How much of tables and documents is shown.

    Attributes:
        mode: Of documents: ``select`` shows the sentences and tables that fit the question best, of all
            candidates together; ``whole`` shows the candidates (chunks, pages) whole, the best first, as long
            as the budget lasts, in the order of their documents.
        pictures: Which pictures of documents stand in the text of ``whole``, for a model that sees them:
            ``artefacts`` (those of the document where they stand) or ``pages`` (the whole pages', and where
            there is none of a page those of the document).
        max_tokens: Budget of the text of all tables of a prompt together, in tokens of the model that reads
            it.
        max_rows: Body rows at most.
        max_cols: Body columns at most.
    """

    max_tokens: int = 280
    max_rows: int = 200
    max_cols: int = 30
    mode: Literal["select", "whole"] = "select"
    pictures: Literal["artefacts", "pages"] = "artefacts"


@dataclass(kw_only=True)
class RewriteConfig:
    """How a question of a conversation becomes one that stands alone, and what else is searched for.

    Attributes:
        by: ``rule`` (years, names and measures of the question before, no model) or ``chat`` (a language
            model; where its reply is no usable question, by rule).
        step_back: Whether a language model is also asked for a more general question with words of its
            answer, which are searched for together with the question.
        search_previous: Whether the question before is searched for together with a rewritten one: of use
            where conversations stay with one document.
        max_turns: How many of the last turns of a conversation are read.
        max_new_tokens: Length of a model's reply at most.
        chat: The language model.
        server: A served language model, in place of ``chat``.
    """

    by: Literal["rule", "chat"] = "rule"
    step_back: bool = False
    search_previous: bool = False
    max_turns: int = 4
    max_new_tokens: int = 96
    chat: LocalChatConfig = field(default_factory=LocalChatConfig)
    server: ServerChatConfig | None = None


@dataclass(kw_only=True)
class RerankConfig:
    """How candidates are put in order by how likely their tables hold the answer.

    Attributes:
        checkpoint: Reranker, folder or hub id: a cross-encoder, a word reranker, or a language model that was
            trained to say True or False. Where null, a language model as it is: ``server``, or else ``chat``.
        depth: Candidates of a query that are scored; the others follow below them in their order.
        behind: Reranker, folder or hub id, that scores the candidates first: this one starts from its order
            and its probabilities, so that a blend fitted behind it applies. Null for the run as it is.
        rank_weight: What the rank before counts, in units of log-odds: 0 is the model alone. That of the
            checkpoint where null.
        device: Where a cross-encoder or word reranker runs: ``cpu``, ``cuda`` or ``cuda:N``; the first GPU,
            or else the CPU, where null.
        dtype: Of a cross-encoder: ``auto`` (bfloat16 on a GPU that has it, else float32), ``float32``,
            ``bfloat16`` or ``float16``.
        batch_tokens: Positions of a cross-encoder's batch, padding included; a word reranker's pair counts as
            one for each of its facts.
        chat: The language model, and how it runs; a trained one is named by ``checkpoint``.
        server: A served language model, in place of ``chat``.
        show: What a language model as it is sees of a candidate: ``text``, ``image`` (of a part of a document
            its pages' pictures) or ``both``. A trained one sees what it was trained on.
        context: Budget of a candidate's text for a language model as it is.
        mode: ``pointwise`` scores each candidate by itself; ``listwise`` asks a language model as it is once
            a question for the order of all, whose texts share the budget; ``graded`` asks it for a grade from
            0 to 1 of each by itself, which counts together with the score before.
        num_best: How many candidates ``listwise`` asks for; the others follow in their order.
        grade_by: How ``graded`` comes to a grade: ``score`` (the mean under the model's probabilities of the
            grades) or ``generate`` (what it says behind its reasons, for a model that reasons).
        model_weight: What a grade counts, 0..1; the score before counts the rest: a cosine as it is, other
            scores by where they lie between the least and the best of the question's candidates.
        max_reasoning_tokens: Length at most of a reply of ``generate``.
    """

    checkpoint: str | None = None
    depth: int = 20
    behind: str | None = None
    rank_weight: float | None = None
    device: str | None = None
    dtype: str = "auto"
    batch_tokens: int = 4096
    chat: LocalChatConfig = field(default_factory=LocalChatConfig)
    server: ServerChatConfig | None = None
    show: Literal["text", "image", "both"] = "text"
    context: ContextConfig = field(default_factory=ContextConfig)
    mode: Literal["pointwise", "listwise", "graded"] = "pointwise"
    num_best: int = 10
    grade_by: Literal["score", "generate"] = "score"
    model_weight: float = 0.7
    max_reasoning_tokens: int = 300


@dataclass(kw_only=True)
class RefineConfig:
    """Which rows and columns of a table a reader gets to see.

    Attributes:
        method: ``top_k`` (as many rows and columns), ``threshold`` (those with a score from a bound on) or
            ``budget`` (the best ones under a number of body cells).
        rows: Body rows of ``top_k``. The published values are 7 and 10; which is which is not said.
        cols: Body columns of ``top_k``.
        threshold: Bound of ``threshold``, 0..1: the higher, the smaller the table. Where null, that of the
            header classifier: the tightest with which 97 % of the questions that it was judged on kept every
            answer cell.
        scale: What the bound is compared with: ``gain`` (how much likelier the table holds the answer for
            each further body cell), ``relative`` (the score over the best of its axis), ``absolute`` (the
            score), or ``mass`` (one less the share of the axis's scores that better ones hold).
        max_cells: Body cells of ``budget``; a table keeps at least one row and one column.
        keep_totals: Whether rows and columns labelled as a total stay.
        keep_extremes: Whether, where a question asks for a largest or smallest value, the rows and columns
            that hold it stay.
        keep_compared: Whether, where a question compares, the other children of the best row's or column's
            parent stay, on the axis that the question leaves open.
        checkpoint: Header classifier, folder or hub id; header words decide where null.
        device: ``cpu``, ``cuda`` or ``cuda:N``; the first GPU, or else the CPU, where null.
        dtype: Of the header classifier's matrix products: ``auto`` (bfloat16 on a GPU that has it, else
            float32), ``float32``, ``bfloat16`` (faster on processors that compute in it) or ``float16``.
    """

    method: Literal["top_k", "threshold", "budget"] = "threshold"
    rows: int = 10
    cols: int = 7
    threshold: float | None = None
    scale: Literal["gain", "relative", "absolute", "mass"] = "gain"
    max_cells: int = 60
    keep_totals: bool = True
    keep_extremes: bool = True
    keep_compared: bool = False
    checkpoint: str | None = None
    device: str | None = None
    dtype: str = "auto"


@dataclass(kw_only=True)
class TreeFileConfig:
    """Summary trees of documents (``infer/tree.py``), whose nodes can be candidates.

    Attributes:
        file: The file of trees.
    """

    file: str


@dataclass(kw_only=True)
class TreeConfig(TreeFileConfig):
    """Summary trees of documents (``infer/tree.py``), whose nodes stand beside the candidates.

    Attributes:
        indexes: Indexes over their nodes; the rankings of several are fused. None where the pipeline's own
            indexes, or its run file, find nodes among the candidates.
        k: Nodes a question.
        max_tokens: Tokens of these nodes together at most, as estimated.
        fusion: How several rankings become one.
    """

    indexes: list[str] = field(default_factory=list)
    k: int = 10
    max_tokens: int = 3500
    fusion: FusionConfig = field(default_factory=FusionConfig)


@dataclass(kw_only=True)
class VisualConfig:
    """A model that looks at pages' pictures before the reader reads.

    Attributes:
        chat: An image-text model, and how it runs. Pictures take many tokens: ``max_length`` must hold those
            of ``max_pages`` pages.
        server: A served one, in place of ``chat``.
        max_pages: Pictures a question at most, those of the best pages; 4 and 10 are the published values.
        max_new_tokens: Length of what it says at most.
    """

    chat: LocalChatConfig = field(default_factory=lambda: LocalChatConfig(max_length=16384))
    server: ServerChatConfig | None = None
    max_pages: int = 10
    max_new_tokens: int = 160


@dataclass(kw_only=True)
class ReaderConfig:
    """How answers are read.

    Attributes:
        reader: ``cells`` (picks cells and computes with them, no language model) or ``chat`` (a chat model).
        checkpoint: Cell reader of ``cells``, folder or hub id; words of headers and cells decide where null.
        device: Where the cell reader runs: ``cpu``, ``cuda`` or ``cuda:N``; the first GPU, or else the CPU,
            where null.
        show: What the chat model sees of a table: ``text``, ``image`` or ``both``.
        prompting: How the chat model is asked for a value: ``direct``, ``cot`` (steps in words), ``pot`` (a
            program that is computed here), ``recap`` (five parts with a formula that is computed here) or
            ``reasoned`` (JSON with steps, pages and the answer; set ``max_reasoning_tokens`` to 800).
        num_tables: How many of the best tables the chat model sees; a cell reader reads the best one,
            rules choose among the first ten.
        max_new_tokens: Length of a value at most.
        max_text_tokens: Length at most of a description, and of a reply in a form that the question asks for.
        max_reasoning_tokens: Length at most of a reply that is not ``direct``.
        can_be_open: Whether the chat model may call a statement NOT ENOUGH INFO; off for data sets without
            this label.
        min_confidence: Statements whose label has a lower confidence than this, 0..1, are called NOT ENOUGH
            INFO.
        context: Budget of the tables' texts together.
        chat: The chat model.
        server: A served chat model, in place of ``chat``.
        visual: What looks at the pictures of documents' pages for the chat model; nothing where null.
    """

    reader: Literal["cells", "chat"] = "cells"
    checkpoint: str | None = None
    device: str | None = None
    show: Literal["text", "image", "both"] = "text"
    prompting: Literal["direct", "cot", "pot", "recap", "reasoned"] = "direct"
    num_tables: int = 1
    max_new_tokens: int = 24
    max_text_tokens: int = 96
    max_reasoning_tokens: int = 400
    can_be_open: bool = True
    min_confidence: float = 0.0
    context: ContextConfig = field(default_factory=ContextConfig)
    chat: LocalChatConfig = field(default_factory=LocalChatConfig)
    server: ServerChatConfig | None = None
    visual: VisualConfig | None = None
