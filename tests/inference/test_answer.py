from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reading import Chat, Corpus, ask, crops, long_table, run, table

from tabrag.chat.prompts import NOT_ANSWERABLE, VERSION, answer_prompt
from tabrag.chat.protocol import Picture, Text
from tabrag.data.sources import hitab
from tabrag.errors import UserError
from tabrag.evaluation.answers import AnswerRules, exact_match
from tabrag.inference.answer import Reader
from tabrag.inference.config import ContextConfig, ReaderConfig
from tabrag.inference.context import build_context
from tabrag.inference.evidence import locate
from tabrag.inference.rule_reader import read_cell
from tabrag.tables.grid import make_grid
from tabrag.tables.lexical import certainty, words
from tabrag.types import Grid, Query


@pytest.mark.parametrize(
    ("question", "answer", "cell"),
    [
        ("how much barley did the south grow in 2019?", "450", (3, 2)),
        ("what was the wheat harvest of the north in 2020?", "1,250", (2, 3)),
        ("how much wheat was grown in 2020?", "2,120", (4, 3)),
        ("which region had the highest barley harvest in 2020?", "south", (3, 0)),
        ("which region had the lowest wheat harvest in 2019?", "south", (3, 0)),
        ("which region grew more wheat in 2019, north or south?", "north", (2, 0)),
        ("which grew less in the south in 2020, wheat or barley?", "wheat", (1, 3)),
    ],
)
def test_the_cell_reader_reads_values_extremes_and_comparisons(
    question: str, answer: str, cell: tuple[int, int]
):
    found = read_cell(crops(), question)
    assert found is not None
    assert (found.text, found.cells[0]) == (answer, cell)
    assert 0 < found.certainty <= 1


def test_the_cell_reader_is_less_certain_where_nothing_fits():
    sure = read_cell(crops(), "how much barley did the south grow in 2019?")
    unsure = read_cell(crops(), "who wrote the novel?")
    assert sure is not None and unsure is not None
    assert unsure.certainty < sure.certainty
    assert certainty({}) == 0
    assert certainty({0: 0.0, 1: 0.0}) == 0.5


@pytest.mark.parametrize(
    "grid",
    [
        make_grid([["only"]]),
        make_grid([["a", "b"], ["1", "2"]], num_header_rows=2),
        make_grid([["", ""], ["", ""]], num_header_rows=1, num_header_cols=1),
        make_grid([["name", "club"], ["ann", "ajax"], ["bob", "porto"]], num_header_rows=1),
        make_grid([["x"] * 3] * 3, num_header_rows=1, num_header_cols=3),
    ],
)
def test_awkward_grids_give_an_answer_or_none(grid: Grid):
    for question in ("which club did bob join, ajax or porto?", "which has the highest x?", "", "who?"):
        found = read_cell(grid, question)
        assert found is None or all(0 <= row < grid.num_rows for row, _ in found.cells)


@given(
    st.integers(1, 5).flatmap(
        lambda cols: st.lists(
            st.lists(st.sampled_from(["", "x", "total", "7", "1,5", "north"]), min_size=cols, max_size=cols),
            min_size=1,
            max_size=5,
        )
    ),
    st.integers(0, 2),
    st.integers(0, 2),
    st.sampled_from(
        [
            "which has the highest x?",
            "who is lower, north or total?",
            "which x?",
            "how many north?",
            "x or x more?",
        ]
    ),
)
def test_any_grid_can_be_read(cells: list[list[str]], header_rows: int, header_cols: int, question: str):
    grid = make_grid(
        cells,
        num_header_rows=min(header_rows, len(cells)),
        num_header_cols=min(header_cols, len(cells[0])),
    )
    found = read_cell(grid, question)
    if found is not None:
        texts = [grid.cells[row][col] for row, col in found.cells]
        assert found.operator in ("count", "list", "difference") or found.text == texts[0]
        assert found.operator != "list" or found.text == ", ".join(texts)
        assert 0 <= found.certainty <= 1 and 0 <= found.support <= 1


def test_the_extreme_of_a_table_without_left_headers_is_named_by_its_first_text():
    grid = make_grid([["no", "club", "goals"], ["1", "ajax", "5"], ["2", "porto", "9"]], num_header_rows=1)
    found = read_cell(grid, "which club has the most goals?")
    assert found is not None and found.text == "porto"


def test_a_row_without_left_header_is_known_by_its_cells():
    grid = make_grid([["name", "club"], ["ann", "ajax"], ["bob", "porto"]], num_header_rows=1)
    found = read_cell(grid, "what is the club of bob?")
    assert found is not None and found.text == "porto"


def test_words_are_compared_by_their_stems():
    assert words("The Proportion of graduates") == words("percentages: graduation")
    assert words("women") == words("females")
    assert words("2019") != words("2018")


def test_reading_gives_table_rows_columns_file_page_and_picture():
    corpus = Corpus(table(image="images/T1.png"), table("T9", title="Rain"))
    reader = Reader(ReaderConfig())
    answers = reader(ask("how much barley did the south grow in 2019?"), run("T1", "T9"), corpus)
    assert [answer.answer for answer in answers] == ["450"]
    evidence = answers[0].evidence[0]
    assert (evidence.item_id, evidence.title) == ("T1", "Crops by region")
    assert (evidence.rows, evidence.columns, evidence.cells) == ([3], [2], [(3, 2)])
    assert (evidence.source.file, evidence.source.page) == ("crops.pdf", 3)
    assert evidence.image == "data/images/T1.png"
    assert [candidate.item_id for candidate in answers[0].candidates] == ["T1", "T9"]
    assert answers[0].timings_ms["read"] > 0


def test_no_candidates_no_grid_and_statements_are_answered_honestly():
    corpus = Corpus(table(), table("P1", grid=None, image="p.png"))
    reader = Reader(ReaderConfig())
    (nothing,) = reader(ask("how much wheat?"), {}, corpus)
    assert (nothing.answer, nothing.confidence, nothing.evidence) == ("", 0.0, [])
    (picture,) = reader(ask("how much wheat?"), run("P1"), corpus)
    assert (picture.answer, picture.confidence) == ("", 0.0)
    assert picture.evidence[0].image == "data/p.png"
    (statement,) = reader(ask("the south grew 450 barley in 2019", task="verify"), run("T1"), corpus)
    assert (statement.answer, statement.confidence) == ("NOT ENOUGH INFO", 0.0)
    assert statement.evidence[0].rows == [3]
    with pytest.raises(UserError, match="num_tables is 0"):
        Reader(ReaderConfig(num_tables=0))


def test_an_unknown_task_is_an_error_and_not_a_question():
    reader = Reader(ReaderConfig(reader="cells"))
    (judged,) = reader(ask("Wheat grew.", task="verify"), run("T1"), Corpus(table()))
    assert judged.answer == "NOT ENOUGH INFO"
    with pytest.raises(UserError, match="query 'q' has the task 'verfy': it must be one of qa, verify"):
        reader([Query(id="q", text="Wheat grew.", task="verfy")], run("T1"), Corpus(table()))


def test_evidence_is_the_equal_cell_that_fits_the_question_best():
    one = table()
    at = locate(one, "1250", "how much wheat did the north grow in 2020?", image=None)
    assert at.cells == [(2, 3)]
    other = locate(one, "1,250.0", "how much barley did the south grow in 2020?", image=None)
    assert other.cells == [(3, 4)]
    text = locate(table(grid=make_grid([["name"], ["the FC Porto (2)"]])), "fc porto", "which?", image=None)
    assert text.cells == [(1, 0)]
    missing = locate(one, "777", "how much barley did the south grow in 2019?", image=None)
    assert (missing.rows, missing.columns, missing.cells) == ([3], [2], [])


def test_evidence_of_a_merged_cell_covers_all_its_rows_and_columns():
    cells = [["", "a", "b"], ["north", "7", "1"], ["south", "", "2"], ["east", "3", "7"], ["west", "", ""]]
    grid = make_grid(cells, merged=[(1, 2, 1, 1), (4, 4, 1, 2)], num_header_rows=1, num_header_cols=1)
    found = read_cell(grid, "What is a of the south?")
    assert found is not None and (found.text, found.cells) == ("7", [(1, 1)])
    evidence = locate(table(grid=grid), "7", "What is a of the south?", image=None)
    assert (evidence.cells, evidence.rows, evidence.columns) == ([(1, 1)], [1, 2], [1])
    header = make_grid(
        [["Sales", ""], ["2020", "2021"], ["1", "2"]], merged=[(0, 0, 0, 1)], num_header_rows=2
    )
    assert locate(table(grid=header), "Sales", "Which?", image=None).columns == [0, 1]


def test_extremes_read_numbers_as_their_column_writes_them():
    cells = [["item", "cost"], ["rent", "1.234"], ["food", "997,5"], ["heat", "88,25"]]
    grid = make_grid(cells, num_header_rows=1, num_header_cols=1)
    found = read_cell(grid, "Which item has the highest cost?")
    assert found is not None and found.text == "rent"
    found = read_cell(grid, "Which costs more, food or rent?")
    assert found is not None and found.text == "rent"


def test_the_chat_reader_lowers_its_confidence_when_the_answer_is_not_in_the_table():
    chat = Chat("450", "777", "Not in the table.")
    reader = Reader(ReaderConfig(reader="chat"), chat=chat)
    question = "how much barley did the south grow in 2019?"
    answers = [reader(ask(question), run("T1"), Corpus(table()))[0] for _ in range(3)]
    assert [answer.answer for answer in answers] == ["450", "777", NOT_ANSWERABLE]
    assert [answer.confidence for answer in answers] == [0.8, 0.4, 0.8]
    assert [answer.evidence[0].cells for answer in answers[:2]] == [[(3, 2)], []]
    assert answers[1].evidence[0].rows == [3] and answers[2].evidence == []
    prompt = "".join(part.text for part in chat.asked[0][0].parts if isinstance(part, Text))
    assert prompt.index("1,250") < prompt.index(question)


def test_the_value_is_taken_out_of_a_sentence():
    replies = {
        "450": "450",
        "The answer is: 450": "450",
        "In 2019 the south grew 450.": "450",
        "In 2019 the south grew 777 tons.": "In 2019 the south grew 777 tons.",
        "barley": "barley",
        "The answer is the north": "the north",
        "no idea at all": "no idea at all",
        "The answer is: not in the table.": NOT_ANSWERABLE,
    }
    chat = Chat(*replies)
    reader = Reader(ReaderConfig(reader="chat"), chat=chat)
    answers = [reader(ask("how much?"), run("T1"), Corpus(table()))[0].answer for _ in replies]
    assert answers == list(replies.values())


def test_the_chat_reader_verifies_by_scoring_the_labels():
    reader = Reader(ReaderConfig(reader="chat", can_be_open=False), chat=Chat(scores=[-3.0, -1.0]))
    (answer,) = reader(ask("the south grew 450 barley in 2019", task="verify"), run("T1"), Corpus(table()))
    assert answer.answer == "REFUTED"
    assert answer.confidence == pytest.approx(1 / (1 + math.exp(-2)))
    assert answer.evidence[0].rows == [3]


def test_the_chat_reader_shows_pictures_and_several_tables():
    chat = Chat("450", "450")
    corpus = Corpus(table(image="a.png"), table("T2", image="b.png", title="Rain"))
    Reader(ReaderConfig(reader="chat", show="image"), chat=chat)(ask("barley?"), run("T1"), corpus)
    assert [part.path for part in chat.asked[0][0].parts if isinstance(part, Picture)] == ["data/a.png"]
    both = Reader(ReaderConfig(reader="chat", show="both", num_tables=2), chat=chat)
    (answer,) = both(ask("barley?"), run("T1", "T2"), corpus)
    assert [part.path for part in chat.asked[1][0].parts if isinstance(part, Picture)] == [
        "data/a.png", "data/b.png",
    ]  # fmt: skip
    assert [evidence.item_id for evidence in answer.evidence] == ["T1", "T2"]
    with pytest.raises(UserError, match="'T3' has no picture"):
        both(ask("barley?"), run("T3"), Corpus(table("T3")))


def test_a_long_table_is_cut_to_what_the_question_asks_for_and_says_so():
    config = ContextConfig(max_tokens=120)
    context = build_context(long_table(), "what is the value of region 222 in year 2007?", config=config)
    assert len(context.text.split("|")) > 8
    assert "region 222" in context.text and "22207" in context.text and "year 2007" in context.text
    assert "northern part" in context.text  # the section that the row stands in
    assert list(context.rows) == sorted(context.rows) and list(context.cols) == sorted(context.cols)
    assert context.num_hidden_rows == 302 - len(context.rows) > 0
    assert f"[{context.num_hidden_rows} rows and {context.num_hidden_cols} columns not shown]" in context.text


@given(st.integers(0, 2), st.integers(0, 2), st.integers(1, 12), st.integers(1, 6), st.integers(1, 90))
def test_headers_always_stay_and_what_is_hidden_is_counted(
    header_rows: int, header_cols: int, body_rows: int, body_cols: int, budget: int
):
    num_rows, num_cols = header_rows + body_rows, header_cols + body_cols
    cells = [[f"r{row}c{col}" for col in range(num_cols)] for row in range(num_rows)]
    grid = make_grid(cells, num_header_rows=header_rows, num_header_cols=header_cols)
    context = build_context(table(grid=grid), f"r{num_rows - 1}c0?", config=ContextConfig(max_tokens=budget))
    assert set(range(header_rows)) < set(context.rows) and set(range(header_cols)) < set(context.cols)
    assert len(context.rows) + context.num_hidden_rows == num_rows
    assert len(context.cols) + context.num_hidden_cols == num_cols
    assert ("not shown" in context.text) == bool(context.num_hidden_rows or context.num_hidden_cols)
    shown = {f"r{row}c{col}" for row in context.rows for col in context.cols}
    assert all((text in context.text.split()) == (text in shown) for line in cells for text in line)


def test_the_cell_reader_on_hitab_with_the_right_table(data_root: Path):
    data = hitab.read(data_root / "hitab")
    tables = {one.id: one for one in data.tables}
    queries = [query for query in data.queries if query.id in data.qrels["dev"]][::5]
    rules = AnswerRules(several="set")
    right = 0
    for query in queries:
        (table_id,) = data.qrels["dev"][query.id]
        grid = tables[table_id].grid
        found = read_cell(grid, query.text) if grid is not None else None
        right += found is not None and exact_match(found.text, query.answers, rules=rules)
    assert len(queries) > 300
    assert right / len(queries) > 0.40


def test_a_short_table_is_shown_whole_and_nothing_is_ever_empty():
    context = build_context(table(), "barley?")
    assert (context.num_hidden_rows, context.num_hidden_cols) == (0, 0)
    assert all(text in context.text for line in crops().cells for text in line)
    tiny = build_context(table(), "how much barley in the south in 2019?", config=ContextConfig(max_tokens=1))
    assert "450" in tiny.text
    assert build_context(table(grid=None), "barley?").text == ""


def test_braces_in_a_question_or_table_stay_as_they_are():
    (message,) = answer_prompt("what is {question} in {0}?", [])
    assert "Question: what is {question} in {0}?" in message.parts[-1].text
    assert VERSION >= 1
