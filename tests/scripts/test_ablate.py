"""The ablation of table pictures, with a tiny LayoutLMv3 over a rendered synthetic corpus."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest
from entry_points import call, refuse

from tabrag.data.folder import DataFolder
from tabrag.data.prepare import prepare
from tabrag.data.synthetic import make
from tabrag.index.folder import Index
from tabrag.inference.ablation import VARIANTS, ablate, why_not
from tabrag.inference.sample import sample
from tabrag.models.config import EmbedderConfig, RetrieverConfig
from tabrag.models.retriever import Retriever
from tabrag.representations import RepresentationConfig
from tabrag.tables.ocr_cache import keep_words

SCRIPT = "scripts/ablate.py"
TEXT = EmbedderConfig(backbone="offline:tiny-bert", max_length=32)
LAYOUT = EmbedderConfig(backbone="offline:tiny-layoutlmv3", inputs="layoutlmv3", max_length=64)
PICTURES = RepresentationConfig(name="image")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("corpus") / "data"
    prepare(make(20, 0), path, render=True, num_workers=1)
    return path


@pytest.fixture(scope="module")
def ocr(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Words as if OCR had read every picture: each has lost its last letter."""
    folder, path = DataFolder(data), tmp_path_factory.mktemp("ocr")
    for table in folder.tables:
        for word in table.words or ():
            word.text = word.text[:-1] or "?"
        keep_words(table.words or (), folder.image_path(table), path)
    return path


def checkpoint(
    path: Path, *, item: EmbedderConfig = LAYOUT, represent: RepresentationConfig = PICTURES
) -> str:
    os.environ.setdefault("TABRAG_CACHE", str(path.parent / "cache"))
    Retriever.from_config(RetrieverConfig(query=TEXT, item=item), represent).save_pretrained(path)
    return str(path)


def vectors(out: Path, name: str) -> np.ndarray:
    return np.load(out / name / "index" / "vectors.npy")


def test_all_variants_and_nothing_twice(
    data: Path, ocr: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    export, out = checkpoint(tmp_path / "export"), tmp_path / "out"
    arguments = [f"--checkpoint={export}", f"--data={data}", "--split=dev", f"--out={out}"]
    arguments.append(f"--ocr_folder={ocr}")
    result = call(SCRIPT, *arguments, capsys=capsys)
    assert result["left_out"] == {} and list(result["variants"]) == list(VARIANTS)
    assert all(variant["new"] for variant in result["variants"].values())

    # full is what index.py, retrieve.py and evaluate.py give
    plain, run = tmp_path / "plain", tmp_path / "run.jsonl"
    call("infer/index.py", f"--data={data}", f"--checkpoint={export}", f"--out={plain}", capsys=capsys)
    queries = [f"--data={data}", "--split=dev"]
    call("infer/retrieve.py", f"--indexes=[{plain}]", *queries, "--k=50", f"--out={run}", capsys=capsys)
    figures = call("scripts/evaluate.py", f"--run={run}", *queries, capsys=capsys)
    assert run.read_bytes() == (out / "full" / "run.jsonl").read_bytes()
    for name, cell in result["pooled"]["runs"]["full"].items():
        assert cell["mean"] == figures[name] and cell["interval"] == pytest.approx(figures["intervals"][name])
    assert figures["Hit@10"] > 0 and figures["queries"] == result["queries"] == len(
        DataFolder(data).qrels("dev")
    )

    # every variant changes what the model sees and what it makes of it
    full = vectors(out, "full")
    assert np.array_equal(full, np.load(plain / "vectors.npy")) and len(full) == result["items"] == 20
    for name in list(VARIANTS)[1:]:
        assert result["variants"][name]["changed_items"] == 20
        assert (np.abs(vectors(out, name) - full).max(axis=1) > 1e-5).all(), name
        assert "difference_interval" in result["pooled"]["runs"][name]["MRR@10"]
    table = (out / "ablation.md").read_text()
    assert table.count("| pixels_only |") == 2 and json.loads((out / "ablation.json").read_text()) == result

    # a second call makes nothing, a changed setting makes what depends on it
    before = {
        path: path.stat().st_mtime_ns for path in out.rglob("*") if path.parent != out and path.is_file()
    }
    again = call(SCRIPT, *arguments, capsys=capsys)
    assert not any(variant.pop("new") for variant in again["variants"].values())
    assert before and all(path.stat().st_mtime_ns == time for path, time in before.items())
    for variant in result["variants"].values():
        del variant["new"]
    assert again == result
    (out / "zeroed_boxes" / "figures.json").unlink()
    mended = call(SCRIPT, *arguments, capsys=capsys)
    assert [name for name, variant in mended["variants"].items() if variant["new"]] == ["zeroed_boxes"]
    assert mended["pooled"] == result["pooled"]


def test_a_smaller_pool_and_another_checkpoint(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    export = checkpoint(tmp_path / "export")
    settings = {"split": "dev", "variants": ["blank_picture"], "limit": 2, "figures": ["Hit@2"]}
    result = ablate(export, data, out, **settings)
    assert list(result["variants"]) == ["full", "blank_picture"] and result["items"] == 2
    assert 0 < result["queries"] < len(DataFolder(data).qrels("dev"))
    assert Index.open(out / "full" / "index").manifest.num_items == 2
    assert not any(one["new"] for one in ablate(export, data, out, **settings)["variants"].values())
    other = checkpoint(tmp_path / "other", item=LAYOUT.__class__(**{**vars(LAYOUT), "max_length": 48}))
    result = ablate(other, data, out, **settings)
    assert all(one["new"] for one in result["variants"].values())


def test_samples_grow_and_hold_what_their_queries_need(data: Path) -> None:
    folder = DataFolder(data)
    whole, before = sample(folder, "dev"), set()
    assert len(whole.item_ids) == 20 and list(whole.qrels) == [query.id for query in whole.queries]
    for limit in (2, 4, 20):
        part = sample(folder, "dev", limit=limit)
        assert len(part.item_ids) == limit and before <= set(part.item_ids)
        before = set(part.item_ids)
        assert part.queries == [query for query in whole.queries if set(whole.qrels[query.id]) <= before]
    assert part.queries == whole.queries


@pytest.mark.parametrize(
    ("item", "represent", "possible"),
    [
        (LAYOUT, PICTURES, set(VARIANTS)),
        (
            EmbedderConfig(backbone="x", inputs="layoutlmv3", pixels=False),
            PICTURES,
            {"full", "zeroed_boxes", "shuffled_words", "ocr_words"},
        ),
        (
            EmbedderConfig(backbone="x", inputs="layoutlmv3", max_length=0),
            PICTURES,
            {"full", "blank_picture"},
        ),
        (EmbedderConfig(backbone="x", inputs="image"), PICTURES, {"full", "blank_picture"}),
        (TEXT, RepresentationConfig(name="headers"), {"full"}),
        (TEXT, PICTURES, {"full"}),
    ],
)
def test_what_a_checkpoint_can_take(
    item: EmbedderConfig, represent: RepresentationConfig, possible: set[str]
) -> None:
    reasons = {name: why_not(name, item, represent) for name in VARIANTS}
    assert {name for name, reason in reasons.items() if reason is None} == possible


def test_a_text_checkpoint_gives_its_figures_and_the_reasons(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    export = checkpoint(tmp_path / "export", item=TEXT, represent=RepresentationConfig(name="headers"))
    arguments = [f"--checkpoint={export}", f"--data={data}", f"--out={tmp_path / 'out'}"]
    result = call(SCRIPT, *arguments, capsys=capsys)
    assert list(result["variants"]) == ["full"] and len(result["left_out"]) == len(VARIANTS) - 1
    assert result["left_out"]["pixels_only"] == "the checkpoint searches 'headers', not pictures"
    assert "- pixels_only is left out: the checkpoint" in (tmp_path / "out" / "ablation.md").read_text()
    for extra, message in (
        ("--variants=[nothing]", "variant 'nothing' is unknown: use full, blank_picture"),
        ("--limit=0", "at least 1 table"),
        ("--split=other", "no split 'other'"),
        ("--figures=[Hit]", "'Hit' is unknown"),
    ):
        assert message in refuse(SCRIPT, *arguments, extra, capsys=capsys)


def test_a_variant_that_changes_nothing_is_reported(
    data: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    represent = RepresentationConfig(name="image", options={"words": "none"})
    export = checkpoint(tmp_path / "export", represent=represent)
    result = ablate(export, data, tmp_path / "out", variants=["zeroed_boxes", "pixels_only"], limit=3)
    assert result["variants"]["pixels_only"]["changed_items"] == 0
    assert "the variant shows nothing" in caplog.text
    assert result["variants"]["zeroed_boxes"]["representation"] == {"words": "none", "boxes": "zeroed"}
