"""Pictures of the publications: charts, logos and rules, drawn by matplotlib with its own fonts."""

from __future__ import annotations

import io
import random
from functools import lru_cache
from typing import TYPE_CHECKING

from tabrag.data.synthetic_documents.company import Company
from tabrag.data.synthetic_documents.packages import require
from tabrag.data.synthetic_documents.story import Figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

CHART_INCHES = (6.2, 3.1)
_DPI = 120


def draw_chart(figure: Figure, company: Company) -> bytes:
    """A chart as PNG; every value is printed beside its mark, so that people and models can read it."""
    canvas, axes = _canvas(CHART_INCHES)
    ((name, values),) = figure.series
    accent = f"#{company.accent}"
    if figure.kind == "pie":
        shades = [_shade(company.accent, place / len(values)) for place in range(len(values))]
        axes.pie(values, labels=None, colors=shades, startangle=90, counterclock=False, radius=1.2)
        named = [f"{label}: {figure.text(value)}" for label, value in zip(figure.labels, values, strict=True)]
        axes.legend(named, loc="center left", bbox_to_anchor=(1.05, 0.5), frameon=False, fontsize=9)
    elif figure.kind == "line":
        axes.plot(figure.labels, values, color=accent, marker="o", linewidth=2)
        for place, value in enumerate(values):
            axes.annotate(
                figure.text(value),
                (place, value),
                xytext=(0, 6),
                textcoords="offset points",
                ha="center",
                fontsize=7,
            )
    elif figure.kind == "barh":
        bars = axes.barh(figure.labels[::-1], values[::-1], color=accent)
        axes.bar_label(bars, labels=[figure.text(value) for value in values[::-1]], padding=3, fontsize=8)
        axes.margins(x=0.12)
    else:
        bars = axes.bar(figure.labels, values, color=accent)
        axes.bar_label(bars, labels=[figure.text(value) for value in values], padding=2, fontsize=8)
        axes.margins(y=0.12)
    if figure.kind != "pie":
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(labelsize=8)
        axis = axes.set_xlabel if figure.kind == "barh" else axes.set_ylabel
        axis(f"{name}, {figure.unit}" if name.lower() not in figure.unit else figure.unit, fontsize=8)
    return _png(canvas)


@lru_cache(maxsize=64)
def draw_logo(company: Company) -> bytes:
    """The sign of a company: its initials in a coloured shape."""
    from matplotlib.patches import Circle, FancyBboxPatch

    rng = random.Random(f"logo/{company.family}")
    canvas, axes = _canvas((1.6, 0.6))
    axes.set_axis_off()
    axes.set_xlim(0, 160)
    axes.set_ylim(0, 60)
    shape = Circle((30, 30), 24) if rng.random() < 0.5 else FancyBboxPatch((10, 10), 40, 40)
    shape.set_color(f"#{company.accent}")
    axes.add_patch(shape)
    initials = "".join(word[0] for word in company.alias.split()[:2])
    axes.text(30, 29, initials, color="white", fontsize=13, weight="bold", ha="center", va="center")
    axes.text(62, 29, company.alias.split()[0], color=f"#{company.accent}", fontsize=11, va="center")
    return _png(canvas)


@lru_cache(maxsize=64)
def draw_rule(company: Company) -> bytes:
    """A coloured band across the page."""
    canvas, axes = _canvas((6.2, 0.12))
    axes.set_axis_off()
    axes.set_xlim(0, 1)
    axes.axhspan(0, 1, color=f"#{company.accent}")
    axes.axhspan(0, 1, xmin=0.82, color=_shade(company.accent, 0.5))
    return _png(canvas)


def _canvas(inches: tuple[float, float]) -> tuple[Canvas, Axes]:
    matplotlib = require("matplotlib")
    require("matplotlib.backends.backend_agg")
    canvas: Canvas = require("matplotlib.figure").Figure(figsize=inches, dpi=_DPI, layout="constrained")
    matplotlib.backends.backend_agg.FigureCanvasAgg(canvas)
    return canvas, canvas.add_subplot()


def _png(canvas: Canvas) -> bytes:
    matplotlib = require("matplotlib")
    file = io.BytesIO()
    # A person's own settings of matplotlib must not change the corpus.
    with matplotlib.rc_context({"font.family": "DejaVu Sans"}):
        canvas.savefig(file, format="png", metadata={"Software": None})
    return file.getvalue()


def _shade(colour: str, lightness: float) -> str:
    """The colour mixed with white: 0 leaves it, 1 is white."""
    parts = [int(colour[place : place + 2], 16) for place in (0, 2, 4)]
    return "#" + "".join(f"{round(part + (255 - part) * lightness):02x}" for part in parts)
