"""An index that is built, changed, and built again after a kill."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from indexes import entries, entry, files_of, found, make, queries, retriever
from processes import run_distributed

from tabrag.errors import UserError
from tabrag.index import writing
from tabrag.index.config import Bm25Config
from tabrag.index.folder import Index
from tabrag.index.manifest import KINDS
from tabrag.representations import RepresentationConfig
from tabrag.types import Entry


@pytest.mark.parametrize("kind", KINDS)
def test_changes_item_by_item_equal_a_fresh_build(kind: str, tmp_path: Path) -> None:
    index = make(tmp_path / "index", kind)
    given = None if kind == "bm25" else retriever()
    counts = index.delete(["t003", "t010"])
    assert (counts["removed"], counts["unchanged"], len(index)) == (2, 28, 28)
    assert "t003" not in {item_id for item_id, _ in found(index, queries(3), 28)["q3"]}
    counts = index.update([entry(50), entry(5, content="new jam")], retriever=given)
    assert (counts["added"], counts["replaced"], counts["removed"]) == (1, 1, 0)
    index.delete(["t050"])
    counts = index.update([entry(10), entry(3), entry(5)], retriever=given)
    assert (counts["added"], counts["replaced"]) == (2, 1)
    assert kind == "bm25" or counts["encoded"] == 3
    fresh = make(tmp_path / "fresh", kind)
    asked = queries(*range(0, 30, 4))
    assert found(index, asked) == found(fresh, asked)
    assert found(Index.open(tmp_path / "index"), asked) == found(fresh, asked)
    if kind in ("exact", "faiss-flat", "bm25"):
        assert files_of(tmp_path / "index") == files_of(tmp_path / "fresh")


def test_sync_encodes_only_what_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = make(tmp_path / "index", "exact")
    seen: list[str] = []
    from tabrag.inference import encode as module

    real = module.encode
    monkeypatch.setattr(
        module,
        "encode",
        lambda tower, part, **options: seen.extend(e.id for e in part) or real(tower, part, **options),
    )
    wanted = [*entries(*range(2, 30)), entry(1, content="changed"), entry(40)]
    counts = index.sync(wanted, retriever=retriever())
    assert sorted(seen) == ["t001", "t040"]
    assert counts == {"added": 1, "replaced": 1, "unchanged": 28, "removed": 1, "encoded": 2}
    assert found(index, queries(40))["q40"][0][0] == "t040"
    assert index.sync(wanted, retriever=retriever())["encoded"] == 0
    with pytest.raises(UserError, match="no item 'nobody'"):
        index.delete(["nobody"])
    with pytest.raises(UserError, match="name the retriever"):
        index.update([entry(99)])


def test_another_encoder_is_refused(tmp_path: Path) -> None:
    index = make(tmp_path / "index", "exact", checkpoint="runs/one/export")
    assert found(index, queries(1))["q1"][0][0] == "t001"
    for attempt in (
        lambda: index.search(queries(1), 3, retriever(seed=1)),
        lambda: index.update([entry(99)], retriever=retriever(seed=1)),
    ):
        with pytest.raises(UserError, match="made by another encoder.*runs/one/export"):
            attempt()
    with pytest.raises(UserError, match="needs its retriever"):
        index.search(queries(1), 3)
    with pytest.raises(UserError, match="needs a retriever"):
        Index.build(tmp_path / "other", entries(1), kind="exact")


def test_other_settings_are_refused(tmp_path: Path) -> None:
    index = make(tmp_path / "index", "exact")
    representation = RepresentationConfig(name="headers")
    index.require(kind="exact", metric="cosine", representation=representation)
    assert index.manifest.representation.pop("written", "") is None  # an index of before there were any
    index.require(kind="exact", metric="cosine", representation=representation)
    for change, name in (
        ({"kind": "bm25"}, "kind"),
        ({"metric": "ip"}, "metric"),
        ({"representation": RepresentationConfig(name="markdown")}, "representation"),
    ):
        with pytest.raises(UserError, match=f"made with {name}"):
            index.require(**{"kind": "exact", "metric": "cosine", "representation": representation, **change})
    with pytest.raises(UserError, match="metric 'l2'"):
        make(tmp_path / "other", "exact", metric="l2")
    with pytest.raises(UserError, match="index kind 'flat'"):
        make(tmp_path / "other", "flat")


def test_other_words_than_those_of_the_index_are_refused(tmp_path: Path) -> None:
    index = make(tmp_path / "index", "bm25", bm25=Bm25Config(k1=1.5))
    wanted = {"kind": "bm25", "metric": "cosine", "representation": None}
    index.require(**wanted)
    index.require(**wanted, bm25=Bm25Config(k1=1.5))
    with pytest.raises(UserError, match=r"made with bm25 Bm25Config\(k1=1.5"):
        index.require(**wanted, bm25=Bm25Config())


def test_entry_ids_must_be_unique(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="'t001' occurs twice"):
        make(tmp_path / "index", "exact", [*entries(1, 2), entry(1, content="other")])
    assert not (tmp_path / "index").exists()


def test_a_build_that_fails_leaves_the_old_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path / "index", "exact")
    before = files_of(tmp_path / "index")

    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(writing, "build_engine", fail)
        with pytest.raises(KeyboardInterrupt):
            make(tmp_path / "index", "exact", entries(1, 2))
    assert files_of(tmp_path / "index") == before
    assert len(make(tmp_path / "index", "exact", entries(1, 2))) == 2


PROGRAM = """
import os, sys
sys.path.insert(0, {tests!r})
from pathlib import Path
from indexes import entries, retriever
from tabrag.index.folder import Index
import tabrag.inference.encode as module
real, count = module.encode, 0
def encode(tower, part, **options):
    global count
    count += 1
    if count == 3:
        os.kill(os.getpid(), 9)
    return real(tower, part, **options)
module.encode = encode
Index.build(Path({out!r}), entries(*range(30)), kind="exact", retriever=retriever(), entries_per_shard=8)
"""


def test_a_killed_build_continues(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = PROGRAM.format(tests=str(Path(__file__).parents[1]), out=str(tmp_path / "index"))
    process = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True)
    assert process.returncode == -signal.SIGKILL, process.stderr
    assert [path.name for path in tmp_path.iterdir()] == [".index.partial"]
    (tmp_path / ".index.partial" / "000009.npy").write_bytes(b"cut off")
    seen: list[str] = []
    from tabrag.inference import encode as module

    real = module.encode
    monkeypatch.setattr(
        module,
        "encode",
        lambda tower, part, **options: seen.extend(e.id for e in part) or real(tower, part, **options),
    )
    index = make(tmp_path / "index", "exact", entries_per_shard=8)
    assert sorted(seen) == [f"t{number:03d}" for number in range(16, 30)]
    assert [path.name for path in tmp_path.iterdir()] == ["index"]
    monkeypatch.undo()
    fresh = make(tmp_path / "fresh", "exact")
    np.testing.assert_allclose(
        np.load(tmp_path / "index" / "vectors.npy"), np.load(tmp_path / "fresh" / "vectors.npy"), atol=1e-6
    )
    assert found(index, queries(4, 20)) == found(fresh, queries(4, 20))


def test_what_another_encoder_left_is_not_used(tmp_path: Path) -> None:
    from tabrag.index.fingerprint import fingerprint

    folder = tmp_path / ".index.partial"
    folder.mkdir()
    (folder / "key.json").write_text(json.dumps({"encoder": fingerprint(retriever(seed=1)), "dim": 32}))
    np.save(folder / "000001.npy", np.ones((1, 32), np.float32))
    from tabrag.index.partial import content_hash

    (folder / "000001.json").write_text(json.dumps([content_hash(entry(1))]))
    make(tmp_path / "index", "exact", entries(1, 2))
    vectors = np.load(tmp_path / "index" / "vectors.npy")
    assert not np.allclose(vectors[0], 1) and np.linalg.norm(vectors[0]) == pytest.approx(1)


def test_a_vector_that_is_not_finite_is_refused_with_its_id(tmp_path: Path) -> None:
    import copy

    broken = copy.deepcopy(retriever())
    broken.item.backbone.get_input_embeddings().weight.data[:] = float("nan")
    with pytest.raises(UserError, match="t001"):
        Index.build(tmp_path / "index", entries(1), kind="exact", retriever=broken)
    assert not (tmp_path / "index").exists()


def test_two_processes_make_the_same_index_and_the_same_run(tmp_path: Path) -> None:
    retriever()

    def work(rank: int) -> dict[str, Any]:
        index = make(tmp_path / "two", "exact", entries_per_shard=8)
        return found(index, queries(*range(7)))

    first, second = run_distributed(work, 2)
    alone = make(tmp_path / "one", "exact", entries_per_shard=8)
    assert first == second == found(alone, queries(*range(7)))
    np.testing.assert_allclose(
        np.load(tmp_path / "two" / "vectors.npy"), np.load(tmp_path / "one" / "vectors.npy"), atol=1e-6
    )


def test_content_hash_sees_text_words_and_picture_bytes(tmp_path: Path) -> None:
    from tabrag.index.partial import content_hash
    from tabrag.types import Word

    picture = tmp_path / "a.png"
    picture.write_bytes(b"one")
    base = Entry(id="a", item_id="a", text="x", image=str(picture), words=[Word(text="w", box=(0, 0, 1, 1))])
    hashes = {content_hash(base)}
    assert content_hash(dataclasses.replace(base, id="b", item_id="b")) in hashes
    hashes.add(content_hash(dataclasses.replace(base, text="y")))
    hashes.add(content_hash(dataclasses.replace(base, words=[Word(text="w", box=(0, 0, 1, 2))])))
    hashes.add(content_hash(dataclasses.replace(base, words=None)))
    picture.write_bytes(b"two")
    hashes.add(content_hash(base))
    assert len(hashes) == 5
    os.remove(picture)
    with pytest.raises(UserError, match="a.png"):
        content_hash(base)
