from __future__ import annotations

import importlib
import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tabrag.data.folder import DataFolder
from tabrag.data.records import EVIDENCE
from tabrag.data.synthetic_documents import corpus as module
from tabrag.data.synthetic_documents import make_folder
from tabrag.data.synthetic_documents.read_back import find_fact
from tabrag.data.validate import validate
from tabrag.errors import UserError
from tabrag.files import read_jsonl, sha256_file
from tabrag.types import Fact

NUM_DOCUMENTS = 5
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


@dataclass(frozen=True)
class Corpus:
    """A small corpus: one company with reports as DOCX, PDF and HTML and decks as PPTX and PDF."""

    path: Path
    files: Path
    figures: dict[str, Any]

    @property
    def folder(self) -> DataFolder:
        return DataFolder(self.path)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    path = tmp_path_factory.mktemp("synthetic-documents")
    figures = make_folder(path / "data", num_documents=NUM_DOCUMENTS, seed=3, files=path / "files")
    yield Corpus(path / "data", path / "files", figures)


def test_the_folder_is_valid_and_each_question_has_its_evidence(corpus: Corpus) -> None:
    folder = corpus.folder
    assert validate(corpus.path) == []
    kinds = Counter(query.evidence for query in folder.queries.values())
    assert set(kinds) == set(EVIDENCE) and min(kinds.values()) >= NUM_DOCUMENTS
    assert corpus.figures["evidence_kinds"] == dict(kinds)
    for query in folder.queries.values():
        facts = folder.evidence[query.id].facts if query.evidence != "none" else []
        found = [fact.kind for fact in facts]
        if query.evidence == "none":
            assert query.id not in folder.evidence and query.answers == ["Not answerable"]
        elif query.evidence == "text":
            assert found == ["sentence"]
        elif query.evidence == "table":
            assert set(found) == {"cell"}
        elif query.evidence == "both":
            assert sorted(found) == ["cell", "sentence"]
        elif query.evidence == "pages":
            assert len(found) == 2 and found != ["picture", "picture"]
        else:
            assert found in (["picture"], ["cell"])


def test_each_question_is_judged_on_its_one_document(corpus: Corpus) -> None:
    folder = corpus.folder
    judged = {query: set(items) for split in folder.splits for query, items in folder.qrels(split).items()}
    assert set(judged) == set(folder.queries)
    for query_id, items in judged.items():
        assert len(items) == 1
        facts = folder.evidence[query_id].facts if query_id in folder.evidence else []
        assert {fact.document for fact in facts} <= items


def test_every_fact_is_found_in_what_the_parsers_read(corpus: Corpus) -> None:
    folder = corpus.folder
    documents = {name: folder.documents[name] for name in folder.documents.ids}
    tables = {name: folder.tables[name] for name in folder.tables.ids}
    facts = {fact for evidence in folder.evidence.values() for fact in evidence.facts}
    assert {fact.kind for fact in facts} == {"sentence", "cell", "picture"}
    assert {Path(fact.document).suffix for fact in facts} == {".docx", ".pdf", ".html", ".pptx"}
    lost = [fact for fact in facts if find_fact(fact, documents[fact.document], tables) is None]
    assert lost == []
    assert sum(count for name, count in corpus.figures["facts"].items() if "found" in name) == len(facts)
    paged = [fact for fact in facts if fact.document.endswith((".pdf", ".pptx"))]
    assert paged and all(fact.page is not None for fact in paged)


def test_a_fact_that_is_not_there_is_not_found(corpus: Corpus) -> None:
    folder = corpus.folder
    tables = {name: folder.tables[name] for name in folder.tables.ids}
    for evidence in list(folder.evidence.values())[:40]:
        for fact in evidence.facts:
            other = Fact(
                kind=fact.kind,
                document=fact.document,
                text=fact.text + "7",
                row=fact.row,
                column=fact.column,
            )
            assert find_fact(other, folder.documents[fact.document], tables) is None


def test_answers_follow_from_the_facts_alone(corpus: Corpus) -> None:
    folder = corpus.folder
    seen: Counter[str] = Counter()
    for query in folder.queries.values():
        (answer,) = query.answers
        facts = folder.evidence[query.id].facts if query.id in folder.evidence else []
        if query.evidence == "text":
            assert answer in facts[0].text
        elif query.evidence == "both":
            assert answer == next(fact.text for fact in facts if fact.kind == "cell")
        elif query.evidence in ("table", "pages"):
            seen[_way(answer, facts)] += 1
    assert {"cell", "difference", "sum"} <= set(seen) and "" not in seen, seen


def _way(answer: str, facts: list[Fact]) -> str:
    """How an answer follows from its facts; empty where it does not."""
    texts = [fact.text for fact in facts]
    if answer in (texts[-1], texts[-1].strip("()"), "-" + texts[-1].strip("()")):
        return "cell"
    values = [_value(text) for text in texts]
    labels = [fact.row[-1] for fact in facts if fact.row]
    if answer in labels:
        return "extreme" if values[labels.index(answer)] in (max(values), min(values)) else ""
    first, second = values
    ways = {
        "difference": abs(first - second),
        "sum": first + second,
        "per head": first * 1000 / second,
        "share": 100 * first / second,
    }
    exact = _value(answer)
    digits = len(answer.partition(".")[2])
    return next((way for way, value in ways.items() if abs(value - exact) <= 0.51 * 10**-digits), "")


def _value(text: str) -> float:
    amount = re.search(r"[£€$](\d[\d,.]*\d|\d) million", text)
    return float((amount[1] if amount else _NUMBER.findall(text)[0]).replace(",", ""))


def test_the_answer_of_a_chart_stands_nowhere_in_the_text(corpus: Corpus) -> None:
    folder = corpus.folder
    numbers = [
        (query.answers[0], folder.evidence[query.id].facts[0].document)
        for query in folder.queries.values()
        if query.evidence == "chart" and _NUMBER.fullmatch(query.answers[0])
    ]
    assert numbers
    for answer, document in numbers:
        texts = " ".join(block.text for block in folder.documents[document].blocks)
        assert not re.search(rf"(?<![\d.,]){re.escape(answer)}(?![\d]|[.,]\d)", texts)


def test_conversations_have_a_wording_by_itself(corpus: Corpus) -> None:
    folder = corpus.folder
    alone = {row["query_id"]: row["text"] for row in read_jsonl(corpus.path / module.STANDALONE)}
    talks = {query.id: query for query in folder.queries.values() if query.history}
    assert talks and set(alone) == set(talks)
    company = re.compile(r"Inc\.|AG|plc|Group|group|Corporation|Holdings|[A-Z]\w+ [A-Z]\w+")
    for query_id, query in talks.items():
        assert query.text != alone[query_id] and len(alone[query_id]) > len(query.text)
        assert company.search(alone[query_id]) and query.history[-1].answer


def test_the_layout_as_it_was_made_stands_beside_the_documents(corpus: Corpus) -> None:
    layouts = {row["document"]: row["layout"] for row in read_jsonl(corpus.path / module.LAYOUTS)}
    assert set(layouts) == set(corpus.folder.documents.ids)
    assert Counter(layouts.values()) == {"vertical": 3, "horizontal": 2}
    assert all("layout" not in record["metadata"] for record in read_jsonl(corpus.path / "documents.jsonl"))


def test_documents_are_as_long_as_real_ones(corpus: Corpus) -> None:
    pages = {name: len(corpus.folder.documents[name].pages) for name in corpus.folder.documents.ids}
    reports = {name: count for name, count in pages.items() if name.endswith("report.pdf")}
    assert len(reports) == 1 and all(8 <= count <= 30 for count in reports.values())
    document = corpus.folder.documents[next(iter(reports))]
    assert {page.width > page.height for page in document.pages} == {True, False}  # type: ignore[operator]
    spans = [table.metadata.get("pages", "") for table in _tables_of(corpus, document.id)]
    assert any("-" in span for span in spans)


def _tables_of(corpus: Corpus, document: str) -> list[object]:
    folder = corpus.folder
    return [folder.tables[name] for name in folder.tables.ids if folder.tables[name].document == document]


_AGAIN = """
import hashlib, json
from tabrag.data.synthetic_documents.library import file_of, make_library
from tabrag.data.synthetic_documents.questions import ask
library = make_library({count}, 3)
files = {{material.id: hashlib.sha256(file_of(material)).hexdigest() for material in library}}
asked = set()
texts = [one.query.text for material in library for one in ask(material, library, 3, asked)]
print(json.dumps([files, texts]))
"""


def test_another_process_writes_the_same_files_and_questions(corpus: Corpus) -> None:
    # A person's own hash seed and settings of matplotlib must not matter.
    environment = {**os.environ, "PYTHONHASHSEED": "77", "MPLBACKEND": "svg"}
    code = _AGAIN.format(count=NUM_DOCUMENTS)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    files, texts = json.loads(done.stdout)
    assert files == {file.name: sha256_file(file) for file in corpus.files.iterdir()}
    assert len(files) == NUM_DOCUMENTS and texts == [one.text for one in corpus.folder.queries.values()]


def test_what_is_in_the_way_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("mine")
    with pytest.raises(UserError, match="is not empty"):
        make_folder(tmp_path / "out", num_documents=5, files=tmp_path / "full")
    assert not (tmp_path / "out").exists()
    with pytest.raises(UserError, match="give 5 or more"):
        make_folder(tmp_path / "out", num_documents=4)

    def absent(name: str) -> object:
        raise ModuleNotFoundError(name, name=name)

    monkeypatch.setattr(importlib, "import_module", absent)
    with pytest.raises(UserError, match="synthetic-documents"):
        make_folder(tmp_path / "out", num_documents=5)
