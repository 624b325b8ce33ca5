"""A sentence encoder as it is serves as a retriever, with the pooling and length that its files name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from tabrag.errors import UserError
from tabrag.inference.encode import encode
from tabrag.models.io import resolve
from tabrag.models.retriever import Retriever
from tabrag.representations.image import BLANK
from tabrag.types import Entry, Word


def copied(folder: Path) -> Path:
    folder.mkdir()
    for path in resolve("offline:tiny-bert").iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    return folder


def test_an_offline_encoder_is_pooled_by_its_mean_and_both_towers_are_one():
    retriever = Retriever.from_pretrained("offline:tiny-bert")
    assert retriever.config.share_towers and retriever.item.config.pooling == "mean"
    texts = [Entry(id=text, item_id=text, text=text) for text in ("wheat in 2019", "gold")]
    vectors = torch.from_numpy(encode(retriever.item, texts, progress=False))
    assert torch.allclose(vectors.norm(dim=1), torch.ones(2), atol=1e-5)
    assert not torch.allclose(vectors[0], vectors[1], atol=1e-3)
    queries = torch.from_numpy(encode(retriever.query, texts, progress=False))
    assert torch.equal(queries, vectors)


def test_an_encoder_of_pictures_reads_words_as_its_sentence_encoder_reads_texts():
    pictures, texts = (
        Retriever.from_pretrained(name) for name in ("offline:layoutlmv3-minilm", "offline:minilm")
    )
    entries = []
    for text in ("Revenue by region in 2022", "The herd grew"):
        words = [Word(text=word, box=(9 * n, 0, 9 * n + 8, 9)) for n, word in enumerate(text.split())]
        entries.append(Entry(id=text, item_id=text, text=text, image=str(BLANK), words=words))
    read, said = (encode(one.item, entries, progress=False) for one in (pictures, texts))
    assert float(said[0] @ said[1]) < 0.5
    assert abs((read * said).sum(axis=1) - 1).max() < 1e-4
    assert pictures.query.config == texts.query.config


def test_sentence_transformers_files_are_followed(tmp_path: Path):
    folder = copied(tmp_path / "encoder")
    (folder / "1_Pooling").mkdir()
    modes = {
        "word_embedding_dimension": 32,
        "pooling_mode_cls_token": True,
        "pooling_mode_mean_tokens": False,
    }
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(modes))
    (folder / "sentence_bert_config.json").write_text('{"max_seq_length": 24}')
    (folder / "modules.json").write_text('[{"type": "x.Transformer"}, {"type": "x.Pooling"}]')
    config = Retriever.from_pretrained(folder).item.config
    assert (config.pooling, config.max_length, config.normalize) == ("cls", 24, False)
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_max_tokens": true}')
    with pytest.raises(UserError, match="mean or cls"):
        Retriever.from_pretrained(folder)
    for name, text, said in (
        (
            "sentence_bert_config.json",
            '{"max_seq_length": "24"}',
            "'max_seq_length' is '24', expected a whole",
        ),
        ("sentence_bert_config.json", "[]", "expected names with values"),
        ("modules.json", "{}", "'modules' is {}, expected a list"),
        ("1_Pooling/config.json", "[1]", "expected names with values"),
    ):
        before = (folder / name).read_text()
        (folder / name).write_text(text)
        with pytest.raises(UserError, match=f"{name}: {said}"):
            Retriever.from_pretrained(folder)
        (folder / name).write_text(before)


def test_a_folder_without_a_model_is_refused(tmp_path: Path):
    with pytest.raises(UserError, match="no retriever and no encoder"):
        Retriever.from_pretrained(tmp_path)
