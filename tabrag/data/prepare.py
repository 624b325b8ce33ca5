"""From a source to a folder: rendering, pictures, failures, counts."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tabrag.data.dataset import Dataset
from tabrag.data.folder import copy_picture, fill_folder, new_folder
from tabrag.data.pictures import render_tables
from tabrag.files import write_jsonl
from tabrag.types import Table

logger = logging.getLogger(__name__)


def prepare(
    data: Dataset,
    out: str | Path,
    *,
    render: bool = False,
    style: str = "mixed",
    num_workers: int | None = None,
) -> dict[str, Any]:
    """Write a data set folder from what a source gave.

    Args:
        data: The data set.
        out: The folder; it stands there only once it is complete.
        render: Draw each table that has a grid and no picture yet.
        style: See :func:`tabrag.data.pictures.render_tables`.
        num_workers: Processes that draw; as many as there are cores where None.

    Returns:
        Counts of what was written, of files that failed and of repairs.

    Raises:
        UserError: ``out`` holds something else, or a part of the data set cannot be written.
    """
    from tqdm import tqdm

    with new_folder(out) as folder:
        for relative, source in data.images.items():
            copy_picture(source, folder, relative)
        tables: Iterable[Table] = data.tables
        if render:
            tables = render_tables(tables, folder, style=style, num_workers=num_workers)
        counts: dict[str, Any] = dict(
            fill_folder(
                folder,
                tables=tqdm(tables, desc=data.card.name, unit=" tables", mininterval=1.0),
                queries=data.queries,
                qrels=data.qrels,
                gold_headers=data.gold_headers,
                card=data.card,
            )
        )
        if data.failed:
            counts["failed"] = write_jsonl(folder / "failed.jsonl", data.failed)
            logger.warning("%d files could not be read; failed.jsonl names them", len(data.failed))
    for rule, count in data.repairs.items():
        logger.info("%s: %d", rule, count)
    return {"out": str(out), **counts, **({"repairs": dict(data.repairs)} if data.repairs else {})}
