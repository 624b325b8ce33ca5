"""Files that are whole or absent: written to a temporary name beside the target, then renamed."""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from tabrag.errors import UserError

_BROKEN_JSON = (ValueError, RecursionError)
"""What reading raises: no JSON, no UTF-8, a number of thousands of digits; brackets within brackets."""


@contextmanager
def atomic_write(path: str | Path, *, binary: bool = False) -> Iterator[IO[Any]]:
    """Open a temporary file beside ``path``; it becomes ``path`` when the block ends without an error.

    Raises:
        UserError: Its folder cannot be made or written to.
    """
    path = Path(path)
    with _writable(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb" if binary else "w", encoding=None if binary else "utf-8") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


@contextmanager
def atomic_folder(path: str | Path) -> Iterator[Path]:
    """Give a temporary folder beside ``path``; it becomes ``path`` when the block ends without an error.

    Raises:
        UserError: The folder that it stands in cannot be made or written to.
    """
    path = Path(path)
    with _writable(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp"))
    os.chmod(temporary, 0o755)
    try:
        yield temporary
        replace_folder(temporary, path)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


@contextmanager
def _writable(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UserError(f"{path} cannot be written ({error.strerror}): name another output") from error


def replace_folder(new: Path, path: Path) -> None:
    """Put the folder ``new`` in the place of ``path``; the old one goes once the new one stands."""
    if not path.exists():
        os.replace(new, path)
        return
    if not _exchange(new, path):
        old = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}.", suffix=".old"))
        os.replace(path, old / "old")
        os.replace(new, path)
        new = old
    if new.is_dir() and not new.is_symlink():
        shutil.rmtree(new)
    else:
        new.unlink()


def _exchange(first: Path, second: Path) -> bool:
    """Swap two paths in one step, so that a kill finds either; False where the system cannot."""
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError):
        return False
    here, exchange = -100, 2  # AT_FDCWD and RENAME_EXCHANGE of Linux
    return rename(here, os.fsencode(first), here, os.fsencode(second), exchange) == 0


def remove_leftovers(folder: Path) -> None:
    """Remove what killed writers of this module left in ``folder``; nobody else may be writing there."""
    for path in folder.glob(".*.tmp"):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def encodable(text: str) -> str:
    """The text with each half of a surrogate pair that stands alone replaced: no UTF-8 can hold it."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def json_bytes(value: Any, **options: Any) -> bytes:
    """``value`` as UTF-8 JSON; NaN and infinity are refused.

    Half a surrogate pair that stands alone, as models and parsers may give it, becomes its escape in JSON.

    Args:
        value: JSON values.
        **options: Further ones of ``json.dumps``.
    """
    # Only texts hold such halves, and there the form of Python's escape is that of JSON's.
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, **options)
    return text.encode("utf-8", "backslashreplace")


def write_json(path: str | Path, value: Any) -> None:
    """Write ``value`` as indented UTF-8 JSON, see :func:`json_bytes`."""
    with atomic_write(path, binary=True) as file:
        file.write(json_bytes(value, indent=2) + b"\n")


def read_json(path: str | Path) -> Any:
    """Read a JSON file; a broken one is an error that names it."""
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise UserError(f"{path}: file not found") from error
    except _BROKEN_JSON as error:
        raise UserError(f"{path}: not a JSON file ({error}); it may be cut off: make it again") from error


def write_jsonl(path: str | Path, rows: Iterable[dict[str, Any]]) -> int:
    """Write one JSON object a line; return the number of lines."""
    count = 0
    with atomic_write(path, binary=True) as file:
        for row in rows:
            file.write(json_bytes(row) + b"\n")
            count += 1
    return count


def read_jsonl(path: str | Path) -> Iterator[dict[str, Any]]:
    """Yield the object of each line, blank lines apart; a broken one is an error with file and line."""
    path = Path(path)
    if not path.is_file():
        raise UserError(f"{path}: file not found")
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                yield json_object(line, f"{path}:{number}")


def json_object(line: bytes, where: str) -> dict[str, Any]:
    """The JSON object of a line; :class:`UserError` with ``where`` if it is none."""
    try:
        row = json.loads(line)
    except _BROKEN_JSON as error:
        raise UserError(f"{where}: not a JSON object ({error})") from error
    if not isinstance(row, dict):
        raise UserError(f"{where}: expected a JSON object, found {type(row).__name__}")
    return row


def sha256_file(path: str | Path) -> str:
    """Hex SHA-256 of a file's bytes."""
    digest = hashlib.sha256()
    with Path(path).open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def sha256_json(value: Any) -> str:
    """Hex SHA-256 of a value's canonical JSON form: equal values give equal digests."""
    return hashlib.sha256(json_bytes(value, sort_keys=True, separators=(",", ":"))).hexdigest()


def inside(folder: str | Path, relative: str) -> Path:
    """``folder / relative``, refused where it would lie outside ``folder``."""
    folder = Path(folder).resolve()
    path = (folder / relative).resolve()
    if not path.is_relative_to(folder):
        raise UserError(f"path '{relative}' leads out of the folder {folder}")
    return path
