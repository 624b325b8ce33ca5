"""Random models of some ten thousand weights, for tests and a first look at training: seconds on a CPU.

They read any text through a vocabulary of letters, letter pairs and digit pairs, so that words which share
letters share tokens. They know nothing before training.
"""

from __future__ import annotations

import string
from pathlib import Path

import torch

from tabrag.models.io import write_model

_SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
_SIZES = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 64,
    "hidden_dropout_prob": 0.0,
    "attention_probs_dropout_prob": 0.0,
}


def vocabulary() -> list[str]:
    """Tokens of the tiny models: special ones, single characters, pairs, and each of these inside a word."""
    letters, digits = string.ascii_lowercase, string.digits
    pairs = [a + b for a in letters for b in letters] + [a + b for a in digits for b in digits]
    starts = [*letters, *digits, *pairs]
    return [*_SPECIAL, *string.punctuation, *starts, *(f"##{piece}" for piece in starts)]


def save_tokenizer(folder: Path) -> int:
    """Write a lower-casing WordPiece tokenizer; return the size of its vocabulary."""
    from transformers import BertTokenizer

    words = vocabulary()
    BertTokenizer(vocab={word: number for number, word in enumerate(words)}).save_pretrained(folder)
    return len(words)


def bert(folder: Path) -> None:
    """A text encoder of 512 positions."""
    from transformers import BertConfig, BertModel

    config = BertConfig(vocab_size=save_tokenizer(folder), max_position_embeddings=512, **_SIZES)
    _save(BertModel, config, folder, add_pooling_layer=False)


def layoutlmv3(folder: Path) -> None:
    """A layout encoder of 512 tokens and 2 x 2 patches."""
    from transformers import LayoutLMv3Config, LayoutLMv3ImageProcessorPil, LayoutLMv3Model

    config = LayoutLMv3Config(
        vocab_size=save_tokenizer(folder),
        max_position_embeddings=514,
        pad_token_id=0,
        bos_token_id=2,
        eos_token_id=3,
        coordinate_size=6,
        shape_size=4,
        input_size=32,
        patch_size=16,
        **_SIZES,
    )
    _save(LayoutLMv3Model, config, folder)
    LayoutLMv3ImageProcessorPil(apply_ocr=False, size={"height": 32, "width": 32}).save_pretrained(folder)


def vit(folder: Path) -> None:
    """A vision encoder of 4 x 4 patches."""
    from transformers import ViTConfig, ViTImageProcessorPil, ViTModel

    config = ViTConfig(image_size=32, patch_size=8, **_SIZES)
    _save(ViTModel, config, folder, add_pooling_layer=False)
    ViTImageProcessorPil(size={"height": 32, "width": 32}).save_pretrained(folder)


def _save(model_class: type, config: object, folder: Path, **options: bool) -> None:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        write_model(model_class(config, **options), folder)
