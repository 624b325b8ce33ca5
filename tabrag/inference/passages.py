"""Where in the passages of a document's text an answer stands."""

from __future__ import annotations

from collections.abc import Sequence

from tabrag.documents.select import rarity_scores
from tabrag.evaluation.answer_replies import final_answer
from tabrag.evaluation.answer_values import number, numbers_in, same_value
from tabrag.evaluation.answers import list_members, normalise
from tabrag.index.tokens import tokenize
from tabrag.tables.values import Value


def locate_passages(passages: Sequence[str], answer: str, question: str) -> list[int]:
    """The passage that holds the answer: its text, or its number in any writing.

    Of several the one that shares most rare words with the question, the first of equals. Where none does and
    the answer is a list, the passages of its members, if each has one.

    Returns:
        Places of passages, each once; empty where the answer does not stand in them.
    """
    scores = rarity_scores(tokenize(question), [tokenize(passage) for passage in passages])
    whole = _best(_holding(passages, answer), scores)
    members = list_members(answer)
    if whole or len(members) < 2:
        return whole
    each = [_best(_holding(passages, member), scores) for member in members]
    return list(dict.fromkeys(place for some in each for place in some)) if all(each) else []


def locate_numbers(passages: Sequence[str], sentence: str, question: str) -> list[int]:
    """The passages that hold the numbers of a sentence, for each number the best one, in their order."""
    scores = rarity_scores(tokenize(f"{question} {sentence}"), [tokenize(passage) for passage in passages])
    found = [_best(_holding(passages, written), scores) for written, _ in numbers_in(sentence)]
    return sorted({place for some in found for place in some})


def value_in_passages(passages: Sequence[str], reply: str, question: str) -> str:
    """The value that a reply gives: of a longer sentence its only number that stands in the passages.

    Numbers of the question are no answers to it. A reply that stands in a passage as it is, or that has no
    such number or several, stays as it is, but for what it is wrapped in ("The answer is:").
    """
    if _holding(passages, reply):
        return reply
    reply = final_answer(reply)
    if _holding(passages, reply) or len(reply.split()) < 3 or all(map(number, list_members(reply))):
        return reply
    asked = [value for _, value in numbers_in(question)]
    said = {
        written: value
        for written, value in numbers_in(reply)
        if not any(_alike(value, one) for one in asked) and _holding(passages, written)
    }
    return next(iter(said)) if len(said) == 1 else reply


def _holding(passages: Sequence[str], answer: str) -> list[int]:
    """Places of the passages that hold an answer."""
    wanted = normalise(answer)
    if not wanted:
        return []
    value = number(answer)
    if value is not None:
        return [
            place
            for place, passage in enumerate(passages)
            if any(_alike(value, one) for _, one in numbers_in(passage))
        ]
    return [place for place, text in enumerate(map(normalise, passages)) if f" {wanted} " in f" {text} "]


def _alike(left: Value, right: Value) -> bool:
    return same_value(left, right, percent="aware", scale="aware")


def _best(places: Sequence[int], scores: Sequence[float]) -> list[int]:
    return [max(places, key=lambda place: scores[place])] if places else []
