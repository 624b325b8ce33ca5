"""The table counts whose row and column say what is asked; where none does, nothing is answered."""

from __future__ import annotations

from reading import Corpus, ask, run, table

from tabrag.chat.prompts import NOT_ANSWERABLE
from tabrag.inference.answer import Reader
from tabrag.inference.config import ReaderConfig
from tabrag.inference.rule_tables import best_table
from tabrag.tables.grid import make_grid

_RAIN = make_grid(
    [["region", "rain", "snow"], ["west", "7", "8"], ["east", "3", "4"]], num_header_rows=1, num_header_cols=1
)


def test_a_later_table_that_says_more_is_read() -> None:
    tables = [table(), table("T2", title="Weather", grid=_RAIN)]
    pairs = [(one, one.grid) for one in tables if one.grid is not None]
    found = best_table("How much rain fell in the east?", pairs, [2.0, 1.5])
    assert found is not None and (found[0], found[1].text, found[1].cells) == (1, "3", [(2, 1)])
    found = best_table("How much barley did the south grow in 2019?", pairs, [2.0, 1.5])
    assert found is not None and (found[0], found[1].text) == (0, "450")


def test_the_evidence_names_the_table_that_was_read() -> None:
    corpus = Corpus(table(), table("T2", title="Weather", grid=_RAIN))
    (answer,) = Reader(ReaderConfig())(ask("How much rain fell in the east?"), run("T1", "T2"), corpus)
    assert answer.answer == "3"
    assert (answer.evidence[0].item_id, answer.evidence[0].cells) == ("T2", [(2, 1)])


def test_where_nothing_fits_the_question_is_not_answerable() -> None:
    corpus = Corpus(table(), table("T2", title="Weather", grid=_RAIN))
    (answer,) = Reader(ReaderConfig())(ask("Who composed the opera Fidelio?"), run("T1", "T2"), corpus)
    assert (answer.answer, answer.confidence, answer.evidence) == (NOT_ANSWERABLE, 0.0, [])
