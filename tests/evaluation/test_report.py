from __future__ import annotations

import base64
import io
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from noise import noise
from PIL import Image

from tabrag.errors import UserError
from tabrag.evaluation.report import Example, write_report
from tabrag.evaluation.report_table import MAX_BYTES, MAX_SIDE, marked_boxes, marked_grid, picture_url
from tabrag.tables.grid import make_grid
from tabrag.types import Answer, Candidate, Evidence, Source, Table, Word

EVIL = "<script>alert('x')</script>\"><img src=x onerror=alert(1)>"
SYSTEMS = {"BM25": {"Hit@1": 0.424, "MRR@10": 0.5}, "trained": {"Hit@1": 0.508}}


class Tags(HTMLParser):
    """The tags of a document, and whether they are closed in order."""

    VOID = frozenset(("meta", "img", "line", "polyline"))

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.found if name == tag]


def table(**fields: object) -> Table:
    cells = [["region", "2019", ""], ["", "wheat", EVIL], ["north", "1", "2"], ["south", "3", "4"]]
    merged = [(0, 1, 0, 0), (0, 0, 1, 2)]
    grid = make_grid(cells, merged=merged, num_header_rows=2, num_header_cols=1)
    source = Source(file=f"{EVIL}.pdf", page=7)
    return Table(id="t1", title=f"Crops {EVIL}", grid=grid, source=source, **fields)  # type: ignore[arg-type]


def example(**fields: object) -> Example:
    evidence = Evidence(item_id="t1", title=f"Crops {EVIL}", rows=[3], columns=[2], cells=[(3, 2)])
    answer = Answer(
        query_id="q",
        question=f"how much? {EVIL}",
        answer=f"4 {EVIL}",
        confidence=0.42,
        evidence=[evidence],
        candidates=[
            Candidate(item_id=item_id, score=score, stage="rrf")
            for item_id, score in (("t1", 0.03), ("t2", 0.02))
        ],
    )
    values = {"answer": answer, "table": table(), "gold": [EVIL], "right": False, "titles": {"t2": EVIL}}
    return Example(**{**values, **fields})  # type: ignore[arg-type]


def write(path: Path, **fields: object) -> str:
    values = {"title": f"Report {EVIL}", "systems": SYSTEMS}
    write_report(path / "report.html", **{**values, **fields})  # type: ignore[arg-type]
    return (path / "report.html").read_text(encoding="utf-8")


def test_html_in_data_stays_text_and_nothing_is_loaded(tmp_path: Path):
    text = write(
        tmp_path,
        systems={EVIL: {EVIL: 0.5}},
        curve=[(0, 2.0), (10, 1.0)],
        examples=[example(), example(table=None)],
        settings={EVIL: {"nested": EVIL}},
    )
    tags = Tags(text)
    assert not tags.open
    assert not tags.named("script") and not tags.named("link") and not tags.named("img")
    assert not any(name.startswith("on") for _, attributes in tags.found for name in attributes)
    assert text.count("&lt;script&gt;") > 10
    assert "default-src 'none'" in text
    assert not re.search(r"(?:src|href)=|url\(|@import", re.sub(r"&#?\w+;[^<]*", "", text))


def test_systems_stand_side_by_side_with_bars(tmp_path: Path):
    text = write(tmp_path)
    assert re.findall(r'<th scope="col">([^<]*)', text) == ["System", "Hit@1", "MRR@10"]
    assert "42.4" in text and "width: 42.4%" in text
    assert re.findall(r'class="best">([\d.]+)', text) == ["50.0", "50.8"]
    assert text.count("<td>–</td>") == 1


def test_the_curve_is_drawn_without_values_that_are_not_finite(tmp_path: Path):
    points = [(0, 2.0), (5, float("nan")), (10, 1.0), (20, 0.5)]
    text = write(tmp_path, curve=points)
    drawn = re.search(r'points="([^"]*)"', text)
    assert drawn is not None
    places = [tuple(map(float, point.split(","))) for point in drawn[1].split()]
    assert len(places) == 3
    assert [x for x, _ in places] == sorted(x for x, _ in places)
    assert [y for _, y in places] == sorted(y for _, y in places)  # downwards as the loss falls
    for flat in ([], [(1, 1.0)], [(3, 0.0), (3, 0.0)]):
        assert "nan" not in write(tmp_path, curve=flat).lower().replace("nano", "")


def test_a_question_shows_its_table_with_the_cell_and_headers_marked(tmp_path: Path):
    text = write(tmp_path, examples=[example(gold_tables=frozenset({"t1"}))])
    assert re.findall(r'<td class="tint cell">([^<]*)', text) == ["4"]
    assert re.findall(r'<th class="tint header"[^>]*>([^<&]*)', text) == ["2019", "", "south"]
    assert '<th class="tint header" colspan="2">2019' in text and 'rowspan="2">region' in text
    assert "42 %" in text and "wrong" in text and "page 7" in text
    assert text.count("gold table") == 1


def test_a_picture_is_embedded_with_boxes_over_its_words(tmp_path: Path):
    Image.new("RGB", (3000, 1500), "white").save(tmp_path / "t.png")
    words = [
        Word(text="4", box=(500, 800, 520, 850), cell=(3, 2)),
        Word(text="x", box=(530, 790, 560, 840), cell=(3, 2)),
        Word(text="south", box=(10, 800, 60, 850), cell=(3, 0)),
        Word(text="1", box=(300, 500, 320, 550), cell=(2, 1)),
        Word(text="Crops", box=(0, 0, 60, 50)),
    ]
    text = write(tmp_path, examples=[example(table=table(words=words), picture=tmp_path / "t.png")])
    tags = Tags(text)
    (image,) = tags.named("img")
    assert str(image["src"]).startswith("data:image/png;base64,")
    with Image.open(io.BytesIO(base64.b64decode(str(image["src"]).split(",")[1]))) as embedded:
        assert embedded.size == (MAX_SIDE, MAX_SIDE // 2)
    assert re.findall(r'<span class="box (\w+)"', text) == ["tint", "tint", "header", "cell"]
    assert "left: 50.0%; top: 79.0%; width: 6.0%; height: 6.0%" in text
    unread = write(tmp_path, examples=[example(picture=tmp_path / "t.png")])
    assert "not marked" in unread
    (tmp_path / "broken.png").write_bytes(b"no picture")
    with pytest.raises(UserError, match="broken.png"):
        write(tmp_path, examples=[example(picture=tmp_path / "broken.png")])


def test_a_picture_full_of_noise_stays_within_its_bound(tmp_path: Path):
    noise((1800, 1800), 120).save(tmp_path / "noise.png")
    url, width = picture_url(tmp_path / "noise.png")
    assert len(base64.b64decode(url.split(",")[1])) <= MAX_BYTES
    assert 0 < width <= MAX_SIDE


def test_a_long_grid_is_shown_around_its_marked_cell():
    rows = [["name", "value"], *([f"row {i}", str(i)] for i in range(500))]
    grid = make_grid(rows, merged=[(100, 400, 0, 0)], num_header_rows=1, num_header_cols=1)
    shown, num_hidden = marked_grid(grid, [(301, 1)], [])
    assert num_hidden == 501 - len(shown) > 400
    assert shown[0][0]["text"] == "name"
    assert [cell["text"] for row in shown for cell in row if cell["kind"] == "cell"] == ["300"]
    assert [cell["rows"] for row in shown for cell in row if cell["rows"] > 1] == [60]
    assert marked_boxes([], [(1, 1)], []) == []
