from __future__ import annotations

from pathlib import Path

import pytest

from tabrag.data.card import Card
from tabrag.data.dataset import Dataset
from tabrag.data.questions import add_questions
from tabrag.errors import UserError
from tabrag.types import Query

DOCUMENTS = {
    "a.csv": ["a.csv#t1"],
    "sub/b.html": ["sub/b.html#t1", "sub/b.html#t2"],
    "x/same.csv": ["x/same.csv#t1"],
    "y/same.csv": ["y/same.csv#t1"],
    "prose.txt": [],
}


def _read(path: Path, text: str) -> Dataset:
    path.write_text(text, encoding="utf-8")
    data = Dataset(card=Card(name="Own"), tables=[])
    add_questions(data, path, documents=DOCUMENTS)
    return data


def test_jsonl_with_every_column(tmp_path: Path) -> None:
    data = _read(
        tmp_path / "q.jsonl",
        '{"id": "mine", "question": "How much?", "answers": ["5", 6], "table": "sub/b.html#t2", '
        '"split": "test"}\n'
        '{"question": "Is it so?", "label": "refuted", "table": "a.csv"}\n'
        '{"question": "Where?", "answer": "here"}\n',
    )
    assert data.queries == [
        Query(id="mine", text="How much?", answers=["5", "6"]),
        Query(id="q2", text="Is it so?", task="verify", label="REFUTED"),
        Query(id="q3", text="Where?", answers=["here"]),
    ]
    assert data.qrels == {"test": {"mine": {"sub/b.html#t2": 1}}, "train": {"q2": {"a.csv#t1": 1}}}
    assert data.failed == []


@pytest.mark.parametrize(("suffix", "delimiter"), [(".csv", ","), (".csv", ";"), (".tsv", "\t")])
def test_csv_with_a_byte_order_mark_and_quoted_line_breaks(
    tmp_path: Path, suffix: str, delimiter: str
) -> None:
    rows = [["Question", "answers", "table"], ['"How, much\nin all?"', "1,5|2", "b.html"], ["Where?", "", ""]]
    if delimiter == ",":
        rows[1][1] = '"1,5|2"'
    text = "\ufeff" + "\r\n".join(delimiter.join(row) for row in rows) + "\r\n"
    data = _read(tmp_path / f"q{suffix}", text)
    assert data.queries[0] == Query(id="q1", text="How, much\nin all?", answers=["1,5", "2"])
    assert data.queries[1] == Query(id="q2", text="Where?")
    assert data.qrels == {"train": {"q1": {"sub/b.html": 1}}}


def test_a_file_stands_for_its_only_table_or_for_its_document(tmp_path: Path) -> None:
    names = ("a.csv", "b.html", "sub/b.html#t1", "sub\\\\b.html", "prose.txt")
    data = _read(tmp_path / "q.jsonl", "".join(f'{{"question": "?", "table": "{name}"}}\n' for name in names))
    assert [list(judged) for judged in data.qrels["train"].values()] == [
        ["a.csv#t1"],
        ["sub/b.html"],
        ["sub/b.html#t1"],
        ["sub/b.html"],
        ["prose.txt"],
    ]


def test_columns_that_nobody_knows_are_named(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    data = _read(tmp_path / "q.csv", "Question,Answer(s),Table\nHow much?,5,a.csv\n")
    assert data.queries == [Query(id="q1", text="How much?")]
    assert "columns that are not used: answer(s) (known: id, question, answer," in caplog.text
    caplog.clear()
    _read(tmp_path / "q.csv", "Question,Answer\nHow much?,5\n")
    assert caplog.text == ""


def test_odd_values_of_rows(tmp_path: Path) -> None:
    data = _read(
        tmp_path / "q.jsonl",
        '{"question": "One number?", "answers": 7}\n{"question": "Half \\ud83d?"}\n'
        '{"question": "None?", "answers": null, "answer": [null, 0]}\n',
    )
    assert [(query.text, query.answers) for query in data.queries] == [
        ("One number?", ["7"]),
        ("None?", ["0"]),
    ]
    assert [failure["reason"][:23] for failure in data.failed] == ["half of a character ('\\"]
    data = _read(tmp_path / "q.csv", "question,answer\nA line\u2028end\x0band\x85more?,5\n")
    assert [(query.text, query.answers) for query in data.queries] == [
        ("A line\u2028end\x0band\x85more?", ["5"])
    ]


def test_a_quote_that_is_never_closed_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"q\.csv:.*is a quote never closed"):
        _read(tmp_path / "q.csv", 'question,answer\n"How much?,5\n' + "x" * 140_000)


def test_rows_that_cannot_be_used_are_listed_and_the_others_go_on(tmp_path: Path) -> None:
    data = _read(
        tmp_path / "q.csv",
        "question,answer,table,split,label\n,5,a.csv,,\nOne?,1,gone.csv,,\nTwo?,2,same.csv,,\n"
        "Three?,3,a.csv,../x,\nFour?,4,a.csv,,MAYBE\nFive?,5,./a.csv,dev,\n",
    )
    assert [(failure["file"], failure["reason"][:40]) for failure in data.failed] == [
        ("q.csv, question 1", "the question is blank"),
        ("q.csv, question 2", "table 'gone.csv': no such table or file"[:40]),
        ("q.csv, question 3", "table 'same.csv': several have that name"),
        ("q.csv, question 4", "split '../x' must be made of letters, di"),
        ("q.csv, question 5", "label 'MAYBE' must be one of SUPPORTED, "),
    ]
    assert [query.text for query in data.queries] == ["One?", "Two?", "Five?"]  # two without a judgement
    assert data.qrels == {"dev": {"q6": {"a.csv#t1": 1}}}


def test_files_that_cannot_be_used_at_all_are_errors(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"q\.csv: no column 'question'; the columns may be id, question"):
        _read(tmp_path / "q.csv", "frage,antwort\nWas?,5\n")
    with pytest.raises(UserError, match=r"question 2 has the id 'a', which another one has too"):
        _read(tmp_path / "q.jsonl", '{"id": "a", "question": "x"}\n{"id": "a", "question": "y"}\n')
    data = Dataset(card=Card(name="Own"), tables=[])
    with pytest.raises(UserError, match=r"none\.csv: file of questions not found"):
        add_questions(data, tmp_path / "none.csv", documents=DOCUMENTS)
    (tmp_path / "l.csv").write_bytes("question\nWér?\n".encode("latin-1"))
    with pytest.raises(UserError, match=r"l\.csv: cannot be read .*save it as UTF-8"):
        add_questions(data, tmp_path / "l.csv", documents=DOCUMENTS)
