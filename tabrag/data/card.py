"""The README of a data set folder: licence, source, counts, and front matter for ``datasets``."""

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
        licence: Identifier as the Hugging Face hub spells it, for example ``cc-by-sa-4.0``; ``unknown`` where
            not stated, ``other`` where ``terms`` say it.
        terms: The terms in words, where an identifier does not say all.
        citation: The publication to cite.
        url: Where the data come from.
        languages: ISO 639-1 codes.
        note: What a user must know: rules that were applied, what is left out.
    """

    name: str
    licence: str = "unknown"
    terms: str = ""
    citation: str = ""
    url: str = ""
    languages: Sequence[str] = ("en",)
    note: str = ""


def readme(card: Card, *, counts: Mapping[str, int], splits: Sequence[str], has_headers: bool) -> str:
    """The text of ``README.md``: front matter with one config for each kind of file, then the card as prose.

    Load with ``datasets.load_dataset(FOLDER, "corpus")``, ``"documents"``, ``"queries"``, ``"qrels"``,
    ``"headers"`` or ``"evidence"``.
    """
    parts: list[tuple[str, dict[str, str], list[dict[str, Any]]]] = [
        ("corpus", {"corpus": "corpus.jsonl"}, _corpus()),
        ("queries", {"queries": "queries.jsonl"}, _queries()),
    ]
    if counts.get("documents"):
        parts.insert(1, ("documents", {"documents": "documents.jsonl"}, _documents()))
    if splits:
        parts.append(("qrels", {split: f"qrels/{split}.jsonl" for split in splits}, _qrels()))
    if has_headers:
        parts.append(("headers", {"headers": "headers.jsonl"}, _headers()))
    if counts.get("evidence"):
        parts.append(("evidence", {"evidence": "evidence.jsonl"}, _evidence()))
    front = {
        "pretty_name": card.name,
        "license": card.licence,
        "language": list(card.languages),
        "tabrag_format": FORMAT_VERSION,
        "configs": [
            {
                "config_name": name,
                "default": name == "corpus",
                "data_files": [{"split": split, "path": path} for split, path in files.items()],
            }
            for name, files, _ in parts
        ],
        "dataset_info": [{"config_name": name, "features": features} for name, _, features in parts],
    }
    lines = ["---", yaml.safe_dump(front, sort_keys=False, allow_unicode=True).rstrip(), "---", ""]
    terms = f"; {card.terms}" if card.terms else ""
    lines += [f"# {card.name}", "", f"- licence: {card.licence}{terms}"]
    lines += [f"- source: {card.url}"] if card.url else []
    lines += [f"- citation: {card.citation}"] if card.citation else []
    lines += ["", card.note, ""] if card.note else [""]
    lines += ["| what | count |", "|---|---|"]
    lines += [*(f"| {what} | {count:,} |" for what, count in counts.items()), ""]
    return "\n".join([*lines, _FILES])


def _strings(*names: str) -> list[dict[str, Any]]:
    return [{"name": name, "dtype": "string"} for name in names]


def _number(name: str) -> dict[str, Any]:
    return {"name": name, "dtype": "int64"}


def _list(name: str, depth: int = 1, *, of: str = "int64") -> dict[str, Any]:
    kind: Any = of
    for _ in range(depth - 1):
        kind = {"list": kind}
    return {"name": name, "list": kind}


def _corpus() -> list[dict[str, Any]]:
    grid = [
        _list("cells", 2, of="string"),
        _list("merged", 2),
        _number("num_header_rows"),
        _number("num_header_cols"),
        _list("top_paths", 3),
        _list("left_paths", 3),
    ]
    return [
        *_strings("_id", "title", "text", "page_title", "section", "caption"),
        {"name": "grid", "struct": grid},
        *_strings("image"),
        _list("words", of="string"),
        _list("boxes", 2),
        _list("word_cells", 2),
        _source(),
        *_strings("document"),
        *_strings("metadata"),  # an object with any keys: `datasets` gives it as JSON text
    ]


def _documents() -> list[dict[str, Any]]:
    sizes = [{"name": name, "dtype": "float64"} for name in ("width", "height")]
    pages = [_number("number"), *sizes, *_strings("image")]
    texts, places = _strings("table", "image"), [_number("page"), _list("box")]
    decoration = {"name": "decoration", "dtype": "bool"}
    blocks = [*_strings("kind", "text"), _number("level"), *texts, *places, decoration]
    return [
        *_strings("_id", "title"),
        {"name": "pages", "list": pages},
        {"name": "blocks", "list": blocks},
        *_strings("layout"),
        _source(),
        *_strings("metadata"),
    ]


def _source() -> dict[str, Any]:
    parts = [*_strings("file"), _number("page"), _list("box"), *_strings("sheet")]
    return {"name": "source", "struct": parts}


def _queries() -> list[dict[str, Any]]:
    answers = _list("answers", of="string")
    history = _list("history", 2, of="string")
    return [*_strings("_id", "text"), answers, *_strings("task", "label", "data_set", "evidence"), history]


def _qrels() -> list[dict[str, Any]]:
    return [*_strings("query-id", "corpus-id"), _number("score")]


def _headers() -> list[dict[str, Any]]:
    cells = [_list("top", 2), _list("left", 2), _list("answer_cells", 2)]
    return [*_strings("query_id", "table_id"), *cells, *_strings("formula")]


def _evidence() -> list[dict[str, Any]]:
    labels = [_list("row", of="string"), _list("column", of="string")]
    facts = [*_strings("kind", "document", "text"), _number("page"), *labels]
    return [*_strings("query_id"), {"name": "facts", "list": facts}]


_FILES = """## Files

- `corpus.jsonl`: one table a line. `text` is its flat text; `grid` its cells, merged regions and headers;
  `image` a path in this folder; `words`, `boxes` (0..1000 of the picture) and `word_cells` the printed words.
- `documents.jsonl`, where there is one: one document a line, its blocks in reading order; a block of a table
  names a table of `corpus.jsonl`, a picture that tells nothing is `decoration`. `layout` is `vertical` (a
  report), `horizontal` (slides) or empty where that is not sure. `pages/` has pictures of whole pages,
  `files.jsonl` says what was read.
- `queries.jsonl`: questions and statements with their answers.
- `qrels/SPLIT.tsv`: which table answers which query (`qrels/SPLIT.jsonl` says the same for `datasets`).
- `headers.jsonl`: which header cells and answer cells a query is about, where known.
- `evidence.jsonl`, where there is one: the sentences, cells and pictures that a question rests on.
"""
