"""Candidates in the order that a chat model gives them in one call a question."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace

from tabrag.chat.listwise import order_prompt, read_order
from tabrag.chat.prompts import Shown
from tabrag.chat.protocol import ChatModel, Message, Text
from tabrag.documents.part import DocumentPart
from tabrag.documents.whole import Item, WholeDocument
from tabrag.inference.config import ContextConfig
from tabrag.inference.context import build_contexts
from tabrag.inference.document_text import document_texts
from tabrag.inference.show_items import item_titles
from tabrag.types import Table

logger = logging.getLogger(__name__)

_TOKENS_A_NUMBER = 6
"""With its digits one by one, brackets, a comma and a blank."""
_ONCE_MORE = "Reply with numbers of the list alone, for example: 2, 1"


def order_lists(
    asked: Sequence[tuple[str, Sequence[Item]]],
    chat: ChatModel,
    *,
    context: ContextConfig,
    num_best: int,
) -> list[list[int] | None]:
    """For each question the places of its candidates, the best first.

    A reply that names no candidate is asked for once more.

    Args:
        asked: Questions with their candidates: tables, documents or parts of them.
        chat: The model.
        context: Budget of the texts of all candidates of a question together.
        num_best: How many the model is asked to name; the others follow in their order.

    Returns:
        All places of each question's candidates; None where neither reply names one.
    """
    prompts = [
        order_prompt(question, _shown(items, question, chat, context), num_best=min(num_best, len(items)))
        for question, items in asked
    ]
    length = _TOKENS_A_NUMBER * num_best + _TOKENS_A_NUMBER
    orders: list[list[int] | None] = [None] * len(asked)
    rows = [row for row, (_, items) in enumerate(asked) if items]
    for attempt in range(2):
        turns = [_again(prompts[row], attempt) for row in rows]
        replies = chat.generate_batch(turns, max_new_tokens=length)
        for row, reply in zip(rows, replies, strict=True):
            orders[row] = read_order(reply.text, len(asked[row][1]))
        rows = [row for row in rows if orders[row] is None]
        if not rows:
            break
    if rows:
        logger.warning("%d of %d replies name no candidate: their order stays", len(rows), len(asked))
    return orders


def _again(prompt: list[Message], attempt: int) -> list[Message]:
    if attempt == 0:
        return prompt
    last = prompt[-1]
    return [*prompt[:-1], Message(last.role, (*last.parts, Text(f"\n{_ONCE_MORE}")))]


def _shown(items: Sequence[Item], question: str, chat: ChatModel, context: ContextConfig) -> list[Shown]:
    """What the model sees of the candidates: texts within the budget.

    Documents share it by what fits the question best, and so do tables. Each part of a document has the same
    share, so that none is judged by its title alone.
    """
    parts = [item for item in items if isinstance(item, DocumentPart)]
    wholes = [
        item for item in items if isinstance(item, WholeDocument) and not isinstance(item, DocumentPart)
    ]
    tables = [item for item in items if isinstance(item, Table)]
    texts: dict[str, str] = {}
    if wholes:
        found = document_texts(wholes, question, config=context, num_tokens=chat.num_tokens)
        texts |= {whole.id: one.text for whole, one in zip(wholes, found, strict=True)}
    share = replace(context, max_tokens=max(1, context.max_tokens // len(items))) if items else context
    for part in parts:
        (one,) = document_texts([part], question, config=share, num_tokens=chat.num_tokens)
        texts[part.id] = one.text
    if tables:
        contexts = build_contexts(
            [(table, None) for table in tables], question, config=context, num_tokens=chat.num_tokens
        )
        texts |= {table.id: one.text for table, one in zip(tables, contexts, strict=True)}
    return [
        Shown(item.id, title, texts[item.id]) for item, title in zip(items, item_titles(items), strict=True)
    ]
