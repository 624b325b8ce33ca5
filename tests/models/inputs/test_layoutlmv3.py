"""LayoutLMv3 inputs: boxes, words, pictures."""

from __future__ import annotations

import logging
import pickle
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from tabrag.errors import UserError
from tabrag.models import tiny
from tabrag.models.config import check_mode
from tabrag.models.inputs.layoutlmv3 import LayoutLMv3Inputs
from tabrag.types import Entry, Word


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("layoutlmv3")
    tiny.layoutlmv3(path)
    return path


@pytest.fixture(scope="module")
def picture(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("images") / "a.png"
    noise = np.random.default_rng(0).integers(0, 256, (50, 90, 3), dtype=np.uint8)
    Image.fromarray(noise).save(path)
    return str(path)


def _words(*words: tuple[str, tuple]) -> list[Word]:
    return [Word(text=text, box=box) for text, box in words]


def test_each_piece_has_its_words_box(folder: Path) -> None:
    inputs = LayoutLMv3Inputs.load(folder, max_length=32, pixels=False)
    words = _words(("abcde", (1, 2, 3, 4)), ("x", (5, 6, 7, 8)), ("2016", (9, 10, 11, 12)))
    batch = inputs([Entry(id="e", item_id="e", words=words), Entry(id="f", item_id="f", words=words[:1])])
    tokens = inputs.tokenization.tokenizer.convert_ids_to_tokens(batch["input_ids"][0])
    assert tokens == ["[CLS]", "ab", "##cd", "##e", "x", "20", "##16", "[SEP]"]
    a, b, c, none = [1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [0, 0, 0, 0]
    assert batch["bbox"][0].tolist() == [none, a, a, a, b, c, c, none]
    assert batch["bbox"][1].tolist() == [none, a, a, a, none, none, none, none]
    assert batch["attention_mask"].sum(1).tolist() == [8, 5]
    assert set(batch) == {"input_ids", "attention_mask", "bbox"}


def test_byte_level_tokenizer_of_the_published_model(tmp_path: Path) -> None:
    """The published LayoutLMv3 has RoBERTa's byte-level BPE, where a word begins with a space sign."""
    from transformers import LayoutLMv3Config, LayoutLMv3TokenizerFast

    pieces = ["<s>", "<pad>", "</s>", "<unk>", "<mask>", "Ġ", "a", "b", "c", "Ġa", "bc", "Ġabc"]
    tokenizer = LayoutLMv3TokenizerFast(
        vocab={piece: number for number, piece in enumerate(pieces)},
        merges=[("Ġ", "a"), ("b", "c"), ("Ġa", "bc")],
    )
    tokenizer.save_pretrained(tmp_path)
    LayoutLMv3Config(vocab_size=12).save_pretrained(tmp_path)
    inputs = LayoutLMv3Inputs.load(tmp_path, max_length=8, pixels=False)
    words = _words(("abc", (1, 1, 2, 2)), ("ab", (3, 3, 4, 4)))
    batch = inputs([Entry(id="e", item_id="e", words=words), Entry(id="f", item_id="f")])
    expected = tokenizer([["abc", "ab"]], boxes=[[[1, 1, 2, 2], [3, 3, 4, 4]]], return_tensors="pt")
    assert batch["input_ids"][0].tolist() == [0, 11, 9, 7, 2] == expected["input_ids"][0].tolist()
    assert batch["bbox"][0].tolist() == expected["bbox"][0].tolist()
    assert batch["input_ids"][1].tolist() == [0, 2, 1, 1, 1]


def test_boxes_are_clamped_ordered_and_reported(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    boxes = [
        (-25, 0, 250, 200),
        (950, 900, 1150, 1300),
        (250, 500, 200, 600),
        (0, 0, 0, 0),
        (12.7, 1, 13.2, 2),
    ]
    inputs = LayoutLMv3Inputs.load(folder, max_length=32, pixels=False)
    entry = Entry(id="bad-one", item_id="e", words=[Word(text="a", box=box) for box in boxes])
    with caplog.at_level(logging.WARNING):
        got = inputs([entry])["bbox"][0, 1:-1]
        inputs([entry])
    assert got.dtype == torch.int64
    assert got.tolist() == [
        [0, 0, 250, 200],
        [950, 900, 1000, 1000],
        [200, 500, 250, 600],
        [0, 0, 0, 0],
        [12, 1, 13, 2],
    ]
    assert len(caplog.records) == 1 and "bad-one: 4 of 5 boxes" in caplog.text


def test_cut_keeps_boxes_and_words_together(folder: Path) -> None:
    inputs = LayoutLMv3Inputs.load(folder, max_length=10, pixels=False)
    words = [Word(text="ab", box=(i, i, i + 1, i + 1)) for i in range(40)]
    batch = inputs([Entry(id="e", item_id="e", words=words)])
    assert batch["bbox"][0, :, 0].tolist() == [0, 0, 1, 2, 3, 4, 5, 6, 7, 0]
    assert batch["input_ids"][0, -1] == inputs.tokenization.tokenizer.sep_token_id
    assert inputs.num_cut == 32


def test_pixels_are_those_of_the_image_processor(folder: Path, picture: str) -> None:
    from transformers import LayoutLMv3ImageProcessorPil

    inputs = LayoutLMv3Inputs.load(folder, max_length=8)
    pixels = inputs([Entry(id="e", item_id="e", image=picture)])["pixel_values"]
    processor = LayoutLMv3ImageProcessorPil.from_pretrained(folder)
    expected = processor(Image.open(picture), return_tensors="pt")["pixel_values"]
    assert pixels.shape == (1, 3, 32, 32) and pixels.std() > 0.1
    assert torch.allclose(pixels, expected, atol=1e-6)


def test_modes(folder: Path, picture: str) -> None:
    entry = Entry(id="e", item_id="e", image=picture, words=_words(("a", (1, 1, 2, 2))))
    alone = LayoutLMv3Inputs.load(folder, max_length=0)
    assert set(alone([entry])) == {"pixel_values"}
    assert len(alone.features([entry])[0]) == 5  # 2 x 2 patches and the class position
    both = LayoutLMv3Inputs.load(folder, max_length=8)
    assert set(both([entry])) == {"input_ids", "attention_mask", "bbox", "pixel_values"}
    assert len(both.features([entry])[0]) == 8
    with pytest.raises(UserError, match="see nothing"):
        check_mode(max_length=0, pixels=False)


def test_entry_without_picture_is_named(folder: Path, tmp_path: Path) -> None:
    inputs = LayoutLMv3Inputs.load(folder, max_length=8)
    with pytest.raises(UserError, match="entry no-picture has no picture"):
        inputs([Entry(id="no-picture", item_id="e")])
    (tmp_path / "broken.png").write_bytes(b"no picture")
    with pytest.raises(UserError, match="broken.png"):
        inputs([Entry(id="e", item_id="e", image=str(tmp_path / "broken.png"))])


def test_picklable(folder: Path, picture: str) -> None:
    inputs = LayoutLMv3Inputs.load(folder, max_length=8)
    entry = Entry(id="e", item_id="e", image=picture, words=_words(("a", (1, 1, 2, 2))))
    copy = pickle.loads(pickle.dumps(inputs))
    for name, tensor in inputs([entry]).items():
        assert torch.equal(copy([entry])[name], tensor)


def test_counting_tells_what_would_be_cut_and_cuts_nothing(folder: Path) -> None:
    inputs = LayoutLMv3Inputs.load(folder, max_length=10, pixels=False, prefix="table:")
    words = [Word(text=text, box=(0, 0, 1, 1)) for text in ("abcde", "2016", "x") * 9]
    entries = [Entry(id="e", item_id="e", words=words), Entry(id="f", item_id="f")]
    uncut = LayoutLMv3Inputs.load(folder, max_length=500, pixels=False, prefix="table:").features(entries)
    assert inputs.count(entries) == [len(feature) for feature in uncut]
    assert inputs.num_cut == inputs.num_tokens == 0
    inputs.features(entries)
    assert inputs.num_cut == len(uncut[0]) - inputs.limit > 0
    assert LayoutLMv3Inputs.load(folder, max_length=0).limit is None
