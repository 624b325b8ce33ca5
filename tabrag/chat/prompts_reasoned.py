"""Asking for an answer as one JSON object: analysis, summary, pages, answer, in this order.

MHier-RAG (Gong et al., arXiv 2508.00579; its parts, in our own words): the model reasons before it answers,
names the pages that the answer rests on, and gives the answer in the form that fits the question, with a
schema and an example for each form. The beginning and what is shown do not depend on the question.

Whoever changes a text raises :data:`tabrag.chat.prompts_reasoning.REASONING_VERSION`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Literal

from tabrag.chat.prompts import NOT_ANSWERABLE, Shown, shown_parts
from tabrag.chat.protocol import Message, Text

AnswerForm = Literal["text", "integer", "number", "list", "yes_no"]
"""What an answer looks like: a text, a whole number, a number with its unit, several things, yes or no."""
ANALYSIS, SUMMARY, PAGES, ANSWER = (
    "step_by_step_analysis",
    "reasoning_summary",
    "relevant_pages",
    "final_answer",
)
KEYS = (ANALYSIS, SUMMARY, PAGES, ANSWER)

_FORMS: dict[AnswerForm, str] = {
    "text": "a string: the name or the words alone, no sentence around them",
    "integer": "an integer",
    "number": 'a number as it stands there, in quotes with its unit, scale or % ("3.4 million", "12.5%")',
    "list": "an array of strings, one for each thing that is asked for",
    "yes_no": '"Yes" or "No"',
}
_TYPES: dict[AnswerForm, str] = {
    "text": "string",
    "integer": "integer",
    "number": "number | string",
    "list": "[string, ...]",
    "yes_no": '"Yes" | "No"',
}
_EXAMPLES: dict[AnswerForm, tuple[str, list[str], str, list[int], Any]] = {
    "text": (
        "Which berth was dredged in 2022?",
        [
            "One berth is asked for, and the year is 2022.",
            "Page 2 lists the works at the berths by year.",
            "There, 2021 has the north berth, and 2022 has the south berth.",
            "Page 5 speaks of dredging too, but of plans for 2024, which is another year.",
            "So it is the south berth.",
        ],
        "The list of works on page 2 names the south berth for 2022; page 5 is about plans for 2024.",
        [2],
        "South berth",
    ),
    "integer": (
        "How many boats were in the harbour at the end of 2022?",
        [
            "A count is asked for, at the end of 2022.",
            "The table on page 3 counts boats by kind and year.",
            "Its column 2022 has 1,400 sailing and 290 fishing boats.",
            "It has no other kind, and no total.",
            "1,400 and 290 make 1,690.",
        ],
        "The table on page 3 has 1,400 sailing and 290 fishing boats for 2022, together 1,690.",
        [3],
        1690,
    ),
    "number": (
        "By what percentage did the number of sailing boats grow from 2021 to 2022?",
        [
            "A growth in percent is asked for, from 2021 to 2022, of sailing boats alone.",
            "The table on page 3 counts boats by kind and year.",
            "It has 1,250 sailing boats in 2021 and 1,400 in 2022.",
            "The difference is 150.",
            "150 over 1,250 is 0.12, which is 12%.",
        ],
        "Sailing boats grew from 1,250 to 1,400 (page 3), by 150, which is 12% of 1,250.",
        [3],
        "12%",
    ),
    "list": (
        "Which berths were repaired between 2021 and 2023?",
        [
            "Several berths are asked for, over three years.",
            "Page 2 lists the works at the berths by year, up to 2022.",
            "It has the north berth in 2021; in 2022 the south berth was dredged, which is no repair.",
            "Page 6 goes on with 2023: the east berth was repaired.",
            "So they are the north and the east berth.",
        ],
        "Repairs stand on page 2 (2021: north berth) and page 6 (2023: east berth); dredging is no repair.",
        [2, 6],
        ["North berth", "East berth"],
    ),
    "yes_no": (
        "Did the number of fishing boats grow in 2022?",
        [
            "Yes or no is asked for, about fishing boats in 2022.",
            "The table on page 3 counts boats by kind and year.",
            "It has 310 fishing boats in 2021.",
            "It has 290 fishing boats in 2022.",
            "290 is less than 310, so it did not grow.",
        ],
        "Fishing boats went from 310 in 2021 to 290 in 2022 (page 3), so their number fell.",
        [3],
        "No",
    ),
}


def reasoned_prompt(
    question: str,
    shown: Sequence[Shown],
    *,
    form: AnswerForm,
    has_pages: bool,
    instruction: str = "",
) -> list[Message]:
    """Ask for a reply that :func:`tabrag.chat.reasoned.parse_reasoned` reads.

    Args:
        question: The question.
        shown: What is shown; pages begin with ``[page N]`` there.
        form: What the answer looks like.
        has_pages: Whether it has pages; else none are asked for.
        instruction: How the question wants to be answered, or empty.
    """
    several = sum(bool(one.item_id) for one in shown) > 1
    begin = Text(f"{_task(has_pages=has_pages, several=several)}\nNow it is your turn.\n")
    wanted = f"\nFor {ANSWER}: {instruction.strip()}" if instruction.strip() else ""
    end = Text(
        f"\n{ANSWER} must be {_FORMS[form]}, or '{NOT_ANSWERABLE}'.\n"
        f"Form: {_schema(form, has_pages=has_pages)}\n"
        f"Example, about a harbour\n{example(form, has_pages=has_pages, several=several)}\n\n"
        f"Question: {question.strip()}{wanted}\n"
        "Reply with the JSON object alone.\n",
        question=question.strip(),
    )
    return [Message("user", (begin, *shown_parts(shown), end))]


def example(form: AnswerForm, *, has_pages: bool, several: bool) -> str:
    """A question and the reply to it, with all that :func:`reasoned_prompt` asks for."""
    question, steps, summary, pages, answer = _EXAMPLES[form]
    reply = {
        ANALYSIS: " ".join(f"{number}. {step}" for number, step in enumerate(steps, start=1)),
        SUMMARY: summary,
        PAGES: [f"Document 1, page {page}" for page in pages] if several else pages,
        ANSWER: answer,
    }
    if not has_pages:
        del reply[PAGES]
    return f"Question: {question}\n{json.dumps(reply)}"


def _task(*, has_pages: bool, several: bool) -> str:
    number = (
        'documents and pages that the answer rests on, as "Document 1, page 2"'
        if several
        else "numbers of the pages that the answer rests on"
    )
    lines = [
        "Answer the question about what is shown below with one JSON object, and write nothing else. Its"
        " keys, in this order:",
        f"{ANALYSIS}: at least five numbered steps, about 150 words: what is asked for, where it may stand,"
        " what stands there with its unit and year, what could be taken for it and is not, what follows.",
        f"{SUMMARY}: the same in about 50 words.",
        f"{PAGES}: the {number}; pages begin with [page N], and no other page may be named.",
        f"{ANSWER}: the answer alone; '{NOT_ANSWERABLE}' when what is shown does not tell it. Do not guess.",
    ]
    return "\n".join(line for line in lines if has_pages or not line.startswith(PAGES)) + "\n"


def _schema(form: AnswerForm, *, has_pages: bool) -> str:
    pages = f'"{PAGES}": [...], ' if has_pages else ""
    return f'{{"{ANALYSIS}": string, "{SUMMARY}": string, {pages}"{ANSWER}": {_TYPES[form]}}}'
