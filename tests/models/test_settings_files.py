"""Damaged settings of a checkpoint are refused, whatever its kind: file and key are named."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tiny_tables import sales

from tabrag.errors import UserError
from tabrag.files import write_json
from tabrag.models import chat_files
from tabrag.models.blend import Blend, ScoreBlend
from tabrag.models.card_kinds import kind_of
from tabrag.models.cell_reader import CellReader
from tabrag.models.config import (
    CellReaderConfig,
    ChatRerankerConfig,
    CrossEncoderConfig,
    EmbedderConfig,
    HeaderClassifierConfig,
    RetrieverConfig,
    WordRerankerConfig,
)
from tabrag.models.cross_encoder import CrossEncoder
from tabrag.models.embedder import Embedder
from tabrag.models.header_classifier import HeaderClassifier
from tabrag.models.retriever import Retriever
from tabrag.models.word_reranker import WordReranker
from tabrag.representations import RepresentationConfig

BACKBONE = "offline:tiny-bert"
BLEND = Blend(0.5, 2.0, -1.0, ScoreBlend("convex", 3.0, 0.5, 1.5, 0.25))

Load = Callable[[Path], Any]
FILES: dict[str, tuple[str, Load]] = {
    "word_reranker.json": ("words", WordReranker.from_pretrained),
    "word_weights.json": ("words", WordReranker.from_pretrained),
    "cross_encoder.json": ("cross", CrossEncoder.from_pretrained),
    "header_classifier.json": ("headers", HeaderClassifier.from_pretrained),
    "cell_reader.json": ("cells", CellReader.from_pretrained),
    "retriever.json": ("retriever", Retriever.from_pretrained),
    "embedder.json": ("retriever/query", Embedder.from_pretrained),
    "chat_reranker.json": ("chat", chat_files.read),
}
ANY = ("mix", "representation.options")
"""Keys below which any value may stand."""
NULL = ("blend.scores", "threshold")
"""Keys that are not null here and may be."""


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("checkpoints")
    words = WordReranker(WordRerankerConfig())
    words.inputs.weigh([sales(), replace(sales(), id="other")])
    words.blend = BLEND
    words.save_pretrained(root / "words")
    cross = CrossEncoder.from_config(CrossEncoderConfig(backbone=BACKBONE))
    cross.blend = BLEND
    cross.save_pretrained(root / "cross")
    headers = HeaderClassifier.from_config(HeaderClassifierConfig(backbone=BACKBONE, max_length=64))
    headers.threshold = 0.5
    headers.save_pretrained(root / "headers")
    CellReader.from_config(CellReaderConfig(backbone=BACKBONE, width=8)).save_pretrained(root / "cells")
    tower = EmbedderConfig(backbone=BACKBONE, max_length=32)
    config = RetrieverConfig(query=tower, item=tower, share_towers=True)
    Retriever.from_config(config, RepresentationConfig()).save_pretrained(root / "retriever")
    labels = {"True": [1], "False": [2, 3]}
    file = chat_files.ChatRerankerFile(
        config=ChatRerankerConfig(model="x"), base_digest="ab", dtype="float32", label_ids=labels, blend=BLEND
    )
    (root / "chat").mkdir()
    write_json(root / "chat/chat_reranker.json", file.to_json())
    return root


def leaves(values: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """The place and value of everything in a JSON value but its outermost mapping."""
    if path:
        yield path, values
    inner = (
        values.items() if isinstance(values, dict) else enumerate(values) if isinstance(values, list) else ()
    )
    for key, value in inner:
        yield from leaves(value, (*path, key))


def wrong(value: Any) -> list[Any]:
    """Values of another kind than a setting's."""
    if isinstance(value, bool):
        return [1, "yes", None]
    if isinstance(value, int):
        return [value + 0.5, math.nan, "7", True, [value]]
    if isinstance(value, float):
        return [math.nan, math.inf, "0.5", True, None]
    if isinstance(value, str):
        return [7, None, [value]]
    if isinstance(value, list):
        return [7, "x", None]
    return ["x", 7, [1]] if isinstance(value, dict) else [{"x": 1}, [1]]


def changed(values: Any, path: tuple[str | int, ...], value: Any) -> Any:
    key, *rest = path
    made = values.copy()
    made[key] = changed(values[key], tuple(rest), value) if rest else value
    return made


@pytest.mark.parametrize("name", FILES)
def test_no_value_of_another_kind_is_taken(checkpoints: Path, name: str) -> None:
    folder, load = FILES[name]
    path = checkpoints / folder / name
    text = path.read_text(encoding="utf-8")
    whole = json.loads(text)
    num_tried = 0
    try:
        for place, value in leaves(whole):
            key = ".".join(map(str, place))
            if key.startswith(tuple(f"{one}." for one in ANY)) or "version" in key:
                continue
            for other in wrong(value):
                if other is None and key in NULL:
                    continue
                path.write_text(json.dumps(changed(whole, place, other)), encoding="utf-8")
                with pytest.raises(UserError) as caught:
                    load(checkpoints / folder)
                said = str(caught.value)
                assert name in said, (key, other, said)
                named = [one for one in place if isinstance(one, str)][-1]
                assert named in said or "choices" in key, (key, other, said)
                num_tried += 1
        for kind in ("null", "[]", "7", "{}"):
            path.write_text(kind, encoding="utf-8")
            with pytest.raises(UserError, match=name):
                load(checkpoints / folder)
    finally:
        path.write_text(text, encoding="utf-8")
    assert num_tried > 5
    load(checkpoints / folder)  # it was whole before


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ({"num_items": 0, "counts": {}}, "'num_items' is 0, expected 1 or more"),
        ({"num_items": 3, "counts": {"lemon": 2.5}}, r"'counts\.lemon' is 2\.5, expected a whole number"),
        ({"num_items": 3, "counts": {"lemon": -1}}, r"'counts\.lemon' is -1, expected 1 to 3 items"),
        ({"num_items": 3, "counts": {"lemon": 4}}, r"'counts\.lemon' is 4, expected 1 to 3 items"),
        ({"num_items": math.nan, "counts": {}}, "'num_items' is nan, expected a whole number"),
        ({"num_items": 3, "counts": {"lemon": "two"}}, r"'counts\.lemon' is 'two'"),
        ({"num_items": 3}, "'counts' is missing"),
    ],
)
def test_numbers_of_words_are_whole_and_fit_the_corpus(
    checkpoints: Path, weights: dict[str, Any], said: str
) -> None:
    path = checkpoints / "words/word_weights.json"
    text = path.read_text(encoding="utf-8")
    assert len(json.loads(text)["counts"]) > 3
    try:
        path.write_text(json.dumps(weights), encoding="utf-8")
        with pytest.raises(UserError, match=rf"word_weights\.json: {said}"):
            WordReranker.from_pretrained(checkpoints / "words")
    finally:
        path.write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    "name", [name for name in FILES if name not in ("word_weights.json", "embedder.json")]
)
def test_the_card_of_a_damaged_checkpoint_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("[]", encoding="utf-8")
    (tmp_path / "query").mkdir()
    (tmp_path / "query/embedder.json").write_text("{}", encoding="utf-8")
    with pytest.raises(UserError, match=name):
        kind_of(tmp_path)
