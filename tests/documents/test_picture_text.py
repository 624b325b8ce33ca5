"""What is said of a picture without looking at it, and what a model has written of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_report import report, write

from tabrag.documents.descriptions import Descriptions, description_key
from tabrag.documents.picture_text import described_pictures, picture_texts
from tabrag.errors import UserError
from tabrag.files import write_jsonl
from tabrag.types import Block, Document

CHART = 7


def test_a_picture_is_told_by_its_caption_section_and_the_sentences_around():
    texts = picture_texts(report())
    assert list(texts) == [CHART], "a picture that tells nothing has no text"
    said = texts[CHART]
    assert said.where == "Fruit report > Trade > Prices"
    assert said.caption == "Figure 1: Price of lemons"
    assert said.said == "EUR 4"
    assert said.around == ("It ended.", "Nobody knows why.", "Figure 1 shows a fall.")
    assert said.text == (
        "Fruit report > Trade > Prices\nFigure 1: Price of lemons\nEUR 4\n"
        "It ended. Nobody knows why. Figure 1 shows a fall."
    )


def captions(*kinds: str) -> list[str]:
    """Captions of the pictures among blocks ``p``, ``c`` (caption), ``t`` (table) and ``x`` (text)."""
    names = {"p": "picture", "c": "caption", "t": "table", "x": "text"}
    blocks = [
        Block(
            kind=names[kind],
            text=f"Figure {place}" if kind == "c" else "",
            table="t" if kind == "t" else None,
            image="i.png",
        )
        for place, kind in enumerate(kinds)
    ]
    return [said.caption for said in picture_texts(Document(id="d", blocks=blocks)).values()]


def test_captions_stand_below_or_above_as_most_of_them_do():
    assert captions(*"pcpc") == ["Figure 1", "Figure 3"]
    assert captions(*"cpcp") == ["Figure 0", "Figure 2"]
    assert captions(*"ppc") == ["Figure 2", "Figure 2"], "pictures side by side share one"
    assert captions(*"pct") == [""], "the caption of a table is not that of the picture before it"
    assert captions(*"cpxpc") == ["Figure 0", "Figure 4"]
    assert captions(*"xp") == [""]


def test_sentences_of_other_pages_and_sections_are_not_around():
    blocks = [
        Block(kind="text", text="Far.", page=1),
        Block(kind="picture", image="i.png", page=2),
        Block(kind="heading", text="Next", page=2),
        Block(kind="text", text="Other.", page=2),
    ]
    said = picture_texts(Document(id="d", blocks=blocks))[1]
    assert said.around == () and not said.tells and said.text == ""
    blocks[0].page, blocks[2].kind = 2, "picture"
    assert picture_texts(Document(id="d", blocks=blocks))[1].around == ("Far.", "Other.")


def test_a_label_is_found_as_a_whole():
    blocks = [
        Block(kind="text", text="See Figure 12. See figure  1.2. And Figure 1, too. Also (Figure 1)."),
        Block(kind="heading", text="x"),
        Block(kind="picture", image="i.png"),
        Block(kind="caption", text="Figure 1. Lemons"),
    ]
    said = picture_texts(Document(id="d", blocks=blocks))[2]
    assert said.around == ("And Figure 1, too.", "Also (Figure 1).")


def test_what_a_model_wrote_stands_below_place_and_caption(tmp_path: Path):
    data, document = write(tmp_path / "data"), report()
    image = data / "images/chart.png"
    template = described_pictures(document)[CHART]
    assert template == picture_texts(document)[CHART].text
    key = description_key(template, image)
    assert key != description_key(template) != description_key(template, data / "images/logo.png")
    write_jsonl(tmp_path / "written.jsonl", [{"_id": key, "text": "A line falls."}])
    written = Descriptions(tmp_path / "written.jsonl")
    told = described_pictures(document, folder=data, written=written)[CHART]
    assert told == "Fruit report > Trade > Prices\nFigure 1: Price of lemons\nA line falls."
    image.write_bytes((data / "images/logo.png").read_bytes())
    assert described_pictures(document, folder=data, written=written)[CHART] == template, "another picture"
    image.unlink()
    with pytest.raises(UserError, match=r"chart\.png: the picture cannot be read"):
        described_pictures(document, folder=data, written=written)
