"""From ranked documents to ranked tables, for readers that read tables alone."""

from __future__ import annotations

from collections.abc import Sequence

from tabrag.documents.select import rarity_scores
from tabrag.documents.whole import WholeDocument
from tabrag.index.tokens import tokenize
from tabrag.inference.instructions import split_instructions
from tabrag.inference.view import Items, candidate_item
from tabrag.tables.text import markdown
from tabrag.tables.verbalise import summary
from tabrag.types import Candidate, Query, Run, Table


def table_run(queries: Sequence[Query], run: Run, items: Items, *, depth: int) -> Run:
    """The tables of the best documents: documents in their order, each one's tables by how well they fit.

    Candidates that are tables stay where they are. A table has its document's score and stage. A document
    without tables gives none.

    Args:
        queries: The questions.
        run: Their candidates, tables or documents.
        items: Where these are found.
        depth: Tables of a question at most.

    Raises:
        UserError: A candidate is not in the corpus.
    """
    found: Run = {}
    for query in queries:
        question = tokenize(split_instructions(query.text)[0])
        tables: dict[str, Candidate] = {}
        for candidate in run.get(query.id, []):
            if len(tables) >= depth:
                break
            item = candidate_item(items, candidate.item_id)
            ids = (
                by_fit(question, list(item.tables.values())) if isinstance(item, WholeDocument) else [item.id]
            )
            for table_id in ids:
                tables.setdefault(
                    table_id, Candidate(item_id=table_id, score=candidate.score, stage=candidate.stage)
                )
        found[query.id] = list(tables.values())[:depth]
    return found


def by_fit(question: Sequence[str], tables: Sequence[Table]) -> list[str]:
    """Ids of tables in the order of how much rare wording they share with the question, equal ones as given.

    Args:
        question: Its words, see :func:`tabrag.index.tokens.tokenize`.
        tables: The tables.
    """
    scores = rarity_scores(
        question, [tokenize(f"{summary(table).text}\n{markdown(table)}") for table in tables]
    )
    return [tables[place].id for place in sorted(range(len(tables)), key=lambda place: -scores[place])]
