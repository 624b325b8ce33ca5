from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from indexes import entries, queries, retriever, text
from processes import run_distributed
from tiny_tables import write_tiny

from tabrag.data.folder import DataFolder
from tabrag.errors import UserError
from tabrag.evaluation.ranking import evaluate
from tabrag.index.config import FusionConfig, RetrieveConfig
from tabrag.index.folder import Index
from tabrag.index.fusion import convex, rrf
from tabrag.inference.retrieve import Retrieve, select_queries
from tabrag.types import Query, Run


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint with a dense and a BM25 index of the same 30 entries."""
    path = tmp_path_factory.mktemp("retrieve")
    retriever().save_pretrained(path / "checkpoint")
    retriever(seed=1).save_pretrained(path / "other")
    for kind in ("exact", "bm25"):
        dense = kind == "exact"
        Index.build(
            path / kind,
            entries(*range(30)),
            kind=kind,
            retriever=retriever() if dense else None,
            checkpoint=str(path / "checkpoint") if dense else None,
        )
    return path


def config(folder: Path, *names: str, **settings: Any) -> RetrieveConfig:
    return RetrieveConfig(indexes=[str(folder / name) for name in names], **settings)


def ids(run: Run) -> dict[str, list[str]]:
    return {query_id: [candidate.item_id for candidate in candidates] for query_id, candidates in run.items()}


def test_one_index_with_the_checkpoint_that_it_names(folder: Path) -> None:
    run = Retrieve(config(folder, "exact", k=7))(queries(3, 12))
    assert ids(run) == ids(Index.open(folder / "exact").search(queries(3, 12), 7, retriever()))
    assert [run[name][0].item_id for name in ("q3", "q12")] == ["t003", "t012"]


def test_what_is_to_be_searched_takes_the_place_of_the_text(folder: Path) -> None:
    retrieve = Retrieve(config(folder, "bm25", k=3))
    asked, other = queries(3, 12)
    asked.search = f"{other.text}. Answer with one word."
    assert retrieve([asked])[asked.id] == retrieve([other])[other.id] != retrieve(queries(3))[asked.id]


def test_several_indexes_are_fused(folder: Path) -> None:
    asked = queries(3, 12)
    retrieve = Retrieve(
        config(folder, "exact", "bm25", k=6, fusion=FusionConfig(k=10, weights=[1.0, 2.0], depth=9))
    )
    run = retrieve(asked)
    parts = [
        Index.open(folder / "exact").search(asked, 9, retriever()),
        Index.open(folder / "bm25").search(asked, 9),
    ]
    assert run == rrf(parts, k=10, weights=[1.0, 2.0], depth=6)
    assert ids(run) != ids(parts[0]) and run["q3"][0].stage == "rrf(k=10)"
    settings = retrieve.settings()["fusion"]
    assert settings == {"method": "rrf", "k": 10, "weights": [1.0, 2.0], "depth": 9, "document_weight": 0.0}
    own = Retrieve(config(folder, "exact", "bm25", k=6, fusion=FusionConfig(k=10, depth=[2, 3])))(asked)
    shorter = [
        {query_id: some[:depth] for query_id, some in part.items()}
        for part, depth in zip(parts, (2, 3), strict=True)
    ]
    assert own == rrf(shorter, k=10, depth=6) != rrf(parts, k=10, depth=6)
    with pytest.raises(UserError, match="depth has 1 numbers for 2 indexes"):
        Retrieve(config(folder, "exact", "bm25", k=6, fusion=FusionConfig(depth=[2])))
    with pytest.raises(UserError, match="depth of 1 or more"):
        FusionConfig(depth=[2, 0])
    by_score = Retrieve(config(folder, "exact", "bm25", k=6, fusion=FusionConfig(method="convex", depth=9)))
    assert by_score(asked) == convex(parts, minima=[-1.0, 0.0], depth=6)


def test_without_known_words_the_hybrid_is_the_dense_ranking(folder: Path) -> None:
    asked = [Query(id="q", text="zzz ???")]
    dense = Retrieve(config(folder, "exact", k=5))(asked)
    assert ids(Retrieve(config(folder, "exact", "bm25", k=5))(asked)) == ids(dense)
    assert Retrieve(config(folder, "bm25", k=5))(asked) == {"q": []}


def test_instructions_are_not_searched_for(folder: Path) -> None:
    """The plain question and the one with a format: the same candidates and scores, dense and by words."""
    (plain,) = queries(3)
    wrapped = Query(id=plain.id, text=f"{plain.text}\nAnswer with one {text(12)} word, in JSON.")
    for name in ("exact", "bm25"):
        index = Index.open(folder / name)
        retrieve = Retrieve(config(folder, name, k=5))
        assert retrieve([wrapped]) == retrieve([plain])
        if name == "bm25":  # the words of the instruction would have counted
            assert index.search([wrapped], 5) != index.search([plain], 5)


def test_k_larger_than_the_collection(folder: Path) -> None:
    for names in (("exact",), ("exact", "bm25")):
        hits = ids(Retrieve(config(folder, *names, k=1000))(queries(3)))["q3"]
        assert sorted(hits) == [f"t{number:03d}" for number in range(30)]


def test_queries_without_text_are_named(folder: Path) -> None:
    retrieve = Retrieve(config(folder, "bm25"))
    with pytest.raises(UserError, match="2 queries have no text: 'q7', 'q9'"):
        retrieve([*queries(1), Query(id="q7", text=" \n"), Query(id="q9", text="")])


def test_what_cannot_be_opened(folder: Path) -> None:
    for settings, message in (
        ({"names": ()}, "no index is named"),
        ({"names": ("exact",), "k": 0}, "set k >= 1"),
        ({"names": ("nowhere",)}, "no index here"),
        ({"names": ("exact",), "checkpoint": str(folder / "other")}, "made by another encoder"),
        ({"names": ("exact",), "checkpoint": str(folder / "none")}, "none"),
    ):
        with pytest.raises(UserError, match=message):
            Retrieve(config(folder, *settings.pop("names"), **settings))


def test_queries_from_a_folder_a_file_or_the_command_line(tmp_path: Path) -> None:
    data = DataFolder(write_tiny(tmp_path / "data"))
    assert [query.id for query in select_queries(data=data)] == ["q1", "q2", "q3"]
    for split in data.splits:
        assert [query.id for query in select_queries(data=data, split=split)] == list(data.qrels(split))
    assert select_queries(file=tmp_path / "data" / "queries.jsonl") == list(data.queries.values())
    assert select_queries(question="how?") == [Query(id="question", text="how?")]
    (tmp_path / "half.jsonl").write_text('{"_id": "q", "text": "how \\ud83d?"}\n')
    for source in ({"question": "how \ud83d?"}, {"file": tmp_path / "half.jsonl"}):
        with pytest.raises(UserError, match="half of a character.*ud83d"):
            select_queries(**source)
    with pytest.raises(UserError, match="exactly one source"):
        select_queries()
    with pytest.raises(UserError, match="exactly one source"):
        select_queries(data=data, question="how?")
    with pytest.raises(UserError, match="split 'dev' chooses among"):
        select_queries(file=tmp_path / "data" / "queries.jsonl", split="dev")
    twice = tmp_path / "twice.jsonl"
    twice.write_text('{"_id": "a", "text": "x"}\n' * 2)
    with pytest.raises(UserError, match="record 2: query id 'a' occurs twice"):
        select_queries(file=twice)
    twice.write_text('{"text": "x"}\n')
    with pytest.raises(UserError, match="record 1 is not a query"):
        select_queries(file=twice)
    judged = tmp_path / "data" / "qrels" / "dev.tsv"
    judged.write_text(judged.read_text() + "q99\tplain\t1\n")
    with pytest.raises(UserError, match="unknown query ids: 'q99'"):
        select_queries(data=DataFolder(tmp_path / "data"), split="dev")


@pytest.mark.parametrize("world_size", [1, 2])
def test_the_same_run_and_figures_for_each_number_of_processes(
    folder: Path, world_size: int, tmp_path: Path
) -> None:
    from tabrag.inference.retrieve_job import retrieve_queries

    asked = tmp_path / "queries.jsonl"
    asked.write_text("".join(json.dumps({"_id": f"q{n}", "text": text(n)}) + "\n" for n in range(9)))
    expected = Retrieve(config(folder, "exact", "bm25", k=5))(queries(*range(9)))
    qrels = {f"q{number}": {f"t{number * 2 % 9:03d}": 1} for number in range(9)}

    def work(rank: int) -> dict[str, Any]:
        return retrieve_queries(
            config(folder, "exact", "bm25", k=5), queries=asked, out=tmp_path / "run.jsonl", batch_size=4
        )

    figures = run_distributed(work, world_size)
    assert [one["queries"] for one in figures] == [9] * world_size
    from tabrag.evaluation.runs import read_run

    run = read_run(tmp_path / "run.jsonl")
    assert list(run) == [f"q{number}" for number in range(9)] and ids(run) == ids(expected)
    mine, theirs = evaluate(run, qrels), evaluate(expected, qrels)
    assert 0 < mine["MRR"] < 1 and mine["MRR"] == pytest.approx(theirs["MRR"], abs=1e-9)
