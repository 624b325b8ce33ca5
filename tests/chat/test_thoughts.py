from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

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


@given(st.text(max_size=20), st.text(max_size=20))
def test_a_thought_before_a_reply_changes_nothing(thought: str, reply: str):
    if "<" in thought + reply:
        return
    assert without_thoughts(f"<think>{thought}</think>{reply}") == reply
    behind = first_said(f"<think>{thought}</think>{reply}")
    assert behind is not None
    assert f"<think>{thought}</think>{reply}"[behind:] == reply.lstrip()


def test_many_marks_take_no_time():
    start = time.perf_counter()
    for text in ("<think>" * 50_000, "</think>" * 50_000, "<think></think>" * 50_000):
        without_thoughts(text), first_said(text)
    assert time.perf_counter() - start < 2
