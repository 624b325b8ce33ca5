"""Nodes of summary trees beside the candidates: as many as the tokens allow, read behind the others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from reading import Chat
from small_report import write

from tabrag.data.folder import DataFolder
from tabrag.errors import UserError
from tabrag.inference.answer import Reader
from tabrag.inference.config import ContextConfig, ReaderConfig, TreeConfig
from tabrag.inference.index_job import index_folder
from tabrag.inference.pipeline import Pipeline
from tabrag.inference.pipeline_config import PipelineConfig
from tabrag.inference.tree import STAGE, TreeNodes
from tabrag.representations import RepresentationConfig
from tabrag.types import Query

QUERY = Query(id="q", text="lemons summary")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("tree")
    data = write(root / "data")
    nodes = [
        {"number": 1, "layer": 0, "text": "Fruit sold well. Lemons did not.", "units": [1, 3]},
        {"number": 2, "layer": 1, "text": "A summary of lemons, long ago.", "children": [1]},
        {"number": 3, "layer": 2, "text": "Lemons, lemons: a summary.", "children": [2]},
    ]
    (root / "trees.jsonl").write_text(json.dumps({"_id": "r.pdf", "nodes": nodes}) + "\n")
    tree = RepresentationConfig(name="tree", options={"file": str(root / "trees.jsonl")})
    index_folder(data, root / "nodes", kind="bm25", representation=tree)
    index_folder(data, root / "pages", kind="bm25", representation=RepresentationConfig(name="pages"))
    return root


def nodes_of(folder: Path, **options: int) -> list[str]:
    config = TreeConfig(file=str(folder / "trees.jsonl"), indexes=[str(folder / "nodes")], **options)
    items = DataFolder(folder / "data", trees=folder / "trees.jsonl").items
    found = TreeNodes(config, items)([QUERY])["q"]
    assert {one.stage for one in found} == {STAGE}
    return [one.item_id for one in found]


def test_all_layers_are_searched_together(folder: Path):
    assert sorted(nodes_of(folder)) == ["r.pdf#n2", "r.pdf#n3", "r.pdf#u1-3"]
    assert nodes_of(folder, k=1) == ["r.pdf#n3"]


def test_nodes_end_with_the_tokens_but_there_is_one(folder: Path):
    assert nodes_of(folder, max_tokens=1) == ["r.pdf#n3"]
    assert len(nodes_of(folder, max_tokens=20)) == 2


def test_settings_out_of_range(folder: Path):
    for options in ({"k": 0}, {"max_tokens": 0}):
        with pytest.raises(UserError, match="at least 1"):
            nodes_of(folder, **options)


def test_a_reader_gets_nodes_beside_the_candidates_that_it_reads(folder: Path):
    context = ContextConfig(mode="whole", max_tokens=2000)
    settings = PipelineConfig(
        data=str(folder / "data"),
        indexes=[str(folder / "pages")],
        k=2,
        tree=TreeConfig(file=str(folder / "trees.jsonl"), indexes=[str(folder / "nodes")]),
        reader=ReaderConfig(reader="chat", num_tables=1, context=context),
    )
    pipeline = Pipeline(settings)
    pipeline.__dict__["reader"] = Reader(settings.reader, chat=Chat("Fruit sold well."))
    found = pipeline.find([QUERY])
    read = [one.item_id for one in pipeline.reader.read_of(found.run["q"])]
    assert len(found.ranked["q"]) == 2 and read == [found.ranked["q"][0].item_id, *nodes_of(folder)]
    by_turns = Reader(ReaderConfig(reader="chat", num_tables=2)).read_of(found.run["q"])
    ranked, nodes = [one.item_id for one in found.ranked["q"]], nodes_of(folder)
    assert [one.item_id for one in by_turns] == [ranked[0], nodes[0], ranked[1], *nodes[1:]]
    (asked,) = pipeline.reader.contexts(found.queries, found.run, pipeline.data)
    text = "\n".join(asked.shown[0].texts)
    assert len(asked.shown) == 1 and "[summary] Lemons, lemons: a summary." in text
    assert text.count("Lemons did not.") == 1, "a leaf is a chunk: what is shown already is not shown twice"
    (answer,) = pipeline.ask_all([QUERY])
    assert answer.evidence[0].source.page == 1 and answer.evidence[0].text == "Fruit sold well."
    assert [one.item_id for one in answer.candidates] == [one.item_id for one in found.ranked["q"]]
    settings_read = pipeline.settings()
    assert set(settings_read["tree"]) > {"max_tokens", "indexes"} and settings_read["trees"]


def test_an_index_of_other_trees_is_told(
    folder: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    other = tmp_path / "trees.jsonl"
    other.write_bytes((folder / "trees.jsonl").read_bytes())
    settings = {"data": str(folder / "data"), "indexes": [str(folder / "pages")]}

    def opened(file: Path) -> str:
        caplog.clear()
        tree = TreeConfig(file=str(file), indexes=[str(folder / "nodes")])
        _ = Pipeline(PipelineConfig(**settings, tree=tree)).tree
        return caplog.text

    assert opened(other) == ""
    other.write_bytes(other.read_bytes() + b"\n")
    assert f"{folder / 'nodes'}: made of another version" in opened(other)
