"""A comparison of runs as tables: for the terminal, and in Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tabrag.files import atomic_write

if TYPE_CHECKING:
    from rich.table import Table

_Row = tuple[str, str, list[str]]
"""Group, run, and one cell a figure."""


def show(
    comparison: Mapping[str, Any],
    *,
    title: str,
    notes: Mapping[str, str] | None = None,
    table: str | Path | None = None,
) -> None:
    """Print the tables to standard error; see :func:`markdown`.

    Args:
        comparison: What :func:`tabrag.evaluation.comparison.compare` gave.
        title: The heading.
        notes: Further lines below the tables, name to text.
        table: Markdown file that takes them too.
    """
    from rich.console import Console

    console = Console(stderr=True)
    for one in rich_tables(comparison, title=title, notes=notes):
        console.print(one)
    if table is not None:
        with atomic_write(table) as file:
            file.write(markdown(comparison, title=title, notes=notes))


def markdown(comparison: Mapping[str, Any], *, title: str, notes: Mapping[str, str] | None = None) -> str:
    """The comparison as Markdown: figures, differences where there is a baseline, counts.

    Args:
        comparison: What :func:`tabrag.evaluation.comparison.compare` gave.
        title: The heading.
        notes: Further lines below the tables, name to text.
    """
    lines = [f"# {title}", ""]
    for caption, rows in _tables(comparison):
        heads = ["queries", "run", *comparison["figures"]]
        lines += [caption, "", _line(heads), _line(["---"] * 2 + ["---:"] * (len(heads) - 2))]
        lines += [_line([group, run, *cells]) for group, run, cells in rows]
        lines.append("")
    lines += [f"- {_escaped(name)}: {_escaped(text)}" for name, text in _notes(comparison, notes)]
    return "\n".join(lines).rstrip() + "\n"


def rich_tables(
    comparison: Mapping[str, Any], *, title: str, notes: Mapping[str, str] | None = None
) -> Iterator[Table]:
    """The same tables for a terminal; see :func:`markdown`."""
    from rich.box import SIMPLE
    from rich.table import Table
    from rich.text import Text

    tables = _tables(comparison)
    for number, (caption, rows) in enumerate(tables):
        last = number == len(tables) - 1
        below = "\n".join(f"{name}: {text}" for name, text in _notes(comparison, notes)) if last else ""
        table = Table(
            title=Text(f"{title}\n{caption}" if number == 0 else caption),
            caption=Text(below) if below else None,
            box=SIMPLE,
            padding=(0, 1, 0, 0),
        )
        for name in ("queries", "run"):
            table.add_column(name, overflow="fold")
        for name in comparison["figures"]:
            table.add_column(name, justify="right")
        before = None
        for group, run, cells in rows:
            if before not in (None, group):
                table.add_section()
            narrow = (cell.replace(" [", "\n[") for cell in cells)
            table.add_row(Text("" if group == before else group), Text(run), *map(Text, narrow))
            before = group
        yield table


def _tables(comparison: Mapping[str, Any]) -> list[tuple[str, list[_Row]]]:
    tables = [("In percent, with 95 % bootstrap intervals.", list(_rows(comparison, _figure)))]
    if comparison["baseline"] is not None and len(comparison["runs"]) > 1:
        caption = f"Difference to {comparison['baseline']} in points, with 95 % intervals (paired bootstrap)."
        tables.append((caption, list(_rows(comparison, _difference))))
    return tables


def _rows(comparison: Mapping[str, Any], cell: Callable[[Mapping[str, Any]], str]) -> Iterator[_Row]:
    groups = [(f"{name} ({group['queries']})", group) for name, group in comparison["data_sets"].items()]
    pooled = comparison["pooled"]
    groups.append((f"{'pooled' if groups else 'all'} ({pooled['queries']})", pooled))
    if comparison["macro"] is not None:
        groups.append((f"mean of {comparison['macro']['data_sets']} sets", comparison["macro"]))
    for label, group in groups:
        for run, figures in group["runs"].items():
            cells = [cell(figures[name]) for name in comparison["figures"]]
            if any(cells):
                yield label, run, cells


def _figure(values: Mapping[str, Any]) -> str:
    low, high = values["interval"]
    return f"{100 * values['mean']:.1f} [{100 * low:.1f}, {100 * high:.1f}]"


def _difference(values: Mapping[str, Any]) -> str:
    if "difference" not in values:
        return ""
    low, high = values["difference_interval"]
    return f"{100 * values['difference']:+.1f} [{100 * low:+.1f}, {100 * high:+.1f}]"


def _notes(comparison: Mapping[str, Any], notes: Mapping[str, str] | None) -> Iterator[tuple[str, str]]:
    """What a run lacks or has too much, then further notes."""
    for run, counts in comparison["runs"].items():
        parts = [f"{name} {count}" for name, count in counts.items() if count and name != "queries"]
        if parts:
            yield run, ", ".join(parts)
    yield from (notes or {}).items()


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(map(_escaped, cells)) + " |"


def _escaped(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
