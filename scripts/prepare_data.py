"""Make a data set folder from a source, or check one.

scripts/prepare_data.py hitab --from DATA/hitab --out data/hitab --render
scripts/prepare_data.py documents --from MY_FILES --out data/mine --ocr rapidocr --questions questions.csv
scripts/prepare_data.py synthetic_documents --out data/business --files MY_FILES
scripts/prepare_data.py questions --from data/mine --out data/mine-questions
scripts/prepare_data.py validate data/mine

Exit status: 0 for all well; 2 for an error (nothing is written) or faults that validate found; 3 where the
folder is written without some files, questions or tables, which its failed.jsonl names. documents started
again on the same --out reads only what is new or has changed.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

from tabrag.config import guard
from tabrag.data.sources import SOURCES, source
from tabrag.documents.parsed import ParseOptions
from tabrag.errors import UserError

_OTHERS = ("documents", "synthetic_documents", "text_alone", "questions", "validate")
"""Subcommands that are no sources of others' data."""


def parser() -> argparse.ArgumentParser:
    """The command line: one subcommand a source, and those that :data:`_OTHERS` names."""
    top = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = top.add_subparsers(dest="command", required=True, metavar=f"SOURCE | {' | '.join(_OTHERS)}")
    for name in SOURCES:
        command = commands.add_parser(name, help=f"make a data set folder from the source '{name}'")
        command.add_argument("--out", type=Path, required=True, help="the data set folder to write")
        command.add_argument("--render", action="store_true", help="draw each table to images/")
        command.add_argument("--style", default="mixed", help="how to draw: mixed (default) or one style")
        command.add_argument("--workers", type=int, help="processes that draw (default: one a core)")
        if name == "synthetic":
            command.add_argument("--num-tables", type=int, default=1000, help="tables to make (default 1000)")
            command.add_argument("--seed", type=int, default=0, help="same seed, same tables (default 0)")
            continue
        command.add_argument("--from", dest="folder", type=Path, required=True, help="the source's folder")
        command.add_argument("--limit", type=int, help="keep this many tables and their queries")
        if name == "imtqa":
            command.add_argument(
                "--language", choices=("en", "zh"), default="en", help="English (default) or Chinese"
            )
    _add_documents(commands)
    _add_synthetic_documents(commands)
    alone = commands.add_parser("text_alone", help="documents as running text alone, a baseline")
    alone.add_argument("--from", dest="folder", type=Path, required=True, help="the data set folder")
    alone.add_argument("--out", type=Path, required=True, help="the data set folder to write")
    made = commands.add_parser(
        "questions", help="make questions for the tables of a data set folder by rules"
    )
    made.add_argument("--from", dest="folder", type=Path, required=True, help="the data set folder")
    made.add_argument("--out", type=Path, required=True, help="the data set folder to write")
    made.add_argument("--per-table", type=int, default=5, help="most questions a table (default 5)")
    made.add_argument("--seed", type=int, default=0, help="same seed, same questions (default 0)")
    made.add_argument(
        "--dev-share", type=float, default=0.1, help="share of the tables for dev (default 0.1)"
    )
    check = commands.add_parser("validate", help="print each fault of a data set folder with file and line")
    check.add_argument("folder", type=Path, help="the data set folder")
    check.add_argument("--images", action="store_true", help="also decode every picture")
    return top


def _add_synthetic_documents(commands: Any) -> None:
    made = commands.add_parser(
        "synthetic_documents", help="write reports and slides as files, read them back, ask questions on them"
    )
    made.add_argument("--out", type=Path, required=True, help="the data set folder to write")
    made.add_argument(
        "--num-documents", type=int, default=60, help="how many documents, 5 or more (default 60)"
    )
    made.add_argument("--seed", type=int, default=0, help="same seed, same documents (default 0)")
    made.add_argument("--files", type=Path, help="keep the files in this new folder (default: do not)")
    made.add_argument(
        "--render",
        dest="style",
        action="store_const",
        const="mixed",
        help="draw each table to images/",
    )
    made.add_argument(
        "--workers", type=int, dest="num_workers", help="processes that read (default: one a core)"
    )


def _add_documents(commands: Any) -> None:
    defaults = ParseOptions()
    own = commands.add_parser("documents", help="make or renew a data set folder of a folder of your files")
    own.add_argument("--from", dest="folder", type=Path, required=True, help="the folder with the files")
    own.add_argument("--out", type=Path, required=True, help="the data set folder to write or renew")
    own.add_argument(
        "--questions", type=Path, help="JSONL or CSV: question, answers, table, split, label, id"
    )
    own.add_argument(
        "--ocr",
        choices=("none", "rapidocr"),
        default=defaults.ocr,
        help="read words of pictures and scanned pages (default none)",
    )
    own.add_argument(
        "--converter",
        choices=("own", "docling"),
        default=defaults.converter,
        help="what reads PDF and pictures: own (default), or the program docling with its models",
    )
    own.add_argument(
        "--docling", default=defaults.docling, help="that program, where it is not on PATH", metavar="PROGRAM"
    )
    own.add_argument(
        "--docling-models", default="", help="folder with its models (docling-tools models download)"
    )
    own.add_argument("--password", default="", help="opens encrypted files")
    own.add_argument(
        "--fill-right",
        action="store_true",
        help="Excel, CSV: a header also covers the empty cells right of it, where no merged cells say so",
    )
    own.add_argument(
        "--no-page-images", dest="page_images", action="store_false", help="keep no pictures of whole pages"
    )
    own.add_argument(
        "--dpi", type=int, default=defaults.dpi, help=f"of pictures of pages (default {defaults.dpi})"
    )
    own.add_argument("--render", action="store_true", help="draw each table without a picture to images/")
    own.add_argument("--style", default="mixed", help="how to draw: mixed (default) or one style")
    own.add_argument("--workers", type=int, help="processes that read (default: one a core)")
    own.add_argument(
        "--timeout",
        type=float,
        default=defaults.timeout,
        help=f"seconds one file may take (default {defaults.timeout:g})",
    )
    own.add_argument(
        "--memory-mb",
        type=int,
        default=defaults.memory_mb,
        help=f"MiB one file may take (default {defaults.memory_mb})",
    )


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """Do what the command line says; the figures are the script's last line."""
    values = vars(arguments)
    command = values.pop("command")
    if command == "validate":
        return _validate(arguments.folder, images=arguments.images)
    if command == "documents":
        return {"source": command, **_documents(values)}
    if command == "synthetic_documents":
        from tabrag.data.synthetic_documents import make_folder as make_documents

        return {"source": command, **make_documents(values.pop("out"), **values)}
    if command == "text_alone":
        from tabrag.data.text_alone import text_alone

        return {"source": command, **text_alone(arguments.folder, arguments.out)}
    if command == "questions":
        from tabrag.data.augment.folder import make_folder

        return {"source": command, **make_folder(values.pop("folder"), values.pop("out"), **values)}
    from tabrag.data.folder import refuse_foreign
    from tabrag.data.prepare import prepare

    refuse_foreign(arguments.out)  # before the source is read, which can take long
    if (limit := values.get("limit")) is not None and limit < 1:
        raise UserError(f"--limit {limit}: give 1 or more")
    settings = {key: values.pop(key) for key in ("out", "render", "style")}
    settings["num_workers"] = values.pop("workers")
    module = source(command)
    if command == "synthetic":
        data = module.make(num_tables=values["num_tables"], seed=values["seed"])
    else:
        data = module.read(values.pop("folder"), **values)
    return {"source": command, **prepare(data, settings.pop("out"), **settings)}


def _documents(values: dict[str, Any]) -> dict[str, Any]:
    from tabrag.data.ingest import ingest

    options = ParseOptions(**{field.name: values[field.name] for field in fields(ParseOptions)})
    return ingest(
        values["folder"],
        values["out"],
        options=options,
        questions=values["questions"],
        style=values["style"] if values["render"] else None,
        num_workers=values["workers"],
    )


def _validate(folder: Path, *, images: bool) -> dict[str, Any]:
    from tabrag.data.validate import validate

    faults = validate(folder, images=images)
    for fault in faults:
        print(f"{fault.file}:{fault.line}: {fault.message}")
    return {"folder": str(folder), "faults": len(faults)}


def main() -> None:
    """Run; the module's docstring says what the exit status means."""
    arguments = parser().parse_args()
    figures: dict[str, Any] = {}
    guard(lambda: figures.setdefault("result", run(arguments)))
    if figures["result"].get("faults"):
        sys.exit(2)


if __name__ == "__main__":
    main()
