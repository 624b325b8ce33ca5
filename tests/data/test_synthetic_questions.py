"""Questions of the synthetic corpus: formulas give answers, gold headers are headers, one table answers."""

from __future__ import annotations

import ast
import re
from collections import Counter
from functools import cache

import pytest

from tabrag.data.dataset import Dataset
from tabrag.data.synthetic import make
from tabrag.data.synthetic.plan import TOPICS, TablePlan, plan_corpus
from tabrag.tables.grid import cell_text, left_paths, path_texts, top_paths
from tabrag.tables.values import parse_value
from tabrag.types import Cell, GoldHeaders, Query, Table

NUM_TABLES = 150
SEEDS = (0, 1)


@cache
def corpus(seed: int) -> Dataset:
    return make(NUM_TABLES, seed)


def rows_of(seed: int) -> list[tuple[Query, GoldHeaders, Table]]:
    dataset = corpus(seed)
    tables = {table.id: table for table in dataset.tables}
    gold = {item.query_id: item for item in dataset.gold_headers}
    assert len(gold) == len(dataset.queries) > 3 * NUM_TABLES
    return [(query, gold[query.id], tables[gold[query.id].table_id]) for query in dataset.queries]


def cell_of(reference: str) -> Cell:
    letters, digits = re.fullmatch(r"([A-Z]+)([0-9]+)", reference).groups()
    col = 0
    for letter in letters:
        col = col * 26 + ord(letter) - ord("A") + 1
    return int(digits) - 1, col - 1


def value_at(table: Table, cell: Cell) -> float:
    value = parse_value(table.grid.cells[cell[0]][cell[1]])
    assert value is not None, (table.id, cell, table.grid.cells[cell[0]][cell[1]])
    return value.number


def evaluate(formula: str, table: Table) -> float:
    """A calculator for the documented formulas: nothing but arithmetic, comparisons, MAX and MIN."""

    def visit(node: ast.expr) -> float:
        match node:
            case ast.Constant(value=number):
                return number
            case ast.Name(id=name):
                return value_at(table, cell_of(name))
            case ast.Call(func=ast.Name(id=name), args=args):
                return {"MAX": max, "MIN": min}[name](visit(arg) for arg in args)
            case ast.Compare(left=left, ops=[ast.Gt()], comparators=[right]):
                return float(visit(left) > visit(right))
            case ast.Compare(left=left, ops=[ast.Lt()], comparators=[right]):
                return float(visit(left) < visit(right))
            case ast.BinOp(left=left, op=operator, right=right):
                a, b = visit(left), visit(right)
                match operator:
                    case ast.Add():
                        return a + b
                    case ast.Sub():
                        return a - b
                    case ast.Mult():
                        return a * b
                    case ast.Div():
                        return a / b
        raise AssertionError(ast.dump(node))

    return visit(ast.parse(formula, mode="eval").body)


def plain(text: str) -> str:
    """A header without its indent, footnote mark and provisional mark."""
    return re.sub(r"(\*|¹| \(a\)| \(p\))$", "", text.strip())


@pytest.mark.parametrize("seed", SEEDS)
def test_formulas_give_the_answers(seed: int) -> None:
    seen: Counter[str] = Counter()
    for query, gold, table in rows_of(seed):
        result = evaluate(gold.formula, table)
        if query.task == "verify":
            assert query.answers == [] and query.label in ("SUPPORTED", "REFUTED")
            if re.search("[<>]", gold.formula):
                assert (query.label == "SUPPORTED") == bool(result), query.text
            else:
                (cell,) = gold.answer_cells
                is_said = f" was {table.grid.cells[cell[0]][cell[1]]}" in query.text
                assert (query.label == "SUPPORTED") == is_said, query.text
            seen[query.label] += 1
            continue
        (answer,) = query.answers
        asks_label = re.match(r"(Was|Which|In which)\b", query.text)
        if asks_label:
            cells = [cell for cell in gold.answer_cells if value_at(table, cell) == result]
            assert len(cells) == 1, query.text
            row, col = cells[0]
            row_text = path_texts(table.grid, left_paths(table.grid)[row])
            col_text = path_texts(table.grid, top_paths(table.grid)[col])
            # A subtotal is printed as "Total" and asked for by the name of its group, so all levels count.
            assert answer in [plain(text) for text in row_text + col_text], query.text
            seen["label"] += 1
        else:
            number = parse_value(answer)
            assert number is not None, (query.text, answer)
            decimals = len(answer.rstrip("%)").partition(".")[2])
            assert abs(number.number - result) <= 0.5 * 10**-decimals + 1e-6, (query.text, answer, result)
            seen["number"] += 1
    assert min(seen[kind] for kind in ("SUPPORTED", "REFUTED", "label", "number")) > 20


def test_every_kind_of_question_occurs() -> None:
    formulas = [gold.formula for _, gold, _ in rows_of(0)]
    patterns = {
        "lookup": r"[A-Z]+\d+",
        "difference or change": r"[A-Z]+\d+ - [A-Z]+\d+",
        "sum": r"[A-Z]+\d+ \+ [A-Z]+\d+",
        "share": r"[A-Z]+\d+ / [A-Z]+\d+ \* 100",
        "percent change": r"\([A-Z]+\d+ - [A-Z]+\d+\) / [A-Z]+\d+ \* 100",
        "highest": r"MAX\(.+\)",
        "lowest": r"MIN\(.+\)",
        "count": r"\([A-Z]+\d+ > [\d.]+\)( \+ .+)",
        "order": r"[A-Z]+\d+ [<>] [A-Z]+\d+",
    }
    for kind, pattern in patterns.items():
        assert sum(re.fullmatch(pattern, formula) is not None for formula in formulas) >= 5, kind


@pytest.mark.parametrize("seed", SEEDS)
def test_gold_headers_are_the_paths_of_the_answer_cells(seed: int) -> None:
    depths: Counter[tuple[int, int]] = Counter()
    for query, gold, table in rows_of(seed):
        grid = table.grid
        assert gold.answer_cells, query.text
        tops, lefts = top_paths(grid), left_paths(grid)
        assert gold.top == sorted({cell for _, col in gold.answer_cells for cell in tops[col]})
        assert gold.left == sorted({cell for row, _ in gold.answer_cells for cell in lefts[row]})
        for row, col in gold.top:
            assert row < grid.num_header_rows and grid.cells[row][col].strip()
        for row, col in gold.left:
            assert row >= grid.num_header_rows and col < grid.num_header_cols and grid.cells[row][col].strip()
        for row, col in gold.answer_cells:
            assert row >= grid.num_header_rows and col >= grid.num_header_cols
            assert parse_value(cell_text(grid, row, col)) is not None
            depths[len(lefts[row]), len(tops[col])] += 1
        named = {cell_of(name) for name in re.findall(r"\b[A-Z]+\d+\b", gold.formula)}
        assert named == set(gold.answer_cells)
    assert len({left for left, _ in depths}) >= 2 and len({top for _, top in depths}) >= 3


def found(text: str, phrases: dict[str, str]) -> tuple[set[str], str]:
    """What the phrases in a text stand for, the longest first, and the text without them."""
    values = set()
    for phrase in sorted(phrases, key=len, reverse=True):
        pattern = rf"(?<![\w-]){re.escape(phrase)}(?![\w-])"
        text, count = re.subn(pattern, "_", text, flags=re.IGNORECASE)
        if count:
            values.add(phrases[phrase])
    return values, text


def years_in(text: str) -> set[int]:
    years = set()
    for pattern, step in (
        (r"the year before (\d{4})", -1),
        (r"the year after (\d{4})", 1),
        (r"\b(\d{4})/\d\d\b", 1),
        (r"\b(\d{4})-\d\d\b", 1),
        (r"\bFY(\d\d)\b", 2000),
        (r"\b(?:FY)?((?:19|20)\d\d)\b", 0),
    ):
        years |= {int(year) + step for year in re.findall(pattern, text)}
        text = re.sub(pattern, "_", text)
    return {year - 100 if year > 2050 else year for year in years}


def answering(text: str, plans: list[TablePlan]) -> list[TablePlan]:
    """The tables that have what a question names, judged by its words alone."""
    entities, rest = found(text, {a: p.entity.name for p in plans for a in p.entity.aliases})
    years = years_in(rest)
    assert entities and years, text
    phrases = {name.removeprefix("~"): name for t in TOPICS for m in t.measures for name in m.names}
    lines = {name: f"line {name}" for t in TOPICS if t.statement for row in t.rows for name in row.names}
    names, _ = found(rest, lines | phrases)

    def fits(plan: TablePlan) -> bool:
        if plan.entity.name not in entities or not years <= set(plan.years):
            return False
        if not names & set(plan.measure.names):
            return False
        rows = {f"line {name}" for row in plan.topic.rows for name in row.names}
        return not plan.topic.statement or bool(names & rows)

    return [plan for plan in plans if fits(plan)]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_words_of_a_question_name_one_table_only(seed: int) -> None:
    plans, _ = plan_corpus(NUM_TABLES, seed)
    by_title = {table.id: plan for table, plan in zip(corpus(seed).tables, plans, strict=True)}
    for query, _, table in rows_of(seed):
        candidates = answering(query.text, plans)
        assert candidates == [by_title[table.id]], (query.text, [plan.measure.title for plan in candidates])
    # The test sees differences: without its place, a question fits several tables.
    places = {plan.entity.name for plan in plans}
    assert len(places) > 10


def test_the_resolver_of_this_test_tells_near_duplicates_apart() -> None:
    plans, _ = plan_corpus(NUM_TABLES, 0)
    plan = next(p for p in plans if p.topic.years == "calendar" and not p.topic.statement)
    place, year = plan.entity.aliases[0], plan.years[0]
    name = plan.measure.names[0].removeprefix("~")
    assert answering(f"What was the {name} in {place} in {year}?", plans) == [plan]
    assert plan not in answering(f"What was the {name} in {place} in {plan.years[-1] + 1}?", plans)
    assert years_in("from FY98 to fiscal 2003, the 2018/19 school year") == {1998, 2003, 2019}
    assert years_in("in the year before 2020 and in the year after 2000") == {2019, 2001}


def test_no_two_measures_share_a_name_and_rows_have_names_of_their_own() -> None:
    names: Counter[tuple[str, str]] = Counter()
    for topic in TOPICS:
        for measure in topic.measures:
            names.update((measure.subject, name) for name in measure.names)
        row_names = [name.lower() for row in topic.rows for name in row.names]
        assert len(row_names) == len(set(row_names)), topic.key
        labels = [row.label for row in topic.rows]
        assert len(labels) == len(set(labels)), topic.key
    subjects: dict[str, set[str]] = {}
    for subject, name in names:
        subjects.setdefault(name, set()).add(subject)
    shared = {name: owners for name, owners in subjects.items() if len(owners) > 1}
    # The scope of a financial statement is a phrase of all three statements; its lines tell them apart.
    assert set(shared) <= {"group-wide", "consolidated", "parent-only", "stand-alone parent company"}


def test_questions_are_distinct_and_end_as_sentences_do() -> None:
    for seed in SEEDS:
        texts = [query.text for query in corpus(seed).queries]
        assert len(texts) == len(set(texts))
        for query in corpus(seed).queries:
            assert query.text.endswith("?" if query.task == "qa" else "."), query.text
            assert query.text[0].isupper() and "  " not in query.text and "{" not in query.text
            assert "~" not in query.text
