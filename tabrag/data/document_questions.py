"""Whether a question names one document of a corpus: else no retriever could tell which one is meant.

MixRAG (arXiv 2504.09554) drops questions that several documents answer, by a rule and by language models that
judge the candidates. Here it is a rule alone. Its parts, in this order; a question is counted under the first
that drops it:

1. *Names nothing.* It must share with its document something rare that can name it: a word or a phrase of two
   neighbouring words that at most :data:`MAX_HOLDERS` documents hold, or at least two words with the
   document's title that at most :data:`MAX_TITLES` titles hold together. Words for asking and counting, and
   those of any report (months, "company", "million"), make no name. "What was the total revenue in 2019?"
   ends here.
2. *Fits another document.* No other document may hold all that is rare in it and with that
   :data:`MIN_FIT` or more of the words on its subject that its document holds, years included.
3. *Answered elsewhere.* No other document that holds all that is rare in it may hold all numbers of its
   formula that its document holds, or where there is no formula all words of the answers.
4. *Not to be checked.* Where the document holds none of these numbers, or not all words of the answers (a
   computed number without its formula), no other document at all may hold all that is rare in it.

A question that the rule keeps has words in common with its document by construction, which helps lexical
search; figures on such a set compare systems, they do not say how well people's own questions fare.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tabrag.data.answerable import GENERIC_WORDS, subject_words
from tabrag.data.document_words import UNSPECIFIC_WORDS, DocumentWords, Holders, Phrase, phrases_of, words_of
from tabrag.index.tokens import STOP_WORDS, tokenize

MAX_HOLDERS = 20
"""A word or phrase is rare that so many documents hold at the most."""
MAX_TITLES = 5
"""The words that a question shares with the title are rare if so many titles hold them all at the most."""
MIN_FIT = 0.75
"""A document with this share of the words on the subject, and all rare ones, could be meant as well."""

NAMES_NOTHING, FITS_ANOTHER, ANSWERED_ELSEWHERE, UNCHECKED, KEPT = (
    "names nothing",
    "fits another document",
    "answered elsewhere",
    "not to be checked",
    "kept",
)
VERDICTS = (NAMES_NOTHING, FITS_ANOTHER, ANSWERED_ELSEWHERE, UNCHECKED, KEPT)

_WORDS_LEFT_OUT = STOP_WORDS | GENERIC_WORDS


@dataclass(frozen=True, slots=True)
class NamedQuestion:
    """What of a question the rule looks at.

    Attributes:
        words: Those on its subject, years and long numbers included.
        title_words: The same with small numbers, to be found in titles.
        phrases: Pairs of neighbours that could be names.
        numbers: Those of its formula.
        answer_words: All words of its answers.
    """

    words: tuple[str, ...]
    title_words: tuple[str, ...]
    phrases: tuple[Phrase, ...]
    numbers: frozenset[str]
    answer_words: frozenset[str]


def read_question(text: str, answers: list[str], formula: str | None) -> NamedQuestion:
    """Take a question apart."""
    numbers = {word for word in words_of(formula or "") if word[0].isdigit()}
    answer_words = {word for answer in answers for word in tokenize(answer, stop_words=_WORDS_LEFT_OUT)}
    return NamedQuestion(
        words=tuple(subject_words(text)),
        title_words=tuple(subject_words(text, small_numbers=True)),
        phrases=tuple(dict.fromkeys(phrases_of(words_of(text)))),
        numbers=frozenset(numbers),
        answer_words=frozenset(answer_words),
    )


def verdict(question: NamedQuestion, row: int, index: DocumentWords) -> str:
    """One of :data:`VERDICTS` for a question on document ``row``; the module says how."""
    own: Holders = 1 << row
    words = [word for word in question.words if index.holders(word) & own]
    rare = list(_rare(question, words, own, index))
    if not rare:
        return NAMES_NOTHING
    others = ~own
    for holders in rare:
        others &= holders
    if any(_fits(words, document, index) for document in _each(others)):
        return FITS_ANOTHER
    facts = [fact for fact in question.numbers if index.holders(fact) & own]
    if not facts and all(index.holders(word) & own for word in question.answer_words):
        facts = list(question.answer_words)
    if not facts:
        return UNCHECKED if others else KEPT
    for fact in facts:
        others &= index.holders(fact)
    return ANSWERED_ELSEWHERE if others else KEPT


def _rare(question: NamedQuestion, words: list[str], own: Holders, index: DocumentWords) -> Iterator[Holders]:
    """The documents that hold each of the rare things that a question shares with its document."""
    for word in words:
        if word not in UNSPECIFIC_WORDS and index.count(word) <= MAX_HOLDERS:
            yield index.holders(word)
    for phrase in question.phrases:
        if index.holders(phrase) & own and index.count(phrase) <= MAX_HOLDERS:
            yield index.holders(phrase)
    in_title = [
        word
        for word in question.title_words
        if word not in UNSPECIFIC_WORDS and index.holders(word, in_title=True) & own
    ]
    titled: Holders = -1
    for word in in_title:
        titled &= index.holders(word, in_title=True)
    has_name = any(not word[0].isdigit() for word in in_title)
    if has_name and len(in_title) > 1 and titled.bit_count() <= MAX_TITLES:
        yield titled


def _fits(words: list[str], document: Holders, index: DocumentWords) -> bool:
    held = sum(1 for word in words if index.holders(word) & document)
    return held >= MIN_FIT * len(words)


def _each(documents: Holders) -> Iterator[Holders]:
    while documents:
        lowest = documents & -documents
        yield lowest
        documents ^= lowest
