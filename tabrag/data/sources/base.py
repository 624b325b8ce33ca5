"""What the sources of published data sets share: JSON lines, header trees, limits, the assembly."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tabrag.data.card import Card
from tabrag.data.dataset import Dataset, LazyTables
from tabrag.errors import UserError
from tabrag.tables.grid import make_grid
from tabrag.types import Cell, GoldHeaders, Grid, HeaderPath, Qrels, Query, Table

Row = dict[str, Any]
MakeTable = Callable[[Row, Counter[str]], Table]
MakeQuery = Callable[[Row], tuple[Query, GoldHeaders | None]]


def read_splits(
    folder: Path,
    *,
    card: Card,
    splits: Sequence[str],
    make_table: MakeTable,
    make_query: MakeQuery,
    limit: int | None = None,
) -> Dataset:
    """Read ``tables.jsonl.gz`` and ``SPLIT.jsonl.gz``; each question names its table in ``table_id``.

    Args:
        folder: The folder of the data set's normalised copy.
        card: Goes into the data set.
        splits: Names of the question files; each becomes a split.
        make_table: Row of the table file -> table; counts in its second argument what it had to mend.
        make_query: Row of a question file -> query and, where known, gold headers.
        limit: Keep this many tables and the questions on them; tables are drawn from all splits in turn, in
            file order.

    Raises:
        UserError: A file is missing or broken, or a question has no text.
    """
    rows_of = {split: list(rows(folder, split, data_set=card.name)) for split in splits}
    kept = None if limit is None else _chosen(folder, rows_of, limit=limit, data_set=card.name)
    repairs: Counter[str] = Counter()

    def tables() -> Iterator[Table]:
        repairs.clear()
        for row in rows(folder, "tables", data_set=card.name):
            if kept is None or row["id"] in kept:
                yield make_table(row, repairs)

    data = Dataset(card=card, tables=LazyTables(tables), repairs=repairs)
    for split, split_rows in rows_of.items():
        qrels: Qrels = {}
        for row in split_rows:
            if kept is not None and row["table_id"] not in kept:
                continue
            query, gold = make_query(row)
            if not query.text.strip():
                raise UserError(f"{card.name}: question '{query.id}' of {split} in {folder} has no text")
            data.queries.append(query)
            qrels[query.id] = {row["table_id"]: 1}
            if gold is not None and (gold.top or gold.left or gold.answer_cells):
                data.gold_headers.append(gold)
        data.qrels[split] = qrels
    return data


def rows(folder: Path, name: str, *, data_set: str) -> Iterator[Row]:
    """The objects of ``NAME.jsonl.gz`` (or ``NAME.jsonl``) in ``folder``."""
    path = folder / f"{name}.jsonl.gz"
    if not path.is_file() and (folder / f"{name}.jsonl").is_file():
        path = folder / f"{name}.jsonl"
    if not path.is_file():
        found = ", ".join(sorted(file.name for file in folder.iterdir())[:8]) if folder.is_dir() else ""
        holds = f"the folder holds {found or 'nothing'}" if folder.is_dir() else "there is no such folder"
        raise UserError(f"{path}: {data_set} needs this file, but {holds}; name the right folder with --from")
    try:
        with (
            gzip.open(path, "rt", encoding="utf-8")
            if path.suffix == ".gz"
            else path.open(encoding="utf-8") as file
        ):
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield _parsed(line, path, number)
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: cannot be read to its end ({error}); copy it again") from error


def grid_of(
    row: Row, repairs: Counter[str], *, cells: list[list[str]] | None = None, **settings: Any
) -> Grid:
    """The grid of a table row: merged regions and header sizes as stored.

    Rules, each counted in ``repairs``: short rows are filled with blank cells; a table without any cell
    becomes one blank cell.
    """
    texts = [list(line) for line in (row["cells"] if cells is None else cells)]
    width = max((len(line) for line in texts), default=0)
    if not width:
        repairs["empty tables kept as one blank cell"] += 1
        return make_grid([[""]])
    if any(len(line) < width for line in texts):
        repairs["tables with short rows filled"] += 1
        texts = [line + [""] * (width - len(line)) for line in texts]
    sizes = {
        "num_header_rows": row.get("top_header_rows") or 0,
        "num_header_cols": row.get("left_header_cols") or 0,
    }
    return make_grid(texts, **{"merged": row.get("merged_regions") or (), **sizes, **settings})


def table_of(row: Row, grid: Grid, **metadata: str) -> Table:
    """A table with the usual fields of a row; the levels of a section are joined with " > "."""
    section = row.get("section") or ""
    return Table(
        id=row["id"],
        title=row.get("title") or "",
        page_title=row.get("page_title") or "",
        section=section if isinstance(section, str) else " > ".join(section),
        caption=row.get("caption") or "",
        grid=grid,
        metadata={key: value for key, value in metadata.items() if value},
    )


def tree_paths(tree: Iterable[Row], *, axis: str, count: int) -> list[HeaderPath]:
    """Header path of each column (``axis="col"``) or row (``axis="row"``) from a tree of nodes.

    It is the chain of nodes ``{row, col, children}`` down to the deepest one that stands in that column or
    row (the first of equally deep ones); empty where none does.
    """
    paths: list[HeaderPath] = [()] * count

    def walk(nodes: Iterable[Row], above: tuple[Cell, ...]) -> None:
        for node in nodes:
            path = (*above, (node["row"], node["col"]))
            if len(path) > len(paths[node[axis]]):
                paths[node[axis]] = path
            walk(node["children"], path)

    walk(tree, ())
    return paths


def cells_on(paths: Iterable[Iterable[Sequence[int]]]) -> list[Cell]:
    """The distinct cells of some paths, in order."""
    return list(dict.fromkeys((cell[0], cell[1]) for path in paths for cell in path))


def cell_list(cells: Iterable[Sequence[int]]) -> list[Cell]:
    """Distinct coordinates as tuples, in order."""
    return list(dict.fromkeys((cell[0], cell[1]) for cell in cells))


def _chosen(folder: Path, rows_of: Mapping[str, list[Row]], *, limit: int, data_set: str) -> set[str]:
    """Ids of ``limit`` tables: those with questions first, from each split in turn, then in file order."""
    if limit < 1:
        raise UserError(f"--limit {limit}: give 1 or more")
    queues = [iter(dict.fromkeys(row["table_id"] for row in split_rows)) for split_rows in rows_of.values()]
    chosen: dict[str, None] = {}
    while queues and len(chosen) < limit:
        for queue in list(queues):
            table_id = next(queue, None)
            if table_id is None:
                queues.remove(queue)
            elif len(chosen) < limit:
                chosen[table_id] = None
    if len(chosen) < limit:
        for row in rows(folder, "tables", data_set=data_set):
            if len(chosen) == limit:
                break
            chosen[row["id"]] = None
    return set(chosen)


def _parsed(line: str, path: Path, number: int) -> Row:
    try:
        return json.loads(line)
    except ValueError as error:
        raise UserError(f"{path}:{number}: not a JSON object ({error})") from error
