"""A folder of files into a data set folder of documents and tables, in sync with each other.

Started again, files whose bytes and options are the same keep their records and pictures, changed ones are
replaced, removed ones leave nothing behind, failed ones are tried again: the result equals that of a fresh
start byte for byte. The new folder takes the place of the old one in one step. What was read before a kill
lies in ``.NAME.work`` beside the folder and is taken up by the next start.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

from tabrag.data.card import Card
from tabrag.data.dataset import Dataset
from tabrag.data.folder import new_folder, refuse_foreign, write_judgements
from tabrag.data.ingest_plan import Planned, forget, options_key, planned_file, work_folder
from tabrag.data.own_files import OwnFile, own_files, writable
from tabrag.data.pictures import num_cores
from tabrag.data.previous import FILES, Previous, copy_bytes, link_pictures
from tabrag.data.questions import add_questions
from tabrag.data.staged import DOCUMENT, TABLES, read_job, reason_of
from tabrag.documents.docling.program import check_program
from tabrag.documents.isolate import run_isolated
from tabrag.documents.parsed import ParseOptions
from tabrag.errors import UserError, missing_extra
from tabrag.files import atomic_write, write_jsonl

logger = logging.getLogger(__name__)

_MAX_SHOWN = 20
_NOTE = "Documents of a person's own files and the tables in them; an id begins with its file's path."


def ingest(
    folder: str | Path,
    out: str | Path,
    *,
    options: ParseOptions | None = None,
    questions: str | Path | None = None,
    style: str | None = None,
    num_workers: int | None = None,
) -> dict[str, Any]:
    """Make or renew the data set folder of a folder of files.

    Args:
        folder: The files; hidden ones are passed over, links that lead out are refused.
        out: The data set folder.
        options: How files are read.
        questions: File of questions (see :mod:`tabrag.data.questions`).
        style: Draw tables that have no picture in this style, or ``mixed``; None: do not.
        num_workers: Processes that read; as many as there are cores where None.

    Returns:
        ``status``: ``ok``, or ``partial`` where a file failed or lost something; counts of what the folder
        holds, and of files: ``new`` (read now), ``kept``, ``removed``, ``failed``, ``partial``.
        ``failed.jsonl`` in the folder names the last two with their reasons.

    Raises:
        UserError: A folder or file is missing, ``out`` holds something else or is being written, a package
            is missing, or no file can be read.
    """
    folder, out, options = Path(folder), Path(out), options or ParseOptions()
    _check(folder, out, options, questions=questions, style=style, num_workers=num_workers)
    began = time.monotonic()
    passed_over: Counter[str] = Counter()
    without = (out, *([Path(questions)] if questions is not None else []))
    files = list(own_files(folder, passed_over=passed_over, without=without))
    with work_folder(out) as work:
        previous = Previous(out)
        key = options_key(options, style)
        plan = [
            planned_file(file, key, work=work, previous=previous, options=options, style=style)
            for file in files
        ]
        forget(work, {planned.job.stage for planned in plan if planned.job is not None})
        if options.converter == "docling" and any(planned.job is not None for planned in plan):
            check_program(options)
        with new_folder(out) as target:
            rows = _assemble(plan, target, key, previous, options=options, num_workers=num_workers)
            if not any(row["status"] != "failed" for row in rows):
                reasons = "".join(f"\n  {row['path']}: {row['reason']}" for row in rows[:5])
                raise UserError(f"{folder} holds no file that can be read{reasons or _kinds(passed_over)}")
            data = Dataset(
                card=Card(name=writable(folder.resolve().name) or "Documents", note=_NOTE), tables=[]
            )
            data.failed = [
                {"status": row["status"], "file": row["path"], "reason": row["reason"]}
                for row in rows
                if row["status"] != "ok"
            ]
            if questions is not None:
                documents = {row["path"]: row["tables"] for row in rows if row["status"] != "failed"}
                add_questions(data, Path(questions), documents=documents)
            counts = _finish(target, data, rows)
        figures = {"out": str(out), "status": "partial" if data.failed else "ok", **counts}
        kept = sum(planned.kept is not None for planned in plan)
        figures |= {"files": len(plan), "new": len(plan) - kept, "kept": kept}
        figures["removed"] = len(previous.names - {row["path"] for row in rows})
    _report(data, out, passed_over)
    seconds = time.monotonic() - began
    return {**figures, "seconds": round(seconds, 2), "files_per_second": round(len(plan) / seconds, 2)}


def _check(
    folder: Path,
    out: Path,
    options: ParseOptions,
    *,
    questions: str | Path | None,
    style: str | None,
    num_workers: int | None,
) -> None:
    """What can be told before anything is read."""
    from tabrag.tables.render import STYLES

    if not folder.is_dir():
        raise UserError(f"{folder}: no such folder; --from names the folder with your files")
    refuse_foreign(out)
    if folder.resolve().is_relative_to(out.resolve()):
        raise UserError(f"{out} holds the files themselves: name another --out")
    if options.ocr == "rapidocr" and find_spec("rapidocr") is None:
        raise missing_extra("rapidocr", "ocr")
    if questions is not None and not Path(questions).is_file():
        raise UserError(f"{questions}: file of questions not found")
    if style not in (None, "mixed", *STYLES):
        raise UserError(f"unknown style '{style}'; choose from mixed, {', '.join(STYLES)}")
    if num_workers is not None and num_workers < 1:
        raise UserError(f"--workers {num_workers}: give 1 or more")


def _assemble(
    plan: list[Planned],
    target: Path,
    key: str,
    previous: Previous,
    *,
    options: ParseOptions,
    num_workers: int | None,
) -> list[dict[str, Any]]:
    """Write corpus, documents, pictures and ``files.jsonl``, file by file; returns the rows of the last."""
    from tqdm import tqdm

    jobs = [planned.job for planned in plan if planned.job is not None and planned.done is None]
    outcomes = run_isolated(
        read_job,
        jobs,
        timeout=options.timeout,
        memory_mb=options.memory_mb,
        num_workers=min(num_workers or num_cores(), max(len(jobs), 1)),
    )
    rows = []
    progress = tqdm(plan, desc="files", unit=" files", mininterval=1.0)
    with (
        atomic_write(target / "corpus.jsonl", binary=True) as corpus,
        atomic_write(target / "documents.jsonl", binary=True) as documents,
    ):
        try:
            for planned in progress:
                row = {"path": planned.file.name, "sha256": planned.sha256, "size": planned.size}
                row |= {"options": key, "status": "failed", "reason": planned.file.refused}
                row |= {"tables": [], "pages": 0, "pictures": 0}
                done = planned.done
                if planned.kept is not None:
                    previous.copy(planned.file.name, corpus, documents, target)
                    row = planned.kept
                elif planned.job is not None:
                    if done is None:
                        outcome = next(outcomes)
                        done, row["reason"] = outcome.result, _shown_reason(outcome.reason, planned.file)
                    if done is not None:
                        _append(planned.job.stage, planned.file.name, corpus, documents, target)
                        names = ("status", "tables", "pages", "pictures", "timeout")
                        row |= {name: done[name] for name in names if name in done}
                        row["reason"] = _shown_reason(reason_of(done["notes"]), planned.file)
                rows.append(row)
        finally:
            outcomes.close()
    write_jsonl(target / FILES, rows)
    return rows


def _append(stage: Path, name: str, corpus: IO[bytes], documents: IO[bytes], target: Path) -> None:
    for source, out in ((TABLES, corpus), (DOCUMENT, documents)):
        with (stage / source).open("rb") as file:
            copy_bytes(file, out, (stage / source).stat().st_size)
    link_pictures(stage, target, name)


def _finish(target: Path, data: Dataset, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Write questions, judgements, failures and the card; returns counts."""
    num_documents = sum(row["status"] != "failed" for row in rows)
    counts: dict[str, Any] = dict(
        write_judgements(
            target,
            sum(len(row["tables"]) for row in rows),
            num_documents=num_documents,
            num_pages=sum(row["pages"] for row in rows),
            queries=data.queries,
            qrels=data.qrels,
            card=data.card,
        )
    )
    if data.failed:
        data.failed = [{"status": "failed", **failure} for failure in data.failed]
        write_jsonl(target / "failed.jsonl", data.failed)
    statuses = Counter(failure["status"] for failure in data.failed)
    return counts | {name: statuses[name] for name in ("failed", "partial") if statuses[name]}


def _shown_reason(reason: str, file: OwnFile) -> str:
    """The reason without the path of the file, which stands beside it."""
    return writable(reason.removeprefix(f"{file.path}: ").replace(str(file.path), file.path.name))


def _kinds(passed_over: Counter[str]) -> str:
    return f"; passed over: {', '.join(sorted(passed_over))}" if passed_over else ": it is empty"


def _report(data: Dataset, out: Path, passed_over: Counter[str]) -> None:
    if passed_over:
        shown = ", ".join(f"{count} {suffix}" for suffix, count in sorted(passed_over.items()))
        logger.warning("passed over files of other kinds: %s", shown)
    for failure in data.failed[:_MAX_SHOWN]:
        logger.warning("%s: %s: %s", failure["status"], failure["file"], failure["reason"])
    if data.failed:
        logger.warning("%d failed or partial; %s names them", len(data.failed), out / "failed.jsonl")
