"""Pictures of a page: those in ``data:`` addresses and those in its own folder. Nothing is fetched."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, unquote_to_bytes, urlsplit

from lxml.etree import _Element

from tabrag.errors import UserError
from tabrag.files import inside

_MAX_BYTES = 1 << 25
_MIN_SIDE = 16


class PagePictures:
    """Finds the pictures of one page.

    Args:
        path: The page.
    """

    def __init__(self, path: Path) -> None:
        self.folder = path.parent
        self.num_remote = 0
        self._missing: dict[str, str] = {}

    def load(self, address: str) -> tuple[bytes | None, str]:
        """The bytes of a picture, None where it is elsewhere, and what to call it."""
        address = address.strip()
        if address[:5].lower() == "data:":
            return _from_data(address), "a picture in the page"
        if not address:
            return None, "picture"
        try:
            parts = urlsplit(address)
        except ValueError:
            self._missing[address[:100]] = "no address of a picture"
            return None, "picture"
        if (parts.scheme and len(parts.scheme) > 1) or parts.netloc:
            self.num_remote += 1
            return None, "picture"
        name = unquote(parts.path)
        try:
            path = inside(self.folder, name.lstrip("/"))
            if name.startswith("/") or not path.is_file() or path.stat().st_size > _MAX_BYTES:
                self._missing[name] = "is not beside the page"
                return None, name
            return path.read_bytes(), name
        except (UserError, OSError, ValueError):
            self._missing[name[:100]] = "lies outside the folder of the page"
            return None, name

    def notes(self) -> Iterator[str]:
        """What could not be loaded."""
        if self.num_remote:
            pictures = "1 picture lies" if self.num_remote == 1 else f"{self.num_remote} pictures lie"
            yield f"{pictures} on other machines: not fetched"
        for name, reason in self._missing.items():
            yield f"picture {name!r} {reason}"


def is_decoration(element: _Element) -> bool:
    """Whether an ``img`` is a spacer, a point of a list, or marked as saying nothing."""
    if element.get("role") in ("presentation", "none"):
        return True
    sides = [re.match(r"\d{1,6}", (element.get(name) or "").strip()) for name in ("width", "height")]
    return any(side is not None and int(side[0]) < _MIN_SIDE for side in sides)


def _from_data(address: str) -> bytes | None:
    """The bytes in a ``data:`` address (RFC 2397)."""
    head, _, body = address[5:].partition(",")
    if not head.lower().startswith("image/") or len(body) > 2 * _MAX_BYTES:
        return None
    if head.lower().endswith(";base64"):
        try:
            return base64.b64decode(unquote(re.sub(r"\s+", "", body)), validate=False)
        except (binascii.Error, ValueError):
            return b""
    return unquote_to_bytes(body)
