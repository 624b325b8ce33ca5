"""Plots as PNG files, without a display."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tabrag.errors import missing_extra
from tabrag.files import atomic_write


def load_pyplot() -> Any:
    """matplotlib's pyplot.

    Raises:
        UserError: matplotlib is not installed.
    """
    try:
        import matplotlib
    except ImportError as error:
        raise missing_extra("matplotlib", "plot") from error
    matplotlib.use("agg")
    from matplotlib import pyplot

    return pyplot


def save_figure(figure: Any, path: str | Path) -> None:
    """Write a figure and forget it."""
    with atomic_write(path, binary=True) as file:
        figure.savefig(file, format="png", dpi=150)
    load_pyplot().close(figure)
