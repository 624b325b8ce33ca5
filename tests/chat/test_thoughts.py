from __future__ import annotations

import pytest
import torch
from effort import within
from hypothesis import given
from hypothesis import strategies as st
from tiny_chat import byte_tokenizer

from tabrag.chat.decoding import Decoder
from tabrag.chat.protocol import first_stop
from tabrag.chat.thoughts import first_said, without_thoughts


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("7", "7"),
        ("<think>\n5 or 6?\n</think>\n\n7", "\n\n7"),
        ("5 or 6?\n</THINKING>7", "7"),
        ("<think>a</think><think>b</think>7", "7"),
        ("7 <think>or 8", "7 "),
        ("<thinking>or 8", ""),
        ("", ""),
    ],
)
def test_what_is_said_outside_of_thoughts(text: str, said: str):
    assert without_thoughts(text) == said


def test_stop_texts_within_a_thought_end_nothing():
    assert first_stop("<think>\n5\n", ["\n"]) is None
    text = "<think>\n5\n</think>\n\n7\n8"
    assert first_stop(text, ["\n"]) == text.index("7") + 1
    assert first_said("  7") == 2
    assert first_said(text) == text.index("7")


def decoded(text: str) -> str:
    """The reply of a local model that says a text token by token."""
    tokenizer = byte_tokenizer(special=["<|endoftext|>"], eos_token="<|endoftext|>")
    ids_1S = torch.tensor([tokenizer(text, add_special_tokens=False)["input_ids"]])
    decoder = Decoder(tokenizer, ends=[], stop=["\n"], prompt_length=0)
    for length in range(1, ids_1S.shape[1] + 1):
        decoder.record(ids_1S, torch.zeros(1, 2))
        if decoder.stopped(ids_1S[:, :length], None).all():
            break
    return decoder.replies(ids_1S[:, :length])[0].text


def test_a_local_model_that_thinks_first(caplog: pytest.LogCaptureFixture):
    assert decoded("\n42\nmore") == "42"
    assert decoded("<think>\nfive?\n</think>\n\n42\nmore") == "42"
    assert not caplog.text
    assert decoded("<think>\nfive?\n") == ""
    assert "1 of 1 replies are thoughts alone" in caplog.text


@given(st.text(max_size=20), st.text(max_size=20))
def test_a_thought_before_a_reply_changes_nothing(thought: str, reply: str):
    if "<" in thought + reply:
        return
    assert without_thoughts(f"<think>{thought}</think>{reply}") == reply
    behind = first_said(f"<think>{thought}</think>{reply}")
    assert behind is not None
    assert f"<think>{thought}</think>{reply}"[behind:] == reply.lstrip()


def test_many_marks_take_no_time():
    with within(2):
        for text in ("<think>" * 50_000, "</think>" * 50_000, "<think></think>" * 50_000):
            without_thoughts(text), first_said(text)
