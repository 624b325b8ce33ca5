"""What is read of documents: under one budget the parts that fit the question best, in document order.

SelectTop and Recombine of MixRAG (Zhang et al., "Mixture-of-RAG", 2025, section 3.2), over all candidates of
a question together, so that the budget holds; a document of which nothing is chosen has an empty text. A part
is a sentence, or a table, which is shown by its title and Markdown, cut down to what the question needs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tabrag.chat.protocol import Picture
from tabrag.documents.part import DocumentPart
from tabrag.documents.select import fill, rarity_scores
from tabrag.documents.sentences import split_sentences
from tabrag.documents.whole import WholeDocument
from tabrag.index.tokens import tokenize
from tabrag.inference.config import ContextConfig
from tabrag.inference.context import Context, build_context
from tabrag.tables.subtable import Subtable
from tabrag.tables.text import title_text
from tabrag.tables.token_estimate import estimate_tokens
from tabrag.tables.verbalise import summary
from tabrag.types import Block, Document, Table

TABLE_SHARE = 3
"""A table may take a third of the budget: one large table leaves room for the sentences that explain it."""
GAP = "..."


@dataclass(frozen=True, slots=True)
class DocumentText:
    """What is read of one document.

    Attributes:
        text: Its chosen parts in order, with ``...`` where blocks between them are left out; empty for none.
        blocks: Numbers of the blocks that it shows, ascending.
        tables: Table id -> what is shown of it.
        pieces: Texts and pictures in order, where pictures stand among the texts; else none.
        pages: Numbers of the pages that are marked in it.
    """

    text: str = ""
    blocks: tuple[int, ...] = ()
    tables: dict[str, Context] = field(default_factory=dict)
    pieces: tuple[str | Picture, ...] = ()
    pages: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class _Part:
    document: int
    block: int
    place: int
    """Number of its block in the whole document, of which this may be a part."""
    text: str
    words: tuple[str, ...]
    table: Table | None = None
    context: Context | None = None


def document_texts(
    wholes: Sequence[WholeDocument],
    question: str,
    *,
    refined: Mapping[str, Subtable] | None = None,
    config: ContextConfig | None = None,
    num_tokens: Callable[[str], int] = estimate_tokens,
) -> list[DocumentText]:
    """What is read of each document, in their order.

    Args:
        wholes: The candidates.
        question: What is asked of them.
        refined: Refined tables by table id; the others are shown from the whole.
        config: The budget of all texts together.
        num_tokens: How a text is measured.
    """
    config = config or ContextConfig()
    share = replace(config, max_tokens=max(1, config.max_tokens // TABLE_SHARE))
    asked = tokenize(question)
    parts = [
        part
        for number, whole in enumerate(wholes)
        for part in _parts(number, whole, question, refined or {}, share, num_tokens)
    ]
    scores = rarity_scores(asked, [part.words for part in parts])
    chosen = fill(scores, [num_tokens(part.text) + 1 for part in parts], budget=config.max_tokens)
    return [
        _joined([parts[place] for place in chosen if parts[place].document == number])
        for number in range(len(wholes))
    ]


def alone(table: Table) -> WholeDocument:
    """A table as a document of nothing else."""
    block = Block(kind="table", table=table.id)
    document = Document(id=table.id, title=title_text(table), blocks=[block], source=table.source)
    return WholeDocument(document, {table.id: table})


def _parts(
    number: int,
    whole: WholeDocument,
    question: str,
    refined: Mapping[str, Subtable],
    share: ContextConfig,
    num_tokens: Callable[[str], int],
) -> list[_Part]:
    title = tuple(tokenize(whole.document.title))
    parts = []
    places = whole.places if isinstance(whole, DocumentPart) else ()
    for row, block in enumerate(whole.document.blocks):
        place = places[row] if places else row
        table = whole.tables.get(block.table) if block.table is not None else None
        if table is not None:
            context = build_context(
                table, question, part=refined.get(table.id), config=share, num_tokens=num_tokens
            )
            text = "\n".join(part for part in (title_text(table), context.text) if part)
            words = (*title, *tokenize(summary(table).text), *tokenize(text))
            parts.append(_Part(number, row, place, text, words, table, context))
        for sentence in split_sentences(block.text):
            parts.append(_Part(number, row, place, sentence, (*title, *tokenize(sentence))))
    return parts


def _joined(parts: Sequence[_Part]) -> DocumentText:
    lines: list[str] = []
    before: int | None = None
    for part in parts:
        if before is not None and part.place > before + 1:
            lines.append(GAP)
        if part.place == before and part.table is None and lines:
            lines[-1] += f" {part.text}"
        else:
            lines.append(part.text)
        before = part.place
    return DocumentText(
        "\n".join(lines),
        tuple(dict.fromkeys(part.block for part in parts)),
        {
            part.table.id: part.context
            for part in parts
            if part.table is not None and part.context is not None
        },
    )
