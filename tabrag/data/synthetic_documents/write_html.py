"""Reports as one HTML page, as a website shows them."""

from __future__ import annotations

import base64
from html import escape

from tabrag.data.synthetic_documents.drawn import draw_chart, draw_logo, draw_rule
from tabrag.data.synthetic_documents.story import (
    Figure,
    Heading,
    Landscape,
    Line,
    NewPage,
    Note,
    Ornament,
    Paragraph,
    Part,
    Points,
    Sheet,
    Story,
)

_STYLE = """
body {{ font-family: {font}; margin: 2em auto; max-width: 52em; line-height: 1.45; }}
h1, h2, h3, th {{ color: #{accent}; }}
table {{ border-collapse: collapse; margin: 1em 0; width: 100%; font-size: 90%; }}
th, td {{ border-bottom: 1px solid #ccc; padding: .2em .5em; text-align: right; }}
th[scope=row], td.text, caption {{ text-align: left; font-weight: normal; }}
tr.total > * {{ font-weight: bold; border-top: 1px solid #333; }}
.level1 {{ padding-left: 1.6em; }}
nav, footer {{ font-size: 85%; color: #555; }}
"""
_FONTS = ("Georgia, serif", "Arial, sans-serif", "Verdana, sans-serif")


def write_html(story: Story) -> bytes:
    """The bytes of the file; its pictures stand in it."""
    return "\n".join(_page(story)).encode("utf-8")


def _page(story: Story) -> list[str]:
    company = story.company
    title = escape(f"{company.name}: {story.title}")
    style = _STYLE.format(font=_FONTS[story.look % len(_FONTS)], accent=company.accent)
    chapters = [part.text for part in story.parts if isinstance(part, Heading) and part.level == 1]
    lines = [
        *("<!DOCTYPE html>", '<html lang="en">', "<head>", '<meta charset="utf-8">'),
        *(f"<title>{title}</title>", f"<style>{style}</style>", "</head>", "<body>"),
        *("<header>", _picture(draw_logo(company), f"Logo of {company.alias}"), "</header>"),
        "<nav><ul>",
        *(f'<li><a href="#c{place}">{escape(text)}</a></li>' for place, text in enumerate(chapters)),
        *("</ul></nav>", "<main>", f"<h1>{title}</h1>"),
    ]
    for part in story.parts:
        lines += _part(part, story)
    year = story.year + 1
    return [
        *lines,
        "</main>",
        f"<footer>&copy; {year} {escape(company.name)}</footer>",
        "</body>",
        "</html>",
        "",
    ]


def _part(part: Part, story: Story) -> list[str]:
    if isinstance(part, Heading):
        chapters = [one for one in story.parts if isinstance(one, Heading) and one.level == 1]
        mark = f' id="c{chapters.index(part)}"' if part in chapters else ""
        return [f"<h{part.level + 1}{mark}>{escape(part.text)}</h{part.level + 1}>"]
    if isinstance(part, Paragraph):
        return [f"<p>{escape(part.text)}</p>"]
    if isinstance(part, Points):
        return ["<ul>", *(f"<li>{escape(text)}</li>" for text in part.texts), "</ul>"]
    if isinstance(part, Note):
        return [f"<p><small>{escape(part.text)}</small></p>"]
    if isinstance(part, NewPage):
        return ["<hr>"]
    if isinstance(part, Ornament):
        drawn = draw_logo(story.company) if part.kind == "logo" else draw_rule(story.company)
        return [_picture(drawn, "")]
    if isinstance(part, Sheet):
        return _sheet(part, blanks=story.look % 2 == 0)
    if isinstance(part, Figure):
        picture = _picture(draw_chart(part, story.company), "Chart")
        return ["<figure>", picture, f"<figcaption>{escape(part.caption)}</figcaption>", "</figure>"]
    assert isinstance(part, Landscape)
    return [line for inner in part.parts for line in _part(inner, story)]


def _picture(data: bytes, name: str) -> str:
    address = base64.b64encode(data).decode("ascii")
    return f'<img src="data:image/png;base64,{address}" alt="{escape(name)}">'


def _sheet(sheet: Sheet, *, blanks: bool) -> list[str]:
    """A table; inner rows are set in by a style sheet, or by blanks."""
    height = sheet.num_header_rows
    lines = ["<table>", f"<caption>{escape(sheet.caption)}</caption>", "<thead>"]
    for level, head in enumerate(sheet.head()):
        corner = f'<th rowspan="{height}">{escape(sheet.corner)}</th>' if level == 0 else ""
        scopes = (("colgroup", f' colspan="{span}"') if span > 1 else ("col", "") for _, span in head)
        cells = (
            f'<th scope="{scope}"{spread}>{escape(text)}</th>'
            for (text, _), (scope, spread) in zip(head, scopes, strict=True)
        )
        lines.append(f"<tr>{corner}{''.join(cells)}</tr>")
    lines += ["</thead>", "<tbody>"]
    lines += [_line(line, sheet, blanks=blanks) for line in sheet.lines]
    return [*lines, "</tbody>", "</table>"]


def _line(line: Line, sheet: Sheet, *, blanks: bool) -> str:
    if not line.values:
        return (
            f'<tr><th scope="rowgroup" colspan="{1 + len(sheet.columns)}">{escape(line.labels[-1])}</th></tr>'
        )
    kind = ' class="total"' if line.total else ""
    is_inner = len(line.labels) > 1
    indent = ' class="level1"' if is_inner and not blanks else ""
    before = "&nbsp;&nbsp;&nbsp;" if is_inner and blanks else ""
    cells = "".join(
        f'<td class="text">{escape(text)}</td>' if place in sheet.texts else f"<td>{escape(text)}</td>"
        for place, text in enumerate(line.values)
    )
    return f'<tr{kind}><th scope="row"{indent}>{before}{escape(line.labels[-1])}</th>{cells}</tr>'
