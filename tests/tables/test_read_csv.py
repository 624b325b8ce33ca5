"""Tables of delimited text."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from tabrag.errors import UserError
from tabrag.tables.read_csv import find_delimiter, read_csv
from tabrag.types import Table


def read(tmp_path: Path, content: str | bytes, name: str = "t.csv") -> Table:
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    (table,) = read_csv(path)
    assert table.grid is not None
    return table


CELLS = [["Name", "Größe", "Cost"], ["Ann", "1,5", "2"], ["Bob", "2,5", "3"]]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_delimiters_and_line_ends(tmp_path: Path, delimiter: str, line_end: str) -> None:
    quoted = [[f'"{text}"' if delimiter in text else text for text in row] for row in CELLS]
    table = read(tmp_path, line_end.join(delimiter.join(row) for row in quoted) + line_end)
    assert table.grid.cells == CELLS and table.metadata["delimiter"] == delimiter
    assert (table.grid.num_header_rows, table.grid.num_header_cols) == (1, 1)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"])
def test_encodings(tmp_path: Path, encoding: str) -> None:
    content = "Name;Größe;Übermaß\nÄrmel;1,5;2\nSäge;2,5;3\n"
    table = read(tmp_path, content.encode(encoding))
    assert table.grid.cells[0] == ["Name", "Größe", "Übermaß"]


def test_cyrillic_windows_page(tmp_path: Path) -> None:
    content = "Город;Область;Население\n"
    content += "Москва;Московская область;12 655 050\nКазань;Республика Татарстан;1 259 173\n"
    assert read(tmp_path, content.encode("cp1251")).grid.cells[1][0] == "Москва"


def test_quotes(tmp_path: Path) -> None:
    table = read(tmp_path, 'a,b\n"x, ""y""","two\r\nlines"\n"z",1\n')
    assert table.grid.cells == [["a", "b"], ['x, "y"', "two\nlines"], ["z", "1"]]
    assert "warning" not in table.metadata


def test_quote_that_never_closes(tmp_path: Path) -> None:
    table = read(tmp_path, 'a,b\n1,"x\n2,y\n3,z\n')
    assert table.grid.cells == [["a", "b"], ["1", '"x'], ["2", "y"], ["3", "z"]]
    assert "never closed" in table.metadata["warning"]


def test_titles_notes_and_blank_lines(tmp_path: Path) -> None:
    table = read(
        tmp_path, ",,\nStudents by state,,\n\nState,A,B\nOhio,1,2\n,,\nUtah,3,4\nNote: twice,,\n####,,\n"
    )
    assert table.grid.cells == [["State", "A", "B"], ["Ohio", "1", "2"], ["Utah", "3", "4"]]
    assert table.caption == table.title == "Students by state"
    assert table.metadata["notes"] == "Note: twice\n####"
    assert "warning" not in table.metadata


STACKED = "Region,2020,2021\nNorth,10,20\nSouth,30,40\n"


def test_stacked_tables_are_parted_where_a_header_follows_blank_records(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    path.write_text(
        f"Revenue\n{STACKED}\nSource: books\n\n,,\n"
        "Staff by team\n\nTeam,Men,Women,All\nRed,1,2,3\nBlue,3,4,7\n\nNote: by head\n"
    )
    first, second = read_csv(path)
    assert (first.id, first.title, first.metadata["notes"]) == ("s#t1", "Revenue", "Source: books")
    assert first.grid is not None and second.grid is not None
    assert first.grid.cells == [["Region", "2020", "2021"], ["North", "10", "20"], ["South", "30", "40"]]
    assert (second.id, second.caption) == ("s#t2", "Staff by team")
    assert second.grid.cells[:2] == [["Team", "Men", "Women", "All"], ["Red", "1", "2", "3"]]
    assert (second.grid.num_header_rows, second.grid.num_rows) == (1, 3)
    assert second.metadata["notes"] == "Note: by head"
    assert "warning" not in first.metadata and "warning" not in second.metadata


@pytest.mark.parametrize(
    "rest",
    [
        "East,50,60\n",  # more rows
        "Total,40,60\n",
        "Asia,,\nChina,1,2\n",  # a section
        "Note: estimated\n",
        "East,n/a,n/a\nWest,1,2\n",
        "East,secret,secret\nWest,1,2\n",
    ],
)
def test_other_blank_records_part_nothing(tmp_path: Path, rest: str) -> None:
    table = read(tmp_path, STACKED + "\n" + rest)
    assert table.grid is not None and table.grid.cells[2] == ["South", "30", "40"]
    assert rest.split(",")[0].strip() in [*(row[0] for row in table.grid.cells), table.metadata.get("notes")]


def test_ragged_records_are_named(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        table = read(tmp_path, "a,b,c\n1,2,3,4\n5,6\n7,8,9\n")
    assert table.grid.cells == [
        ["a", "b", "c", ""],
        ["1", "2", "3", "4"],
        ["5", "6", "", ""],
        ["7", "8", "9", ""],
    ]
    assert "record 2 has 4 fields, record 3 has 2 fields" in caplog.text and "t.csv" in caplog.text


def test_nul_bytes_are_dropped_and_said(tmp_path: Path) -> None:
    table = read(tmp_path, b"a,b\n\x00,2\n1,3\n")
    assert table.grid.cells[1:] == [["", "2"], ["1", "3"]]
    assert "1 NUL byte dropped" in table.metadata["warning"]


@pytest.mark.parametrize("content", [b"", b" \n\n", b"\xef\xbb\xbf", b",,,\n,,\n"])
def test_empty_files_are_refused(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(UserError, match=r"t\.csv: "):
        read(tmp_path, content)


def test_huge_field_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"t\.csv: a field has over"):
        read(tmp_path, "a,b\n" + "x" * 200_000 + ",1\n")


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"none\.csv"):
        read_csv(tmp_path / "none.csv")


def test_delimiter_line_of_spreadsheets(tmp_path: Path) -> None:
    assert read(tmp_path, "sep=;\na;b\nx,y;1\n").grid.cells == [["a", "b"], ["x,y", "1"]]


def test_find_delimiter() -> None:
    assert find_delimiter("a;b\n1,5;2,5\n1,6;2,7\n") == ";"
    assert find_delimiter("a,b\n1;2,3\n4,5\n") == ","
    assert find_delimiter("one\ntwo\n") == ","


def test_long_file_has_its_notes_below(tmp_path: Path) -> None:
    rows = "".join(f"r{number},{number},2\n" for number in range(1000))
    table = read(tmp_path, f"a,b,c\n{rows}Source: a long file,,\n")
    assert table.grid.num_rows == 1001 and table.metadata["notes"] == "Source: a long file"
