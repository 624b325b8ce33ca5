"""Replies in five parts: as they should be, and as small models write them."""

from __future__ import annotations

import itertools

import pytest
from effort import within
from hypothesis import given
from hypothesis import strategies as st

from tabrag.chat.recap import PARTS, last_formula, parse_recap

TEXTS = {
    "Restate": "How large is the growth from 2019 to 2020? Type: number.",
    "Extract": "north in 2019 is 1,200; north in 2020 is 1,250.",
    "Compute": "The growth is the difference over the first. ##(1250 - 1200) / 1200 * 100##",
    "Answer": "4.17%",
    "Present": "It grew by 4.17%.",
}
LABELS = {
    "plain": "{0}: {1}",
    "bold": "**{0}**: {1}",
    "bold with colon": "**{0}:** {1}",
    "heading": "### {0}\n{1}",
    "heading with marks of a formula": "## {0}\n{1}",
    "point": "- {0}: {1}",
    "dash": "{0} - {1}",
    "alone": "{0}\n{1}\n",
    "bracketed": "[{0}]: {1}",
    "remark": "{0} (part of five): {1}",
    "lower": "{2}: {1}",
    "upper": "{3}: {1}",
    "letter": "{4}: {1}",
    "bold letter": "**{4}**: {1}",
    "noun": "{5}: {1}",
    "quoted": "> {0}: {1}",
}
NOUNS = {
    "Restate": "Restatement",
    "Extract": "Extraction",
    "Compute": "Calculation",
    "Answer": "Final answer",
    "Present": "Presentation",
}
NUMBERS = {"none": "", "1.": "{n}. ", "2)": "{n}) ", "Step": "Step {n}: "}


def reply(style: str, *, number: str = "none", leave_out: str = "", joint: str = "\n") -> str:
    lines = []
    for place, (name, text) in enumerate(TEXTS.items(), start=1):
        if name == leave_out:
            continue
        line = LABELS[style].format(name, text, name.lower(), name.upper(), name[0], NOUNS[name])
        lines.append(line if "heading" in style else NUMBERS[number].format(n=place) + line)
    return joint.join(lines)


@pytest.mark.parametrize(("style", "number"), itertools.product(LABELS, NUMBERS))
def test_labels_of_all_kinds(style: str, number: str) -> None:
    found = parse_recap(reply(style, number=number))
    assert found.formula is not None and found.formula.text == "(1250 - 1200) / 1200 * 100"
    assert found.is_numeric is True
    assert {name: found.parts[name.lower()] for name in TEXTS} == TEXTS


@pytest.mark.parametrize(("style", "name"), itertools.product(("plain", "bold", "heading", "letter"), TEXTS))
def test_a_missing_part_is_empty_and_the_others_stay(style: str, name: str) -> None:
    found = parse_recap(reply(style, leave_out=name))
    assert found.parts[name.lower()] == ""
    assert {one: found.parts[one.lower()] for one in TEXTS if one != name} == {
        one: text for one, text in TEXTS.items() if one != name
    }
    assert (found.formula is None) == (name == "Compute")
    assert found.is_numeric is (None if name == "Restate" else True)


@pytest.mark.parametrize("style", ["plain", "bold", "bold with colon"])
def test_parts_on_one_line(style: str) -> None:
    found = parse_recap(reply(style, joint=" "))
    assert {name: found.parts[name.lower()] for name in TEXTS} == TEXTS


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("##(652-515)/515##", "(652 - 515) / 515"),
        ("## (652-515)/515 ##.", "(652 - 515) / 515"),
        ("###(652-515)/515###", "(652 - 515) / 515"),
        ("##(652-515)/515 = 0.266##", "(652 - 515) / 515"),
        ("##growth = (652-515)/515 ≈ 26.6%##", "(652 - 515) / 515"),
        ("##Formula: (652-515)/515##", "(652 - 515) / 515"),
        ("##652 - 515 = 137 / 515 = 0.266##", "137 / 515"),
        ("##`(652-515)/515`##", "(652 - 515) / 515"),
        ("##$\\frac{652-515}{515}$##", "((652 - 515) / (515))"),
        ("##\\(652 - 515\\)##", "652 - 515"),
        ("##($1,652 − $515) ÷ 12%##", "(1652 - 515) / (12 / 100)"),
        ("##1 + 1## then ##2 + 2##", "2 + 2"),
        ("##1 + 1## then ##nothing at all##", "1 + 1"),
        ("##1 + 1## then ##1 / 0##", "1 + 1"),
        ("##1 + 1## then ##9 ** 9 ** 9##", "1 + 1"),
        ("##1 + 1", "1 + 1"),
        ("##1 + 1\nand more", "1 + 1"),
        ("##450##", "450"),
        ("## Compute ##\n##3 * 4##", "3 * 4"),
        ("it is (652 - 515) / 515 = 0.266", "(652 - 515) / 515"),
        ("it is (652 - 515) / 515 = 26.6%", "(652 - 515) / 515"),
        ("first 652 - 515 = 137, then 137 / 515 = 0.266.", "137 / 515"),
        ("average(3, 5) = 4", "average(3, 5)"),
    ],
)
def test_formulas(text: str, formula: str) -> None:
    for wrapped in (text, f"Compute: {text}", f"Compute: well, {text}\nAnswer: 3"):
        found = parse_recap(wrapped).formula
        assert found is not None and found.text == formula


@pytest.mark.parametrize(
    "text",
    [
        "", "##", "####", "## ##", "##north##", "##1 +##", "##1/0##", "##__import__('os')##", "= = =",
        "5 - 3", "in 2018-2019 it was 5", "2018-2019 = the year", "5 - 3 = 3", "3 = 3", "sales: 5",
        "##" * 5000, "##(" * 2000,
    ],
)  # fmt: skip
def test_no_formula(text: str) -> None:
    assert last_formula(text) is None
    assert parse_recap(f"Compute: {text}\nAnswer: 7").parts["answer"] == "7"


def test_the_formula_of_compute_goes_before_others() -> None:
    found = parse_recap("Extract: ##9 - 1##\nCompute: ##1 + 1##\nAnswer: 2\nPresent: ##3 + 3##").formula
    assert found is not None and found.text == "1 + 1"
    other = parse_recap("Compute: as below\nAnswer: ##3 + 3##").formula
    assert other is not None and other.text == "3 + 3"


def test_a_part_that_comes_twice() -> None:
    found = parse_recap("Compute: ##1 + 1##\nAnswer: 2\nCompute: ##2 + 2##\nAnswer: 4\nAnswer:\n")
    assert found.parts["answer"] == "4" and found.formula is not None and found.formula.text == "2 + 2"


@pytest.mark.parametrize(
    ("restate", "numeric"),
    [
        ("Which region grew? Type: text.", False),
        ("Question type: non-numeric", False),
        ("type is not a number", False),
        ("Type: yes/no", False),
        ("Type - numerical (percentage)", True),
        ("**Type**: Arithmetic", True),
        ("Type: calculation", True),
        ("It asks for a value (numeric).", True),
        ("What is the number of boats?", None),
        ("Type: other", None),
        ("", None),
    ],
)
def test_question_types(restate: str, numeric: bool | None) -> None:
    assert parse_recap(f"Restate: {restate}\nAnswer: 5").is_numeric is numeric


PIECES = ["Restate: ", "**Answer**", "C:", "##", "1+1", "= 2", "\n", " ", "Present", "x", "a:"]


@given(st.lists(st.sampled_from(PIECES)))
def test_any_reply_is_read(pieces: list[str]) -> None:
    found = parse_recap("".join(pieces))
    assert tuple(found.parts) == PARTS


@given(st.text(max_size=60))
def test_any_text_is_read(text: str) -> None:
    assert tuple(parse_recap(text).parts) == PARTS


@pytest.mark.parametrize("piece", ["#", "* ", "1. ", "(", "1+", "= 1 ", "A: ", "1,", "-", "Answer ", "step "])
def test_long_replies_take_little_time(piece: str) -> None:
    with within(2):
        parse_recap(piece * 5000)
        parse_recap(f"##{piece * 5000}##")
