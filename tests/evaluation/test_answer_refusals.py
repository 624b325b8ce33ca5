"""Answers that say that there is no answer, and those that do not."""

from __future__ import annotations

from pathlib import Path

import pytest
from effort import within
from hypothesis import given
from hypothesis import strategies as st
from published import whole

from tabrag.evaluation.answer_refusals import is_refusal
from tabrag.evaluation.answers import AnswerRules, exact_match, numeric_match, same

REFUSALS = """
Not answerable
**Not answerable**
unanswerable
The question is unanswerable.
This question is not answerable from the provided documents.
Not in the table.
It is not in the table.
not in the documents
The wheat harvest of 2021 is not in the table.
not found
Answer not found.
It could not be found.
cannot be answered
The question cannot be answered from the given context.
The net income of 2030 can't be determined.
The net income of 2030 can’t be determined.
The report does not mention any dividend.
The documents don't say.
Unfortunately, the annual report does not disclose this figure.
I don't know.
I cannot find the answer in the documents.
I'm sorry, but I can't answer this question.
There is no mention of layoffs in the report.
Not enough information to answer.
Not answerable: the report ends in 2023.
Not answerable because the report ends in 2023.
Not answerable. The report gives only the figures of 2019 and 2020.
Based on the provided documents, the answer is not given.
the answer is: not in the table
The 2030 sales are not given there.
Not stated on page 3 of the report
There's no information on this in the report.
It's not in the table.
There is no evidence of this in the provided documents.
No information about dividends is given.
No value for 2030 in the table
None of the documents mention it.
Neither document mentions a merger.
No page of the report shows it.
The documents provide no information on that.
The table has no value for 2030.
The report makes no mention of a merger.
The text gives no figure.
""".strip().splitlines()
OTHERS = """
No
none
n/a
unknown
not disclosed
not available
north
450
Not in the table, but the text says 450.
Not found. 450.
Not answerable, however the total is 12.
the company is not profitable
No, the revenue did not grow.
not applicable
No data
It is not in the south but in the north.
sales fell because the plant was not in operation
he was not elected
Yes, it is in the table.
No Answer Ltd
Insufficient Information Systems
no evidence of impairment
There is no evidence of fraud.
No information technology costs
No data breaches were reported in the document.
No information about dividends is given; revenue was 40.
None of the documents was signed.
The report has no author.
No table tennis
""".strip().splitlines()


@pytest.mark.parametrize("text", REFUSALS)
def test_they_are_told(text: str) -> None:
    assert is_refusal(text) and is_refusal(f"  {text.upper()}\n")


@pytest.mark.parametrize("text", [*OTHERS, "", "not answerable " * 60])
def test_others_are_not(text: str) -> None:
    assert not is_refusal(text)


def test_all_of_them_are_one_answer() -> None:
    for gold in ("Not answerable", "not in the table"):
        assert all(exact_match(text, [gold]) for text in REFUSALS)
        assert not any(exact_match(text, [gold]) for text in [*OTHERS, ""])
    assert not any(same(text, "450") for text in REFUSALS) and not any(same(t, "north") for t in REFUSALS)
    assert same("not disclosed", "Not disclosed.")


def test_numbers_inside_of_a_refusal_are_no_answers() -> None:
    text = "The wheat harvest of 2021 is not in the table."
    assert not same(text, "2021") and not numeric_match(text, ["2021"])
    assert same("The wheat harvest was 2021.", "2021")
    assert not exact_match(text, ["2021", "2022"], rules=AnswerRules(several="set"))


@given(st.text(max_size=40), st.sampled_from([" ", ", ", ". ", "; ", ": ", "\n", " but "]))
def test_any_text_can_be_asked(text: str, joint: str) -> None:
    is_refusal(text)
    is_refusal(f"not in the table{joint}{text}")
    assert not is_refusal(f"not in the table but {text}450")


def test_long_texts_take_no_time() -> None:
    pieces = "not ", "not in the ", "the table ", "no answer ", "cannot be ", ", because ", "(", "a. "
    with within(5):
        for piece in pieces:
            is_refusal((piece * 600)[:600])


@pytest.mark.parametrize("name", ["hitab", "tatqa", "fetaqa"])
def test_no_answer_of_answerable_data_is_one(name: str, data_root: Path) -> None:
    answers = [answer for query in whole(name, data_root).queries for answer in query.answers]
    assert len(answers) > 1000
    assert not [answer for answer in answers if is_refusal(answer)]
