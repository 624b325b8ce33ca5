"""Runs a function on many inputs in worker processes that may crash, hang or run out of memory.

Parsers of other people's files meet files that were made by other people. Each call has a time and a memory
bound; a worker that breaks one, or dies, is replaced, its input gets the reason, and the others go on.
"""

from __future__ import annotations

import ctypes
import logging
import multiprocessing
import os
import signal
import sys
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, TypeVar

from tabrag.errors import UserError

InputT = TypeVar("InputT")
ResultT = TypeVar("ResultT")

_MAX_CALLS = 200
"""Calls after which a worker is replaced: what parsers leak goes with it."""
_START_SECONDS = 120.0
"""How long a worker may take to import what it needs."""
_PR_SET_PDEATHSIG = 1


@dataclass(frozen=True, slots=True)
class Outcome(Generic[InputT, ResultT]):
    """What became of one input.

    Attributes:
        given: The input.
        result: What the function returned; None where it failed.
        reason: Why it failed; empty where it did not.
        seconds: How long it took.
    """

    given: InputT
    result: ResultT | None
    reason: str = ""
    seconds: float = 0.0


def run_isolated(
    function: Callable[[InputT], ResultT],
    inputs: Iterable[InputT],
    *,
    timeout: float,
    memory_mb: int,
    num_workers: int = 1,
) -> Iterator[Outcome[InputT, ResultT]]:
    """Call ``function`` on each input in a worker process, and yield the outcomes in the order of the inputs.

    Workers are started when there is something to do and reused; they end with the iterator, also when it is
    closed early or the program is interrupted or killed.

    Args:
        function: A function of a module; what it takes and returns must be small, it goes through a pipe.
        inputs: Read as workers become free.
        timeout: Seconds that one call may take.
        memory_mb: MiB that one call may take beyond what its worker held before it (Linux; not bounded
            elsewhere).
        num_workers: Processes at once.

    Raises:
        UserError: A bound or number is not positive, or workers cannot start.
    """
    for name, value in (("timeout", timeout), ("memory", memory_mb), ("workers", num_workers)):
        if not value > 0:
            raise UserError(f"{name} is {value}: give a number above 0")
    pending: deque[_Slot] = deque()
    workers: list[_Worker] = []
    source = enumerate(inputs)
    busy_limit = 4 * num_workers  # outcomes that wait for a slow one before them
    exhausted = False
    try:
        while True:
            while not exhausted and len(pending) < busy_limit:
                idle = next((worker for worker in workers if worker.slot is None), None)
                if idle is None and len(workers) >= num_workers:
                    break
                given = next(source, None)
                if given is None:
                    exhausted = True
                    break
                if idle is None:
                    idle = _Worker(function, memory_mb)
                    workers.append(idle)
                slot = _Slot(given[1])
                pending.append(slot)
                idle.give(slot, timeout)
            while pending and pending[0].outcome is not None:
                yield pending.popleft().outcome
            if exhausted and not pending:
                return
            if any(slot.outcome is None for slot in pending):
                _collect(workers)
    finally:
        for worker in workers:
            worker.kill()


class _Slot:
    """An input and, once it is there, its outcome."""

    def __init__(self, given: Any) -> None:
        self.given = given
        self.outcome: Outcome[Any, Any] | None = None


class _Worker:
    """A process that is ready, starting, or busy with one slot."""

    def __init__(self, function: Callable[[Any], Any], memory_mb: int) -> None:
        self._context = multiprocessing.get_context("spawn")
        self._function, self._memory_mb = function, memory_mb
        self.slot: _Slot | None = None
        self._timeout = 0.0
        self._start()

    def _start(self) -> None:
        self.pipe, theirs = self._context.Pipe()
        self._process = self._context.Process(
            target=_serve, args=(theirs, self._function, self._memory_mb, os.getpid()), daemon=True
        )
        self._process.start()
        theirs.close()
        self._is_ready, self._calls = False, 0
        self._began = time.monotonic()

    @property
    def deadline(self) -> float:
        """When the process must have answered, by the monotonic clock."""
        return self._began + (self._timeout if self._is_ready else _START_SECONDS)

    def give(self, slot: _Slot, timeout: float) -> None:
        """Hand it an input; a process that is still starting gets it when it is ready."""
        if self._calls >= _MAX_CALLS:
            self._restart()
        self.slot, self._timeout = slot, timeout
        if self._is_ready:
            self._send()

    def receive(self) -> None:
        """Take up what the process says, or notice that it is gone."""
        try:
            message = self.pipe.recv()
        except (EOFError, OSError):
            self._process.join(1.0)
            code = self._process.exitcode or 0
            if not self._is_ready:
                raise UserError(f"a process that reads files ended at its start (status {code})") from None
            by_signal = f"signal {signal.Signals(-code).name}" if code < 0 else f"status {code}"
            self._replace(f"the reader crashed on it ({by_signal})")
            return
        if message == "ready":
            self._is_ready = True
            self._send()
            return
        result, reason, is_spent = message
        self._finish(result, reason)
        if is_spent:
            self._restart()

    def check_time(self) -> None:
        """Replace a process whose time is over."""
        if self.slot is None or time.monotonic() < self.deadline:
            return
        if not self._is_ready:
            raise UserError(f"a process that reads files did not start within {_START_SECONDS:g} seconds")
        self._replace(f"took longer than {self._timeout:g} seconds; give more with --timeout")

    def kill(self) -> None:
        """End the process at once."""
        self._process.kill()
        self._process.join()
        self._process.close()
        self.pipe.close()

    def _send(self) -> None:
        if self.slot is None:
            return
        self._began, self._calls = time.monotonic(), self._calls + 1
        try:
            self.pipe.send(self.slot.given)
        except OSError:  # it died between two calls, which the next receive tells
            return

    def _replace(self, reason: str) -> None:
        self._finish(None, reason)
        self._restart()

    def _restart(self) -> None:
        self.kill()
        self._start()

    def _finish(self, result: Any, reason: str) -> None:
        if self.slot is not None:
            seconds = time.monotonic() - self._began
            self.slot.outcome = Outcome(self.slot.given, result, reason, seconds)
            self.slot = None


def _collect(workers: list[_Worker]) -> None:
    """Wait until a worker says something or its time is over."""
    now = time.monotonic()
    busy = [worker for worker in workers if worker.slot is not None]
    rest = min(worker.deadline for worker in busy) - now
    by_pipe = {worker.pipe: worker for worker in busy}
    for pipe in wait(list(by_pipe), timeout=max(rest, 0.0)):
        by_pipe[pipe].receive()  # type: ignore[index]
    for worker in busy:
        worker.check_time()


def _serve(pipe: Connection, function: Callable[[Any], Any], memory_mb: int, parent: int) -> None:
    """The worker: calls the function on what comes, until the pipe closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends it
    die_with(parent)
    sys.stdout = sys.stderr  # the last line of standard output is the parent's
    logging.disable(logging.WARNING)  # what a reader must know of a file stands in its result
    warnings.simplefilter("ignore")
    at_start = _held_bytes() or 0
    pipe.send("ready")
    while True:
        try:
            given = pipe.recv()
        except EOFError:
            return
        _bound_memory(memory_mb)
        is_spent = False
        try:
            message = (function(given), "")
        except MemoryError:
            message, is_spent = (None, f"needs more than {memory_mb} MB of memory"), True
        except UserError as error:
            message = (None, str(error))
        except Exception as error:  # whatever a parser raises on one odd file
            message = (None, f"{type(error).__name__}: {error}")
        _bound_memory(None)
        # What a call leaves behind would let the next one take that much more.
        is_spent = is_spent or (_held_bytes() or 0) - at_start > (memory_mb << 20) // 2
        pipe.send((*message, is_spent))


def die_with(parent: int) -> None:
    """Have the system end this process with its parent, however that ends (Linux)."""
    try:
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    except (AttributeError, OSError):
        return
    if os.getppid() != parent:
        sys.exit(1)


def _bound_memory(memory_mb: int | None) -> None:
    """Bound the private memory to what is held now and ``memory_mb`` beyond it; None lifts the bound."""
    held = _held_bytes()
    if held is None:
        return
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    limit = hard if memory_mb is None else held + (memory_mb << 20)
    if hard != resource.RLIM_INFINITY:
        limit = min(limit, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, hard))


def _held_bytes() -> int | None:
    """Private writable memory of this process; None where the system does not say."""
    try:
        with open("/proc/self/status", encoding="ascii") as status:
            return next((int(line.split()[1]) << 10 for line in status if line.startswith("VmData:")), None)
    except OSError:
        return None
