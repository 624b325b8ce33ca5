"""Fixtures for all tests: the real data, and a guard that keeps tests off the network."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ.setdefault("WANDB_MODE", "disabled")

# Forked test processes hang when the parent has run OpenMP regions on several threads.
os.environ.setdefault("OMP_NUM_THREADS", "1")

_LOCAL = ("127.", "::1", "localhost", "0.0.0.0")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Slow tests begin first: two processes that share the tests then end at about the same time."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


@pytest.fixture(autouse=True)
def _same_draws() -> None:
    """A test without a seed of its own draws the same numbers in every run and every order of tests."""
    if torch := sys.modules.get("torch"):
        torch.manual_seed(0)


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any connection to another machine is an error; loopback and local sockets stay open."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if self.family != socket.AF_UNIX and not str(address[0]).startswith(_LOCAL):
            raise RuntimeError(f"tests need no network, but something connects to {address}")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)


@pytest.fixture
def new_accelerator() -> Iterator[None]:
    """Accelerate's process-wide state is forgotten before and behind the test, as in a new process."""
    from processes import forget_accelerator  # loads torch, which most tests do without

    forget_accelerator()
    yield
    forget_accelerator()


def _folder(variable: str) -> Path:
    value = os.environ.get(variable)
    if not value:
        pytest.skip(f"{variable} is not set: it names the folder of real data")
    path = Path(value)
    assert path.is_dir(), f"{variable}={value} is not a folder"
    return path


@pytest.fixture(scope="session")
def data_root() -> Path:
    """The folder of real data sets (``TABRAG_DATA``)."""
    return _folder("TABRAG_DATA")


@pytest.fixture(scope="session")
def files_root() -> Path:
    """The folder of real files with checked facts (``TABRAG_FILES``)."""
    return _folder("TABRAG_FILES")
