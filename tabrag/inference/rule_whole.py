"""The sum or average of a whole column, or of those of its rows that have what the question names."""

from __future__ import annotations

import re

from tabrag.inference.found import Found
from tabrag.inference.rule_asked import Wanted
from tabrag.inference.rule_extremes import SET_CERTAINTY, conditioned
from tabrag.inference.rule_match import Match, is_total
from tabrag.inference.rule_sets import is_list
from tabrag.inference.rule_words import words
from tabrag.tables.grid import owner
from tabrag.tables.programs import CellProgram, run_program

_ASKED = re.compile(
    r"^\W*(?:what(?:'s|\s+(?:is|was|were|are))\s+)?(?:the\s+)?(?:average|mean|sum|combined)\b|\badd(?:ed)?\b",
    re.IGNORECASE,
)
_OWN = {"average": frozenset(words("average mean")), "sum": frozenset(words("total sum all overall"))}


def whole_column(match: Match, asked: Wanted) -> Found | None:
    """What a question for a sum or an average comes to over a column that it names.

    Only of a table whose rows are records: elsewhere "the average" is mostly a header in other words. None
    where it names a row by its header, where the table says it itself (a row or the column is headed
    "total", or "average"), and where the column does not hold a number in each of its rows.
    """
    if asked.kind not in _OWN or _ASKED.search(match.asked.text) is None or not is_list(match):
        return None
    cols = [col for col in match.body_cols if col in match.numeric_cols and match.col_fits[col].words]
    if not cols:
        return None
    best = max(match.col_fits[col].score for col in cols)
    cols = [col for col in cols if match.col_fits[col].score == best]
    rows = conditioned(match)
    if len(cols) > 1 or len(rows) < 2 or _says_itself(match, cols[0], asked.kind):
        return None
    is_whole = len(rows) == len([row for row in match.rows if row not in match.parents])
    said = match.col_fits[cols[0]].words
    if is_whole and any(match.row_fits[row].words.keys() - said.keys() for row in rows):
        return None
    cells = [(row, cols[0]) for row in rows if match.text[row][cols[0]].strip()]
    own = tuple(dict.fromkeys(owner(match.grid, *cell) for cell in cells))
    found = run_program(match.grid, CellProgram(asked.kind, own))
    if found is None:
        return None
    return Found(
        text=found.text,
        cells=list(found.cells),
        certainty=SET_CERTAINTY,
        operator=asked.kind,
        formula=found.formula,
    )


def _says_itself(match: Match, col: int, kind: str) -> bool:
    heads = [match.cols[col], *match.rows.values()]
    if kind == "sum" and any(map(is_total, heads)):
        return True
    return any(_OWN[kind] & set(words(text)) for texts in heads for text in texts[-1:])
