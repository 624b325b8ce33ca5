"""Which files of a folder are documents, and which are refused."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from pathlib import Path

from tabrag.data.own_files import own_files


def found(folder: Path) -> dict[str, str]:
    return {file.name: file.refused for file in own_files(folder, passed_over=Counter())}


def test_links_in_a_circle_and_to_nothing_are_refused_and_the_rest_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("k,v\na,1\n")
    os.symlink("circle.csv", tmp_path / "circle.csv")
    os.symlink("gone.csv", tmp_path / "nothing.csv")
    os.symlink("ring", tmp_path / "ring")
    os.symlink("a.csv", tmp_path / "b.csv")
    names = found(tmp_path)
    assert {name for name, refused in names.items() if not refused} == {"a.csv", "b.csv"}
    assert all("leads to nothing" in names[name] for name in ("circle.csv", "nothing.csv", "ring"))


def test_a_folder_that_cannot_be_listed_is_named(tmp_path: Path) -> None:
    """One whose path is longer than the system takes; as with one without permission, its files are lost."""
    (tmp_path / "a.csv").write_text("k,v\na,1\n")
    home = os.getcwd()
    os.chdir(tmp_path)
    try:
        for _ in range(25):
            os.mkdir("x" * 200)
            os.chdir("x" * 200)
    finally:
        os.chdir(home)
    try:
        names = found(tmp_path)
        assert names.pop("a.csv") == ""
        assert ["cannot be listed" in refused for refused in names.values()] == [True]
    finally:
        shutil.rmtree(tmp_path / ("x" * 200))


def test_documents_of_docling_are_files_and_other_json_and_their_pictures_are_not(tmp_path: Path) -> None:
    mark = '{"x": "' + "y" * (1 << 20) + '", "schema_name" : "DoclingDocument"}'
    (tmp_path / "report.json").write_text(mark)  # far from the beginning of the file
    (tmp_path / "package.json").write_text('{"schema_name": "Other"}')
    for name in ("report_artifacts", "package_artifacts"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "image_0.png").write_bytes(b"x")
    passed_over: Counter[str] = Counter()
    found = [file.name for file in own_files(tmp_path, passed_over=passed_over)]
    assert found == ["report.json", "package_artifacts/image_0.png"]
    assert passed_over == {".json": 1}
