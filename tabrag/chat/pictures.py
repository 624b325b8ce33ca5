"""Pictures as chat models take them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tabrag.tables.image import open_image

if TYPE_CHECKING:
    from PIL import Image

MAX_RATIO = 100
"""Longer to shorter side at most: Qwen-VL's processors refuse more than 200."""


def open_picture(path: str) -> Image.Image:
    """Open a picture for a chat model; one that is a mere line gets white beside it.

    Raises:
        UserError: It does not open.
    """
    picture = open_image(path)
    width, height = picture.size
    least = math.ceil(max(width, height) / MAX_RATIO)
    if min(width, height) >= least:
        return picture
    from PIL import Image

    ground = Image.new("RGB", (max(width, least), max(height, least)), (255, 255, 255))
    ground.paste(picture, (0, 0))
    return ground
