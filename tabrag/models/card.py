"""The model card of a checkpoint: what it is made of, on which terms, how good it is, and code that runs.

Training calls :func:`write_card` on its export. What the card says lies in ``training.json`` beside it, so
that :func:`model_card` can write it again under another name when the checkpoint moves to a hub.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from tabrag.files import atomic_write, read_json, write_json
from tabrag.from_json import from_json
from tabrag.models.card_kinds import Kind, kind_of

UNKNOWN = "unknown"
_TRAINING = "training.json"
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
    "offline:tiny-llama": ("", _APACHE),
    "offline:tiny-llava": ("", _APACHE),
    "sentence-transformers/all-MiniLM-L6-v2": _MINILM,
    "microsoft/layoutlmv3-base": ("microsoft/layoutlmv3-base", _LAYOUTLM),
    "microsoft/layoutlmv3-large": ("microsoft/layoutlmv3-large", _LAYOUTLM),
    "google-bert/bert-base-uncased": ("google-bert/bert-base-uncased", _APACHE),
    "thenlper/gte-base": ("thenlper/gte-base", _MIT),
    "Alibaba-NLP/gte-modernbert-base": ("Alibaba-NLP/gte-modernbert-base", _APACHE),
    "BAAI/bge-small-en-v1.5": ("BAAI/bge-small-en-v1.5", _MIT),
    "HuggingFaceTB/SmolLM2-135M-Instruct": ("HuggingFaceTB/SmolLM2-135M-Instruct", _APACHE),
    "llava-hf/llava-v1.6-mistral-7b-hf": ("llava-hf/llava-v1.6-mistral-7b-hf", _APACHE),
    "Qwen/Qwen3-VL-4B-Instruct": ("Qwen/Qwen3-VL-4B-Instruct", _APACHE),
    "Qwen/Qwen3-VL-8B-Instruct": ("Qwen/Qwen3-VL-8B-Instruct", _APACHE),
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
    """Name and licence of a data set folder, from the front matter of its ``README.md``.

    Where it says neither or cannot be read, the folder's name and ``unknown`` stand in: no training is lost.
    """
    path = Path(folder) / "README.md"
    found = (
        re.match(r"---\n(.*?)\n---\n", path.read_text(encoding="utf-8"), re.DOTALL)
        if path.is_file()
        else None
    )
    try:
        front = yaml.safe_load(found[1]) if found else {}
    except yaml.YAMLError:
        front = {}
    if not isinstance(front, dict):
        front = {}
    return DataSource(
        name=_text(front.get("pretty_name")) or Path(folder).name,
        licence=_text(front.get("license")) or UNKNOWN,
    )


def _text(value: Any) -> str:
    """What a front matter says as a text: YAML reads a bare year as a number, and licences may be several."""
    values = value if isinstance(value, list) else [value]
    return ", ".join(str(one) for one in values if one is not None)


@dataclass(frozen=True, kw_only=True)
class _Training:
    """What ``training.json`` says: the arguments of :func:`write_card`."""

    settings: dict[str, Any]
    metrics: dict[str, float]
    data: list[DataSource]

    @classmethod
    def read(cls, folder: Path) -> _Training | None:
        """Of a checkpoint's folder; None where it was not trained here.

        Raises:
            UserError: The file is broken, or a value is not of its kind.
        """
        path = folder / _TRAINING
        return from_json(cls, read_json(path), where=path) if path.is_file() else None


def write_card(
    folder: str | Path,
    *,
    settings: Mapping[str, Any],
    metrics: Mapping[str, float],
    data: Sequence[DataSource],
) -> None:
    """Write ``training.json`` and ``README.md`` into a checkpoint's folder.

    Args:
        folder: What ``save_pretrained`` wrote.
        settings: The resolved training settings; local paths are cut down to their last part.
        metrics: Figures on the dev split.
        data: What it was trained on.
    """
    folder = Path(folder)
    training = _Training(settings=_public(dict(settings)), metrics=dict(metrics), data=list(data))
    write_json(folder / _TRAINING, asdict(training))
    with atomic_write(folder / "README.md") as file:
        file.write(model_card(folder))


def rewrite_metrics(folder: str | Path, metrics: Mapping[str, float], *, name: str) -> None:
    """Put other figures in place of those in a checkpoint's card; a folder without one stays without.

    Args:
        folder: The checkpoint's folder, still under a temporary name perhaps.
        metrics: The figures.
        name: What the card calls it: the path that it gets.

    Raises:
        UserError: What the card is made of is damaged.
    """
    folder = Path(folder)
    training = _Training.read(folder)
    if training is not None:
        write_json(folder / _TRAINING, asdict(replace(training, metrics=dict(metrics))))
        with atomic_write(folder / "README.md") as file:
            file.write(model_card(folder, name=name))


def model_card(folder: str | Path, *, name: str | None = None) -> str:
    """The card of a checkpoint's folder as Markdown with YAML front matter.

    Args:
        folder: A checkpoint's folder, with ``training.json`` where it was trained here.
        name: Hub id or path that the code in the card loads; the folder itself where None.

    Raises:
        UserError: Not a checkpoint's folder, or what the card is made of is damaged.
    """
    folder = Path(folder)
    kind = kind_of(folder)
    training = _Training.read(folder) or _Training(settings={}, metrics={}, data=[])
    known = {backbone: BASES.get(backbone, (_hub_id(backbone), UNKNOWN)) for backbone in kind.backbones}
    title = name.split("/")[-1] if name else folder.resolve().name
    parts = [
        _front(kind, known),
        f"# {title}",
        kind.lead,
        kind.facts,
        _licences(known, training.data),
        _metrics(training.metrics),
        "\n".join(["## Use", "", "```python", *kind.code(name or str(folder)), "```"]),
    ]
    if training.settings:
        text = yaml.safe_dump(training.settings, sort_keys=False, allow_unicode=True).rstrip()
        parts.append(f"## Training settings\n\n```yaml\n{text}\n```")
    return "\n\n".join(part for part in parts if part) + "\n"


def _hub_id(backbone: str) -> str:
    return backbone if re.fullmatch(r"[\w.-]+/[\w.-]+", backbone) else ""


def _front(kind: Kind, known: Mapping[str, tuple[str, str]]) -> str:
    licences = {licence for _, licence in known.values()}
    licence = licences.pop() if len(licences) == 1 else "other"
    front: dict[str, Any] = {
        "license": "other" if licence == UNKNOWN else licence,
        "library_name": "tabrag",
        "pipeline_tag": kind.task,
        "tags": ["tabrag", *kind.tags],
    }
    bases = list(dict.fromkeys(hub_id for hub_id, _ in known.values() if hub_id))
    if bases:
        front["base_model"] = bases
    return "---\n" + yaml.safe_dump(front, sort_keys=False).rstrip() + "\n---"


def _licences(known: Mapping[str, tuple[str, str]], data: Sequence[DataSource]) -> str:
    lines = ["## Licences", "", "| | name | licence |", "|---|---|---|"]
    for backbone, (hub_id, licence) in known.items():
        lines.append(f"| base model | {hub_id or f'{backbone} (random weights)'} | {licence} |")
    lines += [f"| training data | {source.name} | {source.licence} |" for source in data]
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


def _public(value: Any) -> Any:
    """Settings without what only makes sense on this machine: a local path keeps its last part."""
    if isinstance(value, Mapping):
        return {key: _public(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_public(one) for one in value]
    if isinstance(value, str) and value.startswith(("/", "~", "./", "../")):
        return Path(value).name
    return value
