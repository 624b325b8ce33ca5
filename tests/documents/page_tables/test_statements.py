"""Financial statements come back row by row: lines above totals do not merge labels, headings stay alone."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from made_statements import STATEMENTS, Line, Look, draw_statement, expected

from tabrag.documents.page_tables import find_tables

LOOKS = {
    "partial": Look(sign="blank"),
    "whole": Look(rules="whole", double=True, sign="blank"),
    "columns": Look(head="columns", double=True, sign="left", bold=True),
    "columns, none": Look(head="columns", colon=False, pitch=1.35),
    "no rules": Look(rules="none", head="none", sign="glued", colon=False),
    "top": Look(top=True, notes=True, sign="blank", bold=True, size=8),
    "over": Look(over="Years ended December 31,", rules="whole", double=True, sign="left", pitch=1.6),
    "over, notes": Look(over="December 31,", notes=True, head="columns", width=90, sign="left", colon=False),
    "wrapped": Look(wrap=150, pitch=1.7, sign="blank", rules="whole"),
    "wrapped, notes": Look(wrap=170, pitch=1.7, notes=True, top=True, bold=True, head="columns"),
    "prose": Look(prose=True, double=True, sign="glued", indent=6, size=10),
    "unlabelled": Look(unlabelled=True, double=True, sign="blank", rules="whole"),
    "wide": Look(width=110, indent=18, colon=False, sign="left", bold=True, pitch=1.8),
    "tight": Look(size=7.5, pitch=1.2, indent=8, sign="left", double=True, colon=False),
    "flat": Look(indent=0, colon=True, sign="blank", rules="whole", prose=True),
}


def read_back(lines: list[Line], look: Look, path: Path) -> list[list[list[str]]]:
    """The cells of each table that is found, without signs of the currency."""
    pytest.importorskip("pdfplumber")
    from tabrag.documents.pdf.read import read_pages

    draw_statement(lines, look, path)
    tables = find_tables(next(iter(read_pages(path))))
    return [[[text.replace("$", "").strip() for text in row] for row in table.cells] for table in tables]


def test_statements_come_back(tmp_path: Path) -> None:
    """Of 45 statements of three kinds in 15 looks, at least 43 are exact."""
    wrong = {}
    for look_name, look in LOOKS.items():
        for name, lines in STATEMENTS.items():
            found = read_back(lines, look, tmp_path / f"{name}.pdf")
            wanted = expected(lines, look)
            assert len(wanted) >= 13 and any(not any(row[1:]) for row in wanted)
            if found != [wanted]:
                wrong[name, look_name] = found
    assert len(wrong) <= 2, "\n".join(f"{key}: {found}" for key, found in wrong.items())


def random_look(seed: int) -> Look:
    """Any settings that go together: wrapped labels need rows that stand apart."""
    choice = random.Random(seed).choice
    pitch = choice([1.2, 1.35, 1.5, 1.8, 2.1])
    return Look(
        size=choice([7, 8, 9, 10]),
        pitch=pitch,
        indent=choice([0, 6, 10, 18]),
        rules=choice(["column", "whole", "none"]),
        head=choice(["full", "columns", "none"]),
        top=choice([True, False]),
        double=choice([True, False]),
        sign=choice(["glued", "blank", "left", "none"]),
        colon=choice([True, False]),
        bold=choice([True, False]),
        notes=choice([True, False]),
        width=choice([70, 80, 95]),
        over=choice(["", "", "Year ended December 31,"]),
        wrap=choice([0, 0, 160]) if pitch >= 1.5 else 0,
        prose=choice([True, False]),
        unlabelled=choice([True, False, False]),
        fill=choice(["none", "none", "stripes", "totals"]),
    )


def test_statements_of_random_looks_come_back(tmp_path: Path) -> None:
    """Of 60 statements below their headers at least 57 are exact."""
    wrong = []
    for seed in range(60):
        look, name = random_look(seed), list(STATEMENTS)[seed % 3]
        wanted = expected(STATEMENTS[name], look)
        found = read_back(STATEMENTS[name], look, tmp_path / f"{name}.pdf")
        num_header = len(wanted) - len(STATEMENTS[name])
        if len(found) != 1 or found[0][num_header:] != wanted[num_header:]:
            wrong.append((seed, look))
    assert len(wrong) <= 3, wrong
