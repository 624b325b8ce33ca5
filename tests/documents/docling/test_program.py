"""Docling's program: what it is asked, what becomes of its answer, and of its failures.

The program itself needs models that no test can have: a script with its command line stands in for it.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import pytest
from docling_files import DoclingFile, at, uri
from parse_files import said
from PIL import Image

from tabrag.data.folder import DataFolder
from tabrag.data.ingest import ingest
from tabrag.documents.docling.program import check_program
from tabrag.documents.parse import parse_file
from tabrag.documents.parsed import Parsed, ParseOptions, Pictures
from tabrag.errors import UserError

_SCRIPT = """#!{python} -SE
import json, os, pathlib, shutil, sys, time
asked = pathlib.Path({asked!r})
with asked.open("a") as file:
    file.write(json.dumps([sys.argv[1:], os.environ.get("HF_HUB_OFFLINE"), os.getpid()]) + "\\n")
out = pathlib.Path(sys.argv[sys.argv.index("--output") + 1])
{act}
"""
_ANSWER = "shutil.copy({answer!r}, out / (pathlib.Path(sys.argv[1]).stem + '.json'))"


class Program:
    """A script with Docling's command line, and what it was asked."""

    def __init__(self, folder: Path) -> None:
        self.path, self._asked = folder / "docling", folder / "asked.jsonl"
        file = DoclingFile()
        file.data["pages"]["1"]["image"] = {"uri": uri(colour="white")}
        file.text("title", "Converted", prov=at(1, 60, 80, 300, 160))
        self._answer = str(file.write(folder / "answer.json"))
        self.acts(_ANSWER)

    def acts(self, act: str) -> None:
        """Have it do something else from now on."""
        act = act.format(answer=self._answer)
        script = _SCRIPT.format(python=sys.executable, asked=str(self._asked), act=act)
        self.path.write_text(script)
        self.path.chmod(0o755)

    @property
    def asked(self) -> list[list]:
        """Arguments, offline variable and process of each call."""
        lines = self._asked.read_text().splitlines() if self._asked.is_file() else []
        return [json.loads(line) for line in lines]

    def options(self, **more: object) -> ParseOptions:
        return ParseOptions(converter="docling", docling=str(self.path), **more)  # type: ignore[arg-type]


@pytest.fixture
def program(tmp_path: Path) -> Program:
    (tmp_path / "bin").mkdir()
    return Program(tmp_path / "bin")


def read(path: Path, options: ParseOptions) -> Parsed:
    return parse_file(path, path.name, pictures=Pictures(path.parent / "out", "x"), options=options)


def test_pdf_files_and_pictures_go_through_it_and_others_do_not(tmp_path: Path, program: Program) -> None:
    Image.new("L", (40, 40), 255).save(tmp_path / "-a.pdf", "PDF")
    Image.new("L", (40, 40), 255).save(tmp_path / "b.png")
    (tmp_path / "c.txt").write_text("Text.")
    (tmp_path / "models").mkdir()
    options = program.options(password="open", docling_models=str(tmp_path / "models"))
    found = read(tmp_path / "-a.pdf", options)
    assert said(found) == [("heading", "Converted")] and found.document.title == "Converted"
    assert found.document.blocks[0].box == (100, 100, 500, 200)
    assert found.document.pages[0].image == "pages/x/1.png"
    arguments, offline, _ = program.asked[0]
    assert arguments[0] == str(tmp_path / "-a.pdf") and offline == "1"
    assert " ".join(arguments[1:3]) == "--to json" and "--no-ocr" in arguments
    assert arguments[-4:] == ["--artifacts-path", str(tmp_path / "models"), "--pdf-password", "open"]
    read(tmp_path / "b.png", program.options(ocr="rapidocr", page_images=False))
    arguments = program.asked[1][0]
    assert " ".join(arguments[-5:]) == "--image-export-mode placeholder --ocr --ocr-engine rapidocr"
    assert said(read(tmp_path / "c.txt", options)) == [("text", "Text.")]
    assert len(program.asked) == 2


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (
            "sys.exit('LocalEntryNotFoundError: offline mode')",
            "are its models on disk.*--docling-models=FOLDER",
        ),
        ("print('\\u2502 broken page \\u2502'); sys.exit(1)", "docling ended with status 1: broken page"),
        ("raise MemoryError", "may need more than 2048 MB"),
        ('sys.exit("RuntimeError: can\'t start new thread")', "may need more than 2048 MB"),
        ("os.kill(os.getpid(), 9)", "ended with status -9; it may need more than 2048 MB"),
        ("pass", "docling wrote no document"),
    ],
)
def test_failures_say_why_and_name_the_file(tmp_path: Path, program: Program, act: str, message: str) -> None:
    Image.new("L", (40, 40), 255).save(tmp_path / "a.png")
    program.acts(act)
    with pytest.raises(UserError, match=message) as caught:
        read(tmp_path / "a.png", program.options())
    assert str(caught.value).startswith(f"{tmp_path}/a.png: ")
    with pytest.raises(UserError, match="^docling does not work: "):
        check_program(program.options())
    program.acts("(out / 'a.json').write_text('no')")
    with pytest.raises(UserError, match=r"a\.png: not a JSON file"):
        read(tmp_path / "a.png", program.options())


def test_it_ends_with_the_time_of_its_file(tmp_path: Path, program: Program) -> None:
    Image.new("L", (40, 40), 255).save(tmp_path / "a.png")
    program.acts("time.sleep(60)")
    with pytest.raises(UserError, match=r"took longer than 2\.85 seconds; give more with --timeout"):
        read(tmp_path / "a.png", program.options(timeout=3))
    process = program.asked[0][2]
    for _ in range(600):
        if not Path(f"/proc/{process}").exists():
            break
        time.sleep(0.1)
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_what_is_missing_is_told_before_anything_is_read(tmp_path: Path, program: Program) -> None:
    own = tmp_path / "own"
    own.mkdir()
    Image.new("L", (40, 40), 255).save(own / "a.png")
    for options, message in (
        (ParseOptions(converter="docling", docling="no-such-program"), "'no-such-program' is not there"),
        (program.options(docling_models="no-such-folder"), "no such folder of models"),
    ):
        with pytest.raises(UserError, match=message):
            ingest(own, tmp_path / "d", options=options, num_workers=1)
    program.acts("sys.exit('no models: offline')")
    with pytest.raises(UserError, match="docling does not work: .*are its models on disk"):
        ingest(own, tmp_path / "d", options=program.options(), num_workers=1)
    assert not (tmp_path / "d").exists()
    assert [Path(arguments[0]).name for arguments, *_ in program.asked] == ["page.pdf"]


def test_a_folder_read_by_it_is_kept_and_read_anew_by_our_own_parsers(
    tmp_path: Path, program: Program
) -> None:
    own = tmp_path / "own"
    own.mkdir()
    Image.new("L", (40, 40), 255).save(own / "a.png")
    figures = ingest(own, tmp_path / "d", options=program.options(), num_workers=1)
    assert (figures["status"], figures["new"]) == ("ok", 1)
    assert DataFolder(tmp_path / "d").documents["a.png"].title == "Converted"
    assert ingest(own, tmp_path / "d", options=program.options(), num_workers=1)["kept"] == 1
    assert len(program.asked) == 2  # the page that tries it, and the picture
    assert ingest(own, tmp_path / "d", num_workers=1)["new"] == 1
    assert DataFolder(tmp_path / "d").documents["a.png"].title == "a"
