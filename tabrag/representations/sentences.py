"""The sentences of a document's text, headings, captions and notes; its tables are left out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tabrag.documents.sentences import split_sentences
from tabrag.types import Document, Entry, Table


def entries(
    document: Document,
    *,
    tables: Mapping[str, Table] | None = None,
    folder: Path | None = None,
    title: bool = False,
) -> list[Entry]:
    """One text entry a sentence, ``DOCUMENT#s1``, ``DOCUMENT#s2``, in reading order.

    Args:
        document: The document.
        tables: Not needed.
        folder: Not needed: a text stands for itself.
        title: Whether each entry begins with the document's title.
    """
    head = f"{document.title.strip()}. " if title and document.title.strip() else ""
    sentences = [
        sentence for block in document.blocks if block.text for sentence in split_sentences(block.text)
    ]
    return [
        Entry(id=f"{document.id}#s{number}", item_id=document.id, text=head + sentence)
        for number, sentence in enumerate(sentences, start=1)
    ]
