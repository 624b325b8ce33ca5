"""What a language model takes from the pictures of tables: its tasks with the right picture and without it.

Judged are questions with their relevant table and the best others of a run, by P(True); read are titles,
headers and values (:mod:`tabrag.data.reading`). The controls are white pictures and those of other tables:
where a figure is as good with them, the picture gave nothing, and it comes from titles and from habit.

Shapes: K tokens of a reply, V vocabulary.
"""

from __future__ import annotations

import math
import random
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import torch

from tabrag.benchmark.config import PicturesConfig
from tabrag.chat.config import LocalChatConfig
from tabrag.chat.loading import load
from tabrag.chat.local import LocalChat
from tabrag.chat.prompts import Shown, read_prompt
from tabrag.data.folder import DataFolder
from tabrag.data.reading import reading
from tabrag.errors import UserError
from tabrag.evaluation.runs import read_run
from tabrag.inference.chat_scorer import ChatPairScorer
from tabrag.models.inputs.chat import ChatInputs, ChatTokens
from tabrag.types import Query, Table

_T = TypeVar("_T")
Picturer = Callable[[Table], str | Path]


def measure_pictures(config: PicturesConfig) -> dict[str, Any]:
    """Judge and read with the tables' own pictures and with the controls.

    Returns:
        ``judge``, where a run is given: figures of :func:`judged` under ``own``, ``blank``, and ``untitled``
        (the own picture without a title beside it). ``read``: figures of :func:`read_figures` under ``own``,
        ``blank`` and ``other``.

    Raises:
        UserError: The checkpoint sees no pictures, the split has no queries, or the run none of them.
    """
    from tabrag.models.chat_files import read
    from tabrag.models.io import resolve

    folder = DataFolder(Path(config.data))
    found = read(resolve(config.checkpoint)).config
    if found.show == "text":
        raise UserError(f"{config.checkpoint} sees tables as text: there is nothing to measure of pictures")
    local = LocalChatConfig(
        model=config.checkpoint, device=config.device, dtype="float32", max_length=found.max_length
    )
    opened = load(local)
    with tempfile.TemporaryDirectory() as work:
        blank = Path(work) / "blank.png"
        _save_blank(blank)
        figures: dict[str, Any] = {"read": _read_all(config, folder, opened, found.max_length, blank)}
        if config.run:
            figures["judge"] = _judge_all(config, folder, LocalChat(local, opened=opened), blank)
    return figures


def judged(scores: Sequence[Sequence[float]]) -> dict[str, float]:
    """Figures of scores whose first one of each question is that of the relevant table.

    Args:
        scores: Log-odds, a list of at least two a question.

    Returns:
        ``AUC``: the share of pairs of a relevant and another table, over all questions, in which the relevant
        one has the higher score; ``Hit@1``; ``chance``, of Hit@1; ``log_loss``, of P(True) in nats. Equal
        scores count in part, as if they were put in a random order.
    """
    relevant = torch.tensor([one[0] for one in scores], dtype=torch.float64)
    others = torch.tensor([score for one in scores for score in one[1:]], dtype=torch.float64)
    above = (relevant[:, None] > others).double() + 0.5 * (relevant[:, None] == others).double()
    hits = [(one[0] == max(one)) / one.count(max(one)) for one in scores]
    odds = torch.cat([-relevant, others])
    return {
        "AUC": float(above.mean()),
        "Hit@1": sum(hits) / len(hits),
        "chance": sum(1 / len(one) for one in scores) / len(scores),
        "log_loss": float(torch.nn.functional.softplus(odds).mean()),
        "questions": len(scores),
        "pairs": len(odds),
    }


def read_figures(replies: Sequence[Sequence[tuple[float, bool]]]) -> dict[str, float]:
    """Figures of replies, each a list of (log-probability, whether it was the likeliest) of its tokens.

    Returns:
        ``exact``, the share of replies that greedy decoding gives; ``tokens``, the share of tokens that are
        the likeliest after the right ones before; ``loss``, the mean of replies in nats a token.
    """
    tokens = [is_best for reply in replies for _, is_best in reply]
    return {
        "exact": sum(all(is_best for _, is_best in reply) for reply in replies) / len(replies),
        "tokens": sum(tokens) / len(tokens),
        "loss": sum(-math.fsum(log for log, _ in reply) / len(reply) for reply in replies) / len(replies),
        "replies": len(replies),
    }


def _judge_all(
    config: PicturesConfig, folder: DataFolder, chat: LocalChat, blank: Path
) -> dict[str, dict[str, float]]:
    questions = _questions(config, folder)
    plain = [(query.text, folder.tables[item]) for query, items in questions for item in items]
    untitled = [
        (text, replace(table, title="", page_title="", section="", caption="")) for text, table in plain
    ]
    conditions: dict[str, tuple[list[tuple[str, Table]], Picturer]] = {
        "own": (plain, folder.image_path),
        "blank": (plain, lambda table: blank),
        "untitled": (untitled, folder.image_path),
    }
    figures = {}
    for name, (pairs, picture) in conditions.items():
        scorer = ChatPairScorer.from_pretrained(config.checkpoint, chat=chat, image_path=picture)
        scores = iter(scorer(pairs))
        figures[name] = judged([[next(scores) for _ in items] for _, items in questions])
    return figures


def _questions(config: PicturesConfig, folder: DataFolder) -> list[tuple[Query, list[str]]]:
    """Questions, each with its relevant table and others of the run."""
    run = read_run(config.run)
    found = []
    for query_id, grades in folder.qrels(config.split).items():
        relevant = [item for item, grade in grades.items() if grade > 0]
        others = [one.item_id for one in run.get(query_id, []) if grades.get(one.item_id, 0) <= 0]
        if relevant and len(others) >= config.candidates - 1:
            found.append((folder.queries[query_id], [relevant[0], *others[: config.candidates - 1]]))
    if not found:
        raise UserError(
            f"{config.run}: no query of split '{config.split}' has {config.candidates - 1} tables beside the "
            "relevant one: name a run over it, or ask for fewer candidates"
        )
    return _spread(found, config.max_queries)


def _read_all(
    config: PicturesConfig, folder: DataFolder, opened: tuple[Any, Any, Any], max_length: int, blank: Path
) -> dict[str, dict[str, float]]:
    relevant = {
        item for grades in folder.qrels(config.split).values() for item, grade in grades.items() if grade > 0
    }
    tables = [folder.tables[item] for item in _spread(sorted(relevant), config.max_readings)]
    asked = [
        (table, found) for table in tables if (found := reading(table, random.Random(table.id))) is not None
    ]
    if len(asked) < 2:
        raise UserError(f"{config.data}: split '{config.split}' has no two tables that can be read")
    model, tokenizer, processor = opened
    inputs = ChatInputs.of(model, tokenizer, processor, max_length=max_length)
    own = [folder.image_path(table) for table, _ in asked]
    conditions = {"own": own, "blank": [blank] * len(own), "other": [*own[1:], own[0]]}
    return {
        name: read_figures(
            [
                _reply_tokens(
                    model, inputs.features(read_prompt(what, Shown(table.id, picture=str(picture))), reply)
                )
                for (table, (what, reply)), picture in zip(asked, pictures, strict=True)
            ]
        )
        for name, pictures in conditions.items()
    }


@torch.inference_mode()
def _reply_tokens(model: Any, example: ChatTokens) -> list[tuple[float, bool]]:
    """Log-probability of each token of a reply (its end included), and whether it was the likeliest."""
    batch = {name: value.to(model.device) for name, value in example.tensors.items()}
    logits_KV = model(**batch, use_cache=False).logits[0, -example.num_reply - 1 : -1].float()
    right_K = batch["input_ids"][0, -example.num_reply :]
    logs_K = torch.log_softmax(logits_KV, dim=-1).gather(1, right_K[:, None])[:, 0]
    return list(zip(logs_K.tolist(), (logits_KV.argmax(dim=-1) == right_K).tolist(), strict=True))


def _save_blank(path: Path) -> None:
    from PIL import Image

    Image.new("RGB", (640, 480), "white").save(path)


def _spread(items: Sequence[_T], most: int) -> list[_T]:
    """At most ``most`` of ``items``, evenly spread."""
    return [items[place * len(items) // most] for place in range(most)] if len(items) > most else list(items)
