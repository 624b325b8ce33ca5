from __future__ import annotations

import csv
import json
import resource
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image
from tiny_tables import photo, sales, tables, write_tiny

from tabrag.data.card import Card
from tabrag.data.folder import (
    DataFolder,
    new_folder,
    write_documents,
    write_folder,
    write_judgements,
    write_tables,
)
from tabrag.errors import UserError
from tabrag.types import Document, Fact, GoldEvidence, Query, Table, Turn

CARD = Card(name="Test")


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.lists(tables(), max_size=5, unique_by=lambda table: table.id))
def test_random_tables_come_back_equal(items: list[Table]) -> None:
    with tempfile.TemporaryDirectory() as parent:
        write_folder(Path(parent) / "d", tables=items, queries=[], qrels={}, card=CARD)
        store = DataFolder(Path(parent) / "d").tables
        assert list(store) == items
        assert [store[table.id] for table in reversed(items)] == items[::-1]


def test_digests_change_with_tables_and_with_documents(tmp_path: Path) -> None:
    folder = DataFolder(write_tiny(tmp_path / "d"))
    first = folder.digests()
    write_documents(folder.path, [Document(id="d")])
    second = folder.digests()
    assert second.keys() == {"corpus", "documents"} and first == {"corpus": second["corpus"]}
    write_documents(folder.path, [Document(id="d", title="New")])
    assert folder.digests()["documents"] != second["documents"]


def test_queries_splits_and_gold_headers_come_back(tmp_path: Path) -> None:
    folder = DataFolder(write_tiny(tmp_path / "d"))
    assert list(folder.queries) == ["q1", "q2", "q3"]
    assert folder.queries["q2"] == Query(id="q2", text="a is 1", task="verify", label="SUPPORTED")
    assert folder.splits == ["train", "dev"]
    assert folder.qrels("train") == {"q1": {"csv/200-csv/0.csv": 1, "plain": 0}, "q2": {"plain": 2}}
    assert folder.gold_headers["q1"][0].left == [(2, 0), (3, 0)]
    assert folder.gold_headers["q1"][0].formula == "=B4"
    with pytest.raises(UserError, match=r"no split 'test'; it has train, dev"):
        folder.qrels("test")


def test_a_folder_of_tables_alone_is_enough(tmp_path: Path) -> None:
    (tmp_path / "corpus.jsonl").write_text('{"_id": "t", "grid": {"cells": [["x"]]}}\n')
    folder = DataFolder(tmp_path)
    assert (list(folder.tables.ids), folder.queries, folder.splits, folder.gold_headers) == (
        ["t"],
        {},
        [],
        {},
    )


def test_a_missing_folder_is_named() -> None:
    with pytest.raises(UserError, match=r"nowhere: no such data set folder"):
        DataFolder("nowhere")


def test_files_have_beirs_shape(tmp_path: Path) -> None:
    path = write_tiny(tmp_path / "d")
    corpus = [json.loads(line) for line in (path / "corpus.jsonl").open()]
    assert all(isinstance(row[key], str) for row in corpus for key in ("_id", "title", "text"))
    with (path / "qrels" / "train.tsv").open() as file:  # as BEIR's own loader reads it
        reader = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_MINIMAL)
        assert next(reader) == ["query-id", "corpus-id", "score"]
        assert [(row[0], row[1], int(row[2])) for row in reader] == [
            ("q1", "csv/200-csv/0.csv", 1),
            ("q1", "plain", 0),
            ("q2", "plain", 2),
        ]


def test_datasets_loads_each_part(tmp_path: Path) -> None:
    import datasets

    empty = Table(
        id="empty", image="images/e.png", words=[]
    )  # lists without content say nothing of their kind
    path = write_tiny(tmp_path / "d", [empty, photo(), sales(), Table(id="plain", title="x")])

    def load(name: str | None) -> datasets.DatasetDict:
        return datasets.load_dataset(str(path), name, cache_dir=str(tmp_path / "cache"))

    corpus = load(None)["corpus"]
    assert corpus["_id"][:] == ["empty", "photo", "csv/200-csv/0.csv", "plain"]
    assert corpus[2]["grid"]["top_paths"][1] == [[0, 1], [1, 1]]
    assert corpus[1]["word_cells"] == [None, [0, 1]]
    assert json.loads(corpus[2]["metadata"])["url"].startswith("https://example.org")
    assert load("queries")["queries"][1]["label"] == "SUPPORTED"
    qrels = load("qrels")
    assert {split: len(rows) for split, rows in qrels.items()} == {"dev": 1, "train": 3}
    assert qrels["train"][0] == {"query-id": "q1", "corpus-id": "csv/200-csv/0.csv", "score": 1}
    assert load("headers")["headers"][0]["answer_cells"] == [[3, 1]]


def test_datasets_loads_conversations_and_evidence(tmp_path: Path) -> None:
    import datasets

    path = tmp_path / "d"
    path.mkdir()
    asked = Query(id="q", text="And in 2022?", history=[Turn(question="How many in 2021?", answer="4")])
    first = Query(id="p", text="How many in 2021?")
    cell = Fact(kind="cell", document="d", page=2, text="4", row=("North",), column=("Units", "2021"))
    evidence = GoldEvidence(query_id="q", facts=[Fact(kind="sentence", document="d", text="So."), cell])
    write_tables(path, [sales()])
    write_judgements(path, 1, queries=[first, asked], qrels={}, evidence=[evidence], card=CARD)

    def load(name: str) -> datasets.Dataset:
        return datasets.load_dataset(str(path), name, cache_dir=str(tmp_path / "cache"))[name]

    assert load("queries")[1]["history"] == [["How many in 2021?", "4"]]
    assert load("evidence")[0]["facts"][1]["column"] == ["Units", "2021"]
    folder = DataFolder(path)
    assert folder.queries == {"p": first, "q": asked}
    assert folder.evidence == {"q": evidence}


def test_readme_states_licence_source_and_counts(tmp_path: Path) -> None:
    text = (write_tiny(tmp_path / "d") / "README.md").read_text()
    assert text.startswith("---\n")
    for part in ("license: mit", "# Tiny", "Nobody, 2020", "| tables | 2 |", "| qrels/train | 3 |"):
        assert part in text


def test_writing_is_all_or_nothing(tmp_path: Path) -> None:
    path = write_tiny(tmp_path / "d")
    before = {file.name: file.read_bytes() for file in path.rglob("*") if file.is_file()}

    def broken() -> object:
        yield sales()
        raise RuntimeError("power cut")

    with pytest.raises(RuntimeError, match="power cut"):
        write_folder(path, tables=broken(), queries=[], qrels={}, card=CARD)
    assert {file.name: file.read_bytes() for file in path.rglob("*") if file.is_file()} == before
    assert [item.name for item in tmp_path.iterdir()] == ["d"]
    write_folder(path, tables=[photo()], queries=[], qrels={}, card=CARD)
    assert list(DataFolder(path).tables.ids) == ["photo"]
    assert not (path / "qrels").exists()


def test_other_peoples_folders_and_files_are_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "letter.txt").write_text("dear")
    (tmp_path / "file").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path / "home", target_is_directory=True)
    for name in ("home", "file", "link"):
        with pytest.raises(UserError, match="name another --out"), new_folder(tmp_path / name):
            pass
    assert (tmp_path / "home" / "letter.txt").read_text() == "dear"
    (tmp_path / "empty").mkdir()
    write_folder(tmp_path / "empty", tables=[photo()], queries=[], qrels={}, card=CARD)
    assert len(DataFolder(tmp_path / "empty").tables) == 1


def test_an_id_that_tsv_cannot_carry_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="holds a tab or a line break"):
        write_folder(tmp_path / "d", tables=[], queries=[], qrels={"train": {"q\t1": {"t": 1}}}, card=CARD)
    assert not (tmp_path / "d").exists()


def test_broken_lines_of_the_other_files_name_file_and_line(tmp_path: Path) -> None:
    path = write_tiny(tmp_path / "d")
    (path / "qrels" / "train.tsv").write_text("query-id\tcorpus-id\tscore\nq1\tplain\n")
    with pytest.raises(UserError, match=r"train\.tsv:2: expected query-id"):
        DataFolder(path).qrels("train")
    (path / "queries.jsonl").write_text('{"_id": "a", "text": "x"}\n{"_id": "a", "text": "y"}\n')
    with pytest.raises(UserError, match=r"queries\.jsonl: record 2: query id 'a' occurs twice"):
        _ = DataFolder(path).queries
    (path / "queries.jsonl").write_text('{"_id": "a"}\n')
    with pytest.raises(UserError, match=r"queries\.jsonl: record 1 cannot be read .*text"):
        _ = DataFolder(path).queries


def test_image_path_stays_inside(tmp_path: Path) -> None:
    folder = DataFolder(write_tiny(tmp_path / "d"))
    assert folder.image_path(photo()) == (tmp_path / "d" / "images" / "photo.png").resolve()
    with pytest.raises(UserError, match="table 'csv/200-csv/0.csv' .* has no picture; .*--render"):
        folder.image_path(sales())
    with pytest.raises(UserError, match="leads out of the folder"):
        folder.image_path(Table(id="t", image="../secret.png"))


def test_collecting_ids_and_positives_decodes_no_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """500 pictures of 2000 x 2000 pixels would be 6 GB decoded."""
    from tabrag.representations.image import entries

    path = tmp_path / "d"
    with new_folder(path) as temporary:
        (temporary / "images").mkdir()
        (temporary / "corpus.jsonl").touch()
    items = [Table(id=f"t{number}", image=f"images/{number}.png", words=[]) for number in range(500)]
    queries = [Query(id=f"q{number}", text="?") for number in range(500)]
    qrels = {"train": {f"q{number}": {f"t{number}": 1} for number in range(500)}}
    write_folder(path, tables=items, queries=queries, qrels=qrels, card=CARD)
    (path / "images").mkdir()
    Image.new("RGB", (2000, 2000), "white").save(path / "images" / "0.png")
    for number in range(1, 500):
        shutil.copyfile(path / "images" / "0.png", path / "images" / f"{number}.png")
    opened: list[object] = []
    original = Image.open
    monkeypatch.setattr(Image, "open", lambda *a, **k: (opened.append(a), original(*a, **k))[1])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    folder = DataFolder(path)
    positives = [(query, item) for query, grades in folder.qrels("train").items() for item in grades]
    found = [entries(folder.tables[item], folder=path)[0] for _, item in positives]
    assert len(folder.tables.ids) == len(found) == 500
    assert found[499].image == str(path.resolve() / "images" / "499.png")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100 * 1024  # KiB
    assert opened == []
    from tabrag.tables.image import open_image

    assert open_image(found[3].image).size == (2000, 2000)  # the counter counts when a sample is consumed
    assert len(opened) == 1
