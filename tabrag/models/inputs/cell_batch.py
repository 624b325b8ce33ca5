"""Cell tables to one batch of tensors.

Shapes: ``B`` tables, ``T`` tokens, ``N`` headers (columns first, then rows), ``R`` rows, ``C`` columns.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from tabrag.models.inputs.cell_table import (
    NUM_AXIS_FACTS,
    NUM_CELL_FACTS,
    AxisPart,
    CellTable,
    CellTableInputs,
)

NUM_KINDS = 7
"""Kinds of tokens: special or question; then of column and of row headers the first token of a header with
others below it, the first token of an innermost header, and the further tokens of either."""


def collate(inputs: CellTableInputs, tables: Sequence[CellTable]) -> dict[str, Tensor]:
    """The arguments of :meth:`tabrag.models.cell_reader.CellReader.forward`.

    Args:
        inputs: Knows the special tokens.
        tables: Tables that fit into an input (:meth:`CellTableInputs.fit`).

    Returns:
        ``input_ids``, ``attention_mask``, ``kinds``: int64 Tensor[B, T];
        ``header_of``: int64 Tensor[B, T], the number of the header that each token belongs to, -1 for none;
        ``row_paths``, ``col_paths``: Tensor[B, R, N] and Tensor[B, C, N], 1 for the innermost header of a
        row's path and, 0 elsewhere; ``row_parents``, ``col_parents``: likewise, the other headers of the path
        with weights that sum to 1 (all 0 where there is none);
        ``row_facts`` Tensor[B, R, F], ``col_facts`` Tensor[B, C, F], ``cell_facts`` Tensor[B, R, C, G];
        ``row_mask`` bool Tensor[B, R], ``col_mask`` bool Tensor[B, C], ``header_mask`` bool Tensor[B, N]
        (False for padding and where first cells stand for a header).
    """
    before, after = inputs.special
    num_rows = max(len(table.rows.positions) for table in tables)
    num_cols = max(len(table.cols.positions) for table in tables)
    num_headers = max(len(table.cols.nodes) + len(table.rows.nodes) for table in tables)
    limit = inputs.tokenization.max_length
    lines = [_line(table, before, after, limit) for table in tables]
    length = max(len(ids) for ids, _, _ in lines)
    batch = len(tables)
    tokens = np.full((batch, length), inputs.tokenization.pad_id, dtype=np.int64)
    mask, kinds = np.zeros_like(tokens), np.zeros_like(tokens)
    header_of = np.full_like(tokens, -1)
    floats: dict[str, np.ndarray] = {
        "row_paths": np.zeros((batch, num_rows, num_headers)),
        "row_parents": np.zeros((batch, num_rows, num_headers)),
        "col_paths": np.zeros((batch, num_cols, num_headers)),
        "col_parents": np.zeros((batch, num_cols, num_headers)),
        "row_facts": np.zeros((batch, num_rows, NUM_AXIS_FACTS)),
        "col_facts": np.zeros((batch, num_cols, NUM_AXIS_FACTS)),
        "cell_facts": np.zeros((batch, num_rows, num_cols, NUM_CELL_FACTS)),
    }
    row_mask = np.zeros((batch, num_rows), dtype=bool)
    col_mask = np.zeros((batch, num_cols), dtype=bool)
    header_mask = np.zeros((batch, num_headers), dtype=bool)
    for n, (table, (ids, own_kinds, own_headers)) in enumerate(zip(tables, lines, strict=True)):
        tokens[n, : len(ids)], mask[n, : len(ids)] = ids, 1
        kinds[n, : len(ids)], header_of[n, : len(ids)] = own_kinds, own_headers
        rows, cols = len(table.rows.positions), len(table.cols.positions)
        row_mask[n, :rows], col_mask[n, :cols] = True, True
        nodes = (*table.cols.nodes, *table.rows.nodes)
        header_mask[n, : len(nodes)] = [node.cell is not None for node in nodes]
        floats["row_facts"][n, :rows], floats["col_facts"][n, :cols] = table.rows.facts, table.cols.facts
        floats["cell_facts"][n, :rows, :cols] = table.cells
        for name, axis, offset in (("col", table.cols, 0), ("row", table.rows, len(table.cols.nodes))):
            for place, path in enumerate(axis.paths):
                floats[f"{name}_paths"][n, place, offset + path[-1]] = 1
                for node in path[:-1]:
                    floats[f"{name}_parents"][n, place, offset + node] += 1 / (len(path) - 1)
    return {
        "input_ids": torch.from_numpy(tokens),
        "attention_mask": torch.from_numpy(mask),
        "kinds": torch.from_numpy(kinds),
        "header_of": torch.from_numpy(header_of),
        **{name: torch.from_numpy(values.astype(np.float32)) for name, values in floats.items()},
        "row_mask": torch.from_numpy(row_mask),
        "col_mask": torch.from_numpy(col_mask),
        "header_mask": torch.from_numpy(header_mask),
    }


def _line(
    table: CellTable, before: list[int], after: list[int], limit: int
) -> tuple[list[int], list[int], list[int]]:
    """Token ids, kinds and header numbers of one input; where it is too long, headers lose last tokens."""
    most = max(len(node.ids) for axis in (table.cols, table.rows) for node in axis.nodes)
    room = limit - len(before) - 3 * len(after) - len(table.question)
    while most > 1 and _num_tokens(table, most) > room:
        most -= 1
    ids = [*before, *table.question, *after]
    kinds, headers = [0] * len(ids), [-1] * len(ids)
    for first_kind, axis, offset in ((1, table.cols, 0), (4, table.rows, len(table.cols.nodes))):
        innermost = _innermost(axis)
        for number, node in enumerate(axis.nodes):
            shown = node.ids[:most]
            ids.extend(shown)
            start = first_kind + (1 if number in innermost else 0)
            kinds.extend([start, *[first_kind + 2] * (len(shown) - 1)])
            headers.extend([offset + number] * len(shown))
        ids.extend(after)
        kinds.extend([0] * len(after))
        headers.extend([-1] * len(after))
    return ids, kinds, headers


def _innermost(axis: AxisPart) -> set[int]:
    return {path[-1] for path in axis.paths}


def _num_tokens(table: CellTable, most: int) -> int:
    return sum(min(len(node.ids), most) for axis in (table.cols, table.rows) for node in axis.nodes)
