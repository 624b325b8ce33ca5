"""Files are whole or absent."""

from __future__ import annotations

from pathlib import Path

import pytest

from tabrag.errors import UserError
from tabrag.files import (
    atomic_folder,
    atomic_write,
    encodable,
    inside,
    read_json,
    read_jsonl,
    remove_leftovers,
    sha256_file,
    sha256_json,
    write_json,
    write_jsonl,
)


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    write_json(path, {"old": True})
    with pytest.raises(RuntimeError), atomic_write(path) as file:
        file.write("half")
        raise RuntimeError
    assert read_json(path) == {"old": True} and list(tmp_path.iterdir()) == [path]
    with pytest.raises(ValueError):
        write_json(path, {"nan": float("nan")})
    assert read_json(path) == {"old": True} and list(tmp_path.iterdir()) == [path]


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for path in (tmp_path / "file" / "a.json", Path("/proc/nowhere/a.json")):
        with pytest.raises(UserError, match="a.json cannot be written .*: name another output"):
            write_json(path, {})
        with pytest.raises(UserError, match="a.json cannot be written"), atomic_folder(path):
            raise AssertionError


def test_a_failed_folder_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "index"
    with atomic_folder(path) as folder:
        (folder / "x").write_text("old")
    with pytest.raises(RuntimeError), atomic_folder(path) as folder:
        (folder / "x").write_text("new")
        raise RuntimeError
    assert (path / "x").read_text() == "old" and list(tmp_path.iterdir()) == [path]
    with atomic_folder(path) as folder:
        (folder / "y").write_text("new")
    assert [file.name for file in path.iterdir()] == ["y"] and list(tmp_path.iterdir()) == [path]


def test_a_reader_finds_a_folder_at_every_moment(tmp_path: Path) -> None:
    import threading

    path, missing, done = tmp_path / "index", [], threading.Event()

    def read() -> None:
        while not done.is_set():
            if not (path / "x").exists():
                missing.append(1)

    for turn in range(300):
        with atomic_folder(path) as folder:
            (folder / "x").write_text(str(turn))
        if turn == 0:
            reader = threading.Thread(target=read)
            reader.start()
    done.set()
    reader.join()
    assert not missing and (path / "x").read_text() == "299" and list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("swap", [True, False])
def test_a_folder_takes_the_place_of_a_file_or_a_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, swap: bool
) -> None:
    if not swap:  # a file system that cannot exchange names
        monkeypatch.setattr("tabrag.files._exchange", lambda first, second: False)
    target = tmp_path / "target"
    target.mkdir()
    (tmp_path / "link").symlink_to(target)
    (tmp_path / "file").write_text("old")
    for name in ("link", "file", "target"):
        with atomic_folder(tmp_path / name) as folder:
            (folder / "x").write_text(name)
        assert (tmp_path / name / "x").read_text() == name
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "link", "target"]


def test_what_killed_writers_left_goes(tmp_path: Path) -> None:
    (tmp_path / ".state.abc.tmp").mkdir()
    (tmp_path / ".state.abc.tmp" / "half").write_text("x")
    (tmp_path / ".run.yaml.def.tmp").write_text("x")
    (tmp_path / "kept.tmp").write_text("x")
    remove_leftovers(tmp_path)
    remove_leftovers(tmp_path / "nowhere")
    assert [path.name for path in tmp_path.iterdir()] == ["kept.tmp"]


def test_lines_round_trip_and_faults_name_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    rows = [{"text": "naïve\u2028line"}, {"n": 1}]
    assert write_jsonl(path, rows) == 2 and list(read_jsonl(path)) == rows
    path.write_text('{"a": 1}\n\n[1]\n')
    with pytest.raises(UserError, match=r"rows\.jsonl:3: expected a JSON object, found list"):
        list(read_jsonl(path))
    path.write_text('{"a": 1}\n{"b"')
    with pytest.raises(UserError, match=r"rows\.jsonl:2: not a JSON object"):
        list(read_jsonl(path))
    for text in ('{"a": ' + "7" * 5000 + "}", '{"a": ' + "[" * 100_000, '{"a": "\udcff"}'):
        path.write_text('{"b": 1}\n' + text, encoding="utf-8", errors="surrogateescape")
        with pytest.raises(UserError, match=r"rows\.jsonl:2: not a JSON object"):
            list(read_jsonl(path))
        with pytest.raises(UserError, match="not a JSON file"):
            read_json(path)
    with pytest.raises(UserError, match="file not found"):
        read_json(tmp_path / "none.json")
    (tmp_path / "cut.json").write_text('{"a": ')
    with pytest.raises(UserError, match="cut off"):
        read_json(tmp_path / "cut.json")


def test_half_a_character_is_written_as_its_escape_and_read_again(tmp_path: Path) -> None:
    half, whole = "\ud83d", "\U0001f600 \u05d0\u0628"
    value = {"a\udc00": [half, f"{half}\\ud83d", whole]}
    with pytest.raises(UnicodeEncodeError):
        half.encode()
    write_json(tmp_path / "one.json", value)
    write_jsonl(tmp_path / "rows.jsonl", [value])
    assert read_json(tmp_path / "one.json") == value == next(read_jsonl(tmp_path / "rows.jsonl"))
    assert whole in (tmp_path / "rows.jsonl").read_text(encoding="utf-8")
    assert sha256_json(half) != sha256_json(encodable(half)) == sha256_json("\ufffd")
    assert encodable(whole) == whole


def test_digests(tmp_path: Path) -> None:
    assert (
        sha256_json({"a": 1, "b": [2]}) == sha256_json({"b": [2], "a": 1}) != sha256_json({"a": 1, "b": [3]})
    )
    (tmp_path / "f").write_bytes(b"abc")
    assert sha256_file(tmp_path / "f").startswith("ba7816bf8f01cfea414140de5dae2223")


@pytest.mark.parametrize("relative", ["../x", "a/../../x", "/etc/passwd"])
def test_no_path_leads_out_of_its_folder(tmp_path: Path, relative: str) -> None:
    assert inside(tmp_path, "a/b.png") == tmp_path.resolve() / "a" / "b.png"
    with pytest.raises(UserError, match="leads out"):
        inside(tmp_path, relative)
