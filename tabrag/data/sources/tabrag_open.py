"""tabrag-open: one pool of seven data sets of tables, their questions and statements, by the official splits.

HiTab, WikiTableQuestions, TabFact, InfoTabs, FeTaQA, OTT-QA and IM-TQA (English), each read by its own source
and pooled by the rules of :mod:`tabrag.data.pool`. Splits are the official ones, with these choices:

- InfoTabs: test_alpha1, test_alpha2 and test_alpha3 together are test.
- WikiTableQuestions: test is pristine-unseen-tables; seen_tables is left out, as its tables are those of
  training.
- OTT-QA: only its dev questions can be had, and they are dev; the tables of its training questions are there
  to be told apart from the relevant ones.

The pool is the like of the data set of TabRAG, which is not public.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tabrag.data.answerable import MAX_TABLES
from tabrag.data.card import Card
from tabrag.data.dataset import Dataset
from tabrag.data.near_duplicates import MAX_HOLDERS, MIN_SHARED, MIN_SIMILARITY
from tabrag.data.pool import RULES, SPLITS, Part, Pool, make_pool
from tabrag.data.sources import source
from tabrag.errors import UserError

NAME = "tabrag-open"
LICENCE = "other"
_PLAIN = {split: split for split in SPLITS}
SETS = {
    "hitab": _PLAIN,
    "wtq": _PLAIN,
    "tabfact": _PLAIN,
    "infotabs": {
        "train": "train",
        "dev": "dev",
        "test_alpha1": "test",
        "test_alpha2": "test",
        "test_alpha3": "test",
    },
    "fetaqa": _PLAIN,
    "ottqa": _PLAIN,
    "imtqa": _PLAIN,
}
"""Data set -> its splits -> those of the pool. The name is that of the source, and of its folder."""


def read(folder: Path, limit: int | None = None) -> Dataset:
    """Read and pool all sets; each stands in the folder of its name below ``folder``.

    Args:
        folder: The folder that holds ``hitab``, ``wtq``, ...
        limit: Take this many tables before any are merged, in equal shares from all sets; a set with fewer
            tables than its share gives what it has.

    Raises:
        UserError: A folder or file is missing or broken.
    """
    return pooled(read_parts(Path(folder), limit=limit))


def read_parts(folder: Path, *, names: Sequence[str] = tuple(SETS), limit: int | None = None) -> list[Part]:
    """The data sets with these names, as parts of a pool; see :func:`read`."""
    if limit is not None and limit < 1:
        raise UserError(f"--limit {limit}: give 1 or more")
    parts = []
    for place, name in enumerate(names):
        share = None if limit is None else limit // len(names) + (place < limit % len(names))
        if share != 0:
            data = source(name).read(folder / name, limit=share)
            parts.append(Part(name=name, data=data, splits=SETS[name]))
    return parts


def pooled(parts: Sequence[Part]) -> Dataset:
    """The pool of some parts as a data set, with a card of its rules, counts and licences."""
    pool = make_pool(parts)
    card = Card(
        name=NAME,
        licence=LICENCE,
        terms="the union of the licences of its parts, each of which keeps its own (see below)",
        note="\n\n".join([_rules(), _licences(parts), _query_table(pool), _table_table(pool)]),
    )
    return Dataset(
        card=card,
        tables=pool.tables,
        queries=pool.queries,
        qrels=pool.qrels,
        gold_headers=pool.gold_headers,
        repairs=sum((part.data.repairs for part in parts), Counter()),
        near_duplicates=pool.near_duplicates,
    )


def _rules() -> str:
    return f"""Official splits; InfoTabs' three test sets are test, WikiTableQuestions' seen_tables is left
out, OTT-QA has dev questions only. Rules, in this order:

1. Tables with the same titles and cells, up to spaces and case, are merged into the first; `metadata.merged`
   of a table lists the ids of the others.
2. Queries that name nothing of their table are dropped: more than {MAX_TABLES} tables hold all words that the
   query shares with its table, and the titles of more than {MAX_TABLES} all those that it shares with them.
   Words for asking and counting, single letters, and in cells numbers of less than four digits do not count.
3. Dev queries on a table of a test query are dropped, and training queries on a table of a test or dev query.
   A table counts as that table if they share {MIN_SIMILARITY:.0%} or more of the smaller one's pairs of
   neighbouring body cells, at least {MIN_SHARED} (pairs in over {MAX_HOLDERS} tables, copies counted once, do
   not count), or have the same set of cells.

`near_duplicates.jsonl` lists such tables (kind `cells`; `similarity` is the share of the pairs) and tables
with the same title and headers (kind `headers`; `similarity` is the lowest Jaccard similarity of their cells
to those of the first)."""


def _licences(parts: Sequence[Part]) -> str:
    lines = [
        "Each part keeps its own licence; whoever passes the pool on must keep the terms of all of them. "
        "C-UDA asks to keep the credit and to bind recipients to the same terms. Contents of Wikipedia are "
        "CC BY-SA.",
        "",
        "| data set | name | licence | source | citation |",
        "|---|---|---|---|---|",
    ]
    for part in parts:
        card = part.data.card
        lines.append(f"| {part.name} | {card.name} | {card.licence} | {card.url} | {card.citation} |")
    return "\n".join(lines)


def _query_table(pool: Pool) -> str:
    names = list(dict.fromkeys(name for name, _, _ in pool.query_counts))
    lines = [
        "| queries of | split | in the source | name nothing | on a test table | on a dev table | kept |",
        "|---|---|---|---|---|---|---|",
    ]
    for name in [*names, "all"]:
        for split in SPLITS:
            counts = [
                sum(pool.query_counts[one, split, rule] for one in (names if name == "all" else [name]))
                for rule in RULES
            ]
            if counts[0]:
                lines.append(f"| {name} | {split} | " + " | ".join(f"{count:,}" for count in counts) + " |")
    return "\n".join(lines)


def _table_table(pool: Pool) -> str:
    names = list(dict.fromkeys(name for name, _ in pool.table_counts))
    lines = ["| tables of | in the source | merged into another | kept |", "|---|---|---|---|"]
    for name in [*names, "all"]:
        counts = [
            sum(pool.table_counts[one, step] for one in (names if name == "all" else [name]))
            for step in ("read", "merged", "kept")
        ]
        lines.append(f"| {name} | " + " | ".join(f"{count:,}" for count in counts) + " |")
    kinds = Counter(group.kind for group in pool.near_duplicates)
    found = " and ".join(f"{kinds[kind]:,} by {kind}" for kind in ("cells", "headers"))
    return "\n".join([*lines, "", f"Near-duplicates listed: {found}."])
