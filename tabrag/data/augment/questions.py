"""The questions of one table."""

from __future__ import annotations

import random
import re
from dataclasses import replace

from tabrag.data.augment import compare, group, keywords, lookup, statement
from tabrag.data.augment.draft import Draft, Maker
from tabrag.data.augment.facts import Facts
from tabrag.data.augment.vary import content_words
from tabrag.data.content import table_digest
from tabrag.types import Table

MAKERS: dict[Maker, float] = {
    lookup.lookup: 5.0,
    lookup.anchored: 1.6,
    keywords.cell: 1.0,
    keywords.headers: 0.8,
    keywords.row: 0.6,
    compare.superlative: 1.0,
    compare.comparison: 0.6,
    compare.difference: 0.6,
    compare.total: 0.4,
    compare.share: 0.4,
    group.count: 0.4,
    group.members: 0.4,
    statement.value: 0.8,
    statement.order: 0.3,
}
"""How often each kind is drawn for a table in Latin letters."""

_PLAIN_MAKERS: dict[Maker, float] = {keywords.cell: 3.0, keywords.headers: 1.0}
_TRIES_PER_QUESTION = 15
_LOWER_CASE = 0.85
_NO_MARK = 0.1
_MIN_CONTENT = 3
"""Different words of meaning that a question in Latin letters has at least."""
_MAX_CHARS = 400


def make_questions(table: Table, *, count: int, seed: int) -> tuple[list[Draft], str]:
    """Up to ``count`` different questions on a table.

    The same table, count and seed give the same questions, whatever other tables there are.

    Returns:
        The questions, and why there are none (an empty text where there are some).
    """
    grid = table.grid
    if grid is None:
        return [], "no grid: nobody has read its picture into cells"
    if not any(cell.strip() for row in grid.cells for cell in row):
        return [], "blank"
    if grid.num_rows * grid.num_cols == 1:
        return [], "one cell"
    facts = Facts(table, grid)
    if not facts.has_headers:
        return [], "no header with a text"
    if not facts.is_filled:
        return [], "no filled cell with a header"
    rng = random.Random(f"tabrag questions/{seed}/{table_digest(table).hex()}")
    makers = MAKERS if facts.is_latin else _PLAIN_MAKERS
    found: dict[object, Draft] = {}
    texts: set[str] = set()
    for _ in range(count * _TRIES_PER_QUESTION):
        if len(found) == count:
            break
        maker = rng.choices(list(makers), weights=list(makers.values()))[0]
        draft = maker(facts, rng)
        if draft is None:
            continue
        draft = _finished(draft, rng, is_latin=facts.is_latin)
        asked = (draft.kind, tuple(draft.cells), tuple(column.index for column in draft.columns))
        is_new = asked not in found and draft.text.casefold() not in texts
        if is_new and _is_usable(draft, is_latin=facts.is_latin):
            found[asked] = draft
            texts.add(draft.text.casefold())
    return list(found.values()), "" if found else "too few words to ask with"


def quotes(text: str, answer: str) -> bool:
    """Whether a text quotes an answer as whole words."""
    answer = " ".join(answer.casefold().split())
    if not answer:
        return False
    return re.search(rf"(?<!\w){re.escape(answer)}(?!\w)", " ".join(text.casefold().split())) is not None


def _finished(draft: Draft, rng: random.Random, *, is_latin: bool) -> Draft:
    text = re.sub(r"\s+([,?.:])", r"\1", " ".join(draft.text.split()))
    text = re.sub(r"\b(\w+)( \1)+\b", r"\1", text)  # "of of", "in in": where two headers meet
    if is_latin:
        text = text.lower() if rng.random() < _LOWER_CASE else text[:1].upper() + text[1:]
        if text.endswith(("?", ".")) and rng.random() < _NO_MARK:
            text = text[:-1]
    return replace(draft, text=text)


def _is_usable(draft: Draft, *, is_latin: bool) -> bool:
    if not draft.text.strip() or len(draft.text) > _MAX_CHARS:
        return False
    if is_latin and len(content_words(draft.text)) < _MIN_CONTENT:
        return False
    return not (draft.hides_answer and any(quotes(draft.text, answer) for answer in draft.answers))
