"""CUDA against CPU: vectors, search and training steps. Run with  pytest -m gpu  where there is a GPU."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from tabrag.index.exact import ExactIndex
from tabrag.inference.encode import encode
from tabrag.models.config import EmbedderConfig
from tabrag.models.embedder import Embedder
from tabrag.types import Entry

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device"),
]


def _entries() -> list[Entry]:
    return [Entry(id=str(n), item_id=str(n), text="table of prices " * (n % 9)) for n in range(40)]


def test_vectors_agree() -> None:
    embedder = Embedder.from_config(EmbedderConfig(backbone="offline:minilm")).eval()
    on_cpu = encode(embedder, _entries(), device="cpu", dtype="float32", progress=False)
    on_gpu = encode(embedder, _entries(), device="cuda", dtype="float32", progress=False)
    half = encode(embedder, _entries(), device="cuda", dtype="bfloat16", progress=False)
    assert np.ptp(on_cpu) > 0.1
    assert np.abs(on_cpu - on_gpu).max() < 1e-4
    assert (on_cpu * half).sum(axis=1).min() > 0.99


def test_search_agrees() -> None:
    vectors = torch.randn(5000, 64)
    queries = torch.randn(50, 64)
    scores, rows = ExactIndex().build(vectors).search(queries, 20)
    gpu_scores, gpu_rows = ExactIndex(device="cuda").build(vectors).search(queries, 20)
    assert np.ptp(scores) > 0.1 and np.abs(scores - gpu_scores).max() < 1e-4
    assert (rows == gpu_rows).mean() > 0.99


def test_a_cross_encoder_agrees() -> None:
    from tiny_tables import sales

    from tabrag.inference.score_pairs import PairScorer
    from tabrag.models.config import CrossEncoderConfig
    from tabrag.models.cross_encoder import CrossEncoder

    torch.manual_seed(0)
    model = CrossEncoder.from_config(CrossEncoderConfig(backbone="offline:minilm"))
    pairs = [("how many lemons " * n, sales()) for n in range(1, 9)]
    on_cpu = torch.tensor(PairScorer(model, dtype="float32")(pairs))
    on_gpu = torch.tensor(PairScorer(model.cuda(), dtype="float32")(pairs))
    half = torch.tensor(PairScorer(model, dtype="bfloat16")(pairs))
    assert on_cpu.std() > 1e-3
    assert (on_cpu - on_gpu).abs().max() < 1e-3 and (on_cpu - half).abs().max() < 0.1


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_a_chat_model_scores_and_replies_alike(dtype: str) -> None:
    """Shared beginnings on a GPU against whole prompts on the CPU."""
    from tabrag.chat.config import LocalChatConfig
    from tabrag.chat.local import LocalChat
    from tabrag.chat.prompts import RANK_LABELS, Shown, rank_prompt

    table = Shown("t", "Sales", "| fruit | north |\n| lemon | 12 |\n| pear | 7 |")
    prompts = [rank_prompt(question, [table]) for question in ("lemons in the north?", "who won in 1994?")]
    whole = LocalChat(LocalChatConfig(device="cpu", dtype="float32", prefix_cache_mb=0))
    shared = LocalChat(LocalChatConfig(device="cuda", dtype=dtype))
    expected = torch.tensor(whole.score_batch(prompts, RANK_LABELS))
    found = torch.tensor(shared.score_batch(prompts, RANK_LABELS))
    assert expected.std() > 0.01
    assert (expected - found).abs().max() < (1e-3 if dtype == "float32" else 0.3)
    if dtype == "float32":
        replies = [model.generate_batch(prompts, max_new_tokens=8) for model in (whole, shared)]
        assert [one.text for one in replies[0]] == [one.text for one in replies[1]]


def test_training_steps_in_bfloat16(tmp_path: Path) -> None:
    from processes import forget_accelerator
    from toy import ToyTask

    from tabrag.training.accelerator import make_accelerator
    from tabrag.training.config import TrainConfig
    from tabrag.training.loop import train

    forget_accelerator()
    task = ToyTask(dropout=0.0)
    accelerator = make_accelerator("auto")
    assert accelerator.mixed_precision == "bf16"
    task.module.to(accelerator.device)
    task.x, task.y = task.x.to(accelerator.device), task.y.to(accelerator.device)
    before = task.module.query.weight.detach().clone()
    config = TrainConfig(batch_size=4, max_steps=3, lr=0.1)
    figures = train(task, config, accelerator=accelerator, out=tmp_path / "run", settings={})
    assert figures["steps"] == 3 and not torch.equal(before, task.module.query.weight)
