"""Made-up questions: answers follow from the cells, are not given away, and no other table matters."""

from __future__ import annotations

import ast
import re
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_tables import tables

from tabrag.data.augment.draft import Draft
from tabrag.data.augment.questions import make_questions, quotes
from tabrag.tables.grid import make_grid
from tabrag.types import Table

MANY = 120


def statistics() -> Table:
    """Two levels at the top and at the left, a total, units, places and years in the title."""
    return Table(
        id="s",
        title="number of persons in paid work, by province and sex, canada, 2011 and 2016",
        grid=make_grid(
            [
                ["province", "2011", "", "2016", ""],
                ["", "women", "men", "women", "men"],
                ["atlantic", "", "", "", ""],
                ["nova scotia", "1,204", "1,377", "1,251", "1,398"],
                ["new brunswick", "903", "1,011", "917", "1,040"],
                ["prairies", "", "", "", ""],
                ["manitoba", "1,530", "1,702", "1,611", "1,767"],
                ["alberta", "5,118", "6,090", "5,702", "6,455"],
                ["saskatchewan", "1,202", "1,390", "1,266", "1,431"],
                ["total", "9,957", "11,570", "10,747", "12,091"],
            ],
            merged=[(0, 1, 0, 0), (0, 0, 1, 2), (0, 0, 3, 4), (2, 2, 0, 4), (5, 5, 0, 4)],
            num_header_rows=2,
            num_header_cols=1,
        ),
    )


def standings() -> Table:
    """A relational table without row headers: its key is the second column."""
    return Table(
        id="r",
        title="2009 Northern Rugby League season",
        section="Results > Ladder",
        grid=make_grid(
            [
                ["Pos", "Team", "Coach", "Points", "Home city"],
                ["1", "Otter Hill", "J. Brandt", "45", "Leeds"],
                ["2", "Grey Foxes", "P. Osei", "41", "York"],
                ["3", "Mill Lane", "A. Novak", "38", "Leeds"],
                ["4", "Harbour United", "T. Quist", "33", "Hull"],
                ["5", "Dale Rovers", "M. Ito", "27", "York"],
            ],
            num_header_rows=1,
        ),
    )


def value_of(table: Table, formula: str) -> float:
    """The number of a formula; comparisons count 1 or 0."""
    assert table.grid is not None
    cells = table.grid.cells

    def number(node: ast.expr) -> float:
        match node:
            case ast.Name(id=name):
                row, col = int(name[1:]) - 1, ord(name[0]) - ord("A")
                return float(cells[row][col].replace(",", ""))
            case ast.Constant(value=int(value)):
                return float(value)
            case ast.Call(func=ast.Name(id=name), args=args):
                return (max if name == "MAX" else min)(map(number, args))
            case ast.Compare(left=left, comparators=[right]):
                return float(number(left) > number(right))
            case ast.BinOp(left=left, op=op, right=right):
                first, second = number(left), number(right)
                operations = {ast.Add: first + second, ast.Sub: first - second, ast.Mult: first * second}
                return operations[type(op)] if type(op) in operations else first / second
        raise AssertionError(ast.dump(node))

    return number(ast.parse(formula, mode="eval").body)


def drafts_of(table: Table, seed: int = 0) -> list[Draft]:
    drafts, reason = make_questions(table, count=MANY, seed=seed)
    assert drafts and not reason
    return drafts


@pytest.mark.parametrize("table", [statistics(), standings()], ids=["hierarchical", "relational"])
def test_formulas_give_the_answers(table: Table) -> None:
    assert table.grid is not None
    seen: Counter[str] = Counter()
    for draft in (draft for seed in range(3) for draft in drafts_of(table, seed)):
        if draft.formula is None:
            continue
        value = value_of(table, draft.formula)
        if draft.kind == "statement":
            if ">" in draft.formula:
                assert (draft.label == "SUPPORTED") == bool(value)
                seen["order"] += 1
        elif draft.kind in ("comparison", "superlative"):
            _, col = draft.cells[0]
            (texts,) = (texts for texts in table.grid.cells if draft.answers[0] in texts)
            assert texts[col].replace(",", "") == f"{value:.0f}"
            seen[draft.kind] += 1
        else:
            assert float(draft.answers[0].replace(",", "").rstrip("%")) == pytest.approx(value, abs=0.05)
            seen[draft.kind] += 1
    wanted = {"lookup", "difference", "superlative", "comparison", "order"}
    assert wanted <= set(seen)
    assert table.id == "r" or {"sum", "share"} <= set(seen)


@pytest.mark.parametrize("table", [statistics(), standings()], ids=["hierarchical", "relational"])
def test_look_ups_do_not_quote_their_answer(table: Table) -> None:
    drafts = [draft for draft in drafts_of(table) if draft.kind in ("lookup", "anchored")]
    assert len(drafts) > 10
    for draft in drafts:
        assert not any(quotes(draft.text, answer) for answer in draft.answers), draft.text


def test_statements_are_right_exactly_where_they_say_so() -> None:
    table = standings()
    assert table.grid is not None
    labels = Counter()
    for draft in (draft for seed in range(4) for draft in drafts_of(table, seed)):
        if draft.kind == "statement" and len(draft.cells) == 1:
            (row, col), *_ = draft.cells
            truth = quotes(draft.text, table.grid.cells[row][col])
            assert truth == (draft.label == "SUPPORTED"), draft
            labels[draft.label] += 1
    assert min(labels["SUPPORTED"], labels["REFUTED"]) > 3


def test_counts_and_lists_cover_all_rows_of_a_group() -> None:
    table = standings()
    counts = [d for seed in range(6) for d in drafts_of(table, seed) if d.kind == "count"]
    assert counts
    assert all(d.answers == ["2"] and re.search("leeds|york", d.text.casefold()) for d in counts)


def test_the_highest_of_all_rows_is_meant_also_of_those_that_share_a_name() -> None:
    rows = [["ann", "3"], ["bo", "5"], ["cy", "1"], ["di", "9"], ["di", "2"]]
    grid = make_grid([["crew", "number of boats"], *rows], num_header_rows=1, num_header_cols=1)
    drafts = drafts_of(Table(id="g", title="boats of each crew", grid=grid))
    best = [draft.answers for draft in drafts if draft.kind == "superlative"]
    assert best and all(answers == ["cy"] for answers in best)


def test_a_share_is_one_of_the_total_of_its_own_group() -> None:
    cells = [["crew", "number of boats"], ["north", ""], ["ann", "3"], ["bo", "5"], ["total", "8"]]
    cells += [["south", ""], ["cy", "2"], ["di", "4"]]
    grid = make_grid(cells, merged=[(1, 1, 0, 1), (5, 5, 0, 1)], num_header_rows=1, num_header_cols=1)
    drafts = drafts_of(Table(id="g", title="boats of each crew", grid=grid))
    shares = [draft for draft in drafts if draft.kind == "share"]
    assert shares and {row for draft in shares for row, _ in draft.cells} <= {2, 3, 4}


def test_rows_of_a_relational_table_are_named_by_its_first_column_of_different_texts() -> None:
    texts = " ".join(draft.text.casefold() for draft in drafts_of(standings()))
    assert "which team" in texts or "what team" in texts
    assert "which pos " not in texts
    # A key column is no header: gold headers name header cells only.
    assert all(not row.is_headed for draft in drafts_of(standings()) for row in draft.rows)
    assert all(row.is_headed for draft in drafts_of(statistics()) for row in draft.rows)


def test_titles_are_said_in_part() -> None:
    table = statistics()
    texts = [draft.text.casefold() for draft in drafts_of(table)]
    assert not any(table.title in text for text in texts)
    shares = [sum(word in text for text in texts) / len(texts) for word in ("paid work", "canada")]
    assert all(0.05 < share < 0.95 for share in shares), shares
    assert sum(text == text.lower() for text in [d.text for d in drafts_of(table)]) > len(texts) / 2


def test_tables_in_other_scripts_get_key_words_without_english() -> None:
    table = Table(
        id="zh",
        title="公司财务报表",
        grid=make_grid(
            [["项目", "期末余额", "期初余额"], ["原材料", "12", "15"], ["库存商品", "31", "27"]],
            num_header_rows=1,
            num_header_cols=1,
        ),
    )
    drafts = drafts_of(table)
    assert {draft.kind for draft in drafts} == {"keywords"} and len(drafts) > 3
    assert not re.search("[a-z]", " ".join(draft.text for draft in drafts), re.IGNORECASE)


@pytest.mark.parametrize(
    ("cells", "num_header_rows", "reason"),
    [
        ([["", ""], ["", " "]], 1, "blank"),
        ([["alone"]], 1, "one cell"),
        ([["1", "2"], ["3", "4"]], 0, "no header with a text"),
        ([["a", "b"], ["", "-"]], 1, "no filled cell with a header"),
    ],
)
def test_tables_without_anything_to_ask_say_why(
    cells: list[list[str]], num_header_rows: int, reason: str
) -> None:
    table = Table(id="t", title="T", grid=make_grid(cells, num_header_rows=num_header_rows))
    assert make_questions(table, count=5, seed=0) == ([], reason)


def test_a_picture_without_a_grid_has_none() -> None:
    drafts, reason = make_questions(Table(id="p", image="images/p.png"), count=5, seed=0)
    assert not drafts and reason.startswith("no grid")


def test_the_id_and_picture_do_not_matter_but_seed_and_content_do() -> None:
    one, other = statistics(), statistics()
    other.id, other.image = "other", "images/other.png"
    first = [draft.text for draft in drafts_of(one)]
    assert first == [draft.text for draft in drafts_of(other)]
    assert first != [draft.text for draft in drafts_of(one, seed=1)]
    other.title = "something else"
    assert first != [draft.text for draft in drafts_of(other)]


@settings(max_examples=40)
@given(tables(), st.integers(0, 3))
def test_any_table_gives_sound_questions_or_a_reason(table: Table, seed: int) -> None:
    drafts, reason = make_questions(table, count=4, seed=seed)
    assert bool(drafts) != bool(reason) and len(drafts) <= 4
    assert len({draft.text.casefold() for draft in drafts}) == len(drafts)
    for draft in drafts:
        assert table.grid is not None and draft.text.strip() == draft.text != ""
        headers = [label.cell for line in (*draft.rows, *draft.columns) for label in line.labels]
        for row, col in (*draft.cells, *headers):
            assert 0 <= row < table.grid.num_rows and 0 <= col < table.grid.num_cols
        assert (draft.task == "verify") == (draft.label is not None)
