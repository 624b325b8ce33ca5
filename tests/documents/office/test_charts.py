"""Charts from their XML: all kinds, levels of categories, points, dates, the schema of 2016."""

from __future__ import annotations

from tabrag.documents.office.charts import chart_tables
from tabrag.types import Table

C = "http://schemas.openxmlformats.org/drawingml/2006/chart"
A = "http://schemas.openxmlformats.org/drawingml/2006/main"


def _points(texts: list[str]) -> str:
    return "".join(f"<pt idx='{place}'><v>{text}</v></pt>" for place, text in enumerate(texts) if text)


def _texts(texts: list[str]) -> str:
    return f"<strRef><strCache>{_points(texts)}</strCache></strRef>"


def _numbers(texts: list[str], code: str = "General") -> str:
    return f"<numRef><numCache><formatCode>{code}</formatCode>{_points(texts)}</numCache></numRef>"


def _series(name: str, labels: str, values: list[str]) -> str:
    return f"<ser><tx>{_texts([name])}</tx><cat>{labels}</cat><val>{_numbers(values)}</val></ser>"


def _read(plots: str, *, title: str = "") -> list[Table]:
    heading = (
        f"<title><tx><rich><a:p><a:r><a:t>{title}</a:t></a:r></a:p></rich></tx></title>" if title else ""
    )
    plot = f"{heading}<plotArea>{plots}</plotArea>"
    return chart_tables(f"<chartSpace xmlns='{C}' xmlns:a='{A}'><chart>{plot}</chart></chartSpace>".encode())


def test_kinds_over_the_same_categories_are_one_table() -> None:
    labels = _texts(["Q1", "Q2"])
    axes = (
        "<valAx><title><tx><rich><a:p><a:r><a:t>EUR million</a:t></a:r></a:p></rich></tx></title></valAx>"
        "<catAx><title><tx><rich><a:p><a:r><a:t>Quarter</a:t></a:r></a:p></rich></tx></title></catAx>"
    )
    bars = f"<bar3DChart>{_series('Sales', labels, ['1', '2.50'])}</bar3DChart>"
    lines = f"<lineChart>{_series('Margin', labels, ['', '0.30000000000000004'])}</lineChart>"
    (table,) = _read(bars + lines + axes, title="Results")
    assert table.grid.cells == [["Quarter", "Sales", "Margin"], ["Q1", "1", ""], ["Q2", "2.5", "0.3"]]
    assert (table.grid.num_header_rows, table.grid.num_header_cols) == (1, 1)
    assert table.caption == "Results" and table.metadata["value_axis"] == "EUR million"
    assert table.metadata["chart"] == "bar3DChart, lineChart"


def test_other_categories_are_another_table() -> None:
    first, second = _texts(["Q1", "Q2"]), _texts(["May", "June"])
    tables = _read(
        f"<barChart>{_series('a', first, ['1', '2'])}{_series('b', second, ['3', '4'])}</barChart>"
    )
    assert [table.grid.cells[1] for table in tables] == [["Q1", "1"], ["May", "3"]]


def test_levels_of_categories() -> None:
    inner, outer = (
        _points(["Q1", "Q2", "Q1", "Q2"]),
        "<pt idx='0'><v>2019</v></pt><pt idx='2'><v>2020</v></pt>",
    )
    cache = f"<multiLvlStrCache><lvl>{inner}</lvl><lvl>{outer}</lvl></multiLvlStrCache>"
    levels = f"<multiLvlStrRef>{cache}</multiLvlStrRef>"
    (table,) = _read(f"<barChart>{_series('Sales', levels, ['1', '2', '3', '4'])}</barChart>")
    assert table.grid.cells[1:] == [
        ["2019", "Q1", "1"],
        ["", "Q2", "2"],
        ["2020", "Q1", "3"],
        ["", "Q2", "4"],
    ]
    assert table.grid.merged == [(1, 2, 0, 0), (3, 4, 0, 0)] and table.grid.num_header_cols == 2


def test_dates_and_literals() -> None:
    labels = _numbers(["43831", "43862"], "yyyy\\-mm\\-dd")
    values = "<numLit><pt idx='0'><v>7</v></pt><pt idx='1'><v>8</v></pt></numLit>"
    ser = f"<ser><tx><v>Rate</v></tx><cat>{labels}</cat><val>{values}</val></ser>"
    (table,) = _read(f"<lineChart>{ser}</lineChart>")
    assert table.grid.cells == [["", "Rate"], ["2020-01-01", "7"], ["2020-02-01", "8"]]


def test_points_with_places_of_their_own() -> None:
    def points(name: str, x: list[str], y: list[str]) -> str:
        return f"<ser><tx>{_texts([name])}</tx><xVal>{_numbers(x)}</xVal><yVal>{_numbers(y)}</yVal></ser>"

    first = points("a", ["1", "2"], ["5", "6"])
    (table,) = _read(f"<scatterChart>{first}{points('b', ['3'], ['7'])}</scatterChart>")
    assert table.grid.cells == [["", "x", "y"], ["a", "1", "5"], ["a", "2", "6"], ["b", "3", "7"]]
    (shared,) = _read(f"<scatterChart>{first}{points('b', ['1', '2'], ['7', '8'])}</scatterChart>")
    assert shared.grid.cells[1:] == [["1", "5", "7"], ["2", "6", "8"]]


def test_kinds_of_2016() -> None:
    labels = "<pt idx='0'>Start</pt><pt idx='1'>End</pt>"
    numbers = "<pt idx='0'>10</pt><pt idx='1'>-3.5</pt>"
    data = (
        f"<data id='0'><strDim type='cat'><lvl ptCount='2'>{labels}</lvl></strDim>"
        f"<numDim type='val'><lvl ptCount='2'>{numbers}</lvl></numDim></data>"
    )
    title = "<title><tx><rich><a:p><a:r><a:t>Bridge</a:t></a:r></a:p></rich></tx></title>"
    series = "<series layoutId='waterfall'><tx><txData><v>Cash</v></txData></tx><dataId val='0'/></series>"
    xml = (
        f"<chartSpace xmlns='x' xmlns:a='{A}'><chartData>{data}</chartData><chart>{title}"
        f"<plotArea><plotAreaRegion>{series}</plotAreaRegion></plotArea></chart></chartSpace>"
    )
    (table,) = chart_tables(xml.encode())
    assert table.grid.cells == [["", "Cash"], ["Start", "10"], ["End", "-3.5"]]
    assert table.title == "Bridge" and table.metadata["chart"] == "waterfall"


def test_charts_without_numbers() -> None:
    assert _read("<barChart><ser><tx/></ser></barChart>") == [] and chart_tables(b"<chartSpace/>") == []
