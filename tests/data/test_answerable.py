from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tabrag.data.answerable import WordIndex, subject_words
from tabrag.tables.grid import make_grid
from tabrag.types import Table, Word


def _pool() -> list[Table]:
    """Four tables of seasons that differ in title and players, and one without a grid."""
    players = [("Ada Ito", "31"), ("Bo Ito", "17"), ("Cy Ruiz", "31"), ("Di Ruiz", "1,204")]
    tables = [
        Table(
            id=f"t{number}",
            title=f"Harbour Hawks season {number}",
            grid=make_grid([["player", "points"], [name, points]], num_header_rows=1),
        )
        for number, (name, points) in enumerate(players)
    ]
    return [*tables, Table(id="photo", words=[Word(text="Quartz", box=(0, 0, 1, 1))])]


def test_only_words_that_say_what_a_query_is_about_count() -> None:
    text = "How many of the total points, 1,204 or 17.5, did each player's top team A get in 2016?"
    assert subject_words(text) == ["1204", "player", "team", "2016"]
    assert subject_words(text, small_numbers=True) == ["1204", "17.5", "player", "team", "2016"]
    assert subject_words("what is the total? how many are there? list the rows of the table") == []


def test_a_query_names_its_table_by_few_tables_that_hold_all_shared_words() -> None:
    words = WordIndex(_pool())

    def names(text: str, table_id: str, most: int) -> bool:
        return words.names_its_table(text, table_id, max_tables=most)

    assert names("points of player Ada?", "t0", 1)
    assert names("points of player Ito?", "t0", 2) and not names("points of player Ito?", "t0", 1)
    assert names("which player scored most?", "t0", 4) and not names("which player scored most?", "t0", 3)
    assert not names("points of player Ada?", "t1", 3)  # names another table than its own
    assert not names("what is the total?", "t0", 100)


def test_numbers_count_where_they_are_long_or_stand_in_a_title() -> None:
    words = WordIndex(_pool())
    assert words.names_its_table("who has 1204?", "t3", max_tables=1)
    assert not words.names_its_table("who has 17?", "t1", max_tables=4)
    assert words.names_its_table("best in season 1", "t1", max_tables=1)
    assert not words.names_its_table("best in season 9", "t1", max_tables=1)


def test_a_picture_counts_by_its_words() -> None:
    words = WordIndex(_pool())
    assert words.names_its_table("where is quartz found?", "photo", max_tables=1)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.sets(st.sampled_from("red blue oak elm fox owl".split())), min_size=1, max_size=12),
    st.sets(st.sampled_from("red blue oak elm fox owl".split())),
    st.integers(1, 5),
)
def test_the_count_is_that_of_plain_sets(texts: list[set[str]], query: set[str], most: int) -> None:
    tables = [Table(id=str(n), grid=make_grid([[" ".join(sorted(text))]])) for n, text in enumerate(texts)]
    index = WordIndex(tables)
    for table, text in zip(tables, texts, strict=True):
        shared = query & text
        expected = bool(shared) and sum(shared <= other for other in texts) <= most
        assert index.names_its_table(" ".join(sorted(query)), table.id, max_tables=most) is expected
