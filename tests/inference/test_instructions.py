from __future__ import annotations

from pathlib import Path

import pytest
from effort import within
from hypothesis import given
from hypothesis import strategies as st

from tabrag.data.sources import hitab, tabfact, wtq
from tabrag.inference.instructions import split_instructions

QUESTION = "how many goals did ann score in the 2010 season?"


@pytest.mark.parametrize(
    "instruction",
    [
        "Answer in JSON.",
        "Answer with one word",
        "Please answer using a single word or phrase.",
        "Reply yes or no.",
        "Respond with SUPPORTED or REFUTED only.",
        'Output the final answer in this format: {"answer": "<YOUR ANSWER>"}.',
        'Show your answer in the JSON format {"answer": [<a list of answer strings>]}.',
        'Your final answer should be in the JSON structure, formatted as {"answer": "<YOUR ANSWER>"}.',
        "The answer must be a number.",
        'Present the final answer in a JSON object like\n{"answer": "<YOUR ANSWER>"}',
        "Return the result as JSON.",
        "Could you reply in JSON?",
        "Provide a short answer.",
        "Round your answer to two decimal places.",
        "Conclude your response with the final answer in the format 'Answer: ...'.",
        "Let's think step by step.",
        "Do not include any explanation.",
        "Be concise.",
        "Answer in one word. Do not explain.",
    ],
)
def test_an_instruction_goes_before_and_behind(instruction: str) -> None:
    for joint in ("\n", " "):
        asked, wanted = split_instructions(f"{QUESTION}{joint}{instruction}")
        assert asked == QUESTION
        assert wanted.split() == instruction.split()
    if instruction.endswith((".", "?")):
        assert split_instructions(f"{instruction} {QUESTION}")[0] == QUESTION


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Answer the following question based on the table: who won? Answer in JSON.", "who won?"),
        ("Analyze the table and write a brief answer to the question that follows.\nwho won?", "who won?"),
        ("Based on the table, answer the question. Question: who won?", "who won?"),
        ("Verify the following statement.\nStatement: ann won. Reply true or false.", "ann won."),
        ("Who won (answer with one word)?", "Who won?"),
        ("Who won, answer in JSON?", "Who won?"),
        ("who won in 2010 please answer in json", "who won in 2010"),
        ("In one word, who won?", "who won?"),
        ("What did the U.S. win? Answer with a number.", "What did the U.S. win?"),
    ],
)  # fmt: skip
def test_what_stands_around_or_inside_a_sentence(text: str, question: str) -> None:
    asked, wanted = split_instructions(text)
    assert asked == question and wanted


@pytest.mark.parametrize(
    "text",
    [
        "what was the format of the tournament?",
        "what is the answer in 2010?",
        "Which response had only one answer in the survey?",
        "the output only grew by one percent in 2010.",
        "Response rates should be given in percent by region?",
        "the answer to the first question is yes, the answer to the second is no.",
        "Give the response rate of women in 2010.",
        "List all formats of the single, CD or LP.",
        "Show the output of wheat by region",
        "who replied with one word, anna or bob?",
        "How many respondents answered with yes or no?",
        "Which team answered the question?",
        "json was created in 2001.",
        "Answer in JSON.",
        "",
        "  ",
    ],
)
def test_questions_keep_their_words(text: str) -> None:
    assert split_instructions(text) == (text, "")


def test_no_real_question_or_statement_loses_a_word(data_root: Path) -> None:
    texts = [
        query.text
        for source in (hitab, wtq, tabfact)
        for query in source.read(data_root / source.__name__.rsplit(".", 1)[-1], limit=400).queries
    ]
    assert len(texts) > 3000 and sum("answer" in text or "format" in text for text in texts) > 3
    assert [text for text in texts if split_instructions(text) != (text, "")] == []
    broken = [
        text for text in texts if split_instructions(f"{text}\nAnswer in JSON.")[1] != "Answer in JSON."
    ]
    assert broken == []


@given(st.text(max_size=60), st.sampled_from(["Answer in JSON.", "Reply yes or no.", ""]))
def test_every_word_is_in_one_of_the_two(text: str, instruction: str) -> None:
    asked, wanted = split_instructions(f"{text}\n{instruction}")
    letters = sorted(char for char in f"{text}{instruction}" if char.isalnum())
    assert sorted(char for char in asked + wanted if char.isalnum()) == letters


def test_long_texts_take_no_time() -> None:
    with within(2):
        for piece in ("(", ", please answer with ", "the table ", "{", "a - ", "write answer ", ". "):
            split_instructions(piece * 4000)
