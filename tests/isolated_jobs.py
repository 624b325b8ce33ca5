"""What the tests of isolation call in worker processes."""

from __future__ import annotations

import os
import time
from pathlib import Path

from tabrag.errors import UserError

_KEPT: list[bytes] = []


def job(given: str) -> str:
    """Do what the word says, and tell which process did it."""
    name, _, argument = given.partition(":")
    if name == "crash":
        os.abort()
    if name == "hang":
        time.sleep(600)
    if name == "eat":
        held = [bytes(1 << 20) for _ in range(4096)]
        return f"{len(held)}"
    if name == "keep":
        _KEPT.append(b"x" * (200 << 20))
    if name == "refuse":
        raise UserError(f"{argument}: is no good")
    if name == "fault":
        raise KeyError(argument)
    if name == "slow":
        time.sleep(0.3)
    if name == "tell":
        Path(argument).write_text(str(os.getpid()))
        time.sleep(600)
    return f"{given} {os.getpid()}"
