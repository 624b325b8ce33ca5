"""The embedder: masks, limits, checkpoints."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image
from safetensors.torch import load_file, save_file

from tabrag.errors import UserError
from tabrag.models import tiny
from tabrag.models.config import EmbedderConfig
from tabrag.models.embedder import Embedder
from tabrag.types import Entry, Word


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("bert")
    tiny.bert(path)
    return str(path)


@pytest.fixture(scope="module")
def layoutlmv3(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("layoutlmv3")
    tiny.layoutlmv3(path)
    return str(path)


@pytest.fixture(scope="module")
def picture(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("images") / "a.png"
    noise = np.random.default_rng(0).integers(0, 256, (50, 90, 3), dtype=np.uint8)
    Image.fromarray(noise).save(path)
    return str(path)


def _texts(*texts: str) -> list[Entry]:
    return [Entry(id=f"e{i}", item_id=f"e{i}", text=text) for i, text in enumerate(texts)]


def _tables(picture: str, *counts: int) -> list[Entry]:
    return [
        Entry(
            id=f"t{i}",
            item_id=f"t{i}",
            image=picture,
            words=[Word(text=f"w{j}", box=(j % 900, i, j % 900 + 50, i + 20)) for j in range(count)],
        )
        for i, count in enumerate(counts)
    ]


def _vectors(embedder: Embedder, entries: list[Entry]) -> torch.Tensor:
    with torch.no_grad():
        return embedder.eval()(**embedder.inputs(entries))


@pytest.mark.parametrize("pooling", ["mean", "cls"])
@pytest.mark.parametrize("projection_dim", [None, 8])
def test_padding_does_not_change_a_vector(bert: str, pooling: Any, projection_dim: int | None) -> None:
    embedder = Embedder.from_config(
        EmbedderConfig(backbone=bert, pooling=pooling, projection_dim=projection_dim)
    )
    long = "word " * 150
    together, alone = _vectors(embedder, _texts("a", long)), _vectors(embedder, _texts("a"))
    assert together.shape == (2, embedder.dim) and embedder.dim == (projection_dim or 32)
    assert torch.allclose(together[0], alone[0], atol=1e-6)
    assert not torch.allclose(together[0], together[1], atol=1e-3)
    assert torch.allclose(together.norm(dim=1), torch.ones(2))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("kind", ["text", "layoutlmv3"])
def test_half_precision_with_mixed_lengths_is_finite(
    bert: str, layoutlmv3: str, picture: str, dtype: torch.dtype, kind: Any
) -> None:
    config = EmbedderConfig(backbone=bert if kind == "text" else layoutlmv3, inputs=kind, max_length=512)
    embedder = Embedder.from_config(config)
    entries = _texts("", "x", "token " * 500) if kind == "text" else _tables(picture, 0, 1, 500)
    exact = _vectors(embedder, entries)
    rough = _vectors(embedder.to(dtype), entries)
    assert rough.dtype == torch.float32 and rough.isfinite().all()
    assert (torch.cosine_similarity(exact, rough) > 0.99).all()


def test_more_words_than_positions(layoutlmv3: str, picture: str) -> None:
    """40 rows x 20 columns of numbers of three tokens: 2,400 tokens into 512 positions."""
    words = [Word(text="123456", box=(0, 0, 9, 9)) for _ in range(800)]
    embedder = Embedder.from_config(
        EmbedderConfig(backbone=layoutlmv3, inputs="layoutlmv3", max_length=512, projection_dim=16)
    )
    entry = Entry(id="t", item_id="t", image=picture, words=words)
    vectors = _vectors(embedder, [entry])
    assert vectors.shape == (1, 16) and vectors.isfinite().all()
    assert embedder.inputs.num_cut == 2 + 3 * 800 - 512


def test_long_text_is_cut_not_crashed(bert: str) -> None:
    embedder = Embedder.from_config(EmbedderConfig(backbone=bert, max_length=512))
    assert _vectors(embedder, _texts("word " * 5000)).isfinite().all()


@pytest.mark.parametrize(("kind", "limit"), [("text", 512), ("layoutlmv3", 513)])
def test_max_length_beyond_the_positions_is_refused(
    bert: str, layoutlmv3: str, kind: Any, limit: int
) -> None:
    backbone = bert if kind == "text" else layoutlmv3
    with pytest.raises(UserError, match=f"max_length 600 is more than the {limit} positions"):
        Embedder.from_config(EmbedderConfig(backbone=backbone, inputs=kind, max_length=600))


def test_tables_of_any_length_give_one_vector_each(layoutlmv3: str, picture: str) -> None:
    embedder = Embedder.from_config(EmbedderConfig(backbone=layoutlmv3, inputs="layoutlmv3", max_length=128))
    entries = _tables(picture, 10, 1000, 0)
    together = _vectors(embedder, entries)
    assert together.shape == (3, 32)
    for row, entry in enumerate(entries):
        assert torch.allclose(_vectors(embedder, [entry])[0], together[row], atol=1e-5)
    assert not torch.allclose(together[0], together[2], atol=1e-2)


def test_bookkeeping_never_reaches_the_model(bert: str) -> None:
    embedder = Embedder.from_config(EmbedderConfig(backbone=bert))
    batch = embedder.inputs(_texts("a"))
    with pytest.raises(TypeError, match="table_id"):
        embedder(**batch, table_id="t1")


def test_zero_vector_stays_zero(bert: str) -> None:
    embedder = Embedder.from_config(EmbedderConfig(backbone=bert, projection_dim=4))
    assert embedder.projection is not None
    torch.nn.init.zeros_(embedder.projection.weight)
    assert torch.equal(_vectors(embedder, _texts("a")), torch.zeros(1, 4))


@pytest.mark.parametrize(
    "values",
    [{}, {"pixels": False}, {"max_length": 0}, {"pooling": "cls"}],
    ids=["both", "words", "pixels", "cls"],
)
def test_every_trainable_parameter_gets_a_gradient(
    layoutlmv3: str, picture: str, values: dict[str, Any]
) -> None:
    """Data-parallel training raises, and a cached step is wrong, where one does not."""
    embedder = Embedder.from_config(EmbedderConfig(backbone=layoutlmv3, inputs="layoutlmv3", **values))
    embedder.train()
    embedder(**embedder.inputs(_tables(picture, 5, 9))).pow(3).sum().backward()
    trainable = {name: p for name, p in embedder.named_parameters() if p.requires_grad}
    assert len(trainable) > 30
    assert [name for name, p in trainable.items() if p.grad is None] == []
    assert not embedder.backbone.encoder.rel_pos_x_bias.weight.requires_grad


def test_picture_counts_only_where_it_is_looked_at(layoutlmv3: str, picture: str, tmp_path: Path) -> None:
    Image.new("RGB", (90, 50), "white").save(tmp_path / "white.png")
    (noise,), (white,) = _tables(picture, 5), _tables(str(tmp_path / "white.png"), 5)
    for pixels in (True, False):
        embedder = Embedder.from_config(
            EmbedderConfig(backbone=layoutlmv3, inputs="layoutlmv3", pixels=pixels)
        )
        same = torch.allclose(_vectors(embedder, [noise]), _vectors(embedder, [white]), atol=1e-5)
        assert same != pixels


@pytest.mark.parametrize("kind", ["text", "words", "both", "pixels"])
def test_checkpoint_round_trip(bert: str, layoutlmv3: str, picture: str, tmp_path: Path, kind: str) -> None:
    from transformers import AutoModel

    options: dict[str, Any] = {
        "text": {"backbone": bert, "prefix": "q: ", "max_length": 64},
        "words": {"backbone": layoutlmv3, "inputs": "layoutlmv3", "pixels": False},
        "both": {"backbone": layoutlmv3, "inputs": "layoutlmv3"},
        "pixels": {"backbone": layoutlmv3, "inputs": "layoutlmv3", "max_length": 0},
    }[kind]
    embedder = Embedder.from_config(EmbedderConfig(**options, projection_dim=8))
    with torch.no_grad():
        for parameter in embedder.parameters():
            parameter.add_(0.01 * torch.randn_like(parameter))
    entries = _texts("one", "two words") if kind == "text" else _tables(picture, 3, 7)
    embedder.save_pretrained(tmp_path / "out")
    again = Embedder.from_pretrained(tmp_path / "out")
    assert torch.equal(_vectors(again, entries), _vectors(embedder, entries))
    assert again.config.prefix == embedder.config.prefix
    assert again.config.backbone == Path(options["backbone"]).name  # nothing of this machine's paths
    plain = AutoModel.from_pretrained(tmp_path / "out", add_pooling_layer=False) if kind == "text" else None
    plain = plain or AutoModel.from_pretrained(tmp_path / "out")
    for name, tensor in embedder.backbone.state_dict().items():
        assert torch.equal(plain.state_dict()[name], tensor)
    again.save_pretrained(tmp_path / "out")  # in place of itself
    assert Embedder.from_pretrained(tmp_path / "out").fingerprint() == embedder.fingerprint()


def test_fingerprint_follows_what_changes_vectors(bert: str) -> None:
    def fingerprint(**values: Any) -> str:
        return Embedder.from_config(EmbedderConfig(backbone=bert, **values)).fingerprint()

    base = fingerprint()
    assert base == fingerprint()
    assert len({base, fingerprint(prefix="q: "), fingerprint(max_length=17), fingerprint(pooling="cls")}) == 4
    embedder = Embedder.from_config(EmbedderConfig(backbone=bert))
    assert embedder.fingerprint() == base
    embedder.backbone.embeddings.word_embeddings.weight.data[7, 3] += 1e-3
    assert embedder.fingerprint() != base


@pytest.mark.parametrize("change", ["missing", "extra", "projection"])
def test_checkpoint_with_other_tensors_is_refused(bert: str, tmp_path: Path, change: str) -> None:
    Embedder.from_config(EmbedderConfig(backbone=bert, projection_dim=4)).save_pretrained(tmp_path / "out")
    path = tmp_path / "out" / "model.safetensors"
    name = "encoder.layer.0.attention.self.query.bias"
    state = load_file(path)
    if change == "missing":
        del state[name]
    elif change == "extra":
        name = "encoder.layer.9.attention.self.query.bias"
        state[name] = torch.ones(32)
    else:
        name, path, state = "weight", tmp_path / "out" / "projection.safetensors", {"other": torch.ones(1)}
    save_file(state, path, metadata={"format": "pt"})
    with pytest.raises(UserError, match=name):
        Embedder.from_pretrained(tmp_path / "out")


@pytest.mark.parametrize("value", [torch.empty(0), torch.full((32,), float("nan")), None])
def test_refused_save_leaves_the_previous_checkpoint(
    bert: str, tmp_path: Path, value: torch.Tensor | None
) -> None:
    """A partitioned parameter that was not gathered has shape [0]: hours of training end in an empty file."""
    embedder = Embedder.from_config(EmbedderConfig(backbone=bert))
    embedder.save_pretrained(tmp_path / "out")
    before = {p.name: p.read_bytes() for p in (tmp_path / "out").glob("*.*")}
    state = dict(embedder.state_dict())
    name = "backbone.encoder.layer.1.output.dense.bias"
    state.pop(name)
    if value is not None:
        state[name] = value
    with pytest.raises(UserError, match="encoder.layer.1.output.dense.bias"):
        embedder.save_pretrained(tmp_path / "out", state_dict=state)
    assert {p.name: p.read_bytes() for p in (tmp_path / "out").glob("*.*")} == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out"]


def test_sentence_transformers_files(bert: str, tmp_path: Path) -> None:
    config = EmbedderConfig(backbone=bert, prefix="query: ", max_length=77, projection_dim=8, pooling="cls")
    embedder = Embedder.from_config(config)
    embedder.save_pretrained(tmp_path / "out")

    def read(name: str) -> Any:
        return json.loads((tmp_path / "out" / name).read_text())

    modules = read("modules.json")
    assert [module["type"].split(".")[-1] for module in modules] == [
        "Transformer",
        "Pooling",
        "Dense",
        "Normalize",
    ]
    assert [module["path"] for module in modules] == ["", "1_Pooling", "2_Dense", "3_Normalize"]
    assert read("sentence_bert_config.json")["max_seq_length"] == 77
    pooling = read("1_Pooling/config.json")
    assert pooling["pooling_mode_cls_token"] and not pooling["pooling_mode_mean_tokens"]
    assert pooling["word_embedding_dimension"] == 32
    prompts = read("config_sentence_transformers.json")
    assert prompts["prompts"][prompts["default_prompt_name"]] == "query: "
    dense = load_file(tmp_path / "out" / "2_Dense" / "model.safetensors")
    assert read("2_Dense/config.json")["out_features"] == 8
    # What that library would compute from these files, by hand:
    batch = embedder.inputs(_texts("a b"))
    states = embedder.eval().backbone(**batch).last_hidden_state
    expected = torch.nn.functional.normalize(states[:, 0] @ dense["linear.weight"].T, dim=-1)
    assert torch.allclose(_vectors(embedder, _texts("a b")), expected, atol=1e-6)


def test_wrong_settings_are_refused(bert: str, layoutlmv3: str, tmp_path: Path) -> None:
    for values in (
        {"inputs": "audio"},
        {"pooling": "max"},
        {"inputs": "layoutlmv3", "pixels": False, "max_length": 0},
    ):
        with pytest.raises(UserError):
            EmbedderConfig(backbone=bert, **values)
    with pytest.raises(UserError, match="does not fit"):
        Embedder.from_config(EmbedderConfig(backbone=layoutlmv3, inputs="text"))
    with pytest.raises(UserError, match="embedder.json"):
        Embedder.from_pretrained(bert)
    embedder = Embedder.from_config(EmbedderConfig(backbone=bert))
    embedder.save_pretrained(tmp_path / "out")
    values = json.loads((tmp_path / "out" / "embedder.json").read_text())
    for changed, message in (({"format_version": 99}, "version 99"), ({"colour": "red"}, "colour")):
        (tmp_path / "out" / "embedder.json").write_text(json.dumps(values | changed))
        with pytest.raises(UserError, match=message):
            Embedder.from_pretrained(tmp_path / "out")


def test_tokenizer_of_another_model_is_refused(bert: str, tmp_path: Path) -> None:
    from transformers import BertConfig, BertModel

    config = BertConfig.from_pretrained(bert)
    config.vocab_size = 50
    BertModel(config).save_pretrained(tmp_path)
    tiny.save_tokenizer(tmp_path)
    with pytest.raises(UserError, match="embedding table only 50 rows"):
        Embedder.from_config(EmbedderConfig(backbone=str(tmp_path)))
