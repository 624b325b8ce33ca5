"""Whether what a reader is shown holds the facts that a question rests on (``evidence.jsonl``).

===========  ===========================================================================================
fact         it is shown where
===========  ===========================================================================================
sentence     its words stand in one text, whatever the case, the blanks and the punctuation between them
cell         one table, or one line of running text, has its value and the labels of its row and column; of
             a table's Markdown the value stands in a line with the innermost label of its row
picture      the picture beside its caption is shown, or the picture of its page
===========  ===========================================================================================
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from tabrag.chat.prompts import Shown
from tabrag.chat.protocol import Picture
from tabrag.types import Document, Fact

_WORD = re.compile(r"\w+(?:[.,]\d+)*")


def is_shown(fact: Fact, shown: Sequence[Shown], pictures: Sequence[str] = ()) -> bool:
    """Whether a fact is among what a reader is shown.

    Args:
        fact: The fact.
        shown: What the reader is shown.
        pictures: Of a picture the files that show it, see :func:`pictures_of`.
    """
    if fact.kind == "picture":
        wanted = {Path(path).resolve() for path in pictures}
        return any(Path(path).resolve() in wanted for one in shown for path in _pictures(one))
    texts = [text for one in shown for text in _joined(one)]
    if fact.kind == "sentence":
        return any(_holds(_words(text), fact.text) for text in texts)
    return any(_is_in_block(fact, block) for text in texts for block in blocks_of_text(text))


def pictures_of(fact: Fact, document: Document) -> list[str]:
    """The pictures that show a fact, by their paths in the data set folder.

    The picture whose block is the nearest to the caption, and the picture of the whole page.
    """
    blocks = document.blocks
    on_page = [
        place for place, block in enumerate(blocks) if fact.page is None or block.page in (None, fact.page)
    ]
    drawn = [place for place in on_page if blocks[place].image is not None]
    captions = [place for place in on_page if _holds(_words(blocks[place].text), fact.text)]
    found: list[str] = []
    if drawn and (captions or len(drawn) == 1):
        at = captions[0] if captions else drawn[0]
        found += [
            image for place in [min(drawn, key=lambda p: abs(p - at))] if (image := blocks[place].image)
        ]
    number = fact.page if fact.page is not None else (blocks[captions[0]].page if captions else None)
    found += [page.image for page in document.pages if page.number == number and page.image is not None]
    return found


def blocks_of_text(text: str) -> list[str]:
    """A table's Markdown with the line above it is one block; each other line is a block of its own."""
    blocks: list[str] = []
    before = ""
    in_table = False
    for line in text.splitlines():
        is_row = line.startswith("|")
        if is_row and in_table:
            blocks[-1] += f"\n{line}"
        elif is_row:
            blocks.append(f"{before}\n{line}")
        else:
            blocks.append(line)
        before, in_table = line, is_row
    return blocks


def _is_in_block(fact: Fact, block: str) -> bool:
    if not all(_holds(_words(block), label) for label in (fact.text, *fact.row, *fact.column)):
        return False
    lines = [line for line in block.splitlines() if line.startswith("|")] or [block]
    labels = (fact.text, *fact.row[-1:])
    return any(all(_holds(_words(line), label) for label in labels) for line in lines)


def _joined(shown: Shown) -> list[str]:
    """Its texts; the title of a table belongs to its text."""
    return shown.texts if shown.body else ["\n".join(shown.texts)]


def _pictures(shown: Shown) -> list[str]:
    own = [] if shown.picture is None else [shown.picture]
    return own + [piece.path for piece in shown.body if isinstance(piece, Picture)]


def _words(text: str) -> str:
    """Words and numbers between blanks, in small letters."""
    return f" {' '.join(_WORD.findall(text.casefold()))} "


def _holds(words: str, text: str) -> bool:
    return _words(text) in words if text.strip() else True
