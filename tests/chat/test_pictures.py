from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from tabrag.chat.pictures import MAX_RATIO, open_picture


@pytest.mark.parametrize("size", [(1, 1), (5000, 1), (1, 5000), (3, 900), (400, 300), (700, 7)])
def test_mere_lines_get_white_beside_them(tmp_path: Path, size: tuple[int, int]) -> None:
    path = tmp_path / "line.png"
    Image.new("RGB", size, (0, 0, 0)).save(path)
    picture = open_picture(str(path))
    assert max(picture.size) == max(size) and max(picture.size) <= MAX_RATIO * min(picture.size)
    assert picture.crop((0, 0, *size)).getextrema() == ((0, 0),) * 3
    if max(size) <= MAX_RATIO * min(size):
        assert picture.size == size
    else:
        assert picture.getpixel((picture.width - 1, picture.height - 1)) == (255, 255, 255)
