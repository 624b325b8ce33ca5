from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import pytest
from effort import within
from hypothesis import given, settings
from hypothesis import strategies as st

from tabrag.data.dataset import Dataset
from tabrag.data.sources import hitab
from tabrag.errors import UserError
from tabrag.evaluation.refinement import Case, needs, outcome
from tabrag.inference.config import RefineConfig
from tabrag.inference.extremes import extremes
from tabrag.inference.refine import Refine, WordScorer, kept_by_rule, refine
from tabrag.tables.axes import AXES, axis_headers
from tabrag.tables.grid import make_grid, section_rows
from tabrag.tables.header_scores import HeaderScores
from tabrag.tables.lexical import overlap
from tabrag.tables.subtable import Subtable, requirements
from tabrag.types import Grid

SALES = make_grid(
    [
        ["region", "2019", "", "2020", ""],
        ["", "men", "women", "men", "women"],
        ["North", "1", "2", "3", "4"],
        ["South", "5", "6", "7", "8"],
        ["West", "9", "10", "11", "12"],
        ["Total", "15", "18", "21", "24"],
    ],
    merged=[(0, 1, 0, 0), (0, 0, 1, 2), (0, 0, 3, 4)],
    num_header_rows=2,
    num_header_cols=1,
)
SCORES = HeaderScores({2: 0.1, 3: 0.8, 4: 0.3, 5: 0.05}, {1: 0.02, 2: 0.1, 3: 0.2, 4: 0.9})


@dataclass(frozen=True)
class Same:
    """A scorer that gives every pair the same scores."""

    scores: HeaderScores
    threshold: float | None = None

    def fingerprint(self) -> str:
        return "same"

    def __call__(self, pairs: Sequence[tuple[str, Grid]]) -> list[HeaderScores]:
        return [self.scores] * len(pairs)


def plain(**options: object) -> RefineConfig:
    """Settings without rules, unless they are asked for."""
    return RefineConfig(**{"keep_totals": False, "keep_extremes": False, **options})  # type: ignore[arg-type]


def body(part: Subtable) -> tuple[list[int], list[int]]:
    return list(part.rows[part.whole.num_header_rows :]), list(part.cols[part.whole.num_header_cols :])


@pytest.mark.parametrize(
    ("options", "rows", "cols"),
    [
        ({"method": "top_k", "rows": 1, "cols": 2}, [3], [3, 4]),
        ({"method": "top_k", "rows": 99, "cols": 1}, [2, 3, 4, 5], [4]),
        ({"scale": "relative", "threshold": 0.3}, [3, 4], [4]),
        ({"scale": "relative", "threshold": 1.0}, [3], [4]),
        ({"scale": "relative", "threshold": 0.0}, [2, 3, 4, 5], [1, 2, 3, 4]),
        ({"threshold": 0.5}, [3], [4]),
        ({"threshold": 0.1}, [3, 4], [4]),
        ({"threshold": 0.0}, [2, 3, 4, 5], [1, 2, 3, 4]),
        ({"scale": "absolute", "threshold": 0.2}, [3, 4], [3, 4]),
        ({"scale": "absolute", "threshold": 0.95}, [3], [4]),
        ({"scale": "mass", "threshold": 0.3}, [3, 4], [4]),
        ({"method": "budget", "max_cells": 4}, [3, 4], [3, 4]),
        ({"method": "budget", "max_cells": 3}, [3, 4], [4]),
        ({"method": "budget", "max_cells": 1}, [3], [4]),
        ({"scale": "relative", "threshold": 1.0, "keep_totals": True}, [3, 5], [4]),
        ({"method": "budget", "max_cells": 1, "keep_totals": True}, [5], [4]),
    ],
)
def test_each_way_to_choose(options: dict[str, object], rows: list[int], cols: list[int]):
    part = refine(SALES, "sales to women in the south in 2020?", SCORES, plain(**options))
    assert body(part) == (rows, cols)


def test_a_comparison_keeps_the_siblings_on_the_axis_that_is_open():
    config = plain(scale="relative", threshold=1.0, keep_compared=True)
    by_row = refine(SALES, "which region sold the least to women in 2020?", SCORES, config)
    assert body(by_row) == ([2, 3, 4, 5], [4])
    scores = HeaderScores({2: 0.0, 3: 0.9, 4: 0.0, 5: 0.0}, {1: 0.0, 2: 0.0, 3: 0.6, 4: 0.7})
    by_col = refine(SALES, "did men or women buy more in the south in 2020?", scores, config)
    assert body(by_col) == ([3], [3, 4])
    assert body(refine(SALES, "sales in the south?", scores, config)) == ([3], [4])


def test_the_extremes_that_a_question_asks_for_stay():
    grid = make_grid(
        [
            ["", "2019", "2020"],
            ["men", "90", "80"],
            ["chad", "1", "60"],
            ["mali", "50", "2"],
            ["women", "70", "99"],
            ["chad", "30", "40"],
            ["Total", "160", "179"],
        ],
        num_header_rows=1,
        num_header_cols=1,
        left_paths=[
            (),
            ((1, 0),),
            ((1, 0), (2, 0)),
            ((1, 0), (3, 0)),
            ((4, 0),),
            ((4, 0), (5, 0)),
            ((6, 0),),
        ],
    )
    rows = {row: 0.1 for row in range(1, 7)} | {5: 0.3}
    scores = HeaderScores(rows, {1: 0.9, 2: 0.1})
    # Of those that are no sum: mali has the most of 2019, men's chad of 2020; women's chad heads its group.
    assert extremes(grid, "which country had the most in 2019?", scores)["row"] == {3, 2, 5}
    assert extremes(grid, "which country had the fewest in 2019?", scores)["row"] == {2, 3, 5}
    assert extremes(grid, "how many in chad?", scores) == {"row": set(), "col": set()}
    of_mali = HeaderScores(rows | {3: 0.9}, {1: 0.5, 2: 0.5})
    assert 1 in extremes(grid, "in which year did mali have the most?", of_mali)["col"]
    asked = "which country had the most in 2019?"
    config = RefineConfig(scale="relative", threshold=1.0, keep_totals=False)
    assert 3 in refine(grid, asked, scores, config).rows
    assert 3 not in refine(grid, asked, scores, plain(scale="relative", threshold=1.0)).rows


def test_the_stage_goes_by_header_words_or_by_another_scorer():
    question = "sales to women in the south in 2020?"
    (found,) = Refine(plain(scale="relative", threshold=1.0))([(question, SALES)])
    assert body(found.part) == ([3], [4]) and found.scores == overlap(SALES, question)
    other = HeaderScores({2: 1.0, 3: 0.0, 4: 0.0, 5: 0.0}, {1: 1.0, 2: 0.0, 3: 0.0, 4: 0.0})
    stage = Refine(plain(scale="relative", threshold=1.0), scorer=Same(other))
    assert [body(one.part) for one in stage([(question, SALES)] * 2)] == [([2], [1])] * 2
    assert stage([]) == []
    assert "device" not in stage.settings() and stage.settings()["threshold"] == 1.0
    assert stage.settings()["checkpoint"] == "same"


def test_header_words_need_no_torch() -> None:
    code = (
        "import sys; from tabrag.inference.config import RefineConfig\n"
        "from tabrag.inference.refine import Refine\n"
        "assert Refine(RefineConfig()).settings()['checkpoint'] is None; assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_bound_is_the_scorers_own_unless_it_is_set():
    pairs = [("sales to women in the south in 2020?", SALES)]
    for own, rows in ((0.5, [3]), (0.1, [3, 4])):
        stage = Refine(plain(), scorer=Same(SCORES, own))
        assert body(stage(pairs)[0].part) == (rows, [4]) and stage.settings()["threshold"] == own
        fixed = Refine(plain(threshold=0.5), scorer=Same(SCORES, own))
        assert body(fixed(pairs)[0].part) == ([3], [4])
    assert Refine(RefineConfig()).settings()["threshold"] == WordScorer().threshold
    with pytest.raises(UserError, match="set refine.threshold"):
        Refine(RefineConfig(), scorer=Same(SCORES))(pairs)
    with pytest.raises(UserError, match="scale=mass has no bound"):
        Refine(RefineConfig(scale="mass"))


def test_settings_out_of_range_are_named(tmp_path: Path):
    with pytest.raises(UserError, match="refine.threshold is 1.5"):
        Refine(RefineConfig(threshold=1.5))
    with pytest.raises(UserError, match="refine.method is 'best': choose from top_k, threshold"):
        Refine(RefineConfig(method="best"))  # type: ignore[arg-type]
    with pytest.raises(UserError, match="refine.scale is 'log': choose from gain"):
        Refine(RefineConfig(scale="log", threshold=0.5))  # type: ignore[arg-type]
    with pytest.raises(UserError, match="max_cells=0"):
        Refine(RefineConfig(max_cells=0))
    with pytest.raises(UserError, match=tmp_path.name):
        _ = Refine(RefineConfig(checkpoint=str(tmp_path))).scorer


WAYS = [
    RefineConfig(threshold=0.0035),
    RefineConfig(scale="relative", threshold=0.5),
    RefineConfig(scale="mass", threshold=0.2, keep_totals=True, keep_compared=True),
    RefineConfig(scale="absolute", threshold=0.9),
    RefineConfig(method="top_k", rows=2, cols=1),
    RefineConfig(method="budget", max_cells=5),
]
ODD = {
    "no header row": make_grid([["a", "1", "2"], ["b", "3", "4"]], num_header_cols=1),
    "no left header": make_grid([["x", "y"], ["1", "2"], ["3", "4"]], num_header_rows=1),
    "no header": make_grid([["1", "2"], ["3", "4"]]),
    "one cell": make_grid([["1"]]),
    "one blank cell": make_grid([[""]]),
    "headers alone": make_grid([["x", "y"]], num_header_rows=1),
    "labels alone": make_grid([["x"], ["y"]], num_header_cols=1),
    "nothing but headers": make_grid([["x", "y"], ["z", "w"]], num_header_rows=2, num_header_cols=2),
    "sections alone": make_grid([["h", "x"], ["a", ""], ["b", ""]], num_header_rows=1, num_header_cols=1),
    "one name": make_grid([["n", "x", "x"], ["a", "1", "2"], ["a", "3", "4"]], num_header_rows=1),
    "empty headers": make_grid([["", ""], ["", "1"], ["", "2"]], num_header_rows=1, num_header_cols=1),
    "one header over all": make_grid(
        [["all", "", ""], ["", "1", "2"], ["", "3", "4"]], merged=[(0, 0, 0, 2)], num_header_rows=1
    ),
    "one region": make_grid([["all", ""], ["", ""]], merged=[(0, 1, 0, 1)]),
    "section over a table without labels": make_grid([["x", "y"], ["s", ""], ["1", "2"], ["3", "4"]]),
}


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("question", ["which x is the highest?", "", "b?"])
def test_odd_tables_come_out_readable(name: str, question: str):
    grid = ODD[name]
    for config in WAYS:
        (found,) = Refine(config)([(question, grid)])
        check(found.part)


def check(part: Subtable) -> None:
    whole, grid = part.whole, part.grid
    assert grid.num_rows and grid.num_cols
    assert (grid.num_rows > grid.num_header_rows) == (whole.num_rows > whole.num_header_rows)
    assert (grid.num_cols > grid.num_header_cols) == (whole.num_cols > whole.num_header_cols)
    for row, texts in enumerate(grid.cells):
        for col, text in enumerate(texts):
            at_row, at_col = part.original((row, col))
            assert not text or whole.cells[at_row][at_col] == text


def test_a_table_of_5000_rows_is_refined_in_a_moment():
    rows = [["id", "name", "value"], *([str(i), f"item {i}", str(7 * i)] for i in range(5000))]
    grid = make_grid(rows, num_header_rows=1, num_header_cols=2)
    with within(3):
        (found,) = Refine(RefineConfig())([("what is the value of item 4321?", grid)])
    assert ["4321", "item 4321", "30247"] in found.part.grid.cells
    assert found.part.grid.num_rows < 20


def test_thousands_of_merged_labels_cost_no_more_than_plain_ones():
    rows, merged = [["group", "sex", "2019", "2020"]], []
    for number in range(2500):
        rows += [[f"group {number}", "men", "1", str(number)], ["", "women", "", str(7 * number % 5003)]]
        merged.append((2 * number + 1, 2 * number + 2, 0, 0))
    grid = make_grid(rows, merged=merged, num_header_rows=1, num_header_cols=2)
    with within(4):
        (found,) = Refine(RefineConfig())([("which group had the most women in 2020?", grid)])
    assert "5002" in {row[-1] for row in found.part.grid.cells} and len(found.scores.rows) == 5000


chances = st.floats(0, 1, allow_nan=False)


@settings(deadline=None, max_examples=150)
@given(st.data(), st.sampled_from(sorted(ODD)), st.sampled_from(WAYS), st.text(max_size=20))
def test_any_scores_leave_a_table(data: st.DataObject, name: str, config: RefineConfig, question: str):
    grid: Grid = ODD[name]
    rows, cols = ({one.position: data.draw(chances) for one in axis_headers(grid, axis)} for axis in AXES)
    part = refine(grid, question, HeaderScores(rows, cols), config)
    check(part)


@pytest.fixture(scope="module")
def published(data_root: Path) -> Dataset:
    return hitab.read(data_root / "hitab", limit=150)


@pytest.mark.parametrize("config", WAYS, ids=["gain", "relative", "rules", "absolute", "top_k", "budget"])
def test_the_figures_count_what_the_stage_keeps(published: Dataset, config: RefineConfig):
    """On published tables: as many body cells, and the answers that are really there."""
    data = published
    tables = {table.id: table.grid for table in data.tables}
    golds = {gold.query_id: gold for gold in data.gold_headers}
    kept_cells = all_cells = whole = asked = 0
    for query in (one for one in data.queries if one.id in data.qrels["dev"]):
        gold = golds.get(query.id)
        grid = tables[gold.table_id] if gold else None
        if grid is None or gold is None or not gold.answer_cells:
            continue
        (found,) = Refine(config)([(query.text, grid)])
        part = found.part
        sections = set(section_rows(grid))
        rows, cols = body(part)
        cells = len([row for row in rows if row not in sections]) * len(cols)
        places = product(range(part.grid.num_rows), range(part.grid.num_cols))
        seen = {part.original(place) for place in places}
        rules = kept_by_rule(grid, query.text, found.scores, config)
        case = Case(found.scores, needs(grid, gold.answer_cells), requirements(grid), *rules)
        counted = outcome([case], config)
        assert cells == counted.kept_cells, query.id
        assert all(cell in seen for cell in gold.answer_cells) == counted.kept, query.id
        asked, whole = asked + 1, whole + counted.kept
        kept_cells, all_cells = kept_cells + cells, all_cells + counted.cells
    assert asked > 50
    assert 0.005 < kept_cells / all_cells < 0.95 and 0.3 < whole / asked < 1
