"""What a model card says of each kind of model: what it is for, how it is built, and code that calls it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tabrag.errors import UserError
from tabrag.files import read_json

_TABLE_LINES = [
    "cells = [['province', '2016'], ['Ontario', '13,448,494'], ['Quebec', '8,164,361']]",
    "grid = make_grid(cells, num_header_rows=1, num_header_cols=1)",
]
_QUESTION = "How many people live in Quebec?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind of model.

    Attributes:
        name: For people.
        task: The hub's name of what it does.
        tags: The hub's tags.
        lead: The first paragraph.
        backbones: What its weights started from.
        facts: How it is built, Markdown.
        code: Python that calls it, given the name to load; it is executed in the tests.
        load: Opens a folder strictly.
    """

    name: str
    task: str
    tags: tuple[str, ...]
    lead: str
    backbones: tuple[str, ...]
    facts: str
    code: Callable[[str], list[str]]
    load: Callable[[Path], Any]


def kind_of(folder: Path) -> Kind:
    """The kind of a checkpoint's folder, by the file of settings in it.

    Raises:
        UserError: It is none of tabrag's, or its settings are damaged.
    """
    for file, read in _KINDS.items():
        if (folder / file).is_file():
            try:
                return read(folder)
            except (AttributeError, KeyError, TypeError) as error:
                raise UserError(f"{folder / file}: not the settings of a checkpoint ({error!r})") from error
    raise UserError(f"{folder}: none of {', '.join(_KINDS)}, so this is no checkpoint of tabrag")


def _retriever(folder: Path) -> Kind:
    from tabrag.models.retriever import Retriever

    values = read_json(folder / "retriever.json")
    towers = {"query": read_json(folder / "query" / "embedder.json")}
    towers["item"] = values["item"] or read_json(folder / "item" / "embedder.json")
    representation = values["representation"]
    lines = ["| | query | item |", "|---|---|---|"]
    for key in ("backbone", "inputs", "pooling", "max_length", "prefix", "projection_dim"):
        lines.append(f"| {key} | {towers['query'][key]!s} | {towers['item'][key]!s} |")
    shared = "one set of weights for both" if values["share_towers"] else "separate weights"
    lines += ["", f"Towers: {shared}. Temperature: {values['temperature']:.4f}."]
    lines += [
        f"What is searched of a table: `{representation['name']}` {representation['options'] or ''}".rstrip()
    ]
    return Kind(
        name="retriever",
        task="feature-extraction",
        tags=("table-retrieval", "sentence-similarity"),
        lead="A dual encoder that finds tables for questions, trained with tabrag: a query and a table "
        "become vectors whose product says how well they match.",
        backbones=tuple(dict.fromkeys(tower["backbone"] for tower in towers.values())),
        facts="\n".join(lines),
        code=lambda name: _retriever_code(name, picture=representation["name"] == "image"),
        load=Retriever.from_pretrained,
    )


def _header_classifier(folder: Path) -> Kind:
    from tabrag.models.header_classifier import HeaderClassifier

    values = read_json(folder / "header_classifier.json")
    return Kind(
        name="header classifier",
        task="token-classification",
        tags=("table-question-answering", "table-refinement"),
        lead="Says which rows and columns of a table a question needs, trained with tabrag, so that a reader "
        "gets a small table (the refiner of THoRR, Kim et al., 2024).",
        backbones=(values["backbone"],),
        facts=_settings(values),
        code=lambda name: [
            "from tabrag import HeaderClassifier",
            "from tabrag.inference.classify_headers import HeaderScorer",
            "from tabrag.tables.grid import make_grid",
            "",
            f"score = HeaderScorer(HeaderClassifier.from_pretrained({name!r}))",
            *_TABLE_LINES,
            f"print(score([({_QUESTION!r}, grid)])[0].rows)  # row of the grid -> probability",
        ],
        load=HeaderClassifier.from_pretrained,
    )


def _cell_reader(folder: Path) -> Kind:
    from tabrag.models.cell_reader import CellReader

    values = read_json(folder / "cell_reader.json")
    return Kind(
        name="cell reader",
        task="table-question-answering",
        tags=("table-question-answering",),
        lead="Answers a question from a table, trained with tabrag: it chooses an operator and the cells "
        "that it works on, so that an answer comes with its formula. It is no language model.",
        backbones=(values["backbone"],),
        facts=_settings(values),
        code=lambda name: [
            "from tabrag import CellReader",
            "from tabrag.inference.cell_reader import CellAnswerer",
            "from tabrag.tables.grid import make_grid",
            "",
            f"read = CellAnswerer(CellReader.from_pretrained({name!r}))",
            *_TABLE_LINES,
            f"print(read([({_QUESTION!r}, grid)])[0])  # text, cells, certainty, operator, formula",
        ],
        load=CellReader.from_pretrained,
    )


def _cross_encoder(folder: Path) -> Kind:
    from tabrag.models.cross_encoder import CrossEncoder

    values = read_json(folder / "cross_encoder.json")
    return _pair_model(
        values,
        CrossEncoder,
        lead="Says how likely a table holds what a question asks for, trained with tabrag: a cross-encoder "
        "that reads question and table together and puts a retriever's candidates in order.",
        backbones=(values["backbone"],),
    )


def _word_reranker(folder: Path) -> Kind:
    from tabrag.models.word_reranker import WordReranker

    return _pair_model(
        read_json(folder / "word_reranker.json"),
        WordReranker,
        lead="Says how likely a table holds what a question asks for, trained with tabrag: a weighted sum "
        "of facts of the words and numbers that they share (or a small network over these), without an "
        "encoder, that puts a retriever's candidates in order.",
        backbones=(),
    )


def _pair_model(values: Mapping[str, Any], model: type, *, lead: str, backbones: tuple[str, ...]) -> Kind:
    return Kind(
        name="reranker",
        task="text-ranking",
        tags=("table-retrieval", "reranker"),
        lead=lead,
        backbones=backbones,
        facts=_settings(values),
        code=lambda name: [
            f"from tabrag import {model.__name__}",
            "from tabrag.inference.score_pairs import PairScorer",
            "from tabrag.tables.grid import make_grid",
            "from tabrag.types import Table",
            "",
            f"score = PairScorer({model.__name__}.from_pretrained({name!r}))",
            *_TABLE_LINES,
            "table = Table(id='t1', title='Population of Canada by province', grid=grid)",
            f"print(score([({_QUESTION!r}, table)]))  # log-odds of each pair",
        ],
        load=model.from_pretrained,  # type: ignore[attr-defined]
    )


def _chat_reranker(folder: Path) -> Kind:
    from tabrag.models.backbones import origin
    from tabrag.models.chat_files import read

    found = read(folder)
    config = found.config
    facts: dict[str, Any] = {
        "base": origin(config.model) if config.model else "merged into this model",
        "language": config.language,
        **({} if config.show == "text" else {"vision": config.vision, "projector": config.projector}),
        **(
            {"LoRA": f"rank {config.lora.rank}, alpha {config.lora.alpha:g}"}
            if "lora" in config.language
            else {}
        ),
        "show": config.show,
        "table text": f"{config.context.max_tokens} tokens at most",
        "max_length": config.max_length,
        "labels": [f"{label}: {ids}" for label, ids in found.label_ids.items()],
        "tasks": [f"{name} {value:g}" for name, value in found.mix.items()],
    }
    return Kind(
        name="reranker and reader",
        task="text-ranking",
        tags=("table-retrieval", "table-question-answering", "reranker"),
        lead="A language model, trained with tabrag, that says how likely a table holds what a question asks "
        "for, by the probability of its reply True, and that answers from the table.",
        backbones=(origin(config.model),) if config.model else (),
        facts=_settings(facts),
        code=lambda name: (
            [
                "from tabrag.inference.chat_scorer import ChatPairScorer",
                "from tabrag.tables.grid import make_grid",
                "from tabrag.types import Table",
                "",
                f"score = ChatPairScorer.from_pretrained({name!r})",
                *_TABLE_LINES,
                "table = Table(id='t1', title='Population of Canada by province', grid=grid)",
                f"print(score([({_QUESTION!r}, table)]))  # log-odds of each pair",
            ]
            if config.show == "text"
            else [
                "from pathlib import Path",
                "",
                "from tabrag.inference.chat_scorer import ChatPairScorer",
                "from tabrag.tables.grid import make_grid",
                "from tabrag.tables.render import render",
                "from tabrag.types import Table",
                "",
                f"score = ChatPairScorer.from_pretrained({name!r}, image_path=lambda table: table.image)",
                *_TABLE_LINES,
                "table = Table(id='t1', title='Population of Canada by province', grid=grid, image='t1.png')",
                "render(table).image.save('t1.png')",
                f"print(score([({_QUESTION!r}, table)]))  # log-odds of each pair",
            ]
        ),
        load=_open_chat,
    )


def _open_chat(folder: Path) -> Any:
    from tabrag.chat.config import LocalChatConfig
    from tabrag.chat.loading import load

    return load(LocalChatConfig(model=str(folder), device="cpu", dtype="float32"))[0]


_KINDS: dict[str, Callable[[Path], Kind]] = {
    "retriever.json": _retriever,
    "header_classifier.json": _header_classifier,
    "cell_reader.json": _cell_reader,
    "cross_encoder.json": _cross_encoder,
    "word_reranker.json": _word_reranker,
    "chat_reranker.json": _chat_reranker,
}


def _settings(values: Mapping[str, Any]) -> str:
    lines = ["| | |", "|---|---|"]
    for key, value in values.items():
        if key not in ("format_version", "revision"):
            lines.append(f"| {key} | {', '.join(value) if isinstance(value, list) else value} |")
    return "\n".join(lines)


def _retriever_code(name: str, *, picture: bool) -> list[str]:
    drawn = [
        "rendered = render(table)",
        "rendered.image.save('t1.png')",
        "table.image, table.words = 't1.png', rendered.words",
    ]
    return [
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
        *_TABLE_LINES,
        "table = Table(id='t1', title='Population of Canada by province', grid=grid)",
        *(drawn if picture else []),
        "represent = build(retriever.representation, measure=retriever.item.inputs)",
        "entries = represent(table, folder=Path('.'))",
        "items = encode(retriever.item, entries)",
        f"queries = encode_queries(retriever, [Query(id='q1', text={_QUESTION!r})])",
        "print(queries @ items.T)  # similarities, [questions, tables]",
    ]
