"""Picture files into documents: words beside them, no words, several frames, broken ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image, ImageDraw

from tabrag.documents.parse_image import parse_image
from tabrag.documents.parsed import Parsed, ParseOptions, Pictures
from tabrag.errors import UserError

_CELLS = [
    ["Region", "Sales", "Growth"],
    ["North", "1,234", "5.6%"],
    ["South", "987", "12.0%"],
    ["East", "45", "1%"],
]


def _parse(path: Path, out: Path, **options: object) -> Parsed:
    return parse_image(path, path.name, pictures=Pictures(out, "p"), options=ParseOptions(**options))  # type: ignore[arg-type]


def _write_table(folder: Path) -> Path:
    """A ruled table without ink in its cells, and a file with its words."""
    picture = Image.new("RGB", (600, 400), "white")
    draw = ImageDraw.Draw(picture)
    words, boxes = ["Sales", "of", "2020"], [[60, 20, 110, 36], [116, 20, 134, 36], [140, 20, 180, 36]]
    for row in range(5):
        draw.line((50, 80 + 60 * row, 500, 80 + 60 * row), fill="black")
    for col in range(4):
        draw.line((50 + 150 * col, 80, 50 + 150 * col, 320), fill="black")
    for row, texts in enumerate(_CELLS):
        for col, text in enumerate(texts):
            x, y = 60 + 150 * col, 100 + 60 * row
            words.append(text)
            boxes.append([x, y, x + 9 * len(text), y + 16])
    path = folder / "table.png"
    picture.save(path)
    (folder / "table.png.words.json").write_text(
        json.dumps({"words": words, "boxes": boxes}), encoding="utf-8"
    )
    return path


def test_words_beside_the_picture(tmp_path: Path) -> None:
    parsed = _parse(_write_table(tmp_path), tmp_path / "out")
    (table,) = parsed.tables
    assert table.grid is not None and table.grid.cells == _CELLS
    assert table.id == "table.png#t1" and table.document == "table.png" and not parsed.partial
    assert [block.table for block in parsed.document.blocks if block.kind == "table"] == [table.id]
    assert any("Sales of 2020" in block.text for block in parsed.document.blocks) or "Sales" in table.caption
    (page,) = parsed.document.pages
    assert (tmp_path / "out" / str(page.image)).is_file()
    crop = Image.open(tmp_path / "out" / str(table.image))
    assert crop.width < 500 and crop.height < 290, "a piece of the page"
    assert [word.text for word in table.words or ()] == sum(_CELLS, [])
    north = next(word for word in table.words or () if word.text == "North")
    assert abs(north.box[0] - 1000 * 13 / 458) < 12 and 250 < north.box[1] < 400


def test_broken_words_make_it_partial(tmp_path: Path) -> None:
    path = _write_table(tmp_path)
    (tmp_path / "table.png.words.json").write_text("[]", encoding="utf-8")
    parsed = _parse(path, tmp_path / "out")
    assert parsed.partial and any("words.json" in note for note in parsed.notes)


def test_without_words_it_is_one_table_of_its_picture(tmp_path: Path) -> None:
    Image.new("RGB", (80, 40), "grey").save(tmp_path / "x.webp")
    parsed = _parse(tmp_path / "x.webp", tmp_path / "out")
    (table,) = parsed.tables
    assert table.grid is None and table.words is None
    assert table.image == parsed.document.pages[0].image
    assert "rapidocr" in parsed.notes[0] and not parsed.partial
    parsed = _parse(tmp_path / "x.webp", tmp_path / "other", page_images=False)
    assert parsed.document.pages[0].image is None
    assert (tmp_path / "other" / str(parsed.tables[0].image)).is_file()


def test_each_frame_is_a_page(tmp_path: Path) -> None:
    frames = [Image.new("RGB", (60 + 10 * i, 40), "white") for i in range(3)]
    frames[0].save(tmp_path / "x.tif", save_all=True, append_images=frames[1:])
    parsed = _parse(tmp_path / "x.tif", tmp_path / "out")
    assert [page.number for page in parsed.document.pages] == [1, 2, 3]
    assert [block.page for block in parsed.document.blocks] == [1, 2, 3]
    assert [table.id for table in parsed.tables] == ["x.tif#t1", "x.tif#t2", "x.tif#t3"]


def test_a_broken_frame_makes_it_partial(tmp_path: Path) -> None:
    frames = [Image.effect_noise((90, 90), 80).convert("RGB") for _ in range(2)]
    frames[0].save(tmp_path / "x.tif", save_all=True, append_images=frames[1:], compression="tiff_lzw")
    content = bytearray((tmp_path / "x.tif").read_bytes())
    content[200:900] = bytes(700)
    (tmp_path / "x.tif").write_bytes(bytes(content))
    parsed = _parse(tmp_path / "x.tif", tmp_path / "out")
    assert parsed.partial and [page.number for page in parsed.document.pages] == [2]


def test_blank_picture_gives_no_table(tmp_path: Path) -> None:
    pytest.importorskip("rapidocr")
    Image.new("RGB", (90, 60), "white").save(tmp_path / "x.png")
    parsed = _parse(tmp_path / "x.png", tmp_path / "out", ocr="rapidocr")
    assert parsed.tables == [] and [block.kind for block in parsed.document.blocks] == ["picture"]


def test_empty_form_is_a_table(tmp_path: Path) -> None:
    pytest.importorskip("rapidocr")
    path = _write_table(tmp_path)
    (tmp_path / "table.png.words.json").unlink()
    parsed = _parse(path, tmp_path / "out", ocr="rapidocr")
    assert [table.grid for table in parsed.tables] == [None] and parsed.tables[0].image


def test_no_picture(tmp_path: Path) -> None:
    (tmp_path / "x.png").write_bytes(b"\x89PNG\r\n\x1a\n and no more")
    with pytest.raises(UserError, match=r"x\.png"):
        _parse(tmp_path / "x.png", tmp_path / "out")


def test_missing_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tabrag.documents.parse_image.find_spec", lambda name: None)
    Image.new("RGB", (9, 9)).save(tmp_path / "x.png")
    with pytest.raises(UserError, match=r"rapidocr.*tabrag\[ocr\]"):
        _parse(tmp_path / "x.png", tmp_path / "out", ocr="rapidocr")
