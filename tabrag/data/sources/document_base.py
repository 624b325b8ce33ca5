"""What the sources of documents share: documents with their tables, limits, the assembly of a data set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from tabrag.data.card import Card
from tabrag.data.dataset import Dataset, LazyDocuments, LazyTables
from tabrag.errors import UserError
from tabrag.tables.grid import Region, make_grid, owner, top_paths
from tabrag.tables.headers import infer_headers
from tabrag.tables.left_tree import left_paths
from tabrag.types import Cell, Document, GoldHeaders, Grid, Query, Source, Table

EVIDENCE = {"text": "text", "table": "table", "table-text": "both"}
"""What TAT-QA calls it -> :attr:`tabrag.types.Query.evidence`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A document and its tables, each made when it is asked for: finding headers takes time, texts memory."""

    id: str
    document: Callable[[], Document]
    tables: Callable[[], Iterator[Table]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question with the document that answers it, and its gold headers, made when they are asked for."""

    document_id: str
    query: Query
    gold: Callable[[], GoldHeaders | None] = lambda: None


MakeAll = Callable[[Collection[str] | None, Counter[str]], Iterator[Made]]
"""(ids to make or None for all, repairs) -> documents in the order of the source."""


@dataclass(slots=True)
class DocumentTables:
    """Names the tables of a document as they come: ``DOC#t1``, ``DOC#t2``, ..."""

    document_id: str
    page_title: str = ""
    makers: list[Callable[[], Table]] = field(default_factory=list)

    def add(self, make: Callable[[], Grid], *, page: int | None = None, **texts: str) -> str:
        """Add a table whose grid ``make`` gives; return its id.

        Args:
            make: Called when the table is asked for.
            page: 1-based.
            **texts: ``title``, ``section``; others become metadata.
        """
        table_id = f"{self.document_id}#t{len(self.makers) + 1}"
        title, section = texts.pop("title", ""), texts.pop("section", "")

        def made() -> Table:
            return Table(
                id=table_id,
                title=title,
                page_title=self.page_title,
                section=section,
                grid=make(),
                document=self.document_id,
                source=Source(file=self.document_id, page=page),
                metadata={key: value for key, value in texts.items() if value},
            )

        self.makers.append(made)
        return table_id

    def __call__(self) -> Iterator[Table]:
        return (make() for make in self.makers)


def document_set(
    *,
    card: Card,
    made: MakeAll,
    questions: Mapping[str, Sequence[Asked]],
    limit: int | None = None,
) -> Dataset:
    """A data set of documents whose questions are judged on documents.

    Args:
        card: Goes into the data set.
        made: Makes the documents, anew at each call.
        questions: Split -> questions; an id that two splits hold stays in the first.
        limit: Keep this many documents and their questions: from the questions of each split in turn, then
            in the order of the source.

    Raises:
        UserError: ``limit`` is below 1, or a question has no text.
    """
    kept = None if limit is None else _chosen(made, questions, limit)
    repairs: Counter[str] = Counter()

    def chosen(counted: Counter[str]) -> Iterator[Made]:
        """Ends with the last one that is kept: the source's files are not read to their end for nothing."""
        return islice(made(kept, counted), None if kept is None else len(kept))

    def tables() -> Iterator[Table]:
        repairs.clear()
        return (table for one in chosen(repairs) for table in one.tables())

    def documents() -> Iterator[Document]:
        return (one.document() for one in chosen(Counter()))

    data = Dataset(card=card, tables=LazyTables(tables), documents=LazyDocuments(documents), repairs=repairs)
    for split, asked in questions.items():
        data.qrels[split] = {}
        for one in asked:
            if kept is not None and one.document_id not in kept:
                continue
            if not one.query.text.strip():
                raise UserError(f"{card.name}: question '{one.query.id}' of {split} has no text")
            data.queries.append(one.query)
            data.qrels[split][one.query.id] = {one.document_id: 1}
            gold = one.gold()
            if gold is not None:
                data.gold_headers.append(gold)
    return data


def plain_grid(cells: Sequence[Sequence[str]], *, num_header_cols: int | None = None) -> Grid:
    """The grid of a source that names no header rows and leaves the cells under a span empty.

    Rows and columns stay where they are, so that the source's coordinates hold.
    """
    if num_header_cols is not None:
        num_header_cols = min(num_header_cols, len(cells[0]))
    num_header_rows = infer_headers(make_grid(cells), fill_right=True).num_header_rows
    grid = make_grid(cells, merged=centred_spans(cells, num_header_rows))
    return infer_headers(grid, num_header_cols=num_header_cols, fill_right=True)


def centred_spans(cells: Sequence[Sequence[str]], num_header_rows: int) -> list[Region]:
    """Regions of texts that stand alone in their header row, anywhere right of the first column.

    Such a text is printed in the middle of all columns, and a source that knows no spans puts it into one of
    them. A unit in brackets right below the header rows counts too.
    """
    last = len(cells[0]) - 1
    regions = []
    for row in range(min(num_header_rows + 1, len(cells))):
        filled = [col for col, text in enumerate(cells[row]) if text.strip()]
        if last < 2 or len(filled) != 1 or filled[0] == 0:
            continue
        if row < num_header_rows or cells[row][filled[0]].strip().startswith("("):
            regions.append((row, row, 1, last))
    return regions


def gold_of(
    grid: Grid, query_id: str, table_id: str, cells: Iterable[Cell], *, rows: Iterable[int] = ()
) -> GoldHeaders | None:
    """Gold headers of the cells that a question rests on: all headers on their paths; None without any.

    Args:
        grid: The table.
        query_id: The question.
        table_id: The table's id.
        cells: Cells of facts; those outside the grid are left out.
        rows: Rows that the question rests on where its cells are not known: their headers count too.
    """
    inside = [owner(grid, *cell) for cell in cells if cell[0] < grid.num_rows and cell[1] < grid.num_cols]
    top, left = top_paths(grid), left_paths(grid)
    body = [(row, col) for row, col in inside if row >= grid.num_header_rows and col >= grid.num_header_cols]
    gold_rows = [*(row for row, _ in body), *(row for row in rows if row < grid.num_rows)]
    gold = GoldHeaders(
        query_id=query_id,
        table_id=table_id,
        top=list(dict.fromkeys(cell for _, col in body for cell in top[col])),
        left=list(dict.fromkeys(cell for row in gold_rows for cell in left[row])),
        answer_cells=list(dict.fromkeys(inside)),
    )
    return gold if gold.top or gold.left or gold.answer_cells else None


def _chosen(made: MakeAll, questions: Mapping[str, Sequence[Asked]], limit: int) -> set[str]:
    if limit < 1:
        raise UserError(f"--limit {limit}: give 1 or more")
    queues = [iter(dict.fromkeys(one.document_id for one in asked)) for asked in questions.values()]
    chosen: dict[str, None] = {}
    while queues and len(chosen) < limit:
        for queue in list(queues):
            document_id = next(queue, None)
            if document_id is None:
                queues.remove(queue)
            elif len(chosen) < limit:
                chosen[document_id] = None
    if len(chosen) < limit:
        others = (one.id for one in made(None, Counter()) if one.id not in chosen)
        chosen |= dict.fromkeys(islice(others, limit - len(chosen)))
    return set(chosen)
