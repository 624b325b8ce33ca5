"""Prompts that let a model reason before it answers: in words, as a program, or in the five parts of RECAP.

Each shows one made-up example first, then what is to be read, then the question: the example and the tables
are the same for all questions about them. Whoever changes a text raises :data:`REASONING_VERSION`: a batch
job refuses to go on under another one.

- chain of thought: Wei et al., "Chain-of-Thought Prompting Elicits Reasoning", NeurIPS 2022
- program of thought: Chen et al., "Program of Thoughts Prompting", TMLR 2023
- RECAP: Zhang et al., "Mixture-of-RAG" (arXiv 2504.09554); its parts, in our own words
"""

from __future__ import annotations

from collections.abc import Sequence

from tabrag.chat.prompts import Shown, not_found, shown_parts
from tabrag.chat.protocol import Message, Text

REASONING_VERSION = 2
STOP = ("\nQuestion:", "\nExample", "\nTable:", "\nDocument:")
"""Where a reply ends at the latest: the model has begun a question of its own."""

_EXAMPLE = """Example
Table: Boats in the harbour, by kind
kind | 2021 | 2022
sailing | 1,250 | 1,400
fishing | 310 | 290
Question: By what percentage did the number of sailing boats grow from 2021 to 2022?
"""
_COT = (
    "Answer the question about what is shown below. Think step by step, in short sentences. End with a line"
    " that begins with 'Answer:' and gives the value only; it is '{not_found}' when it is not there.\n\n"
    f"{_EXAMPLE}"
    "In 2021 there were 1,250 sailing boats, in 2022 there were 1,400. The growth is 150, and 150 over"
    " 1,250 is 0.12.\n"
    "Answer: 12%\n"
)
_POT = (
    "Answer the question about what is shown below with a short program. Each line gives a name the value of"
    " an expression of numbers, names, + - * / ** ( ), min, max, abs, round, sum and average; write numbers"
    " without thousands commas. The last line sets 'ans': to a number, or to a text in quotes, '{not_found}'"
    " when the answer is not there. Write nothing else.\n\n"
    f"{_EXAMPLE}"
    "sailing_2021 = 1250\n"
    "sailing_2022 = 1400\n"
    "ans = (sailing_2022 - sailing_2021) / sailing_2021 * 100\n"
)
_RECAP = (
    "Answer the question about what is shown below in five parts, each on a line that begins with its name:\n"
    "Restate: the question in your own words, and its type, number or text.\n"
    "Extract: the values that it needs, each with its row and column.\n"
    "Compute: how the answer follows from them. Where it is a number, end with one formula between ## and ##:"
    " the values without thousands commas and units, + - * / ** ( ), min, max, abs, round, sum, average.\n"
    "Answer: the value only; '{not_found}' when it is not there.\n"
    "Present: the answer for the reader.\n\n"
    f"{_EXAMPLE}"
    "Restate: How large is the growth of sailing boats from 2021 to 2022, in percent of 2021? Type: number.\n"
    "Extract: sailing in 2021 is 1,250; sailing in 2022 is 1,400.\n"
    "Compute: The growth is the difference over the earlier value. ##(1400 - 1250) / 1250 * 100##\n"
    "Answer: 12%\n"
    "Present: The number of sailing boats grew by 12%.\n"
)


def cot_prompt(question: str, shown: Sequence[Shown], *, instruction: str = "") -> list[Message]:
    """Ask for steps in words and a last line ``Answer: ...``, in the form that ``instruction`` asks for."""
    return _prompt(_COT, question, shown, _form("the answer", instruction))


def pot_prompt(question: str, shown: Sequence[Shown]) -> list[Message]:
    """Ask for a program that :func:`tabrag.chat.arithmetic_program.run_program` reads."""
    return _prompt(_POT, question, shown, "")


def recap_prompt(question: str, shown: Sequence[Shown], *, instruction: str = "") -> list[Message]:
    """Ask for the five parts of RECAP, the last one in the form that ``instruction`` asks for."""
    return _prompt(_RECAP, question, shown, _form("Present", instruction))


def _form(what: str, instruction: str) -> str:
    return f"\nFor {what}: {instruction.strip()}" if instruction.strip() else ""


def _prompt(task: str, question: str, shown: Sequence[Shown], form: str) -> list[Message]:
    task = task.format(not_found=not_found(shown))
    begin = Text(f"{task}\nNow it is your turn.\n")
    end = Text(f"\nQuestion: {question.strip()}{form}\n", question=question.strip())
    return [Message("user", (begin, *shown_parts(shown), end))]
