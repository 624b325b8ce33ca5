"""What a document says of its pictures, without looking at them: captions, sections, the sentences around.

The template that stands in for the descriptions of MM-BizRAG's image model (Bhathena et al., arXiv
2606.04231), and what such a model is told of a picture.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tabrag.documents.descriptions import Written
from tabrag.documents.section_paths import section_paths, where
from tabrag.documents.sentences import split_sentences
from tabrag.files import inside
from tabrag.tables.text import one_line
from tabrag.types import Block, Document

_LABEL = re.compile(r"[^\W\d_]+\.?\s*(?:no\.?\s*)?[A-Z]?\d+(?:[.\-–]\d+)*", re.IGNORECASE)
"""What a caption begins with and sentences name: ``Figure 3``, ``Abb. 2.1``."""
_MAX_MENTIONS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureText:
    """What is said of a picture.

    Attributes:
        where: Title of the document and headings above it, in one line.
        caption: Its caption, or empty.
        said: What stands in its place for those who do not see it, or is printed upon it; or empty.
        around: Sentences before and behind it, and those that name it.
    """

    where: str = ""
    caption: str = ""
    said: str = ""
    around: tuple[str, ...] = ()

    @property
    def head(self) -> str:
        """Where it stands and its caption, a line each."""
        return "\n".join(part for part in (self.where, self.caption) if part)

    @property
    def tells(self) -> bool:
        """Whether anything is said besides where it stands."""
        return bool(self.caption or self.said or self.around)

    @property
    def text(self) -> str:
        """Everything, a line each."""
        around = " ".join(self.around)
        return "\n".join(part for part in (self.head, self.said, around) if part)


def picture_texts(document: Document) -> dict[int, PictureText]:
    """What is said of each picture that tells something, by the number of its block."""
    blocks = document.blocks
    places = [place for place, block in enumerate(blocks) if block.kind == "picture"]
    if not places:
        return {}
    below = sum(_caption_at(blocks, place, 1) != "" for place in places)
    above = sum(_caption_at(blocks, place, -1) != "" for place in places)
    steps = (1, -1) if below >= above else (-1, 1)
    paths = section_paths(document)
    texts: dict[int, PictureText] = {}
    for place in places:
        if blocks[place].decoration:
            continue
        caption = next((text for step in steps if (text := _caption_at(blocks, place, step))), "")
        around = [*_near(blocks, place), *_mentions(blocks, caption)]
        texts[place] = PictureText(
            where=where(document, paths[place]),
            caption=caption,
            said=one_line(blocks[place].text),
            around=tuple(text for text in dict.fromkeys(around) if text not in (caption, "")),
        )
    return texts


def described_pictures(
    document: Document, *, folder: Path | None = None, written: Written | None = None
) -> dict[int, str]:
    """A description of each picture of which anything is known, by the number of its block.

    Args:
        document: The document.
        folder: The data set folder that holds its pictures.
        written: What a chat model wrote of pictures: it stands below the place and the caption of the
            picture, in place of the template.

    Raises:
        UserError: A picture that may be described cannot be read.
    """
    described: dict[int, str] = {}
    for place, said in picture_texts(document).items():
        image = document.blocks[place].image
        told = None
        if written is not None and folder is not None and image is not None:
            told = written.of(said.text, inside(folder, image))
        if told is not None:
            described[place] = f"{said.head}\n{told}" if said.head else told
        elif said.tells:
            described[place] = said.text
    return described


def _caption_at(blocks: list[Block], place: int, step: int) -> str:
    """The caption on one side of a picture, behind pictures that share it; one beside a table is that's."""
    other = place + step
    while 0 <= other < len(blocks) and blocks[other].kind == "picture":
        other += step
    if not 0 <= other < len(blocks) or blocks[other].kind != "caption":
        return ""
    behind = other + step
    if 0 <= behind < len(blocks) and blocks[behind].kind == "table":
        return ""
    return one_line(blocks[other].text)


def _near(blocks: list[Block], place: int) -> Iterator[str]:
    """The last sentence before a picture and the first one behind it, of its page and section."""
    for others, at in ((range(place - 1, -1, -1), -1), (range(place + 1, len(blocks)), 0)):
        for other in others:
            block = blocks[other]
            if block.kind == "heading" or block.page != blocks[place].page:
                break
            if block.kind in ("text", "list") and block.text.strip():
                yield one_line(split_sentences(block.text)[at])
                break


def _mentions(blocks: Iterable[Block], caption: str) -> list[str]:
    """Sentences of the text that name what a caption begins with."""
    label = _LABEL.match(caption)
    if label is None:
        return []
    words = r"\s+".join(map(re.escape, label.group().split()))
    named = re.compile(rf"(?<!\w){words}(?![\w]|[.\-–]\d)", re.IGNORECASE)
    found: list[str] = []
    for block in blocks:
        if block.kind in ("text", "list") and named.search(block.text):
            found += [one_line(text) for text in split_sentences(block.text) if named.search(text)]
            if len(found) >= _MAX_MENTIONS:
                break
    return found[:_MAX_MENTIONS]
