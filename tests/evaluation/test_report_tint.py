from __future__ import annotations

import re
from pathlib import Path

from PIL import Image

from tabrag.evaluation.report import Example, write_report
from tabrag.evaluation.report_tint import tint_of, tinted_boxes, tinted_cells
from tabrag.tables.grid import make_grid
from tabrag.types import Answer, Evidence, Table, Word

GRID = make_grid(
    [
        ["region", "2019", "", "2020"],
        ["", "wheat", "rye", "wheat"],
        ["north", "1", "2", "3"],
        ["south", "4", "5", "6"],
        ["west", "7", "8", "9"],
    ],
    merged=[(0, 1, 0, 0), (0, 0, 1, 2)],
    num_header_rows=2,
    num_header_cols=1,
)
REFINED = Evidence(
    item_id="t", rows=[3], columns=[2], cells=[(3, 2)], shown_rows=[0, 1, 3, 4], shown_columns=[0, 2]
)
WHOLE = Evidence(item_id="t", rows=[3], columns=[2], cells=[(3, 2)])
WORDS = [
    Word(text=text, box=(200 * col + 10, 100 * row + 10, 200 * col + 90, 100 * row + 60), cell=(row, col))
    for row, texts in enumerate(GRID.cells)
    for col, text in enumerate(texts)
    if text
]


def write(path: Path, evidence: Evidence, *, words: list[Word] = WORDS, **fields: object) -> str:
    answer = Answer(query_id="q", question="how much?", answer="5", evidence=[evidence])
    table = Table(id="t", title="crops", grid=GRID, words=words)
    write_report(
        path / "report.html",
        title="x",
        systems={},
        examples=[Example(answer=answer, table=table, **fields)],  # type: ignore[arg-type]
    )
    return (path / "report.html").read_text(encoding="utf-8")


def test_a_refined_table_is_tinted_where_its_rows_and_columns_cross():
    tint = tint_of(GRID, REFINED)
    assert tinted_cells(GRID, tint) == {
        (0, 0), (0, 1), (1, 2), (3, 0), (3, 2), (4, 0), (4, 2),
    }  # fmt: skip
    assert tint.text == "Tinted: the refined table, 4 of 5 rows and 2 of 4 columns, headers included."


def test_the_answers_row_and_column_are_tinted_where_the_whole_table_was_read():
    cells = tinted_cells(GRID, tint_of(GRID, WHOLE))
    assert cells == {(3, 0), (3, 1), (3, 2), (3, 3), (0, 1), (1, 2), (2, 2), (4, 2)}
    nowhere = tint_of(GRID, Evidence(item_id="t"))
    assert tinted_cells(GRID, nowhere) == set() and nowhere.text == ""
    assert tinted_boxes(GRID, WORDS, nowhere) == []


def test_neighbours_share_a_box_of_the_picture():
    boxes = tinted_boxes(GRID, WORDS, tint_of(GRID, REFINED))
    assert boxes == [(10, 10, 90, 160), (10, 310, 90, 460), (410, 10, 490, 160), (410, 310, 490, 460)]
    whole = tinted_boxes(GRID, WORDS, tint_of(GRID, WHOLE))
    assert whole == [(10, 310, 690, 360), (410, 10, 490, 460)]
    assert tinted_boxes(GRID, [Word(text="x", box=(0, 0, 9, 9))], tint_of(GRID, REFINED)) == []


def test_grid_and_picture_show_tint_headers_and_answer(tmp_path: Path):
    text = write(tmp_path, REFINED)
    assert re.findall(r'<td class="tint cell">([^<]*)', text) == ["5"]
    assert re.findall(r'<td class="tint">([^<]*)', text) == ["8"]
    assert sorted(re.findall(r"<td>([^<]*)", text)) == ["1", "2", "3", "4", "6", "7", "9"]
    assert "the refined table, 4 of 5 rows and 2 of 4 columns" in text
    Image.new("RGB", (800, 500), "white").save(tmp_path / "t.png")
    shown = write(tmp_path, REFINED, picture=tmp_path / "t.png")
    kinds = re.findall(r'<span class="box (\w+)"', shown)
    assert kinds == ["tint"] * 4 + ["header", "header", "header", "cell"]
    assert "left: 41.0%; top: 31.0%; width: 8.0%; height: 15.0%" in shown
    assert "not marked" not in shown
    unread = [word for word in WORDS if word.cell != (3, 2)]
    assert "not marked" in write(tmp_path, REFINED, words=unread, picture=tmp_path / "t.png")
