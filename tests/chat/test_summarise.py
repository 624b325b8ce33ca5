"""Summaries are asked for once and read without what is no summary."""

from __future__ import annotations

import pytest

from tabrag.chat.protocol import Text
from tabrag.chat.summarise import read_summary, summarise_prompt


def test_the_passages_may_be_shortened_and_the_question_not() -> None:
    (message,) = summarise_prompt(["Fruit sold well.", "Lemons did not."], item_id="r.pdf", max_tokens=100)
    parts = [part for part in message.parts if isinstance(part, Text)]
    assert [part.text for part in parts if part.item_id == "r.pdf"] == ["Fruit sold well.\n\nLemons did not."]
    assert "70 words" in parts[-1].text and parts[-1].item_id is None
    assert "10 words" in summarise_prompt(["x"], item_id="r", max_tokens=2)[0].parts[-1].text  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("reply", "summary"),
    [
        ("Fruit sold well in 2021.", "Fruit sold well in 2021."),
        ("Here is a summary of the passages:\n\nFruit sold\nwell.", "Fruit sold well."),
        ("**Summary:** Fruit sold well. Lemons were", "Fruit sold well."),
        (
            "- Fruit sold well.\n- Lemons did not.\n3. Wine: dear.",
            "Fruit sold well. Lemons did not. Wine: dear.",
        ),
        ("<think>What do they want?</think>Fruit sold well.", "Fruit sold well."),
        ("<think>What do they", ""),
        ("Fruit sold well because", "Fruit sold well because"),
        ("Sure! Here is the summary: Fruit sold well.", "Fruit sold well."),
        ("Sales: 5 million in 2021.", "Sales: 5 million in 2021."),
        ("  \n", ""),
    ],
)
def test_replies(reply: str, summary: str) -> None:
    assert read_summary(reply) == summary
