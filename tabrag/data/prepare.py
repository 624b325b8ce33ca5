"""From a source to a folder: rendering, pictures, failures, counts."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tabrag.data.dataset import Dataset, NearDuplicates, without_tables
from tabrag.data.folder import new_folder, write_documents, write_judgements, write_tables
from tabrag.data.pictures import render_tables
from tabrag.errors import UserError
from tabrag.files import write_jsonl
from tabrag.types import Table

logger = logging.getLogger(__name__)

_MAX_SHOWN = 20  # failures that go to the log; failed.jsonl has all


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
        render: Draw each table that has no picture yet. One that cannot be drawn is left out together with
            the queries that need it, so that each table of the folder has a picture; ``failed.jsonl`` names
            it.
        style: See :func:`tabrag.data.pictures.render_tables`.
        num_workers: Processes that draw; as many as there are cores where None.

    Returns:
        ``status``: ``ok``, or ``partial`` where something is left out; counts of what was written, of files,
        questions and tables that ``failed`` or are there in ``partial``, and of repairs. ``failed.jsonl`` in
        the folder names them with status and reason; a file that it does not name is whole.

    Raises:
        UserError: ``out`` holds something else, or nothing is left to be written.
    """
    from tqdm import tqdm

    undrawn: dict[str, str] = {}
    with new_folder(out) as folder:
        tables: Iterable[Table] = data.tables
        if render:
            tables = render_tables(tables, folder, style=style, num_workers=num_workers, undrawn=undrawn)
        progress = tqdm(tables, desc=data.card.name, unit=" tables", mininterval=1.0)
        num_tables = write_tables(folder, progress)
        failed = data.failed + [{"table": table_id, "reason": reason} for table_id, reason in undrawn.items()]
        if not num_tables:
            first = f": {failed[0]['reason']}" if failed else ""
            raise UserError(f"{data.card.name}: no table is left to write to {out}{first}")
        kept = without_tables(data, undrawn)
        num_documents = write_documents(folder, kept.documents) if kept.documents else 0
        counts: dict[str, Any] = dict(
            write_judgements(
                folder,
                num_tables,
                num_documents=num_documents,
                queries=kept.queries,
                qrels=kept.qrels,
                gold_headers=kept.gold_headers,
                card=data.card,
            )
        )
        if kept.near_duplicates:
            write_jsonl(folder / "near_duplicates.jsonl", map(_near_duplicates_row, kept.near_duplicates))
            kinds = Counter(f"near_duplicates/{group.kind}" for group in kept.near_duplicates)
            counts |= dict(sorted(kinds.items()))
        if failed:
            failed = [{"status": "failed", **failure} for failure in failed]
            write_jsonl(folder / "failed.jsonl", failed)
            counts |= Counter(failure["status"] for failure in failed)
            for failure in failed[:_MAX_SHOWN]:
                name = failure.get("file") or failure["table"]
                logger.warning("%s: %s: %s", failure["status"], name, failure["reason"])
            logger.warning("%d failed or partial; %s names them", len(failed), Path(out) / "failed.jsonl")
    for rule, count in data.repairs.items():
        logger.info("%s: %d", rule, count)
    repairs = {"repairs": dict(data.repairs)} if data.repairs else {}
    return {"out": str(out), "status": "partial" if failed else "ok", **counts, **repairs}


def _near_duplicates_row(group: NearDuplicates) -> dict[str, Any]:
    return {"kind": group.kind, "tables": list(group.table_ids), "similarity": group.similarity}
