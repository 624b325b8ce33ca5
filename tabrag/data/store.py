"""Random access to the records of ``corpus.jsonl`` and ``documents.jsonl`` by id, in little memory.

One pass over the file notes where each line starts and a 64-bit hash of its id; a record is parsed when it
is asked for. That takes about 50 bytes a record besides its id, nothing is cached on disk, and no picture is
ever opened. Forked DataLoader workers share the arrays, and ``os.pread`` has no file position that they could
disturb for each other.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from array import array
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar, overload

import numpy as np

from tabrag.data.records import lone_half
from tabrag.errors import UserError
from tabrag.files import json_object

RecordT = TypeVar("RecordT")

_ID_FIRST = re.compile(rb'\s*\{\s*"_id"\s*:\s*("(?:[^"\\]|\\.)*")')


class Ids(Sequence[str]):
    """The ids of a store, decoded as they are asked for."""

    def __init__(self, texts: bytes, ends: np.ndarray) -> None:
        self._texts = texts
        self._ends = ends

    def __len__(self) -> int:
        return len(self._ends)

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> list[str]: ...

    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self[row] for row in range(*index.indices(len(self)))]
        row = range(len(self))[index]
        return _slice(self._texts, self._ends, row).decode()


class RecordStore(Generic[RecordT]):
    """The records of one file, in the order of the file. Can be pickled; safe after a fork.

    Args:
        path: The file.
        parse: Makes a record of a line's JSON object; a function of a module, so that it can be pickled.

    Raises:
        UserError: The file is missing, a line is not a JSON object with a text ``_id``, or an id occurs
            twice.
    """

    def __init__(self, path: str | Path, parse: Callable[[dict[str, Any]], RecordT]) -> None:
        self.path = Path(path)
        self._parse = parse
        if not self.path.is_file():
            raise UserError(f"{self.path}: file not found; make the folder with scripts/prepare_data.py")
        self._descriptor: int | None = None
        self._open()
        starts, lengths, numbers, id_ends = (array("q") for _ in range(4))
        ids, hashes = bytearray(), array("Q")
        position = 0
        with self.path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    identifier = self._line_id(line, number)
                    starts.append(position)
                    lengths.append(len(line))
                    numbers.append(number)
                    hashes.append(_hash(identifier))
                    ids += identifier
                    id_ends.append(len(ids))
                position += len(line)
        self._starts, self._lengths = np.array(starts), np.array(lengths)
        self._numbers, self._id_ends = np.array(numbers), np.array(id_ends)
        self._ids = bytes(ids)
        unsorted = np.array(hashes)
        self._order = np.argsort(unsorted, kind="stable")
        self._hashes = unsorted[self._order]
        self._refuse_duplicates()

    def __len__(self) -> int:
        return len(self._starts)

    def __contains__(self, record_id: object) -> bool:
        return isinstance(record_id, str) and self._find(record_id) is not None

    def __getitem__(self, record_id: str) -> RecordT:
        """The record with this id.

        Raises:
            KeyError: None has this id.
            UserError: Its line is broken (file, line number and reason are named).
        """
        row = self._find(record_id)
        if row is None:
            raise KeyError(record_id)
        return self._parsed(row)

    def __iter__(self) -> Iterator[RecordT]:
        return (self._parsed(row) for row in range(len(self)))

    @property
    def ids(self) -> Ids:
        """All ids in the order of the file, as a sequence; none is parsed."""
        return Ids(self._ids, self._id_ends)

    def shared_ids(self, other: RecordStore[Any]) -> list[str]:
        """The ids that another store has, too."""
        places = np.flatnonzero(np.isin(self._hashes, other._hashes))
        ids = (self._id(int(self._order[place])).decode() for place in places)
        return [record_id for record_id in ids if record_id in other]

    def record(self, record_id: str) -> dict[str, Any]:
        """The JSON object with this id, as it stands in the file."""
        row = self._find(record_id)
        if row is None:
            raise KeyError(record_id)
        return self._record(row)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_descriptor": None}

    def __del__(self) -> None:
        # At the end of the interpreter the module's names may be gone already; the system closes the file
        # then.
        if getattr(self, "_descriptor", None) is not None and os is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _open(self) -> int:
        """The file's descriptor; an unpickled copy refuses a file that has changed since the first pass."""
        if self._descriptor is None:
            self._descriptor = os.open(self.path, os.O_RDONLY)
            status = os.fstat(self._descriptor)
            stamp = (status.st_size, status.st_mtime_ns)
            if self.__dict__.setdefault("_stamp", stamp) != stamp:
                raise UserError(f"{self.path}: the file changed while it was in use; start again")
        return self._descriptor

    def _line_id(self, line: bytes, number: int) -> bytes:
        match = _ID_FIRST.match(line)
        try:
            value = json.loads(match[1]) if match else json.loads(line)["_id"]
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise UserError(f"{self.path}:{number}: expected a JSON object with '_id' ({error!r})") from error
        if not isinstance(value, str) or not value:
            raise UserError(f"{self.path}:{number}: '_id' must be a text that is not empty, found {value!r}")
        _refuse_halves(value, f"{self.path}:{number}")
        return value.encode()

    def _id(self, row: int) -> bytes:
        return _slice(self._ids, self._id_ends, row)

    def _find(self, record_id: str) -> int | None:
        identifier = record_id.encode()
        wanted = np.uint64(_hash(identifier))
        for place in range(int(np.searchsorted(self._hashes, wanted)), len(self)):
            if self._hashes[place] != wanted:
                return None
            if self._id(int(self._order[place])) == identifier:
                return int(self._order[place])
        return None

    def _refuse_duplicates(self) -> None:
        for place in np.flatnonzero(self._hashes[1:] == self._hashes[:-1]):
            first, second = int(self._order[place]), int(self._order[place + 1])
            if self._id(first) == self._id(second):
                raise UserError(
                    f"{self.path}:{self._numbers[second]}: the id '{self._id(second).decode()}' stands in "
                    f"line {self._numbers[first]} already; ids must be unique"
                )

    def _record(self, row: int) -> dict[str, Any]:
        data = os.pread(self._open(), int(self._lengths[row]), int(self._starts[row]))
        record = json_object(data, f"{self.path}:{self._numbers[row]}")
        if rb"\ud" in data.lower():
            _refuse_halves(json.dumps(record, ensure_ascii=False), f"{self.path}:{self._numbers[row]}")
        return record

    def _parsed(self, row: int) -> RecordT:
        record = self._record(row)
        where = f"{self.path}:{self._numbers[row]}: '{record.get('_id')}'"
        try:
            return self._parse(record)
        except UserError as error:
            raise UserError(f"{where}: {error}; mend the line, or make the folder again") from error
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise UserError(
                f"{where} cannot be read ({error!r}); run  scripts/prepare_data.py validate  on the folder"
            ) from error


def _slice(texts: bytes, ends: np.ndarray, row: int) -> bytes:
    start = int(ends[row - 1]) if row else 0
    return texts[start : int(ends[row])]


def _refuse_halves(text: str, where: str) -> None:
    if half := lone_half(text):
        raise UserError(f"{where}: half of a character ({half}), which is no text: write it anew")


def _hash(identifier: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(identifier, digest_size=8).digest(), "little")
