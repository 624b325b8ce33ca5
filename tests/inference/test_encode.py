"""Encoding: order, duplicates, processes, NaN, number formats."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from PIL import Image

from tabrag import distributed
from tabrag.errors import UserError
from tabrag.inference.encode import encode, encode_queries
from tabrag.models import tiny
from tabrag.models.config import EmbedderConfig, RetrieverConfig
from tabrag.models.embedder import Embedder
from tabrag.models.retriever import Retriever
from tabrag.representations import RepresentationConfig
from tabrag.types import Entry, Query, Word


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("bert")
    tiny.bert(path)
    return str(path)


@pytest.fixture(scope="module")
def embedder(folder: str) -> Embedder:
    return Embedder.from_config(EmbedderConfig(backbone=folder))


def _entries(num: int = 17) -> list[Entry]:
    """Mixed lengths with duplicates and empty ones."""
    texts = ["", "x", "total", "word " * 300, "x", "", *(f"row {i} " * (1 + 7 * i % 40) for i in range(num))]
    return [Entry(id=f"e{i}", item_id=f"e{i}", text=text) for i, text in enumerate(texts[:num])]


def _alone(embedder: Embedder, entries: list[Entry]) -> np.ndarray:
    with torch.no_grad():
        return torch.cat([embedder.eval()(**embedder.inputs([entry])) for entry in entries]).numpy()


@pytest.mark.parametrize("batch_tokens", [1, 700, 100_000, None])
def test_rows_are_in_input_order(embedder: Embedder, batch_tokens: int | None) -> None:
    entries = _entries()
    vectors = encode(embedder, entries, batch_tokens=batch_tokens, progress=False)
    expected = _alone(embedder, entries)
    assert vectors.dtype == np.float32 and vectors.shape == (17, 32)
    assert len(np.unique(expected.round(4), axis=0)) == 15  # two texts occur twice
    assert np.allclose(vectors, expected, atol=1e-5)
    assert np.array_equal(vectors[1], vectors[4]) and np.array_equal(vectors[0], vectors[5])


def test_windows_join(embedder: Embedder, monkeypatch: pytest.MonkeyPatch) -> None:
    entries = _entries()
    whole = encode(embedder, entries, progress=False)
    monkeypatch.setattr("tabrag.inference.encode.WINDOW", 5)
    assert np.allclose(encode(embedder, entries, progress=False), whole, atol=1e-6)


def test_nothing_to_encode(embedder: Embedder) -> None:
    assert encode(embedder, [], progress=False).shape == (0, 32)


def test_training_mode_comes_back(embedder: Embedder) -> None:
    for mode in (True, False):
        embedder.train(mode)
        encode(embedder, _entries(3), progress=False)
        assert embedder.training == mode


def test_pictures_and_words(tmp_path: Path) -> None:
    folder = tmp_path / "layoutlmv3"
    folder.mkdir()
    tiny.layoutlmv3(folder)
    embedder = Embedder.from_config(EmbedderConfig(backbone=str(folder), inputs="layoutlmv3"))
    entries = []
    for number in range(6):
        noise = np.random.default_rng(number % 4).integers(0, 256, (30, 40, 3), dtype=np.uint8)
        Image.fromarray(noise).save(tmp_path / f"{number}.png")
        words = [Word(text="same", box=(1, 2, 3, 4))] * (number % 3)
        entry = Entry(id=str(number), item_id="t", image=str(tmp_path / f"{number}.png"), words=words)
        entries.append(entry)
    vectors = encode(embedder, entries, batch_tokens=16, progress=False)
    assert np.allclose(vectors, _alone(embedder, entries), atol=1e-5)
    assert len(np.unique(vectors.round(4), axis=0)) == 6
    (tmp_path / "3.png").write_bytes(b"broken")
    with pytest.raises(UserError, match="3.png"):
        encode(embedder, entries, batch_tokens=16, progress=False)


def test_nan_names_the_entries_and_gives_nothing(folder: str) -> None:
    embedder = Embedder.from_config(EmbedderConfig(backbone=folder, normalize=False))
    number = embedder.inputs.tokenization.tokenizer.convert_tokens_to_ids("q")
    embedder.backbone.embeddings.word_embeddings.weight.data[number] = float("nan")
    entries = [Entry(id=f"id-{text}", item_id="t", text=text) for text in ("a", "q", "b", "x q y")]
    with pytest.raises(UserError, match="vectors of id-q, id-x q y: nothing is written"):
        encode(embedder, entries, batch_tokens=1, progress=False)


@pytest.mark.parametrize("dtype", ["auto", "float32", "bfloat16", "float16"])
def test_number_formats_on_a_cpu(embedder: Embedder, dtype: str) -> None:
    entries = [*_entries(3), Entry(id="long", item_id="long", text="word " * 500)]
    if dtype == "float16":
        with pytest.raises(UserError, match="float16 does not work on a CPU"):
            encode(embedder, entries, device="cpu", dtype=dtype, progress=False)
        return
    vectors = encode(embedder, entries, device="cpu", dtype=dtype, progress=False)
    exact = _alone(embedder, entries)
    assert np.isfinite(vectors).all() and ((vectors * exact).sum(1) > 0.999).all()
    assert np.allclose(vectors, exact, atol=1e-6) == (dtype != "bfloat16")


def test_queries_use_the_query_tower(folder: str) -> None:
    config = RetrieverConfig(
        query=EmbedderConfig(backbone=folder, prefix="query: "), item=EmbedderConfig(backbone=folder)
    )
    retriever = Retriever.from_config(config, RepresentationConfig())
    queries = [Query(id="q1", text="how many"), Query(id="q2", text="who")]
    vectors = encode_queries(retriever, queries, progress=False)
    expected = encode(
        retriever.item,
        [Entry(id="a", item_id="a", text="query: how many"), Entry(id="b", item_id="b", text="query: who")],
        progress=False,
    )
    assert np.allclose(vectors, expected, atol=1e-6)
    assert not np.allclose(vectors[0], vectors[1], atol=1e-3)


def _worker(rank: int, size: int, folder: str, out: str) -> None:
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{out}/store{size}", rank=rank, world_size=size)
    try:
        embedder = Embedder.from_config(EmbedderConfig(backbone=folder))
        results: dict[str, Any] = {}
        for count in (17, 1, 0):
            results[f"n{count}"] = encode(embedder, _entries(count), progress=False)
        broken = [Entry(id="fine", item_id="t", text="fine"), Entry(id="nan", item_id="t", text="q")]
        number = embedder.inputs.tokenization.tokenizer.convert_tokens_to_ids("q")
        embedder.backbone.embeddings.word_embeddings.weight.data[number] = float("nan")
        try:
            encode(embedder, broken, progress=False)
        except UserError as error:
            results["message"] = np.array(str(error))
        np.savez(f"{out}/{size}-{distributed.rank()}.npz", **results)
    finally:
        dist.destroy_process_group()


@pytest.mark.parametrize("size", [1, 2])
def test_processes_share_the_work_and_all_get_the_whole(
    embedder: Embedder, folder: str, tmp_path: Path, size: int
) -> None:
    mp.start_processes(_worker, args=(size, folder, str(tmp_path)), nprocs=size, start_method="fork")
    expected = _alone(embedder, _entries())
    for rank in range(size):
        results = np.load(tmp_path / f"{size}-{rank}.npz")
        assert np.allclose(results["n17"], expected, atol=1e-5)
        assert results["n1"].shape == (1, 32) and results["n0"].shape == (0, 32)
        assert "vectors of nan" in str(results["message"])
