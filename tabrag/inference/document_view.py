"""Documents as a reader sees them, and the way back from an answer to the table or passage it stands in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tabrag.chat.prompts import Shown
from tabrag.documents.part import DocumentPart, merge_parts
from tabrag.documents.sentences import split_sentences
from tabrag.documents.whole import Item, WholeDocument
from tabrag.inference.assemble import PicturePath, assemble
from tabrag.inference.config import ContextConfig
from tabrag.inference.document_text import DocumentText, alone, document_texts
from tabrag.inference.passages import locate_numbers, locate_passages, value_in_passages
from tabrag.inference.view import View
from tabrag.tables.grid import make_grid
from tabrag.tables.subtable import Subtable
from tabrag.types import Cell, Document, Evidence, Source, Table


@dataclass(frozen=True, slots=True)
class TextView(View):
    """The passages of a document that are shown, as a table of one column with a passage in each row.

    Answers are looked for in its passages (:mod:`tabrag.inference.passages`). Its evidence names the
    document, the passage, and where in the file that stands.

    Attributes:
        document: The document.
        blocks: The block of each row.
    """

    document: Document = field(default_factory=lambda: Document(id=""))
    blocks: tuple[int, ...] = ()

    def evidence_of(self, cells: list[Cell], *, image: str | None) -> Evidence:
        """The evidence for passages; ``cells`` are kept until :func:`without_places` drops them."""
        made = Evidence(item_id=self.document.id, title=self.document.title, source=self.document.source)
        if not cells or self.table.grid is None:
            return made
        rows = sorted({row for row, _ in cells})
        block = self.document.blocks[self.blocks[rows[0]]]
        text = " ... ".join(self.table.grid.cells[row][0] for row in rows)
        source = Source(file=self.document.source.file, page=block.page, box=block.box)
        return replace(made, cells=cells, text=text, source=source)

    @property
    def passages(self) -> list[str]:
        """The text of each row."""
        return [] if self.table.grid is None else [row[0] for row in self.table.grid.cells]

    def locate(self, answer: str, question: str, *, image: str | None) -> Evidence:
        """The passage that holds the answer, or those of its members."""
        found = locate_passages(self.passages, answer, question)
        return self.evidence_of([(row, 0) for row in found], image=image)

    def locate_sentence(self, sentence: str, question: str, *, image: str | None) -> Evidence:
        """The passages that hold the numbers of a sentence."""
        found = locate_numbers(self.passages, sentence, question)
        return self.evidence_of([(row, 0) for row in found], image=image)

    def value_of(self, reply: str, question: str) -> str:
        """The value that a reply gives, where it stands in the passages."""
        return value_in_passages(self.passages, reply, question)


@dataclass(frozen=True, slots=True)
class DocumentViews:
    """Documents as they are read.

    Attributes:
        views: Of each document that has something shown first its tables, then its text.
        shown: What the model sees, a document each.
        pages: The pages that are marked in it, as document id and number.
    """

    views: list[View]
    shown: list[Shown]
    pages: tuple[tuple[str, int], ...]


def document_views(
    items: Iterable[Item],
    question: str,
    *,
    refined: Mapping[str, Subtable],
    config: ContextConfig,
    num_tokens: Callable[[str], int],
    picture_path: PicturePath | None = None,
) -> DocumentViews:
    """What is shown of documents under one budget, and the views in which an answer is looked for.

    A table among the items is shown as a document of nothing else; parts of one document are shown together.

    Args:
        items: Documents, parts of documents and tables, the best first.
        question: The question.
        refined: Refined tables by table id.
        config: The budget of all of them together.
        num_tokens: How a text is measured.
        picture_path: Where pictures lie, for a model that sees them; None leaves them out.
    """
    pairs: list[tuple[WholeDocument, DocumentText]]
    if config.mode == "whole":
        pairs = assemble(
            list(items),
            question,
            refined=refined,
            config=config,
            num_tokens=num_tokens,
            picture_path=picture_path,
        )
    else:
        wholes = _together(items)
        texts = document_texts(wholes, question, refined=refined, config=config, num_tokens=num_tokens)
        pairs = list(zip(wholes, texts, strict=True))
    views: list[View] = []
    shown: list[Shown] = []
    pages: list[tuple[str, int]] = []
    for whole, text in pairs:
        if not text.text:
            continue
        shown.append(_shown(whole, text))
        pages += [(whole.document.id, number) for number in text.pages]
        views += [View(whole.tables[table_id], refined.get(table_id)) for table_id in text.tables]
        views += _text_view(whole, text)
    return DocumentViews(views, shown, tuple(pages))


def without_places(evidence: Evidence) -> Evidence:
    """The evidence as it is told: a passage has no rows, columns and cells."""
    return replace(evidence, rows=[], columns=[], cells=[]) if evidence.text else evidence


def _shown(whole: WholeDocument, text: DocumentText) -> Shown:
    if text.pieces:
        return Shown(whole.document.id, whole.document.title, body=text.pieces, name="Document")
    return Shown(whole.document.id, whole.document.title, text.text)


def _together(items: Iterable[Item]) -> list[WholeDocument]:
    """The items as documents, the chunks and pages of each merged, in the order of the first ones."""
    wholes: list[WholeDocument] = []
    parts: dict[str, list[DocumentPart]] = {}
    for item in items:
        if not isinstance(item, DocumentPart) or not item.units:
            wholes.append(item if isinstance(item, WholeDocument) else alone(item))
            continue
        if item.document.id not in parts:
            wholes.append(item)
        parts.setdefault(item.document.id, []).append(item)
    merged = {document_id: merge_parts(some) for document_id, some in parts.items()}
    return [
        merged[whole.document.id] if isinstance(whole, DocumentPart) and whole.units else whole
        for whole in wholes
    ]


def _text_view(whole: WholeDocument, text: DocumentText) -> Sequence[View]:
    """The view of the shown blocks' passages; none where only tables are shown."""
    document = whole.document
    rows = [
        (sentence, place)
        for place in text.blocks
        for sentence in split_sentences(document.blocks[place].text)
    ]
    if not rows:
        return []
    grid = make_grid([[sentence] for sentence, _ in rows])
    table = Table(id=document.id, title=document.title, grid=grid, source=document.source)
    return [TextView(table, None, document, tuple(place for _, place in rows))]
