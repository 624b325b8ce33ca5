"""Tables of the synthetic corpus: totals are sums, percents are shares, paths follow the rules."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tabrag.data.synthetic.columns import column_heads
from tabrag.data.synthetic.draft import number, reference
from tabrag.data.synthetic.entities import companies, regions
from tabrag.data.synthetic.figures import make_figures
from tabrag.data.synthetic.plan import TOPICS, plan_corpus
from tabrag.data.synthetic.sheet import Sheet, make_sheet
from tabrag.errors import UserError
from tabrag.tables.grid import left_paths, make_grid, section_rows, top_paths
from tabrag.tables.values import parse_value


def sheets(num_tables: int, seed: int) -> list[Sheet]:
    plans, _ = plan_corpus(num_tables, seed)
    return [make_sheet(plan, make_figures(plan, seed), seed) for plan in plans]


def printed_number(sheet: Sheet, slot: tuple[str, str, int, str]) -> float | None:
    row, col = sheet.cells[slot]
    value = parse_value(sheet.grid.cells[row][col])
    return None if value is None else value.number


@given(seed=st.integers(0, 2**32))
@settings(max_examples=8, deadline=None)
def test_totals_are_sums_of_what_is_printed(seed: int) -> None:
    num_rows = num_parts = 0
    for sheet in sheets(40, seed):
        topic, breakdown = sheet.plan.topic, sheet.plan.breakdown
        for slot in sheet.cells:
            label, part, year, kind = slot
            row = topic.row(label)
            total = printed_number(sheet, slot)
            if kind == "value" and row.parts:
                terms = [
                    (-1 if name.startswith("-") else 1, (name.removeprefix("-"), part, year, kind))
                    for name in row.parts
                ]
                values = [printed_number(sheet, term) for _, term in terms]
                if None not in values:
                    expected = sum(sign * value for (sign, _), value in zip(terms, values, strict=True))
                    assert total == pytest.approx(expected, abs=1e-6), (sheet.plan.topic.key, slot)
                    num_rows += 1
            if kind == "value" and breakdown is not None and part == breakdown.total:
                values = [printed_number(sheet, (label, p.label, year, kind)) for p in breakdown.parts]
                if None not in values:
                    assert total == pytest.approx(sum(values), abs=1e-6), (sheet.plan.topic.key, slot)
                    num_parts += 1
    assert num_rows > 50 and num_parts > 0


def test_percent_columns_are_shares_and_changes_are_changes() -> None:
    seen: Counter[str] = Counter()
    for sheet in sheets(200, 3):
        topic, first = sheet.plan.topic, sheet.plan.years[0]
        for label, part, year, kind in sheet.cells:
            shown = printed_number(sheet, (label, part, year, kind))
            value = printed_number(sheet, (label, part, year, "value"))
            if kind == "value" or shown is None or value is None:
                continue
            if kind == "share":
                whole = printed_number(sheet, (topic.total, part, year, "value"))
                assert abs(shown - 100 * value / whole) < 0.0500001
            else:
                before = printed_number(sheet, (label, part, first, "value"))
                exact = value - before if kind == "change" else 100 * (value - before) / before
                assert abs(shown - exact) < (1e-6 if kind == "change" else 0.0500001)
            seen[kind] += 1
    assert min(seen[kind] for kind in ("share", "change", "percent_change")) > 100


@given(seed=st.integers(0, 2**32))
@settings(max_examples=8, deadline=None)
def test_grids_are_valid_and_their_paths_follow_the_rules(seed: int) -> None:
    for sheet in sheets(40, seed):
        grid, style = sheet.grid, sheet.plan.style
        # make_grid checks regions and blanks covered cells: nothing is left for it to change.
        again = make_grid(
            grid.cells,
            merged=grid.merged,
            num_header_rows=grid.num_header_rows,
            num_header_cols=grid.num_header_cols,
        )
        assert again.cells == grid.cells and again.merged == grid.merged
        assert top_paths(again) == grid.top_paths
        assert all(len(path) > 0 for path in grid.top_paths[grid.num_header_cols :])
        assert all(len(path) > 0 for path in grid.left_paths[grid.num_header_rows :])
        # The rule knows sections and merged labels; an indent is known to the annotation alone.
        if style.rows in ("sections", "merged") and not sheet.plan.topic.statement:
            assert left_paths(again) == grid.left_paths
        if style.rows in ("sections", "parts"):
            assert section_rows(again)


def test_layouts_vary() -> None:
    made = sheets(200, 0) + sheets(200, 1)
    assert {sheet.plan.style.rows for sheet in made} == {"indent", "sections", "merged", "parts"}
    # The layouts whose paths the rule above compares occur outside financial statements too.
    assert {s.plan.style.rows for s in made if not s.plan.topic.statement} >= {"sections", "merged"}
    assert {sheet.grid.num_header_rows for sheet in made} >= {1, 2, 3}
    assert {sheet.grid.num_header_cols for sheet in made} == {1, 2}
    left_depth = {max(len(path) for path in sheet.grid.left_paths) for sheet in made}
    assert left_depth == {1, 2, 3}
    texts = {text for sheet in made for row in sheet.grid.cells for text in row}
    assert {"..", "n.a.", "—"} <= texts
    assert any(text.startswith("(") for text in texts) and any(text.startswith("−") for text in texts)
    assert max(sheet.grid.num_cols for sheet in made) <= 20
    assert max(sheet.grid.num_rows for sheet in made) <= 55
    assert all(len(column_heads(sheet.plan)) >= 2 for sheet in made)


def test_values_of_a_year_do_not_depend_on_the_years_beside_it() -> None:
    from dataclasses import replace

    plan = next(plan for plan in plan_corpus(60, 0)[0] if len(plan.years) >= 3 and not plan.measure.rate)
    longer, shorter = make_figures(plan, 0), make_figures(replace(plan, years=plan.years[1:]), 0)
    assert shorter and all(longer[key] == value for key, value in shorter.items())
    assert make_figures(plan, 1) != longer


def test_topics_are_whole() -> None:
    assert len({topic.key for topic in TOPICS}) == len(TOPICS) > 20
    for topic in TOPICS:
        labels = {row.label for row in topic.rows}
        assert {part.removeprefix("-") for row in topic.rows for part in row.parts} <= labels, topic.key
        assert topic.total in labels | {""}
        assert all((row.weight > 0) != bool(row.parts) for row in topic.rows), topic.key
        assert len(topic.measures) >= 2 and len(topic.leaves) >= 4, topic.key


def test_names_of_places_and_companies_are_distinct() -> None:
    entities = regions(random.Random(0), count=600) + companies(random.Random(0), count=600)
    aliases = [alias for entity in entities for alias in set(entity.aliases)]
    assert len(aliases) == len(set(aliases)) > 1200
    with pytest.raises(UserError, match="fewer tables"):
        regions(random.Random(0), count=10**6)


def test_references_and_numbers() -> None:
    assert [reference(cell) for cell in ((0, 0), (2, 1), (9, 25), (9, 26), (9, 27), (0, 701), (0, 702))] == [
        *("A1", "B3", "Z10", "AA10", "AB10", "ZZ1", "AAA1")
    ]
    assert [number(1234.5, 1), number(-0.04, 1), number(-1.0, 0)] == ["1,234.5", "0.0", "-1"]
