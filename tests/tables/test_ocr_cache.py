from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image, ImageDraw

from tabrag.errors import UserError
from tabrag.tables.ocr_cache import read_words_once, words_file


def test_a_picture_is_read_once_until_its_bytes_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    picture, cache = tmp_path / "a.png", tmp_path / "ocr"
    image = Image.new("RGB", (60, 40), "white")
    ImageDraw.Draw(image).text((8, 4), "2017", fill="black", font_size=22)
    image.save(picture)
    words = read_words_once(picture, cache)
    assert [word.text for word in words] == ["2017"]
    assert words[0].box[0] < 500 < words[0].box[2]
    times: list[int] = []
    monkeypatch.setattr("tabrag.tables.ocr_cache.read_words", lambda image: times.append(1) or [])
    assert read_words_once(picture, cache) == words and not times
    picture.rename(tmp_path / "b.png")
    assert read_words_once(tmp_path / "b.png", cache) == words and not times
    Image.new("RGB", (9, 9), "white").save(tmp_path / "b.png")
    assert read_words_once(tmp_path / "b.png", cache) == [] and times == [1]
    assert read_words_once(tmp_path / "b.png", cache) == [] and times == [1]


def test_a_broken_picture_or_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.png").write_bytes(b"no picture")
    with pytest.raises(UserError, match=r"x\.png"):
        read_words_once(tmp_path / "x.png", tmp_path / "ocr")
    path = words_file(tmp_path / "x.png", tmp_path / "ocr")
    assert not path.exists()
    path.parent.mkdir(parents=True)
    path.write_text("{")
    with pytest.raises(UserError, match=r"\.words\.json: not a JSON file"):
        read_words_once(tmp_path / "x.png", tmp_path / "ocr")
