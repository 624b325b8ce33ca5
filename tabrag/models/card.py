"""The model card of a retriever: what it is made of, on which terms, how good it is, and code that runs.

Training calls :func:`write_card` on its export. What the card says lies in ``training.json`` beside it, so
that :func:`model_card` can write it again under another name when the checkpoint moves to a hub.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import yaml

from tabrag.errors import UserError
from tabrag.files import atomic_write, read_json, write_json

UNKNOWN = "unknown"
_APACHE, _MIT, _LAYOUTLM = "apache-2.0", "mit", "cc-by-nc-sa-4.0"
_MINILM = ("sentence-transformers/all-MiniLM-L6-v2", _APACHE)
BASES: dict[str, tuple[str, str]] = {
    "offline:minilm": _MINILM,
    "offline:layoutlmv3-minilm": _MINILM,
    "offline:dinov2-small": ("facebook/dinov2-small", _APACHE),
    "offline:smollm2": ("HuggingFaceTB/SmolLM2-135M-Instruct", _APACHE),
    "offline:tiny-bert": ("", _APACHE),
    "offline:tiny-layoutlmv3": ("", _APACHE),
    "offline:tiny-vit": ("", _APACHE),
    "sentence-transformers/all-MiniLM-L6-v2": _MINILM,
    "microsoft/layoutlmv3-base": ("microsoft/layoutlmv3-base", _LAYOUTLM),
    "microsoft/layoutlmv3-large": ("microsoft/layoutlmv3-large", _LAYOUTLM),
    "google-bert/bert-base-uncased": ("google-bert/bert-base-uncased", _APACHE),
    "thenlper/gte-base": ("thenlper/gte-base", _MIT),
    "Alibaba-NLP/gte-modernbert-base": ("Alibaba-NLP/gte-modernbert-base", _APACHE),
    "BAAI/bge-small-en-v1.5": ("BAAI/bge-small-en-v1.5", _MIT),
    "facebook/dinov2-small": ("facebook/dinov2-small", _APACHE),
}
"""Backbone name -> hub id (empty for random weights) and licence, as the hub spells it."""


@dataclass(frozen=True, kw_only=True)
class DataSource:
    """A data set that a model was trained on.

    Attributes:
        name: For people.
        licence: As the hub spells it; ``unknown`` where not stated.
    """

    name: str
    licence: str = UNKNOWN


def data_source(folder: str | Path) -> DataSource:
    """Name and licence of a data set folder, from the front matter of its ``README.md``."""
    path = Path(folder) / "README.md"
    found = (
        re.match(r"---\n(.*?)\n---\n", path.read_text(encoding="utf-8"), re.DOTALL)
        if path.is_file()
        else None
    )
    front = yaml.safe_load(found[1]) if found else {}
    return DataSource(name=front.get("pretty_name", Path(folder).name), licence=front.get("license", UNKNOWN))


def write_card(
    folder: str | Path,
    *,
    settings: Mapping[str, Any],
    metrics: Mapping[str, float],
    data: Sequence[DataSource],
) -> None:
    """Write ``training.json`` and ``README.md`` into a retriever's folder.

    Args:
        folder: What :meth:`Retriever.save_pretrained` wrote.
        settings: The resolved training settings; local paths are cut down to their last part.
        metrics: Figures on the dev split.
        data: What it was trained on.
    """
    folder = Path(folder)
    write_json(
        folder / "training.json",
        {
            "settings": _public(dict(settings)),
            "metrics": dict(metrics),
            "data": [asdict(source) for source in data],
        },
    )
    with atomic_write(folder / "README.md") as file:
        file.write(model_card(folder))


def model_card(folder: str | Path, *, name: str | None = None) -> str:
    """The card of a retriever's folder as Markdown with YAML front matter.

    Args:
        folder: A retriever's folder, with ``training.json`` where it was trained here.
        name: Hub id that the code in the card loads; the folder itself where None.

    Raises:
        UserError: Not a retriever's folder.
    """
    folder = Path(folder)
    if not (folder / "retriever.json").is_file():
        raise UserError(f"{folder}: no retriever.json, so this is not a retriever's folder")
    retriever = read_json(folder / "retriever.json")
    towers = {"query": read_json(folder / "query" / "embedder.json")}
    towers["item"] = retriever["item"] or read_json(folder / "item" / "embedder.json")
    training = read_json(folder / "training.json") if (folder / "training.json").is_file() else {}
    backbones = list(dict.fromkeys(tower["backbone"] for tower in towers.values()))
    known = {backbone: BASES.get(backbone, (_hub_id(backbone), UNKNOWN)) for backbone in backbones}
    title = name.split("/")[-1] if name else folder.resolve().name
    parts = [
        _front(known),
        f"# {title}",
        "A dual encoder that finds tables for questions, trained with tabrag: a query and a table become "
        "vectors whose product says how well they match.",
        _towers(towers, retriever),
        _licences(known, training.get("data", [])),
        _metrics(training.get("metrics", {})),
        "## Use\n\n```python\n" + _snippet(name or str(folder), retriever["representation"]["name"]) + "```",
    ]
    if training.get("settings"):
        text = yaml.safe_dump(training["settings"], sort_keys=False, allow_unicode=True).rstrip()
        parts.append(f"## Training settings\n\n```yaml\n{text}\n```")
    return "\n\n".join(part for part in parts if part) + "\n"


def _hub_id(backbone: str) -> str:
    return backbone if re.fullmatch(r"[\w.-]+/[\w.-]+", backbone) else ""


def _front(known: Mapping[str, tuple[str, str]]) -> str:
    licences = {licence for _, licence in known.values()}
    licence = licences.pop() if len(licences) == 1 else "other"
    front: dict[str, Any] = {
        "license": "other" if licence == UNKNOWN else licence,
        "library_name": "tabrag",
        "pipeline_tag": "feature-extraction",
        "tags": ["tabrag", "table-retrieval", "sentence-similarity"],
    }
    bases = list(dict.fromkeys(hub_id for hub_id, _ in known.values() if hub_id))
    if bases:
        front["base_model"] = bases
    return "---\n" + yaml.safe_dump(front, sort_keys=False).rstrip() + "\n---"


def _towers(towers: Mapping[str, Mapping[str, Any]], retriever: Mapping[str, Any]) -> str:
    lines = ["| | query | item |", "|---|---|---|"]
    for key in ("backbone", "inputs", "pooling", "max_length", "prefix", "projection_dim"):
        lines.append(f"| {key} | {towers['query'][key]!s} | {towers['item'][key]!s} |")
    representation = retriever["representation"]
    shared = "one set of weights for both" if retriever["share_towers"] else "separate weights"
    lines += ["", f"Towers: {shared}. Temperature: {retriever['temperature']:.4f}."]
    lines += [
        f"What is searched of a table: `{representation['name']}` {representation['options'] or ''}".rstrip()
    ]
    return "\n".join(lines)


def _licences(known: Mapping[str, tuple[str, str]], data: Sequence[Mapping[str, str]]) -> str:
    lines = ["## Licences", "", "| | name | licence |", "|---|---|---|"]
    for backbone, (hub_id, licence) in known.items():
        lines.append(f"| base model | {hub_id or f'{backbone} (random weights)'} | {licence} |")
    lines += [f"| training data | {source['name']} | {source['licence']} |" for source in data]
    if any("-nc" in licence for _, licence in known.values()):
        lines += ["", "A base model's licence forbids commercial use, and these weights derive from it."]
    if any(licence == UNKNOWN for _, licence in known.values()):
        lines += [
            "",
            "The licence of a base model is not known to tabrag: look it up before you pass this on.",
        ]
    return "\n".join(lines)


def _metrics(metrics: Mapping[str, float]) -> str:
    if not metrics:
        return ""
    rows = [f"| {name} | {value:.4g} |" for name, value in metrics.items()]
    return "\n".join(["## Figures on the dev split", "", "| | |", "|---|---|", *rows])


def _snippet(name: str, representation: str) -> str:
    """Code that embeds one table and one question; it is executed in the tests."""
    picture = representation == "image"
    lines = [
        "from pathlib import Path",
        "",
        "from tabrag import Retriever",
        "from tabrag.inference.encode import encode, encode_queries",
        "from tabrag.representations import build",
        "from tabrag.tables.grid import make_grid",
        *(["from tabrag.tables.render import render"] if picture else []),
        "from tabrag.types import Query, Table",
        "",
        f"retriever = Retriever.from_pretrained({name!r})",
        "cells = [['province', '2016'], ['Ontario', '13,448,494'], ['Quebec', '8,164,361']]",
        "grid = make_grid(cells, num_header_rows=1, num_header_cols=1)",
        "table = Table(id='t1', title='Population of Canada by province', grid=grid)",
        *(
            [
                "rendered = render(table)",
                "rendered.image.save('t1.png')",
                "table.image, table.words = 't1.png', rendered.words",
            ]
            if picture
            else []
        ),
        "represent = build(retriever.representation, measure=retriever.item.inputs)",
        "entries = represent(table, folder=Path('.'))",
        "items = encode(retriever.item, entries)",
        "queries = encode_queries(retriever, [Query(id='q1', text='How many people live in Quebec?')])",
        "print(queries @ items.T)  # cosine similarities, [questions, tables]",
    ]
    return "\n".join(lines) + "\n"


def _public(value: Any) -> Any:
    """Settings without what only makes sense on this machine: a local path keeps its last part."""
    if isinstance(value, Mapping):
        return {key: _public(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_public(one) for one in value]
    if isinstance(value, str) and value.startswith(("/", "~", "./", "../")):
        return Path(value).name
    return value
