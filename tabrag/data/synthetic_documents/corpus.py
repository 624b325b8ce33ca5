"""The data set: publications as files, the files as documents, questions with what they rest on."""

from __future__ import annotations

import logging
import os
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from tabrag.data.card import Card
from tabrag.data.folder import DataFolder, new_folder, refuse_foreign, write_judgements
from tabrag.data.synthetic_documents.library import file_of, make_library
from tabrag.data.synthetic_documents.material import Material
from tabrag.data.synthetic_documents.packages import require
from tabrag.data.synthetic_documents.questions import Asked, ask
from tabrag.data.synthetic_documents.read_back import found_back
from tabrag.errors import UserError
from tabrag.files import write_jsonl
from tabrag.types import Qrels

logger = logging.getLogger(__name__)

STANDALONE, LAYOUTS = "standalone.jsonl", "layouts.jsonl"
_SPLITS = ("train", "dev", "test")
_NOTE = """Annual reports and slide decks of invented companies, written as files ({num} documents,
seed {seed}) and read back by the parsers that a person's own files meet. `evidence.jsonl` says what each
question rests on; a fact without a page in a document with pages was lost in reading: its question stays.

- `standalone.jsonl`: of each question that ends a conversation, its wording by itself.
- `layouts.jsonl`: how each document was made, `vertical` (a report) or `horizontal` (slides).
- A question of evidence `none` has the answer "Not answerable" and is judged on the document that it is
  about."""


def make_folder(
    out: str | Path,
    *,
    num_documents: int = 60,
    seed: int = 0,
    files: str | Path | None = None,
    num_workers: int | None = None,
    style: str | None = None,
) -> dict[str, Any]:
    """Make the data set folder; nothing is downloaded. The same two numbers give the same records.

    Args:
        out: The folder; it stands there only once it is complete.
        num_documents: How many publications, at least 5; about eleven questions each.
        seed: Of all choices.
        files: Keep the files in this folder; None: they are not kept.
        num_workers: Processes that read the files; as many as there are cores where None.
        style: Draw each table in this style, or ``mixed``; None: do not.

    Returns:
        ``status``; counts of what was written; ``partial``: files that lost something; ``facts``: how many
        facts were found back by kind and kind of file, and how many questions on two pages have them on
        different ones where there are pages; ``evidence_kinds``: questions by kind; ``seconds``.

    Raises:
        UserError: A package is missing, ``out`` holds something else, or ``files`` is not empty.
    """
    from tabrag.data.ingest import ingest
    from tabrag.documents.parsed import ParseOptions

    out = Path(out)
    refuse_foreign(out)
    for package in ("docx", "pptx", "reportlab", "matplotlib"):
        require(package)
    began = time.monotonic()
    library = make_library(num_documents, seed)
    questions = _questions(library, seed)
    out.parent.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(dir=out.parent, prefix=f".{out.name}.") as scratch,
        new_folder(out) as target,
    ):
        folder = _files_folder(files, Path(scratch))
        _write_files(library, folder)
        data = Path(scratch) / "data"
        read = ingest(folder, data, options=ParseOptions(timeout=600.0), num_workers=num_workers, style=style)
        for path in sorted(data.iterdir()):
            os.replace(path, target / path.name)
        counts = _finish(target, library, questions, read, note=_NOTE.format(num=num_documents, seed=seed))
    kinds = Counter(asked.query.evidence for asked in questions)
    figures = {
        "out": str(out),
        "status": read["status"],
        **counts,
        "evidence_kinds": dict(sorted(kinds.items())),
        "partial": read.get("partial", 0),
    }
    return {**figures, "seconds": round(time.monotonic() - began, 1)}


def _questions(library: list[Material], seed: int) -> list[Asked]:
    asked: set[str] = set()
    found: list[Asked] = []
    for material in library:
        family = material.story.company.family
        others = [other for other in library if other.story.company.family == family]
        found += ask(material, others, seed, asked)
    return found


def _files_folder(files: str | Path | None, scratch: Path) -> Path:
    folder = scratch / "files" if files is None else Path(files)
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise UserError(
            f"{folder} is not empty: --files names a new folder, so that only these files are read"
        )
    return folder


def _write_files(library: list[Material], folder: Path) -> None:
    from tqdm import tqdm

    for material in tqdm(library, desc="files written", unit=" files", mininterval=1.0):
        (folder / material.id).write_bytes(file_of(material))


def _finish(
    target: Path, library: list[Material], questions: list[Asked], read: dict[str, Any], *, note: str
) -> dict[str, Any]:
    """Write questions, judgements and evidence; returns counts."""
    folder = DataFolder(target)
    documents = {name: folder.documents[name] for name in folder.documents.ids}
    tables = {name: folder.tables[name] for name in folder.tables.ids}
    missing = [material.id for material in library if material.id not in documents]
    if missing:
        raise UserError(f"{missing[0]} could not be read back; {target / 'failed.jsonl'} would say why")
    evidence, gold, facts = found_back([asked.evidence for asked in questions], documents, tables)
    kinds = {asked.query.id: asked.query.evidence for asked in questions}
    gold = [one for one in gold if kinds[one.query_id] == "table"]
    qrels: dict[str, Qrels] = {split: {} for split in _SPLITS}
    splits = {material.id: material.split for material in library}
    for asked in questions:
        qrels[splits[asked.document]][asked.query.id] = {asked.document: 1}
    counts: dict[str, Any] = dict(
        write_judgements(
            target,
            read["tables"],
            num_documents=read["documents"],
            num_pages=read["pages"],
            queries=[asked.query for asked in questions],
            qrels=qrels,
            gold_headers=gold,
            evidence=[one for one in evidence if one.facts],
            card=Card(
                name="Synthetic business documents",
                licence="cc0-1.0",
                citation="Generated by tabrag; all companies and figures are invented.",
                note=note,
            ),
        )
    )
    alone = [{"query_id": asked.query.id, "text": asked.alone} for asked in questions if asked.alone]
    counts["standalone"] = write_jsonl(target / STANDALONE, alone)
    rows = (
        {"document": material.id, "layout": "horizontal" if material.story.is_deck else "vertical"}
        for material in library
    )
    write_jsonl(target / LAYOUTS, rows)
    facts["two pages/apart"] = sum(
        kinds[one.query_id] == "pages" and len({fact.page for fact in one.facts} - {None}) > 1
        for one in evidence
    )
    lost = sum(count for name, count in facts.items() if name.endswith("/lost"))
    if lost:
        logger.warning("%d facts were not found in what was read; their questions stay", lost)
    return counts | {"facts": facts}
