from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from effort import within
from hypothesis import given
from hypothesis import strategies as st

from tabrag.chat.judge import EXAMPLE_REPLY
from tabrag.evaluation.fastrageval import (
    MAX_CHARACTERS,
    JudgedFact,
    Judgement,
    JudgementError,
    check_judgement,
    judgement_from_record,
    judgement_record,
    parse_judgement,
    score,
    settled,
)


def _cases() -> list[tuple[str, list[str], str]]:
    """Name, what is expected, and reply of each case of ``judge_replies.txt``."""
    text = Path(__file__).with_name("judge_replies.txt").read_text(encoding="utf-8")
    cases = []
    for block in text.removesuffix("\n").split("\n=== ")[1:]:
        head, _, reply = block.partition("\n")
        name, *expected = head.split(" | ")
        cases.append((name, expected, reply))
    return cases


CASES = _cases()
GOOD = '{"ref_facts": [{"fact": "a", "covered": true}], "pred_facts": [{"fact": "b", "supported": false}]}'


def test_the_cases_are_many_and_of_all_kinds() -> None:
    assert len(CASES) > 220 and len({name for name, _, _ in CASES}) == len(CASES)
    kinds = Counter(expected[-1] for _, expected, _ in CASES)
    assert kinds["strict"] > 50 and kinds["mended"] > 60
    assert {kind.removeprefix("fault ") for kind in kinds if kind.startswith("fault ")} == {
        *("empty", "no_object", "several", "syntax", "cut_off", "repeated_key", "missing_list", "no_list"),
        *("fact", "flag", "contradiction"),
    }


@pytest.mark.parametrize(("expected", "reply"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_reply_gives_exactly_its_figures_or_its_fault(expected: list[str], reply: str) -> None:
    if len(expected) == 1:
        with pytest.raises(JudgementError) as caught:
            parse_judgement(reply)
        assert f"fault {caught.value.kind}" == expected[0] and str(caught.value)
        return
    counts, figures, manner = expected
    judgement = parse_judgement(reply)
    found = [
        f"{sum(fact.holds for fact in facts)}/{len(facts)}"
        for facts in (judgement.ref_facts, judgement.pred_facts)
    ]
    assert " ".join(found) == counts
    exact = score(judgement)
    assert [exact.recall, exact.precision, exact.f1] == [Fraction(one) for one in figures.split()]
    assert judgement.mended == (manner == "mended")
    json.dumps(judgement_record(judgement), ensure_ascii=False, allow_nan=False).encode()  # can be stored
    assert judgement_from_record(judgement_record(judgement)) == replace(judgement, mended=False)


FACTS = st.lists(
    st.tuples(st.text(st.characters(categories=("L", "N")), min_size=1, max_size=5), st.booleans()),
    max_size=5,
    unique_by=lambda one: one[0].casefold(),
)


def _reply(ref: list[tuple[str, bool]], pred: list[tuple[str, bool]]) -> str:
    record = {
        "ref_facts": [{"fact": text, "covered": holds} for text, holds in ref],
        "pred_facts": [{"fact": text, "supported": holds} for text, holds in pred],
    }
    return json.dumps(record)


@given(FACTS, FACTS)
def test_counts_are_those_of_the_lists_however_they_are_written(
    ref: list[tuple[str, bool]], pred: list[tuple[str, bool]]
) -> None:
    strict = _reply(ref, pred)
    judgement = parse_judgement(strict)
    assert [(fact.text, fact.holds) for fact in judgement.ref_facts] == ref
    figures = score(judgement)
    assert figures.recall == (Fraction(sum(one for _, one in ref), len(ref)) if ref else 1)
    assert figures.precision == (Fraction(sum(one for _, one in pred), len(pred)) if pred else 0)
    assert min(figures.recall, figures.precision) <= figures.f1 <= max(figures.recall, figures.precision)
    mended = replace(judgement, mended=True)
    for other in (
        f"So:\n```json\n{strict}\n```",
        repr(json.loads(strict)),
        strict[:-1],
        strict.replace("}", ",}").replace("}]", "},]"),
        strict.replace("\n", " ").replace(": ", " : // x\n"),
    ):
        assert parse_judgement(other) == mended


@given(FACTS, FACTS, st.data())
def test_a_reply_that_is_cut_off_is_never_a_judgement(
    ref: list[tuple[str, bool]], pred: list[tuple[str, bool]], data: st.DataObject
) -> None:
    whole = _reply(ref, pred)
    cut = whole[: data.draw(st.integers(0, len(whole) - 2))]
    for text in (cut, f"```json\n{cut}\n```"):
        with pytest.raises(JudgementError):
            parse_judgement(text)


@given(st.text(max_size=80) | st.text(alphabet="{}[]\"':, reftusalcovdp_\\", max_size=80))
def test_no_text_raises_anything_else(text: str) -> None:
    try:
        parse_judgement(text)
    except JudgementError as error:
        assert error.kind


def test_line_ends_and_sizes() -> None:
    assert not parse_judgement(GOOD.replace(", ", ",\r\n")).mended
    assert parse_judgement("\r\n```json\r\n" + GOOD + "\r\n```\r\n").mended
    many = _reply([(f"fact {i}", i % 2 == 0) for i in range(1001)], [("x", True)])
    assert score(parse_judgement(many)).recall == Fraction(501, 1001)
    with pytest.raises(JudgementError) as caught:
        parse_judgement(GOOD + " " * MAX_CHARACTERS)
    assert caught.value.kind == "too_long"
    for text in ("[" * 190_000, '{"ref_facts": [' * 12_000, '{"ref_facts": [{"fact": "a' * 7000):
        with within(3), pytest.raises(JudgementError):
            parse_judgement(text)


def test_a_judgement_must_fit_what_was_judged() -> None:
    nothing = Judgement((), ())
    good = parse_judgement(GOOD)
    refusal = Judgement((JudgedFact("a", False),), ())

    def fault(judgement: Judgement, references: list[str], prediction: str) -> str:
        try:
            check_judgement(judgement, references, prediction)
        except JudgementError as error:
            return error.kind
        return ""

    assert score(nothing).recall == 1  # what a judge that lists nothing would give to any answer
    assert fault(nothing, ["Sales were 5."], "Sales were 6.") == "no_ref_facts"
    assert fault(nothing, [" "], "Sales were 6.") == ""
    assert fault(good, ["a"], "b") == ""
    assert fault(good, ["a"], " ") == "not_empty"
    assert fault(replace(good, pred_facts=()), ["a"], "") == "not_empty"  # covered by nothing
    assert fault(refusal, ["a"], "") == fault(refusal, ["a"], "I do not know") == ""
    assert fault(good, ["a"], f"Reply with {GOOD}") == "copied"
    other = GOOD.replace("true", "false")
    assert parse_judgement(other) != good
    for inside in (
        GOOD.replace('"', "'"),
        f"either {GOOD} or {other}",
        f"either {other} or {GOOD}",
        f'{{"reply": {GOOD}}}',
        f'{{"ref_facts": [}} {GOOD}',
        GOOD.replace('"ref_facts"', "ref_facts"),
    ):
        assert fault(good, ["a"], inside) == "copied", inside
    assert fault(good, ["a"], other) == ""
    assert fault(good, ["a"], "{" * 5000 + "ref_facts {" * 5000) == ""
    assert fault(refusal, ["a"], f"Reply with {GOOD}") == ""
    assert fault(good, ["a"], 'the keys are "ref_facts" and more') == ""
    assert fault(parse_judgement(EXAMPLE_REPLY), ["a"], "b") == "copied"


def test_no_judge_is_needed_where_both_sides_say_that_there_is_no_answer() -> None:
    for references, prediction in (
        (["Not answerable"], "not answerable."),
        (["Not answerable", "unanswerable"], "Not in the table"),
        (["Not answerable"], '{"answer": "Not answerable"}'),
    ):
        judgement = settled(references, prediction)
        assert judgement is not None
        assert score(judgement) == score(parse_judgement(GOOD.replace("false", "true")))
    for references, prediction in (
        (["12"], "Not answerable"),
        (["Not answerable"], "12"),
        (["Not answerable"], ""),
        (["Not answerable", "12"], "Not answerable"),
        ([], "Not answerable"),
    ):
        assert settled(references, prediction) is None
