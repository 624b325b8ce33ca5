"""What of a language model's answer can be checked against the table, in words for people.

====================================  =====================================================================
note                                  meaning
====================================  =====================================================================
number not in the table: 40           no cell holds it, in no unit: the model computed it, or made it up
unit left out: the table says X       the number stands below a header (or title) that says thousand,
                                      million, ... or %, and the answer does not
unit differs: the table says X        the answer names another scale, %, unit or currency than the table
====================================  =====================================================================

No note means that the number was found and its unit does not contradict the table's.
"""

from __future__ import annotations

from collections.abc import Sequence

from tabrag.evaluation.answer_values import EDGES, number, numbers_in, same_unit
from tabrag.inference.units import SCALES, cells_in_other_units, is_close, unit_at
from tabrag.tables.grid import cell_text
from tabrag.tables.values import Value
from tabrag.types import Evidence, Table

_MAX_NAMED = 3


def check_number(answer: str, tables: Sequence[Table], evidence: Sequence[Evidence]) -> list[str]:
    """Notes about an answer that is a number; none for other answers, and none for tables without cells.

    Args:
        answer: The answer.
        tables: What was read.
        evidence: Where the answer stands.
    """
    value = number(answer)
    if value is None or all(table.grid is None for table in tables):
        return []
    by_id = {table.id: table for table in tables}
    found = next(((by_id[one.item_id], one.cells[0]) for one in evidence if one.cells), None)
    if found is None:
        return [f"number not in the table: {answer.strip(EDGES)}"]
    table, cell = found
    assert table.grid is not None
    text = cell_text(table.grid, *cell)
    stated = number(text)
    if stated is None:
        return []
    said = unit_at(table, cell)
    notes = []
    if value.percent != said.percent:
        notes.append(
            "unit left out: the table says %" if said.percent else "unit differs: the table says no %"
        )
    elif not is_close(value.number, stated.number * SCALES.get(said.scale, 1.0)):
        kind = "left out" if value.scale == 1 and is_close(value.number, stated.number) else "differs"
        notes.append(f"unit {kind}: the table says {said.scale or text.strip()}")
    if not same_unit(value, Value(number=0.0, currency=said.currency, unit=stated.unit)):
        notes.append(f"unit differs: the table says {stated.unit or said.currency}")
    return notes


def check_sentence(sentence: str, question: str, tables: Sequence[Table]) -> list[str]:
    """Notes about the numbers of a sentence that stand in no table or passage, no title and not in the
    question."""
    if all(table.grid is None for table in tables):
        return []
    texts = [question, *map(_headings, tables), *(text for table in tables for text in _long_texts(table))]
    known = [value for text in texts for _, value in numbers_in(text)]
    missing = [
        written
        for written, value in numbers_in(sentence)
        if not any(is_close(value.number, one.number) for one in known)
        and not any(cells_in_other_units(table, value) for table in tables)
    ]
    return [f"number not in the table: {written}" for written in dict.fromkeys(missing)][:_MAX_NAMED]


def _headings(table: Table) -> str:
    return " ".join((table.title, table.page_title, table.section, table.caption))


def _long_texts(table: Table) -> list[str]:
    """Cells that are no numbers themselves: labels and passages, in which numbers may stand."""
    cells = [] if table.grid is None else table.grid.cells
    return [text for row in cells for text in row if text and number(text) is None]
