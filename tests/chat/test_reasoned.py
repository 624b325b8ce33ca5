"""JSON as models write it: strict, wrapped, broken, cut off."""

from __future__ import annotations

import json
from typing import Any

import pytest
from effort import within
from hypothesis import given, settings
from hypothesis import strategies as st

from tabrag.chat.page_claims import PageClaim, page_claims
from tabrag.chat.reasoned import answer_text, parse_reasoned

WHOLE = {
    "step_by_step_analysis": "1. Look at page 3. 2. It says 1,250.",
    "reasoning_summary": "Page 3 says it.",
    "relevant_pages": [3, 4],
    "final_answer": "1,250",
}
CLAIMED = (PageClaim(3), PageClaim(4))


def test_strict() -> None:
    found = parse_reasoned(f"\n{json.dumps(WHOLE, indent=1)} ")
    assert found.is_strict and not found.is_cut and found.has_answer
    assert (found.analysis, found.summary) == tuple(WHOLE.values())[:2]
    assert (found.pages, found.answer) == (CLAIMED, "1,250")
    assert parse_reasoned(json.dumps(WHOLE | {"final_answer": None})).answer is None
    number = json.dumps(WHOLE).replace('"1,250"', "1250.50")
    assert parse_reasoned(number).answer == "1250.50"


@pytest.mark.parametrize(
    "reply",
    [
        "```json\n{}\n```",
        '```\n{}```\nI hope that this "helps"!',
        "<think>{{let me see}}</think>Here is the JSON:\n{}",
        "{}\n\nLet me know, {{friend}}.",
    ],
)
def test_wrapped(reply: str) -> None:
    found = parse_reasoned(reply.replace("{}", json.dumps(WHOLE)).replace("{{", "{").replace("}}", "}"))
    assert not found.is_strict and not found.is_cut
    assert (found.pages, found.answer, found.summary) == (CLAIMED, "1,250", "Page 3 says it.")


@pytest.mark.parametrize(
    ("old", "new", "answer"),
    [
        ('"1,250"}', '"1,250",}', "1,250"),
        ('"1,250"}', '"1,250"\n', "1,250"),
        ('"1,250"}', '"1,250}', "1,250"),
        ('"1,250"', "1,250", "1,250"),
        ('"1,250"', "True", True),
        ('"1,250"', "None", None),
        ('"1,250"', "'1,250'", "1,250"),
        ('"1,250"', "“1,250”", "1,250"),
        ('"1,250"', "[1250, 'the \"best\" one', ]", ["1250", 'the "best" one']),
        ('"1,250"', '"He said "no" and left"', 'He said "no" and left'),
        ('"1,250"}', '"1,250", "confidence": "high",}', "1,250"),
        ("[3, 4]", "[3, 4,]", "1,250"),
        ("[3, 4]", "['page 3', \"[page 4]\"]", "1,250"),
        ("[3, 4]", '"pages 3-4",', "1,250"),
        ("1. Look", 'He said "look", and\n\n1. Look', "1,250"),
        ("1. Look", '{"a": [1], \\"final_answer\\": \\"x\\"} Look', "1,250"),
        ('"final_answer"', '"Final Answer"', "1,250"),
        ('"final_answer"', '"answer"', "1,250"),
    ],
)
def test_broken(old: str, new: str, answer: Any) -> None:
    reply = json.dumps(WHOLE)
    assert old in reply
    found = parse_reasoned(reply.replace(old, new))
    assert parse_reasoned(reply).is_strict and not found.is_strict
    assert (found.answer, found.pages) == (answer, CLAIMED)
    assert not found.is_cut and found.summary == WHOLE["reasoning_summary"]


def test_python_and_plain_forms() -> None:
    assert parse_reasoned(repr(WHOLE)).answer == "1,250"
    bare = "{" + ", ".join(f"{key}: {json.dumps(value)}" for key, value in WHOLE.items()) + "}"
    lines = "\n".join(f"**{key}**: {value}" for key, value in WHOLE.items())
    for reply in (bare, lines):
        assert (parse_reasoned(reply).answer, parse_reasoned(reply).pages) == ("1,250", CLAIMED)


def test_of_several_the_last_one_that_says_something_counts() -> None:
    first, last = json.dumps(WHOLE | {"final_answer": "first"}), json.dumps(WHOLE | {"final_answer": "last"})
    assert parse_reasoned(f"{first}\n{last}").answer == "last"
    assert parse_reasoned(f'{last}\n{{"final_answer": ""}}').answer == "last"


def test_no_json() -> None:
    for reply in ("", "{", "The answer is 7.", "[1, 2]", "{}", '"final_answer"', "null", "[" * 100_000):
        found = parse_reasoned(reply)
        assert not found.has_answer and not found.is_cut and found.pages == ()


@given(st.integers(1, len(json.dumps(WHOLE)) - 1))
def test_of_a_reply_that_was_cut_off_what_is_complete_is_taken(length: int) -> None:
    reply = json.dumps(WHOLE)[:length]
    found = parse_reasoned(reply)
    assert found.summary in ("", WHOLE["reasoning_summary"][: len(found.summary)])
    assert found.pages == CLAIMED[: len(found.pages)]
    # The answer is whole or not there: half of it would be another one.
    assert found.answer == ("1,250" if reply.endswith('1,250"') else "")
    assert found.has_answer == bool(found.answer)
    if '": ' in reply and not found.has_answer:
        assert found.is_cut


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


@given(TEXTS, TEXTS, TEXTS | st.lists(TEXTS, max_size=3) | st.booleans() | st.none(), st.booleans())
def test_what_is_json_is_read_as_that(analysis: str, summary: str, answer: Any, ascii_only: bool) -> None:
    made = {"step_by_step_analysis": analysis, "reasoning_summary": summary, "final_answer": answer}
    found = parse_reasoned(json.dumps(made, ensure_ascii=ascii_only))
    assert found.is_strict and found.answer == answer
    assert (found.analysis, found.summary) == (analysis.strip(), summary.strip())


@given(
    st.text("ab c.,'\\n", max_size=20),
    st.text("ab c.,'", max_size=20),
    st.sampled_from(["```json\n{}\n```", "Sure:\n{}", "{}\nDone."]),
    st.sampled_from(["", ","]),
)
def test_repairs_give_the_same_values(analysis: str, answer: str, wrapping: str, comma: str) -> None:
    made = WHOLE | {"step_by_step_analysis": f"x{analysis}x", "final_answer": f"x{answer}x"}
    broken = json.dumps(made)[:-1].replace("\\n", "\n") + comma + "}"
    found = parse_reasoned(wrapping.replace("{}", broken))
    assert not found.is_strict
    assert (found.answer, found.pages) == (f"x{answer}x", CLAIMED)
    assert found.analysis.replace("\\", "").replace("\n", "n") == f"x{analysis}x".replace("\\", "")


@given(st.text(max_size=60) | st.text("{}[]\":,\\'final_answer ", max_size=60))
@settings(max_examples=200)
def test_any_text_gives_a_result_that_a_file_can_hold(text: str) -> None:
    for reply in (
        text,
        '{"final_answer": ' + text,
        '{"final_answer": "' + text,
        '{"relevant_pages": ' + text,
    ):
        found = parse_reasoned(reply)
        answer_text(found.answer).encode()
        assert all(claim.page > 0 for claim in found.pages)


def test_halves_of_characters() -> None:
    for reply in ('{"final_answer": "a\\ud83d"}', json.dumps(WHOLE).replace("1,250", "a\\ud83d")):
        answer_text(parse_reasoned(reply).answer).encode()
    assert parse_reasoned('{"final_answer": "\\ud83d\\ude00",}').answer == "\U0001f600"


def test_deep_replies_say_nothing() -> None:
    for key in ("relevant_pages", "final_answer"):
        deep = json.dumps(WHOLE | {key: "DEEP"}).replace('"DEEP"', "[" * 950 + "]" * 950)
        assert parse_reasoned(deep).pages in ((), CLAIMED)
        parse_reasoned(deep[:-1] + ",}")


def test_hostile_replies_take_no_time() -> None:
    key, blanks = '"final_answer": ', " " * 50_000
    with within(10):
        for piece in (
            "{",
            key,
            key + '"',
            key + "[",
            '\\"',
            "[[",
            '"a",',
            key + "{'a':",
            " ",
            "\\",
            "page 1-999999 ",
        ):
            parse_reasoned(piece * 3000)
            parse_reasoned('{"relevant_pages": [' + piece * 3000)
            parse_reasoned('{"final_answer": "' + piece * 3000)
        assert parse_reasoned(f'{key}"x"{blanks}y').is_cut
        assert parse_reasoned(f"{key}[a{blanks}b").is_cut
        assert parse_reasoned(f'{{{key}"a{blanks}b",}}').answer == "a b"


@pytest.mark.parametrize(
    ("value", "pages"),
    [
        (3, [(3, None)]),
        ("3.0", [(3, None)]),
        (["3", "page 4", "p. 5", "[page 6]"], [(3, None), (4, None), (5, None), (6, None)]),
        ("pages 3-5 and 7", [(3, None), (4, None), (5, None), (7, None)]),
        (["Document 2, page 3", "doc 1 p. 4", "2:9"], [(3, 2), (4, 1), (9, 2)]),
        ([{"document": 2, "page": 3}, {"page_number": "4"}], [(3, 2), (4, None)]),
        ([{"document": "Document 2", "page": 3}, {"document": "Report", "page": 4}], [(3, 2), (4, None)]),
        ("Figure 2 on page 5", [(5, None)]),
        ([3, 3, [4]], [(3, None), (4, None)]),
        ([0, -1, None, True, "none", "2.5", {}], []),
        ("pages 1 to 900000", [(page, None) for page in range(1, 65)]),
    ],
)
def test_pages(value: Any, pages: list[tuple[int, int | None]]) -> None:
    assert page_claims(value) == tuple(PageClaim(*one) for one in pages)


def test_answers_as_texts() -> None:
    values = (True, None, ["a", 1], ["a, b", "c"], {"value": 5}, {"2019": 5, "2020": 6}, " x ", [None, False])
    expected = ["Yes", "", "a, 1", "a, b; c", "5", "2019: 5, 2020: 6", "x", "No"]
    assert [answer_text(value) for value in values] == expected
