"""Batch jobs that can be killed at any point and started again.

Beside the output ``OUT`` lies a journal, ``OUT.journal``, to which each finished row is appended. Its first
line holds the job's settings. The output is written from it, whole and in input order, when all rows are
done. The journal stays: the next start with more or changed inputs does only those.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import IO, Any

from tabrag import distributed
from tabrag.chat.endpoint import ServerUnavailable
from tabrag.errors import UserError
from tabrag.files import json_bytes, json_object, sha256_json, write_jsonl
from tabrag.from_json import value_from_json

logger = logging.getLogger(__name__)

Process = Callable[[list[str]], Sequence[dict[str, Any]]]
"""From a batch of ids to their rows, in the same order. A row with the key ``error`` is a failure."""


def run_job(
    out: str | Path,
    inputs: Mapping[str, Any],
    process: Process,
    *,
    settings: Mapping[str, Any],
    batch_size: int = 64,
    force: bool = False,
    description: str = "queries",
    costs: Mapping[str, int] | None = None,
    unit: str = "queries",
) -> dict[str, float | int]:
    """Process what is not done yet, then write all rows in input order.

    Every process of a group calls this alike; process 0 writes.

    A row is done when the journal holds one for the same id and content; failed rows are tried again.

    Args:
        out: The JSONL file to make.
        inputs: Id to content (JSON values), in the order of the output.
        process: Called with batches of ids.
        settings: All that the rows depend on besides their inputs (JSON values).
        batch_size: Ids a batch; after each one the journal is on disk.
        force: Start anew where the journal has other settings, or where a file without a journal is in the
            way.
        description: Label of the progress bar.
        costs: What each id counts on the progress bar; 1 where None.
        unit: What the bar counts.

    Returns:
        ``rows``, ``new``, ``failed`` (numbers), ``seconds`` and ``rows_per_second`` of the new ones.

    Raises:
        ServerUnavailable: A server that ``process`` asks is dead. What it answered before is in the journal.
        UserError: Other settings than the journal's, a foreign or broken file, another job at work on the
            same output, or a batch size below 1.
    """
    from tqdm import tqdm

    if batch_size < 1:
        raise UserError(f"batch_size is {batch_size}: it must be at least 1")
    out = Path(out)
    journal = _journal(out)
    keys = {key: sha256_json([key, content])[:32] for key, content in inputs.items()}
    with ExitStack() as stack:
        done = _begin(stack, out, journal, settings, force)
        todo = [key for key in inputs if keys[key] not in done or "error" in done[keys[key]]]
        if done:
            logger.info("%s: %d of %d rows are done", out, len(inputs) - len(todo), len(inputs))
        start = time.perf_counter()
        costs = dict.fromkeys(inputs, 1) if costs is None else costs
        total = sum(costs[key] for key in inputs)
        bar = tqdm(
            total=total,
            initial=total - sum(costs[key] for key in todo),
            desc=description,
            unit=f" {unit}",
            disable=not distributed.is_main(),
        )
        with bar:
            for first in range(0, len(todo), batch_size):
                batch = todo[first : first + batch_size]
                broken: ServerUnavailable | None = None
                try:
                    rows = dict(zip(batch, process(batch), strict=True))
                except ServerUnavailable as error:
                    broken, rows = error, _answered_before(batch, process)
                if distributed.is_main():
                    _append(journal, [{"key": keys[key], "row": row} for key, row in rows.items()])
                if broken is not None:
                    raise broken
                done.update({keys[key]: row for key, row in rows.items()})
                bar.update(sum(costs[key] for key in batch))
        seconds = time.perf_counter() - start
        rows = [done[keys[key]] for key in inputs]
        if distributed.is_main():
            write_jsonl(out, rows)
        distributed.barrier()
    return {
        "rows": len(rows),
        "new": len(todo),
        "failed": sum("error" in row for row in rows),
        "seconds": round(seconds, 3),
        "rows_per_second": round(len(todo) / seconds, 2) if todo else 0.0,
    }


def journal_settings(out: str | Path) -> dict[str, Any] | None:
    """The settings that the journal beside a job's output holds; None where there is no journal.

    Raises:
        UserError: It is no journal.
    """
    journal = _journal(Path(out))
    if not journal.is_file():
        return None
    with journal.open("rb") as file:
        header = json_object(file.readline(), f"{journal}:1")
    settings: dict[str, Any] = value_from_json(
        dict[str, Any], header.get("settings"), where=journal, key="settings"
    )
    return settings


def rows_or_errors(
    ids: list[str], process: Process, failed: Callable[[str], dict[str, Any]]
) -> list[dict[str, Any]]:
    """The rows of a batch; where one of its ids is at fault, the others' rows all the same.

    A batch that fails is tried in halves.

    Args:
        ids: The batch.
        process: Gives the rows or raises.
        failed: The row of an id that fails by itself; ``error`` is added to it.

    Raises:
        ServerUnavailable: A server is dead, which is no fault of any id.
    """
    try:
        return list(process(ids))
    except ServerUnavailable:
        raise
    except UserError as error:
        if len(ids) == 1:
            logger.warning("%s: %s", ids[0], error)
            return [{**failed(ids[0]), "error": str(error)}]
    half = len(ids) // 2
    return [row for some in (ids[:half], ids[half:]) for row in rows_or_errors(some, process, failed)]


def _answered_before(batch: list[str], process: Process) -> dict[str, dict[str, Any]]:
    """Rows of those ids of a batch that the server had answered before it died: a served chat model keeps
    their answers, and fails at once for the others."""
    rows = {}
    for key in batch:
        with suppress(ServerUnavailable):
            rows[key] = process([key])[0]
    return rows


def _journal(out: Path) -> Path:
    return out.with_name(out.name + ".journal")


def _begin(
    stack: ExitStack, out: Path, journal: Path, settings: Mapping[str, Any], force: bool
) -> dict[str, dict[str, Any]]:
    """Lock the journal until the stack closes and give its rows; a fault is raised in every process alike."""
    done: dict[str, dict[str, Any]] = {}
    fault = ""
    if distributed.is_main():
        try:
            journal.parent.mkdir(parents=True, exist_ok=True)
            _lock(stack.enter_context(journal.open("ab")), journal)
            done = _start(out, journal, settings, force)
        except UserError as error:
            fault = str(error)
    done, fault = distributed.broadcast_object((done, fault))
    if fault:
        raise UserError(fault)
    return done


def _lock(file: IO[bytes], journal: Path) -> None:
    """Keep other jobs off the journal until the file is closed."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise UserError(
            f"{journal}: another job is writing it: wait for it or name another output"
        ) from error


def _start(out: Path, journal: Path, settings: Mapping[str, Any], force: bool) -> dict[str, dict[str, Any]]:
    """Rows of the journal by key; a new journal where there is none or ``force`` says so."""
    header = {"settings": json.loads(json.dumps(settings))}
    lines = _read(journal, force)
    if lines and lines[0] == header:
        return {line["key"]: line["row"] for line in lines[1:]}
    if lines and not force:
        before = lines[0].get("settings", {})
        changed = sorted(
            name
            for name in before.keys() | header["settings"].keys()
            if before.get(name) != settings.get(name)
        )
        raise UserError(
            f"{out}: begun with other settings ({', '.join(changed)} changed): name another output, or start "
            "it anew with force"
        )
    if not lines and out.exists() and not force:
        raise UserError(f"{out} exists and has no journal: name another output, or overwrite it with force")
    os.truncate(journal, 0)
    _append(journal, [header])
    return {}


def _read(journal: Path, force: bool) -> list[dict[str, Any]]:
    """The complete lines of the journal; a last line that was cut off is removed from the file.

    A broken line before it is an error; with ``force`` nothing of the journal is used then.
    """
    content = journal.read_bytes()
    end = content.rfind(b"\n") + 1
    if end < len(content):
        os.truncate(journal, end)
    try:
        return [json.loads(line) for line in content[:end].splitlines()]
    except ValueError as error:
        if force:
            return []
        raise UserError(f"{journal}: a line is not JSON ({error}): start anew with force") from error


def _append(journal: Path, lines: Sequence[Mapping[str, Any]]) -> None:
    with journal.open("ab") as file:
        file.write(b"".join(json_bytes(line) + b"\n" for line in lines))
        file.flush()
        os.fsync(file.fileno())
