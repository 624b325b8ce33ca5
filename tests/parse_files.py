"""Files parsed in tests, and what they say."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PIL import Image

from tabrag.documents.parsed import Parsed, ParseOptions, Pictures


def parsed(parse: Callable[..., Parsed], path: Path, *, out: Path | None = None, **options: Any) -> Parsed:
    """The file as its parser reads it; pictures go to ``out``, a folder beside the file where None."""
    pictures = Pictures(out or path.parent / "out", "doc")
    return parse(path, "doc", pictures=pictures, options=ParseOptions(**options))


def said(found: Parsed) -> list[tuple[str, str]]:
    """Kind and text of each block; of a table its id, of a picture its path or its description."""
    return [(block.kind, block.table or block.text or block.image or "") for block in found.document.blocks]


def png(*, side: int = 40, colour: str = "red") -> bytes:
    """A picture of one colour."""
    buffer = io.BytesIO()
    Image.new("RGB", (side, side), colour).save(buffer, format="PNG")
    return buffer.getvalue()
