"""How many checked facts of real files are reached, and whether their questions find file and table.

python scripts/evaluate_files.py --files=FILES --data=data/files
python scripts/evaluate_files.py --files=FILES --kind=docx
python scripts/evaluate_files.py --files=FILES --queries=queries.jsonl
python scripts/evaluate_files.py --files=FILES --data=data/files --run=run.jsonl
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tabrag.config import main
from tabrag.documents.parsed import Ocr


@dataclass(kw_only=True)
class Config:
    """Facts that are not reached go to standard output, one a line; the last line has the figures.

    Attributes:
        files: Folder of files with ``files.jsonl``.
        data: Data set folder made of it; where null the files are read on the spot, without bounds.
        kind: Only files of this kind (pdf, scan, image, docx, pptx, xlsx, html, csv, md, hostile).
        file: Only files whose path holds this text or fits this pattern.
        ocr: What reads pictures and scans where ``data`` is null.
        queries: Write the questions to this file, for ``infer/retrieve.py --queries``, and stop.
        run: Run file of these questions: look at their ranks, not at the facts. Needs ``data``.
        misses: Also write what is missed to this JSONL file.
    """

    files: str
    data: str | None = None
    kind: str | None = None
    file: str | None = None
    ocr: Ocr = "none"
    queries: str | None = None
    run: str | None = None
    misses: str | None = None


def run(config: Config) -> dict[str, Any]:
    """Evaluate; return the figures."""
    from tabrag.documents.parsed import ParseOptions
    from tabrag.errors import UserError
    from tabrag.evaluation import files_report
    from tabrag.evaluation.file_questions import write_queries

    records = files_report.file_records(config.files, kind=config.kind, name=config.file)
    if config.queries is not None:
        return {"queries": write_queries(records, config.queries), "out": config.queries}
    if config.run is not None:
        if config.data is None:
            raise UserError("--run needs --data: the data set folder that was searched")
        return _ranks(config, records)
    if config.data is not None:
        read = files_report.ReadFolder(config.data)
    else:
        read = files_report.read_now(config.files, ParseOptions(ocr=config.ocr))
    checked, missed = [], []
    for record, facts in files_report.evaluate_facts(records, read):
        checked.append((record, facts))
        for one in facts:
            if not one.reached:
                missed.append({"path": record["path"], "fact": one.fact, "found": one.found})
                print(f"{record['path']}: {_shown(one.fact)}: {one.found[:300]}", flush=True)
    _write(config, missed)
    return {"files": len(records), **files_report.figures(checked)}


def _ranks(config: Config, records: list[dict[str, Any]]) -> dict[str, Any]:
    from tabrag.evaluation.file_questions import rank_questions
    from tabrag.evaluation.files_report import ReadFolder
    from tabrag.evaluation.runs import read_run

    figures, rows = rank_questions(records, ReadFolder(str(config.data)), read_run(str(config.run)))
    missed = [row for row in rows if row["file_rank"] != 1 or row.get("table_rank", 1) != 1]
    for row in missed:
        right = f", table {row['table_rank']} of {row['tables']}" if "tables" in row else ""
        found = row.get("first_table") or row["first_file"]
        print(f"{row['query_id']}: {row['question']}: file {row['file_rank']}{right}; first: {found}")
    _write(config, missed)
    return figures


def _shown(fact: dict[str, Any]) -> str:
    return " ".join(f"{key}={value!r}" if key != "type" else str(value) for key, value in fact.items())


def _write(config: Config, rows: list[dict[str, Any]]) -> None:
    from tabrag.files import write_jsonl

    if config.misses is not None:
        write_jsonl(config.misses, rows)


if __name__ == "__main__":
    main(run, Config, description="Evaluate checked facts and questions of real files.")
