"""The numbers behind a native chart, as a table: categories are its rows, series its columns.

Read from the chart's XML itself (ECMA-376 part 1, section 21.2), so that every kind of chart is known, 3-D
ones too; kinds of Office 2016 (waterfall, treemap, funnel ...) have a schema of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from lxml.etree import _Element

from tabrag.documents.office.drawn_text import text_lines
from tabrag.documents.office.xml import children, find, local, parse_xml
from tabrag.tables.grid import make_grid
from tabrag.tables.read_xlsx import cell_display
from tabrag.types import Grid, Table

_MAX_POINTS = 100_000


@dataclass(slots=True)
class _Series:
    name: str
    kind: str
    levels: list[dict[int, str]] = field(default_factory=list)
    """Labels of the points, the innermost level first."""
    values: dict[int, str] = field(default_factory=dict)
    sizes: dict[int, str] = field(default_factory=dict)
    """Of bubbles."""


def chart_tables(data: bytes, *, title: str = "") -> list[Table]:
    """The tables of a chart: one, or one for each group of series that have categories of their own.

    Args:
        data: The XML part of the chart.
        title: Stands in where the chart itself has no title.

    Returns:
        Tables with ``kind`` ``chart`` and ``chart``, the kind of chart, in their metadata; none where the
        chart holds no stored numbers.

    Raises:
        ValueError: The part is no XML.
    """
    root = parse_xml(data)
    chart = find(root, "chart")
    if chart is None:
        return []
    own = _title(chart)
    is_new = find(root, "chartData") is not None
    series = _new_series(root, chart) if is_new else _series(chart)
    groups: list[list[_Series]] = []
    for one in series:
        same = (group for group in groups if group[0].levels == one.levels and not one.sizes)
        group = next((group for group in same if not group[0].sizes), None)
        if group is None:
            groups.append([one])
        else:
            group.append(one)
    plot = find(chart, "plotArea")
    parts = [] if plot is None else [part for part in plot if local(part).endswith("Ax")]
    axes = [_title(part) for part in sorted(parts, key=lambda part: local(part) in ("valAx", "serAx"))]
    is_points = any(one.kind in ("scatterChart", "bubbleChart") for one in series)
    if is_points and len(groups) > 1:
        return [_points_table(series, own or title, axes)]
    return [_table(group, own or title, axes[0] if axes else "", axes[1:]) for group in groups]


def _table(group: Sequence[_Series], title: str, corner: str, value_axes: Sequence[str]) -> Table:
    """Categories in the first columns, outermost level first, then one column a series."""
    levels = group[0].levels or [{}]
    places = sorted({place for one in group for place in one.values})
    stub = [[level.get(place, "") for level in reversed(levels)] for place in places]
    columns = [(one.name, one.values) for one in group]
    columns += [(f"{one.name} (size)".strip(), one.sizes) for one in group if one.sizes]
    header = [corner, *[""] * (len(levels) - 1), *(name for name, _ in columns)]
    body = [
        [*labels, *(values.get(place, "") for _, values in columns)]
        for labels, place in zip(stub, places, strict=True)
    ]
    merged = [
        region
        for col, level in enumerate(reversed(levels[1:]))
        for region in _runs([place in level for place in places], col)
    ]
    grid = make_grid([header, *body], merged=merged, num_header_rows=1, num_header_cols=len(levels))
    return _as_table(group, grid, title, value_axes)


def _points_table(series: Sequence[_Series], title: str, axes: Sequence[str]) -> Table:
    """Points of several series with places of their own: one row a point."""
    x_name, y_name = (axes[0] if axes else "") or "x", (axes[1] if len(axes) > 1 else "") or "y"
    has_sizes = any(one.sizes for one in series)
    cells = [["", x_name, y_name, *(["size"] if has_sizes else [])]]
    for one in series:
        for place in sorted(one.values):
            x = one.levels[0].get(place, "") if one.levels else str(place + 1)
            row = [one.name, x, one.values[place]]
            cells.append([*row, one.sizes.get(place, "")] if has_sizes else row)
    grid = make_grid(cells, num_header_rows=1, num_header_cols=1)
    return _as_table(series, grid, title, ())


def _as_table(series: Sequence[_Series], grid: Grid, title: str, value_axes: Sequence[str]) -> Table:
    metadata = {"kind": "chart", "chart": ", ".join(dict.fromkeys(one.kind for one in series))}
    if values := "; ".join(dict.fromkeys(filter(None, value_axes))):
        metadata["value_axis"] = values
    return Table(id="", title=title, caption=title, grid=grid, metadata=metadata)


def _runs(starts: Sequence[bool], col: int) -> list[tuple[int, int, int, int]]:
    """Regions of an outer label and the points that it stands for, below one header row."""
    first = [place for place, is_start in enumerate(starts) if is_start]
    ends = [*first[1:], len(starts)]
    return [(start + 1, end, col, col) for start, end in zip(first, ends, strict=True) if end - start > 1]


def _series(chart: _Element) -> list[_Series]:
    plot = find(chart, "plotArea")
    found = []
    for group in [] if plot is None else plot:
        if not local(group).endswith("Chart"):
            continue
        for number, ser in enumerate(children(group, "ser"), start=1):
            one = _Series(name=_series_name(ser), kind=local(group))
            labels = find(ser, "cat") if find(ser, "cat") is not None else find(ser, "xVal")
            one.levels = [] if labels is None else _levels(labels)
            values = find(ser, "val") if find(ser, "val") is not None else find(ser, "yVal")
            one.values = _points(values)
            one.sizes = _points(find(ser, "bubbleSize"))
            if not one.levels:
                one.levels = [{place: str(place + 1) for place in one.values}]
            if one.values:
                one.name = one.name or f"Series {number}"
                found.append(one)
    return found


def _series_name(ser: _Element) -> str:
    name = find(ser, "tx")
    return "" if name is None else " ".join(_points(name).values()) or _first_value(name)


def _first_value(element: _Element) -> str:
    return next((part.text or "" for part in element.iter() if local(part) == "v"), "").strip()


def _levels(labels: _Element) -> list[dict[int, str]]:
    levels = [_points(level) for level in labels.iter() if local(level) == "lvl"]
    return levels or [_points(labels)]


def _points(element: _Element | None) -> dict[int, str]:
    """Stored texts and numbers by their place."""
    if element is None:
        return {}
    code = next((part.text or "" for part in element.iter() if local(part) == "formatCode"), "")
    points: dict[int, str] = {}
    for point in element.iter():
        place = point.get("idx") if local(point) == "pt" else None
        if place is None or not place.isdigit() or len(points) >= _MAX_POINTS:
            continue
        value = find(point, "v")
        text = (value.text if value is not None else point.text) or ""
        own = point.get("formatCode") or code
        is_text = any(local(above) in ("strCache", "strLit", "strDim") for above in point.iterancestors())
        points[int(place)] = text.strip() if is_text else _number(text, own)
    return points


def _number(text: str, code: str) -> str:
    """A stored number in 15 digits, a stored date in ISO form, as cells of a sheet are printed."""
    from openpyxl.styles.numbers import is_date_format
    from openpyxl.utils.datetime import from_excel

    text = text.strip()
    try:
        number = float(text)
        if code and code != "General" and is_date_format(code):
            return cell_display(from_excel(number))
    except (ValueError, OverflowError):
        return text
    return text if text.lstrip("+-").isdigit() else cell_display(number)


def _title(element: _Element) -> str:
    title = find(element, "title")
    if title is None:
        return ""
    lines = text_lines(title)
    return " ".join(" ".join(lines or _points(title).values()).split())


def _new_series(root: _Element, chart: _Element) -> list[_Series]:
    """Series of the chart kinds of 2016: data stands apart from the series that show it."""
    data = {part.get("id"): part for part in root.iter() if local(part) == "data"}
    found = []
    for ser in (part for part in chart.iter() if local(part) == "series"):
        reference = find(ser, "dataId")
        part = data.get(reference.get("val")) if reference is not None else None
        if part is None:
            continue
        one = _Series(name="", kind=ser.get("layoutId", "chart"))
        name = find(ser, "tx")
        one.name = "" if name is None else " ".join(text_lines(name)) or _first_value(name)
        for dimension in children(part, "strDim"):
            one.levels += [_points(level) for level in children(dimension, "lvl")]
        for dimension in children(part, "numDim"):
            one.values = one.values or next((_points(level) for level in children(dimension, "lvl")), {})
        one.levels = one.levels or [{place: str(place + 1) for place in one.values}]
        if one.values:
            one.name = one.name or f"Series {len(found) + 1}"
            found.append(one)
    return found
