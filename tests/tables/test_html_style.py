"""Where labels of HTML tables begin: style sheets, inline styles, typed blanks."""

from __future__ import annotations

import pytest
from effort import within

from tabrag.tables.grid import left_paths, path_texts
from tabrag.tables.html_style import PageStyles
from tabrag.tables.read_html import parse_page, read_html
from tabrag.types import Grid

WHOLE = [["Europe"], ["Europe", "France"], ["Europe", "France", "Paris"], ["Europe", "Spain"], ["Asia"]]
LABELS = (("Europe", 0), ("France", 1), ("Paris", 2), ("Spain", 1), ("Asia", 0))


def grid_of(page: str) -> Grid:
    (table,) = read_html(page.encode(), name="page.html")
    assert table.grid is not None
    return table.grid


def lefts(grid: Grid) -> list[list[str]]:
    return [path_texts(grid, path) for path in left_paths(grid)[grid.num_header_rows :]]


def page(row: str, *levels: str, style: str = "") -> str:
    """A table whose rows are ``row`` with LEVEL and LABEL put in."""
    rows = "".join(
        row.replace("LEVEL", levels[level]).replace("LABEL", label) + f"<td>{place}</td></tr>"
        for place, (label, level) in enumerate(LABELS)
    )
    return f"<style>{style}</style><table><tr><th></th><th>2020</th></tr>{rows}</table>"


def starts(markup: str) -> list[float]:
    """Where the texts of the cells of a page begin."""
    root = parse_page(markup.encode())
    assert root is not None
    styles = PageStyles(root)
    return [styles.start(cell) for cell in root.iter("td", "th")]


@pytest.mark.parametrize(
    ("row", "levels", "style"),
    [
        ("<tr><td style='padding-left:LEVEL'>LABEL</td>", ("0", "12px", "2em"), ""),
        ("<tr><td style='PADDING: 1px 2px 3px LEVEL'>LABEL</td>", ("2pt", "9pt", ".5in"), ""),
        ("<tr><td><p style='margin-left:LEVEL'>LABEL</p></td>", ("0", "9.0pt", "18.0pt"), ""),
        ("<tr><td><div><span style='margin:0 0 0 LEVEL'>LABEL</span></div></td>", ("0", "1em", "2em"), ""),
        ("<tr><td style='text-indent:LEVEL'>LABEL</td>", ("0px", "10px", "20px"), ""),
        (
            "<tr><td><p style='padding-left:30pt;text-indent:LEVEL'>LABEL</p></td>",
            ("-30pt", "-20pt", "-10pt"),
            "",
        ),
        ("<tr><th scope=row>LEVELLABEL</th>", ("", "&nbsp;&nbsp;&nbsp;", "&emsp;&emsp;"), ""),
        ("<tr><td><b>LEVELLABEL</b></td>", ("", " &nbsp; &nbsp;", "&nbsp; &nbsp; &nbsp; &nbsp;"), ""),
        (
            "<tr><th scope=row class='LEVEL'>LABEL</th>",
            ("", "level1 x", "level2"),
            "th, td {padding:.2em .5em} .level1 { padding-left: 1.6em; } /* .level1 {padding-left:0} */"
            "@media screen { th.level2{padding-left:3.2em} } @media print{.level2{padding-left:0}}",
        ),
        (
            "<tr class=LEVEL><td>LABEL</td>",
            ("a", "b", "c"),
            "<!-- tr.b > td:first-child{padding-left:10px} table .c td{padding-left:20px} td{padding:2px}-->",
        ),
        (
            "<tr data-depth=LEVEL><td><span>LABEL</span></td>",
            ("0", "1", "2"),
            "[data-depth='1'] td:nth-child(1) span{padding-inline-start:8px} [data-depth=\"2\"] span"
            "{margin-inline:1cm}",
        ),
    ],
)
def test_labels_of_all_kinds(row: str, levels: tuple[str, ...], style: str) -> None:
    grid = grid_of(page(row, *levels, style=style))
    assert lefts(grid) == WHOLE
    assert [texts[0] for texts in grid.cells[1:]] == [label for label, _ in LABELS]


def test_the_stronger_rule_counts_then_the_later_one() -> None:
    style = "<style>td.a{padding-left:10pt}.a{padding-left:20pt}#i{padding-left:30pt}.b{padding-left:40pt}"
    style += ".c{padding-left:50pt!important}.b{padding-left:60pt}</style>"
    cells = "<td class=a>x<td class=a id=i>x<td class='a b'>x<td class=b>x"
    cells += "<td class=c style='padding-left:1pt'>x<td class=b style='padding-left:1pt'>x"
    assert starts(f"{style}<table><tr>{cells}</table>") == [10, 30, 10, 60, 50, 1]


def test_what_cannot_be_known_counts_for_nothing() -> None:
    style = "<style>td:hover, td + td, td::before, td:not(.x) {padding-left:50pt} @media (max-width:9px)"
    style += "{td{padding-left:70pt}} td{padding-left:calc(1px + 2px)} td{margin-left:30pt}"
    style += "p{padding-left:10%} @import 'x'; i{padding-left:9pt} b{padding-left:} u{padding-left</style>"
    cells = "<td>x<td><p>x</p><td><i>x</i><td><b>x</b><td><u>x</u>"
    assert starts(f"{style}<table><tr>{cells}</table>") == [0, 0, 9, 0, 0]


def test_only_what_stands_before_the_first_text_counts() -> None:
    cells = (
        "<td><p style='padding-left:9pt'> </p>x<td>x<p style='padding-left:9pt'>y</p>"
        "<td><i style='display:none;padding-left:9pt'>h</i>x<td><table><td>inner</table>x<td>&nbsp;<br>x<td>"
    )
    assert starts(f"<table><tr>{cells}</table>")[:3] == [0, 0, 0]
    listed = "<td><dl><dd>x</dd></dl><td><ul><li>x</ul><td><dl><dt>x<dd>y</dl>"
    assert starts(f"<table><tr>{listed}</table>") == [30, 30, 0]
    assert starts(f"<table><tr>{cells}</table>")[-2:] == [0, 0]


def test_alike_labels_and_slips_have_no_levels() -> None:
    for levels in (("9pt", "9pt", "9pt"), ("0", "1pt", "2pt")):
        grid = grid_of(page("<tr><td style='padding-left:LEVEL'>LABEL</td>", *levels))
        assert grid.left_paths is None and lefts(grid) == [[label] for label, _ in LABELS]
    assert grid_of(page("<tr><td>LEVELLABEL</td>", "", "&nbsp;", "&nbsp;")).left_paths is None


def test_section_rows_and_totals_go_with_indents() -> None:
    row = "<tr><th scope=row style='padding-left:{}'>{}</th><td>1</td><td>2</td></tr>"
    body = "<tr><th colspan=3>Assets</th></tr>" + row.format("1em", "Cash") + row.format("2em", "Bank")
    body += row.format("1em", "Stock") + row.format("0", "Total assets")
    grid = grid_of(f"<table><thead><tr><td><th>2020<th>2019</thead><tbody>{body}</tbody></table>")
    assert lefts(grid) == [
        ["Assets"],
        ["Assets", "Cash"],
        ["Assets", "Cash", "Bank"],
        ["Assets", "Stock"],
        ["Assets", "Total assets"],
    ]


def test_large_pages_are_read_in_time() -> None:
    style = "".join(f".c{n} td, table .d{n} > td{{padding-left:{n}px}}" for n in range(4000))
    rows = "".join(f"<tr class=c{n}><td><div>label {n}</div><td>{n}</tr>" for n in range(3000))
    with within(3):
        grid = grid_of(f"<style>{style}{'{' * 5000}</style><table><tr><th>a<th>b</tr>{rows}</table>")
    assert grid.num_rows == 3001
