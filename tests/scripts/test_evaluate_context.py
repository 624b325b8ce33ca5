"""How much of the questions' evidence stands in what a pipeline would show, with and without pictures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from entry_points import call, refuse
from small_report import write

from tabrag.data.evidence_records import evidence_to_record
from tabrag.data.records import query_to_record
from tabrag.files import write_jsonl
from tabrag.inference.index_job import index_folder
from tabrag.representations import RepresentationConfig
from tabrag.types import Fact, GoldEvidence, Query

SCRIPT = "scripts/evaluate_context.py"
QUERIES = {
    "text": (
        "Did lemons sell well?",
        Fact(kind="sentence", document="r.pdf", page=1, text="Lemons did not."),
    ),
    "table": (
        "sales of lemon 1 in 2020",
        Fact(kind="cell", document="r.pdf", page=1, text="21", row=("lemon 1",), column=("2020",)),
    ),
    "chart": (
        "price of lemons in figure 1",
        Fact(kind="picture", document="r.pdf", page=2, text="Figure 1: Price of lemons"),
    ),
    "none": ("who ate the lemons?", None),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("context")
    data = write(root / "data")
    queries = [Query(id=kind, text=text, evidence=kind) for kind, (text, _) in QUERIES.items()]
    write_jsonl(data / "queries.jsonl", map(query_to_record, queries))
    lines = [f"{kind}\tr.pdf\t1\n" for kind in QUERIES]
    (data / "qrels" / "dev.tsv").write_text("query-id\tcorpus-id\tscore\n" + "".join(lines))
    evidence = [
        GoldEvidence(query_id=kind, facts=[] if fact is None else [fact])
        for kind, (_, fact) in QUERIES.items()
    ]
    write_jsonl(data / "evidence.jsonl", map(evidence_to_record, evidence))
    index_folder(data, root / "pages", kind="bm25", representation=RepresentationConfig(name="pages"))
    return root


def arguments(folder: Path, *more: str) -> list[str]:
    return [
        f"--data={folder / 'data'}",
        f"--indexes=[{folder / 'pages'}]",
        "--reader.reader=chat",
        "--reader.num_tables=5",
        "--reader.context.mode=whole",
        *more,
    ]


@pytest.mark.parametrize("pictures", ["artefacts", "pages"])
def test_evidence_is_shown_in_texts_tables_and_pictures(
    folder: Path, pictures: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    each = tmp_path / "each.jsonl"
    common = arguments(folder, f"--reader.context.pictures={pictures}", "--reader.context.max_tokens=900")
    found = call(SCRIPT, *common, "--reader.show=both", f"--per_query={each}", capsys=capsys)
    evidence = found["evidence"]
    assert set(evidence) == {"all", "chart", "table", "text"}, "a question without evidence has no recall"
    assert {figures["recall"] for figures in evidence.values()} == {1.0} and evidence["all"]["queries"] == 3
    assert found["document@1"] == 1.0 and found["tokens"] > 50
    rows = [json.loads(line) for line in each.read_text().splitlines()]
    assert [row["query_id"] for row in rows] == list(QUERIES) and rows[3]["shown"] == []
    blind = call(SCRIPT, *common, "--reader.show=text", capsys=capsys)["evidence"]
    assert (blind["chart"]["recall"], blind["text"]["recall"], blind["table"]["recall"]) == (0.0, 1.0, 1.0)


def test_what_does_not_fit_is_not_shown(folder: Path, capsys: pytest.CaptureFixture[str]):
    found = call(SCRIPT, *arguments(folder, "--reader.context.max_tokens=12"), capsys=capsys)
    assert found["evidence"]["all"]["recall"] < 1 and found["tokens"] < 50


def test_the_reader_of_cells_is_shown_the_tables_of_found_parts(
    folder: Path, capsys: pytest.CaptureFixture[str]
):
    found = call(SCRIPT, *arguments(folder)[:2], "--reader.reader=cells", capsys=capsys)
    assert (found["evidence"]["table"]["recall"], found["evidence"]["text"]["recall"]) == (1.0, 0.0)


def test_a_folder_without_evidence_is_refused(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    bare = write(tmp_path / "bare")
    common = [one for one in arguments(folder) if not one.startswith("--data")]
    assert "no evidence.jsonl" in refuse(SCRIPT, f"--data={bare}", *common, capsys=capsys)
