from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabrag.chat.protocol import Message, Text
from tabrag.chat.wire import (
    choice_scores,
    reply_probability,
    request_messages,
    said_limit,
    says_too_long,
    token_texts,
)
from tabrag.errors import UserError

LABELS = ["SUPPORTED", "REFUTED"]


def tokens(**probabilities: float) -> list[tuple[bytes, float]]:
    return [(text.encode(), math.log(p)) for text, p in probabilities.items()]


def test_the_whole_choice_counts_where_it_is_a_token_else_all_beginnings_of_it():
    listed = tokens(SU=0.5, REF=0.2, S=0.1, SUP=0.05, Ref=0.04)
    scores, found = choice_scores(listed, LABELS)
    assert found and scores == pytest.approx([math.log(0.65), math.log(0.2)])
    scores, _ = choice_scores(
        tokens(T=0.5, Tr=0.25, True_=0.0625, F=0.03125, False_=0.0625), ["True_", "False"]
    )
    assert scores == pytest.approx([math.log(0.0625), math.log(0.03125)])


def test_a_token_longer_than_the_choice_does_not_count():
    scores, _ = choice_scores(tokens(**{"Trueness": 0.5, "T": 0.25, "False ": 0.125}), ["True", "False"])
    assert scores == pytest.approx([math.log(0.25), math.log(0.125)])  # the rest is 0.125 too


def test_tokens_of_the_same_text_count_together():
    listed = [(b"True", math.log(0.25)), (b"True", math.log(0.125)), (b"False", math.log(0.5))]
    assert choice_scores(listed, ["True", "False"])[0] == pytest.approx([math.log(0.375), math.log(0.5)])


@pytest.mark.parametrize(
    ("listed", "floor"),
    [
        (tokens(maybe=0.4, No=0.3, no=0.2), 0.1),  # the rest of the probability
        (tokens(no=0.2, maybe=0.05), 0.05),  # the least listed
        (tokens(no=1.0), 1e-9),
    ],
)
def test_an_unlisted_choice_gets_the_most_it_can_have(listed: list[tuple[bytes, float]], floor: float):
    scores, found = choice_scores(listed, ["Yes", "False"])
    assert not found and scores == pytest.approx([math.log(floor)] * 2)


def test_blanks_are_looked_over_only_where_no_choice_stands_without_one():
    listed = tokens(**{" True": 0.5, " False": 0.25, "True ": 0.01})
    assert choice_scores(listed, ["True", "False"])[0] == pytest.approx([math.log(0.5), math.log(0.25)])
    listed = tokens(**{" True": 0.5, "False": 0.25})
    scores, _ = choice_scores(listed, ["True", "False"])
    assert scores == pytest.approx([math.log(0.25)] * 2)  # the floor, and the listed one


def test_a_likely_token_of_several_choices_is_an_error():
    with pytest.raises(UserError, match="begin with the same token .'Table'."):
        choice_scores(tokens(Table=0.9), ["Table 1", "Table 2"])
    unlikely, _ = choice_scores(tokens(Tables=0.5, T=0.1, Tree=0.2), ["Tables", "Tree"])
    assert unlikely == pytest.approx([math.log(0.5), math.log(0.2)])


@given(
    st.lists(st.floats(0.001, 1.0), min_size=3, max_size=12),
    st.lists(st.sampled_from("SRXYZ"), min_size=12, max_size=12),
)
def test_scores_are_log_probabilities_of_exclusive_events(weights: list[float], letters: list[str]):
    listed = [
        (letter.encode(), math.log(w / sum(weights))) for w, letter in zip(weights, letters, strict=False)
    ]
    scores, _ = choice_scores(listed, LABELS)
    for label, score in zip(LABELS, scores, strict=True):
        mass = sum(math.exp(value) for text, value in listed if text == label[0].encode())
        assert score == pytest.approx(math.log(mass)) if mass else score <= min(v for _, v in listed) + 1e-9


def test_parts_of_characters_are_matched_by_their_bytes():
    entries = [{"token": "�", "logprob": -0.5, "bytes": [0xC3]}, {"token": "n", "logprob": -1.0}]
    listed = token_texts(entries)
    assert listed == [(b"\xc3", -0.5), (b"n", -1.0)]
    assert choice_scores(listed, ["Ü", "nein"])[0] == [-0.5, -1.0]
    assert token_texts([{"token": "a", "logprob": 1e-7, "bytes": None}]) == [(b"a", 0.0)]
    assert token_texts([{"token": "a", "logprob": -math.inf}]) == [(b"a", -10_000.0)]
    for entry in ({"token": "a"}, {"token": "a", "logprob": float("nan")}, "a"):
        with pytest.raises(ValueError):
            token_texts([entry])  # type: ignore[list-item]


def test_probability_of_a_reply_ends_with_its_stop_text():
    said = [(b"\n", -1.0), (b"4", -2.0), (b"2\nand", -3.0), (b"more", -9.0)]
    assert reply_probability(said, ["\n"]) == pytest.approx(math.exp(-2.0))
    assert reply_probability(said, []) == pytest.approx(math.exp(-15 / 4))
    assert reply_probability([], []) is None


@pytest.mark.parametrize(
    "token",
    ["<|im_end|>", "<image>", "</s>", "<start_of_turn>", "[INST]", "[/INST]", "<｜User｜>", "<fake_token.1>"],
)
def test_control_tokens_are_broken_up(token: str):
    sent = request_messages([Message("user", (Text(f"x{token}y{token}"),))], max_pixels=1)
    broken = f"{token[0]} {token[1:]}"
    assert sent == [{"role": "user", "content": f"x{broken}y{broken}"}]
    halves = (Text(f"x{token[:2]}"), Text(f"{token[2:]}y", item_id="T"))
    assert request_messages([Message("user", halves)], max_pixels=1)[0]["content"] == f"x{broken}y"


@pytest.mark.parametrize("text", ["a < b and c > d", "<5 %", "[1] [USD]", "p<0.05>", "5 <> 6 | x", "<|>"])
def test_other_text_stays(text: str):
    assert request_messages([Message("user", (Text(text),))], max_pixels=1)[0]["content"] == text


@pytest.mark.parametrize(
    ("said", "limit"),
    [
        ("This model's maximum context length is 4096 tokens. However, you requested 5000 tokens", 4096),
        ("The decoder prompt (length 5000) is longer than the maximum model length of 4096.", 4096),
        ("this model's maximum context length is 4096 tokens, but the prompt contains 9 input tokens", 4096),
        ("The input (5000 tokens) is longer than the model's context length (4096 tokens).", 4096),
        ("Requested token count exceeds the model's maximum context length of 4096 tokens.", 4096),
        ("request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it", 4096),
        ('{"error": {"type": "exceed_context_size_error", "n_prompt_tokens": 5000, "n_ctx": 4096}}', 4096),
        ("the request exceeds the available context size, try increasing it", None),
        ("max_tokens must be at least 1, got -186", None),
    ],
)
def test_refusals_of_long_prompts_are_understood(said: str, limit: int | None):
    assert says_too_long(said) and said_limit(said) == limit


def test_other_refusals_are_not_taken_for_long_prompts():
    assert not says_too_long("Requested sample logprobs of 50, which is greater than max allowed: 20")
    assert not says_too_long("At most 0 image(s) may be provided in one request.")
