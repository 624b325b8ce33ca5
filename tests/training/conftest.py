"""Every test of this folder trains: each begins as in a new process."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _anew(new_accelerator: None) -> None:
    """See ``new_accelerator``."""
