"""When two tables are the same: a digest of what stands in them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tabrag.files import inside, sha256_file


def content_digest(record: Mapping[str, Any], *, folder: Path, titles: bool) -> bytes:
    """16 bytes that are equal for two tables of the same cell texts, blanks aside.

    Two documents are the same where their texts are and neither has a table.

    A table without cells goes by the words of its picture, one without words by the picture's bytes, and one
    whose picture is missing equals no other.

    Args:
        record: The line of ``corpus.jsonl``, see :meth:`tabrag.data.store.RecordStore.record`.
        folder: The data set folder, for pictures.
        titles: Whether title, page title, section and caption must be the same too.
    """
    names = ("title", "page_title", "section", "caption") if titles else ()
    parts: list[Any] = [_plain(record.get(name) or "") for name in names]
    if record.get("blocks") is not None:
        parts.append(
            ["blocks", [[_plain(block.get("text") or ""), block.get("table")] for block in record["blocks"]]]
        )
    elif record.get("grid") is not None:
        parts.append(["cells", [[_plain(text) for text in row] for row in record["grid"]["cells"]]])
    elif record.get("words"):
        parts.append(["words", record["words"]])
    elif record.get("image") and (picture := inside(folder, record["image"])).is_file():
        parts.append(["picture", sha256_file(picture)])
    else:
        parts.append(["id", record["_id"]])
    return hashlib.blake2b(json.dumps(parts).encode(), digest_size=16).digest()


def _plain(text: str) -> str:
    return " ".join(text.split())
