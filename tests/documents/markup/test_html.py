"""Pages: order, boilerplate, layout tables, nested tables, invalid nesting, encodings, pictures."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from effort import within
from parse_files import parsed, png, said

from tabrag.documents.markup.html import parse_html
from tabrag.documents.parsed import Parsed
from tabrag.errors import UserError

DATA = "<table><tr><th>Region<th>2020<tr><td>North<td>10<tr><td>South<td>20</table>"


def _parsed(folder: Path, page: str | bytes) -> Parsed:
    path = folder / "page.html"
    path.write_bytes(page.encode() if isinstance(page, str) else page)
    return parsed(parse_html, path)


def test_blocks_in_order(tmp_path: Path) -> None:
    found = _parsed(
        tmp_path,
        "<title>A  page</title><h1>Top</h1>loose text<p>One <b>bold</b>\nword<br>next line</p>"
        "<ul><li>point<ul><li>inner</ul><li><p>second</p></ul><h3>Deep</h3><pre>  a\n   b</pre>"
        f"<p>Sales by region:</p>{DATA}<p>Source: us</p><dl><dt>Term<dd>Meaning</dl>"
        "<blockquote>Said</blockquote><p role='doc-footnote'>1 A note</p><p>5 m<sup>2</sup></p>",
    )
    assert said(found) == [
        ("heading", "Top"),
        ("text", "loose text"),
        ("text", "One bold word\nnext line"),
        ("list", "point"),
        ("list", "inner"),
        ("list", "second"),
        ("heading", "Deep"),
        ("text", "a\n   b"),
        ("text", "Sales by region:"),
        ("table", "doc#t1"),
        ("note", "Source: us"),
        ("list", "Term"),
        ("list", "Meaning"),
        ("text", "Said"),
        ("note", "1 A note"),
        ("text", "5 m²"),
    ]
    (table,) = found.tables
    assert (table.title, table.section, table.page_title) == ("Sales by region", "Deep", "A page")
    assert table.metadata["notes"] == "Source: us" and table.grid.num_header_rows == 1
    assert [block.level for block in found.document.blocks if block.kind == "heading"] == [1, 3]
    assert found.document.title == "A page"


def test_boilerplate_is_left_out(tmp_path: Path) -> None:
    found = _parsed(
        tmp_path,
        "<body style='visibility:hidden'><nav>Menu</nav><div role=navigation>Links</div>"
        "<script>var x</script><style>p{}</style><noscript>Turn on</noscript><!-- remark -->"
        "<p hidden>hidden</p><p style='display: none'>none</p><span aria-hidden=true>icon</span>kept"
        "<form><input value=x><button>Go</button><select><option>a</select></form>"
        "<article>Article<footer>Author</footer></article><footer>Imprint</footer></body>",
    )
    assert [text for _, text in said(found)] == ["kept", "Article", "Author"]


def test_page_of_navigation_alone(tmp_path: Path) -> None:
    assert said(_parsed(tmp_path, "<nav><a href=x>First</a></nav>")) == [("text", "First")]


def test_layout_tables_are_text(tmp_path: Path) -> None:
    found = _parsed(
        tmp_path,
        f"<table><tr><td><h2>Left</h2><p>{'words ' * 80}</td><td>{DATA}</td></tr></table>"
        f"<table role=presentation><tr><td>a<td>b<tr><td>c<td>d</table>",
    )
    assert [kind for kind, _ in said(found)] == ["heading", "text", "table", *["text"] * 4]
    assert found.tables[0].section == "Left" and "outer_table" not in found.tables[0].metadata


def test_nested_tables_are_linked(tmp_path: Path) -> None:
    inner = "<table><tr><td>E1<td>E2<tr><td>E3<td>E4</table>"
    frame = "<table><tr><td>a framed remark</td></tr></table>"
    found = _parsed(
        tmp_path, f"<table><tr><td>A<td>B<tr><td>1<td>{inner}<tr><td>2<td>3{frame}</table><p>after"
    )
    outer, nested = found.tables
    assert outer.grid.cells == [["A", "B"], ["1", ""], ["2", "3"]]
    assert nested.grid.cells == [["E1", "E2"], ["E3", "E4"]]
    assert nested.metadata["outer_table"] == outer.id
    assert said(found) == [
        ("table", "doc#t1"),
        ("table", "doc#t2"),
        ("text", "a framed remark"),
        ("text", "after"),
    ]


def test_invalid_nesting(tmp_path: Path) -> None:
    found = _parsed(
        tmp_path,
        "<p><h1>T</h1><div><table><tr><td>a<td>b<td>c<tr><td>1<td>2<td>3</table></div></p>",
    )
    assert [kind for kind, _ in said(found)] == ["heading", "table"]
    assert found.tables[0].grid.cells == [["a", "b", "c"], ["1", "2", "3"]]
    assert found.tables[0].section == "T"


def test_encoding_declared_late(tmp_path: Path) -> None:
    head = "<script>" + "x" * 5000 + "</script>"
    page = f"<html><head>{head}<meta charset=windows-1251></head><body><p>Аренда квартир</body></html>"
    found = _parsed(tmp_path, page.encode("windows-1251"))
    assert said(found) == [("text", "Аренда квартир")]


def test_pictures(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "secret.png").write_bytes(png(colour="blue"))
    (tmp_path / "site" / "a b.png").write_bytes(png())
    data = base64.b64encode(png(colour="green")).decode()
    found = _parsed(
        tmp_path / "site",
        f"<p>text<img src='a%20b.png' alt='Beside it'></p><img src='data:image/png;base64,{data}'>"
        "<img src='../secret.png'><img src='/etc/hosts'><img src='https://example.org/x.png' alt='Far away'>"
        "<img src='a%20b.png' width=1 height=1><img src='a%20b.png' role=presentation>"
        "<img src='data:image/png;base64,AAAA'>",
    )
    pictures = [(block.text, block.image) for block in found.document.blocks if block.kind == "picture"]
    assert pictures == [
        ("Beside it", "images/doc/1.png"),
        ("", "images/doc/2.png"),
        ("Far away", None),
    ]
    assert len(list((tmp_path / "site" / "out").rglob("*.png"))) == 2
    assert found.partial and "a picture in the page" in found.notes[0]
    assert any("1 picture lies on other machines" in note for note in found.notes)
    assert any("outside the folder" in note for note in found.notes)


def test_links_out_of_the_folder_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "secret.png").write_bytes(png())
    (tmp_path / "site" / "link.png").symlink_to(tmp_path / "secret.png")
    found = _parsed(tmp_path / "site", "<p>text</p><img src=link.png>")
    assert said(found) == [("text", "text")] and "outside the folder" in found.notes[0]


def test_faults(tmp_path: Path) -> None:
    for page in ("", " \n", "<script>only()</script>", "<p></p>"):
        with pytest.raises(UserError, match="page.html"):
            _parsed(tmp_path, page)
    with pytest.raises(UserError, match="cover more than"):
        row = "<td rowspan=65534 colspan=1000>x"
        _parsed(tmp_path, f"<table>{'<tr>' * 65000}<tr>{row}<tr>{row}" + "<tr>" * 60000 + "</table>")


@pytest.mark.parametrize("tag", ["div", "b", "table><tr><td", "ul><li"])
def test_deep_nesting(tmp_path: Path, tag: str) -> None:
    with within(10):
        found = _parsed(tmp_path, f"<{tag}>" * 400 + "deep inside")
    assert "deep inside" in "".join(text for _, text in said(found))


def test_speed(tmp_path: Path) -> None:
    rows = "".join(f"<tr><td>label {row}<td>{row}<td>{row}.5" for row in range(20))
    page = "".join(f"<h2>Part {part}</h2><table><tr><th>x<th>y<th>z{rows}</table>" for part in range(200))
    with within(200 / 8.3):  # 1,000 a minute on two cores are 8.3 a second on each
        found = _parsed(tmp_path, page)
    assert len(found.tables) == 200


def test_real_files(files_root: Path, tmp_path: Path) -> None:
    page = parsed(parse_html, files_root / "html" / "big-preamble.html", out=tmp_path)
    assert not page.tables and any("Аренда квартир" in text for _, text in said(page))
    nested = parsed(parse_html, files_root / "html" / "table_06.html", out=tmp_path)
    outer = [table.metadata.get("outer_table") for table in nested.tables]
    assert outer == [None, "doc#t1", "doc#t2", "doc#t3"]
    with within(5):
        large = parsed(parse_html, files_root / "html" / "wikipedia-new-zealand.html", out=tmp_path)
    assert len(large.tables) <= 5
    assert ("heading", "Etymology") in said(large)
