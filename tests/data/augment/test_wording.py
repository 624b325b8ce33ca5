"""Words of titles and headers, and how they change in a question."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabrag.data.augment.labels import Role, clean, is_latin, role_of, times_in
from tabrag.data.augment.subject import shortened, subject_of
from tabrag.data.augment.vary import age, content_words, other_number, plural, singular, varied
from tabrag.types import Table


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("2016", Role.TIME),
        ("2012/2013", Role.TIME),
        ("fy 2014", Role.TIME),
        ("2017 projected", Role.TIME),
        ("percent", Role.UNIT),
        ("thousands of dollars", Role.UNIT),
        ("95% confidence interval", Role.UNIT),
        ("17", Role.UNIT),
        ("Total", Role.TOTAL),
        ("both sexes", Role.TOTAL),
        ("unemployment rate", Role.MEASURE),
        ("median income", Role.MEASURE),
        ("women", Role.MEMBER),
        ("Team", Role.MEMBER),
    ],
)
def test_roles(text: str, role: Role) -> None:
    assert role_of(text) is role


def test_clean_takes_footnote_marks_and_signs_away() -> None:
    assert clean("  Revenue[a]\n(net)*: ") == "Revenue (net)"
    assert clean("women†") == "women"
    assert len(clean("word " * 40).split()) == 16


def test_titles_fall_into_topic_groups_places_and_times() -> None:
    subject = subject_of(
        Table(id="t", title="Employment rate, by sex, age group and education, Canada, 2011 to 2016")
    )
    assert subject.heads == ("Employment rate",)
    assert subject.groups == ("sex", "age group")
    assert subject.places == ("Canada",) and subject.times == ("2011 to 2016",)
    shown = subject_of(
        Table(id="t", title="Table 3. List of rivers", page_title="Geography of Peru", section="Land > Water")
    )
    assert shown.heads == ("rivers", "Geography of Peru", "Land", "Water")
    spoken = subject_of(
        Table(
            id="t", title="this table displays the results of rainfall. the information is grouped by month"
        )
    )
    assert spoken.heads == ("rainfall",)


def test_a_name_among_the_titles_is_found() -> None:
    assert (
        subject_of(Table(id="t", title="Eric Dickerson", section="Rushing statistics")).name
        == "Eric Dickerson"
    )
    assert subject_of(Table(id="t", title="career statistics")).name == ""


def test_topics_leave_words_out_and_add_none() -> None:
    table = Table(id="t", title="share of workers exposed to noise in small firms, Canada, 2016")
    rng = random.Random(0)
    heads = {subject_of(table).draw(rng).head for _ in range(60)}
    assert len(heads) > 3
    assert all(content_words(head) <= content_words(table.title) for head in heads)
    assert all(shortened("a few words", rng) == "a few words" for _ in range(20))


@pytest.mark.parametrize(
    ("one", "many"),
    [
        ("team", "teams"),
        ("city", "cities"),
        ("coach", "coaches"),
        ("day", "days"),
        ("date of birth", "dates of birth"),
    ],
)
def test_plural_and_back(one: str, many: str) -> None:
    assert plural(one) == many and plural(many) == many
    if " " not in one:
        assert singular(many) == one and singular(one) == one


def test_words_that_have_no_other_number_stay() -> None:
    for word in ("series", "exposed", "status", "of", "US", "1990s"):
        assert singular(word) == word == other_number(word)


def test_ages() -> None:
    assert age("25 to 54 years") == age("25-54") == "aged 25 to 54"
    assert age("women aged 25") is None


@given(st.text(max_size=60), st.integers(0, 5))
def test_varied_and_clean_take_any_text(text: str, seed: int) -> None:
    assert isinstance(varied(clean(text), random.Random(seed), inflect=True), str)


def test_numbers_and_years_are_kept() -> None:
    texts = {varied("persons aged 25 to 64 employed full time in 2016", random.Random(s)) for s in range(50)}
    assert len(texts) > 5
    assert all({"25", "64", "2016"} <= content_words(text) for text in texts)


def test_scripts() -> None:
    assert (
        is_latin("Łódź, Việt Nam") and is_latin("123") and not is_latin("期末余额") and not is_latin("Москва")
    )


def test_years_in_titles() -> None:
    assert times_in("fy 1999/2000, 2004 and 2006 to 2008") == ["1999/2000", "2004 and 2006", "2008"]
    assert times_in("1,999 people, room 2050b") == []
