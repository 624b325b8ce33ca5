"""The README of a data set folder: licence, source, counts, and front matter that makes ``datasets`` load the folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

FORMAT_VERSION = 1


@dataclass(slots=True, kw_only=True)
class Card:
    """What a data set is and under which terms it may be used.

    Attributes:
        name: Name for people.
        licence: Identifier as the Hugging Face hub spells it, for example ``cc-by-sa-4.0``; ``unknown`` where not stated.
        citation: The publication to cite.
        url: Where the data come from.
        languages: ISO 639-1 codes.
        note: What a user must know: rules that were applied, what is left out.
    """

    name: str
    licence: str = "unknown"
    citation: str = ""
    url: str = ""
    languages: Sequence[str] = ("en",)
    note: str = ""


def readme(card: Card, *, counts: Mapping[str, int], splits: Sequence[str], has_headers: bool) -> str:
    """The text of ``README.md``: front matter with one config for each kind of file, then the card as prose.

    Load with ``datasets.load_dataset(FOLDER, "corpus")``, ``"queries"``, ``"qrels"`` or ``"headers"``.
    """
    configs: list[dict[str, Any]] = [
        {
            "config_name": "corpus",
            "default": True,
            "data_files": [{"split": "corpus", "path": "corpus.jsonl"}],
        },
        {"config_name": "queries", "data_files": [{"split": "queries", "path": "queries.jsonl"}]},
    ]
    infos = [
        {"config_name": "corpus", "features": _CORPUS},
        {"config_name": "queries", "features": _QUERIES},
    ]
    if splits:
        files = [{"split": split, "path": f"qrels/{split}.jsonl"} for split in splits]
        configs.append({"config_name": "qrels", "data_files": files})
        infos.append({"config_name": "qrels", "features": _QRELS})
    if has_headers:
        files = [{"split": "headers", "path": "headers.jsonl"}]
        configs.append({"config_name": "headers", "data_files": files})
        infos.append({"config_name": "headers", "features": _HEADERS})
    front = {
        "pretty_name": card.name,
        "license": card.licence,
        "language": list(card.languages),
        "tabrag_format": FORMAT_VERSION,
        "configs": configs,
        "dataset_info": infos,
    }
    lines = ["---", yaml.safe_dump(front, sort_keys=False, allow_unicode=True).rstrip(), "---", ""]
    lines += [f"# {card.name}", ""]
    lines += [f"- licence: {card.licence}"]
    lines += [f"- source: {card.url}"] if card.url else []
    lines += [f"- citation: {card.citation}"] if card.citation else []
    lines += ["", card.note, ""] if card.note else [""]
    lines += [
        "| what | count |",
        "|---|---|",
        *(f"| {what} | {count:,} |" for what, count in counts.items()),
        "",
    ]
    lines += [_FILES]
    return "\n".join(lines)


def _strings(*names: str) -> list[dict[str, Any]]:
    return [{"name": name, "dtype": "string"} for name in names]


def _list(name: str, kind: str | dict[str, Any] | list[Any]) -> dict[str, Any]:
    return {"name": name, "list": kind}


_CELLS: dict[str, Any] = {"list": "int64"}
_CORPUS = [
    *_strings("_id", "title", "text", "page_title", "section", "caption"),
    {
        "name": "grid",
        "struct": [
            _list("cells", {"list": "string"}),
            _list("merged", _CELLS),
            {"name": "num_header_rows", "dtype": "int64"},
            {"name": "num_header_cols", "dtype": "int64"},
            _list("top_paths", {"list": _CELLS}),
            _list("left_paths", {"list": _CELLS}),
        ],
    },
    *_strings("image"),
    _list("words", "string"),
    _list("boxes", _CELLS),
    _list("word_cells", _CELLS),
    {
        "name": "source",
        "struct": [
            *_strings("file"),
            {"name": "page", "dtype": "int64"},
            _list("box", "int64"),
            *_strings("sheet"),
        ],
    },
    *_strings("metadata"),
]
_QUERIES = [*_strings("_id", "text"), _list("answers", "string"), *_strings("task", "label")]
_QRELS = [*_strings("query-id", "corpus-id"), {"name": "score", "dtype": "int64"}]
_HEADERS = [
    *_strings("query_id", "table_id"),
    _list("top", _CELLS),
    _list("left", _CELLS),
    _list("answer_cells", _CELLS),
    *_strings("formula"),
]

_FILES = """## Files

- `corpus.jsonl`: one table a line. `text` is its flat text; `grid` its cells, merged regions and headers; `image` a path in
  this folder; `words`, `boxes` (0..1000 of the picture) and `word_cells` the printed words.
- `queries.jsonl`: questions and statements with their answers.
- `qrels/SPLIT.tsv`: which table answers which query (`qrels/SPLIT.jsonl` says the same for `datasets`).
- `headers.jsonl`: which header cells and answer cells a query is about, where known.
"""
