"""Tables of HTML pages."""

from __future__ import annotations

from pathlib import Path

import pytest
from effort import within
from hypothesis import given
from hypothesis import strategies as st

from tabrag.errors import UserError
from tabrag.tables.grid import cell_text, left_paths, make_grid, path_texts, top_paths
from tabrag.tables.read_html import read_html
from tabrag.tables.text import headers_text, html, markdown
from tabrag.types import Grid, Table

_LONG = "x" * 9000


def read(markup: str, **options: bool) -> list[Table]:
    return read_html(markup.encode(), name="page.html", **options)


def grid_of(markup: str, **options: bool) -> Grid:
    (table,) = read(f"<table>{markup}</table>", **options)
    assert table.grid is not None
    return table.grid


def tops(grid: Grid) -> list[list[str]]:
    return [path_texts(grid, path) for path in top_paths(grid)]


def lefts(grid: Grid) -> list[list[str]]:
    return [path_texts(grid, path) for path in left_paths(grid)]


def test_spans_of_report_h01() -> None:
    grid = grid_of(
        "<tr><th></th><th></th><th colspan=2>Sales</th></tr><tr><th>Region</th><th>Shop</th>"
        "<th>2020</th><th>2021</th></tr>"
        "<tr><th rowspan=2>North</th><th>A</th><td>1</td><td>2</td></tr><tr><th>B</th><td>3</td>"
        "<td>4</td></tr>"
    )
    assert (grid.num_header_rows, grid.num_header_cols) == (2, 2)
    assert tops(grid)[3] == ["Sales", "2021"] and lefts(grid)[3] == ["North", "B"]
    assert markdown(Table(id="t", grid=grid)).count("Sales") == 1


@pytest.mark.parametrize(
    "markup",
    [
        "<p><h1>T</h1><div><table><tr><td>a<td>b<td>c<tr><td>1<td>2<td>3</table></div>",
        "<h1>T</h1><table><td>a</td><td>b</td><td>c</td><tr><td>1</td><td>2</td><td>3</td></table>",
        "<h1>T<table><tbody><tr><td>a</td><form><td>b</td><td>c</td></tr></form><tr><td>1<td>2<td>3",
    ],
)
def test_broken_nesting_of_report_h05(markup: str) -> None:
    (table,) = read(markup)
    assert table.grid is not None and table.grid.cells == [["a", "b", "c"], ["1", "2", "3"]]


def test_table_in_a_table_of_report_h05() -> None:
    inner = "<table><tr><td>x</td><td>y</td></tr><tr><td>5</td><td>6</td></tr></table>"
    outer, nested = read(
        f"<table><tr><td>A</td><td>B</td></tr><tr><td>1</td><td>own {inner}</td></tr></table>"
    )
    assert outer.grid is not None and nested.grid is not None
    assert outer.grid.cells == [["A", "B"], ["1", "own"]]
    assert nested.grid.cells == [["x", "y"], ["5", "6"]]
    assert nested.metadata["outer_table"] == outer.id != nested.id


def test_span_from_head_into_body_of_report_h08() -> None:
    grid = grid_of(
        "<thead><tr><th rowspan=2>Key</th><th>Total</th><th>Total</th><th></th></tr></thead>"
        "<tbody><tr><td>1</td><td>2</td><td>3</td></tr><tr><th>b</th><td>4</td><td>5</td>"
        "<td>6</td></tr></tbody>"
    )
    assert grid.cells == [["Key", "Total", "Total", ""], ["", "1", "2", "3"], ["b", "4", "5", "6"]]
    assert grid.merged == [(0, 1, 0, 0)]
    assert grid.num_header_rows == 1 and tops(grid)[1:] == [["Total"], ["Total"], []]
    paths = top_paths(grid)
    values = {path: [grid.cells[row][col] for row in (1, 2)] for col, path in enumerate(paths) if path}
    assert values[paths[1]] == ["1", "4"] and values[paths[2]] == ["2", "5"]
    text = headers_text(Table(id="t", grid=grid)) + markdown(Table(id="t", grid=grid))
    assert not any(word in text for word in ("Unnamed", "Total.1", "nan"))


def test_span_past_its_group_is_cut_where_the_next_row_is_full() -> None:
    grid = grid_of(
        "<thead><tr><th rowspan=3>Key</th><th>n</th></tr></thead>"
        "<tbody><tr><td>a</td><td>1</td></tr><tr><td>b</td><td>2</td></tr></tbody>"
    )
    assert grid.cells == [["Key", "n"], ["a", "1"], ["b", "2"]] and grid.merged == []


def test_a_foot_above_the_body_comes_last() -> None:
    (table,) = read_html(
        b"<table><thead><tr><th>a<th>b<tfoot><tr><td>Sum<td>3<tbody><tr><td rowspan=2>x<td>1<tr><td>2</table>"
    )
    assert table.grid is not None and table.grid.num_header_rows == 1
    assert table.grid.cells == [["a", "b"], ["x", "1"], ["", "2"], ["Sum", "3"]]
    assert table.grid.merged == [(1, 2, 0, 0)]


def test_span_zero_and_absurd_spans() -> None:
    grid = grid_of(
        "<tr><th>k</th><th>v</th></tr><tr><th rowspan=0>a</th><td>1</td></tr><tr><td>2</td></tr>"
        "<tr><td>3</td></tr>"
    )
    assert grid.merged == [(1, 3, 0, 0)] and cell_text(grid, 3, 0) == "a"
    with within(2):
        grid = grid_of(
            "<tr><td colspan=99999999999999999999 rowspan=99999>a<td>b</tr><tr><td>1"
            "<td rowspan=-3 colspan=x>2</tr><tr><td>3</tr>",
            infer=False,
        )
    assert grid.num_cols <= 4
    with pytest.raises(UserError, match=r"bomb\.html: .*positions"):
        rows = "<tr>" + "<td colspan=1000>x</td>" * 20 + "</tr>"
        read_html(f"<table>{rows * 500}</table>".encode(), name="bomb.html")


def test_colliding_spans_stay_disjoint() -> None:
    grid = grid_of(
        "<tr><td>a<td rowspan=2>b<td>c</tr><tr><td colspan=3>d</tr><tr><td>1<td>2<td>3</tr>", infer=False
    )
    assert grid.cells == [["a", "b", "c"], ["d", "", ""], ["1", "2", "3"]]


def test_context_of_a_table() -> None:
    (table,) = read(
        "<title>Page &amp; co</title><h2>Old</h2><h3>Prices <b>2020</b></h3><p>x</p>"
        "<table><caption>By <i>shop</i></caption><tr><th>a<th>b<tr><td>1<td>2</table><h2>Later</h2>"
    )
    assert (table.page_title, table.section, table.caption) == ("Page & co", "Prices 2020", "By shop")
    assert table.id == "page#t1" and table.source.file == "page.html"


def test_full_width_row_at_the_top_is_the_caption() -> None:
    (table,) = read("<table><tr><th colspan=2>Table 3<tr><th>a<th>b<tr><td>x<td>2</table>")
    assert table.caption == "Table 3" and table.grid is not None
    assert table.grid.cells == [["a", "b"], ["x", "2"]] and table.grid.num_header_rows == 1


@pytest.mark.parametrize(
    "group",
    [
        "<th scope=rowgroup colspan=3>{}</th>",
        "<th colspan=3>{}</th>",
        "<td colspan=3><b>{}</b></td>",
        "<th scope=row>{}</th><td></td><td></td>",
        "<th>{}</th><th></th><th></th>",
    ],
)
@pytest.mark.parametrize(
    "head", ["<thead><tr>{}</tr></thead><tbody>", "<thead><tr>{}</thead>", "<tr>{}</tr>"]
)
def test_the_first_group_of_rows_is_no_header(group: str, head: str) -> None:
    headers = "<th>Country<th>2020<th>2019"
    rows = "<tr><th scope=row>{}</th><td>{}</td><td>7</td></tr>"
    body = "".join(
        f"<tr>{group.format(name)}</tr>{rows.format(first, 1)}{rows.format(second, 2)}"
        for name, first, second in (("Europe", "France", "Spain"), ("Asia", "China", "Japan"))
    )
    grid = grid_of(f"<caption>Sales</caption>{head.format(headers)}{body}")
    assert (grid.num_header_rows, grid.num_header_cols) == (1, 1)
    assert lefts(grid)[1:4] == [["Europe"], ["Europe", "France"], ["Europe", "Spain"]]
    assert lefts(grid)[-1] == ["Asia", "Japan"] and tops(grid)[1] == ["2020"]


def test_the_head_says_where_header_rows_end() -> None:
    years = "<thead><tr><th rowspan=2>Key<th colspan=2>Sales<tr><th>2020<th>2019</thead>"
    grid = grid_of(f"{years}<tbody><tr><th>Region<th>North<th>South<tr><th>x<td>1<td>2<tr><th>y<td>3<td>4")
    assert grid.num_header_rows == 2 and tops(grid)[1] == ["Sales", "2020"]
    # A head of titles alone leaves the header to the body.
    titled = "<thead><tr><th colspan=3>Sales in 2020</thead><tbody><tr><th>Key<th>North<th>South"
    (table,) = read(f"<table>{titled}<tr><th>x<td>1<td>2<tr><th>y<td>3<td>4</table>")
    assert table.caption == "Sales in 2020" and table.grid is not None
    assert table.grid.num_header_rows == 1 and tops(table.grid)[1:] == [["North"], ["South"]]


def test_a_full_width_row_between_header_rows_is_one_of_them() -> None:
    grid = grid_of(
        "<tr><th>Key<th>n<th>m<tr><th colspan=3>in tonnes<tr><th><th>2020<th>2019<tr><td>a<td>1<td>2"
    )
    assert grid.num_header_rows == 3


def test_text_of_cells() -> None:
    grid = grid_of(
        "<tr><td>a<br>b</td><td>12<sup>a</sup></td><td>m<sup>2</sup></td><td>1<sup>st</sup></td></tr>"
        "<tr><td> x\n <b>y</b>z </td><td>5<sup>[1]</sup></td><td>H<sub>2</sub>O</td>"
        "<td>&lt;b&gt; &nbsp;c</td></tr>"
        "<tr><td><p>p</p><p>q</p></td><td>1<script>2</script><style>3</style><span hidden>4</span>"
        "<i style='display: none'>5</i><!-- 6 --></td><td>7*</td><td>−5</td></tr>",
        infer=False,
    )
    assert grid.cells == [
        ["a\nb", "12 a", "m²", "1st"],
        ["x yz", "5[1]", "H2O", "<b> c"],
        ["p\nq", "1", "7*", "−5"],
    ]


@pytest.mark.parametrize(
    ("head", "encoding"),
    [
        ("", "utf-8"),
        ("", "utf-8-sig"),
        ("", "utf-16"),
        ("<meta charset=windows-1251>", "cp1251"),
        (
            f"<!-- {'x' * 9000} --><meta http-equiv=Content-Type content='text/html; charset=windows-1251'>",
            "cp1251",
        ),
        ("<meta charset=no-such-encoding>", "utf-8"),
        ("<meta charset=ascii>", "utf-8"),
    ],
)
def test_encodings(head: str, encoding: str) -> None:
    markup = f"{head}<table><tr><th>Город<th>Цена<tr><td>Москва<td>5</table>"
    (table,) = read_html(markup.encode(encoding))
    assert table.grid is not None and table.grid.cells == [["Город", "Цена"], ["Москва", "5"]]


@pytest.mark.parametrize(
    "markup",
    [
        "<table><tr><td>Home</td><td>About</td></tr></table>",
        "<table><tr><td>a</td></tr><tr><td>b</td></tr></table>",
        "<table role=presentation><tr><td>a<td>b<tr><td>c<td>d</table>",
        "<table><tr><td><h1>T</h1>t<td>x<tr><td><form><input></form>y<td><h2>z</h2></table>",
        f"<table><tr><td>a<td>{'long ' * 100}<tr><td>{'long ' * 100}<td>b</table>",
        "<table><tr><td></td></tr></table><table></table>",
    ],
)
def test_layout_tables_are_left_out(markup: str) -> None:
    assert read(markup) == []
    kept = read(markup, keep_layout=True)
    assert len(kept) == markup.count("<table") and all(table.grid is not None for table in kept)


def test_pages_without_tables() -> None:
    assert read("") == read("  ") == read("<p>no table") == read("plain text") == []
    assert read_html(b"\x00\x01\x02") == []


def test_deep_nesting_and_entities_are_harmless() -> None:
    deep = "<div>" * 5000 + "<table><tr><th>a<th>b<tr><td>1<td>2</table>"
    with within(2):
        assert len(read(deep)) <= 1
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 30))
    bomb = f'<!DOCTYPE html [<!ENTITY e0 "x">{entities}]><table><tr><th>a<th>b<tr><td>&e29;<td>2</table>'
    with within(2):
        tables = read(bomb)
    assert all(len(text) < 1000 for table in tables for row in table.grid.cells for text in row)


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="none.html"):
        read_html(tmp_path / "none.html")


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Tables whose regions do not straddle the header lines and whose body has a data cell in every row."""
    num_rows, num_cols = draw(st.integers(2, 5)), draw(st.integers(2, 5))
    header_rows, header_cols = draw(st.integers(1, num_rows - 1)), draw(st.integers(0, num_cols - 1))
    text = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S")), max_size=5)
    cells = [[draw(text) for _ in range(num_cols)] for _ in range(num_rows)]
    merged: list[tuple[int, int, int, int]] = []
    for _ in range(draw(st.integers(0, 3))):
        first_row, first_col = draw(st.integers(0, num_rows - 1)), draw(st.integers(0, num_cols - 1))
        row_limit = header_rows if first_row < header_rows else num_rows
        col_limit = header_cols if first_col < header_cols else num_cols
        region = (
            first_row,
            draw(st.integers(first_row, row_limit - 1)),
            first_col,
            draw(st.integers(first_col, col_limit - 1)),
        )
        if not any(
            region[0] <= other[1]
            and other[0] <= region[1]
            and region[2] <= other[3]
            and other[2] <= region[3]
            for other in merged
        ):
            merged.append(region)
    cells[0][0] = "corner"
    grid = make_grid(cells, merged=merged, num_header_rows=header_rows, num_header_cols=header_cols)
    return Table(id="t", caption=draw(st.sampled_from(["", "A <b> & c"])), grid=grid)


@given(tables())
def test_html_reads_back(table: Table) -> None:
    """Spans, cells and header sizes survive; section rows are body rows like others here."""
    (back,) = read_html(html(table).encode(), infer=False, keep_layout=True)
    assert table.grid is not None and back.grid is not None
    assert back.grid.cells == table.grid.cells
    assert sorted(back.grid.merged) == sorted(table.grid.merged)
    assert back.grid.num_header_rows == table.grid.num_header_rows
    assert back.grid.num_header_cols == table.grid.num_header_cols
    assert back.caption == table.caption
