"""Markdown: pipe tables, HTML in it, code, front matter, footnotes."""

from __future__ import annotations

from pathlib import Path

import pytest
from parse_files import parsed, png, said

from tabrag.documents.markup.markdown import parse_markdown
from tabrag.documents.parsed import Parsed
from tabrag.errors import UserError


def _parsed(folder: Path, text: str) -> Parsed:
    path = folder / "file.md"
    path.write_text(text, encoding="utf-8")
    return parsed(parse_markdown, path)


def test_blocks_in_order(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(png())
    found = _parsed(
        tmp_path,
        "---\ntitle: 'Ducks'\ntags: [a]\n---\n# Top\n\nSome *text*[^1].\n\n- one\n- two\n\n"
        "```python\n| no | table |\n[^1]: no note\n```\n\n## Food\n\n![A duck](a.png)\n\n"
        "[^1]: A [note](x).\n\nEnd\n",
    )
    assert said(found) == [
        ("heading", "Top"),
        ("text", "Some text[^1]."),
        ("list", "one"),
        ("list", "two"),
        ("text", "| no | table |\n[^1]: no note"),
        ("heading", "Food"),
        ("picture", "A duck"),
        ("note", "A note."),
        ("text", "End"),
    ]
    assert found.document.title == "Ducks" and found.document.blocks[6].image == "images/doc/1.png"


def test_pipe_tables(tmp_path: Path) -> None:
    found = _parsed(
        tmp_path,
        "# Food\n\n|  | Name | Sign |\n|---|:--:|--:|\n| 1 | `a\\|b` | &#124; \\| |\n| 2 | **bold** |\n\n"
        "| only | headers |\n|---|---|\n| one | row |\n\n| single |\n|---|\n| " + "word " * 90 + "|\n",
    )
    first, second, third = found.tables
    assert first.grid.cells == [["", "Name", "Sign"], ["1", "a|b", "| |"], ["2", "bold", ""]]
    assert first.section == first.title == "Food" and first.grid.num_header_rows == 1
    assert second.grid.cells[1] == ["one", "row"] and third.grid.cells[0] == ["single"]


def test_html_tables_with_blank_lines(tmp_path: Path) -> None:
    found = _parsed(
        tmp_path,
        "Results:\n\n<table>\n  <tr><th>Model</th><th>AP</th></tr>\n\n"
        "  <tr><td>R18</td>\n\n<td>0.995</td></tr>\n  <tr><td>R50</td><td>0.9</td></tr>\n</table>\n\nEnd\n",
    )
    (table,) = found.tables
    assert table.grid.cells == [["Model", "AP"], ["R18", "0.995"], ["R50", "0.9"]]
    assert table.title == "Results" and [kind for kind, _ in said(found)] == ["text", "table", "text"]


def test_faults(tmp_path: Path) -> None:
    for text in ("", "\n\n", "---\ntitle: x\n---\n"):
        with pytest.raises(UserError, match=r"file\.md"):
            _parsed(tmp_path, text)


def test_real_files(files_root: Path, tmp_path: Path) -> None:
    readme = parsed(parse_markdown, files_root / "md" / "table-transformer-readme.md", out=tmp_path)
    assert len(readme.tables) == 4 and readme.tables[2].title == "Table Detection"
    escaped = parsed(parse_markdown, files_root / "md" / "escaped_characters.md", out=tmp_path)
    assert ["Pipe", "| | |"] in escaped.tables[0].grid.cells
