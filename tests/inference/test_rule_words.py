"""Words of questions and tables meet in all the forms that the table of the module names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabrag.inference.rule_words import asked_words, header_words, words


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("votes", "voted"),
        ("voters", "voting"),
        ("1,234", "1234"),
        ("3 066", "3066"),
        ("2.0", "2"),
        ("born", "birth"),
        ("won", "wins"),
        ("women", "female"),
        ("Jan.", "January"),
        ("No. of goals", "number of goals"),
        ("# of goals", "number of goals"),
        ("FY2017 sales", "sales of FY2017"),
        ("percentage", "%"),
    ],
)
def test_forms_of_a_word_meet(left: str, right: str) -> None:
    assert set(words(left)) == set(words(right)) != set()


def test_years_side_by_side_are_one_word_and_keep_the_first_year() -> None:
    assert words("2012-13") == words("2012/2013") == ("2012", "2012-13")
    assert "13" not in words("during 2012-13")


def test_days_meet_in_all_writings() -> None:
    assert set(words("W/E 02/24/17")) & set(words("the week ending 24 February 2017")) >= {"2017-2-24"}
    assert not {"2017-2-24"} & set(words("25 February 2017"))


def test_codes_are_whole() -> None:
    assert "1b" in words("genotype 1b") and "1" not in words("genotype 1b")


def test_short_forms_stand_for_words_of_the_question() -> None:
    asked = asked_words("What is the population with less than high school?")
    assert set(words("population")) <= header_words("Pop.", asked)
    assert set(words("high school")) <= header_words("Less than HS", asked)
    assert not set(words("population")) & header_words("Pos.", asked)


def test_numbers_of_tables_and_single_capitals() -> None:
    assert not asked_words("In Table 3, who won?").says("3")
    assert asked_words("How high is methionine (M)?").says("m")
    assert words("A") == ("a",) and words("?") == ("?",) and words("") == ()


def test_scripts_without_blanks_share_pairs() -> None:
    assert set(words("一级公路")) <= set(words("一级公路四车道的用地指标"))
    assert not set(words("芒果")) & set(words("苹树"))


@given(st.text(max_size=40))
def test_any_text_has_words_each_once(text: str) -> None:
    found = words(text)
    assert len(set(found)) == len(found) and all(found)
