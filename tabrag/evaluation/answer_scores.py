"""Figures over many answers: questions, statements and descriptions, each with its own."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence

from tabrag.errors import UserError
from tabrag.evaluation.answer_refusals import is_refusal
from tabrag.evaluation.answer_replies import final_answer, parse_label
from tabrag.evaluation.answer_values import first_number, number
from tabrag.evaluation.answers import AnswerRules, exact_match, numeric_match

_TOKEN = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?|[^\W\d_]+|\d+")
_ARTICLES = frozenset({"a", "an", "the"})
_MAX_NAMED = 20

Figures = dict[str, float | int | str | list[str] | dict[str, float]]


def score_answers(
    predictions: Mapping[str, str], gold: Mapping[str, Sequence[str]], *, rules: AnswerRules | None = None
) -> Figures:
    """Figures of short answers over all questions with gold answers.

    What a reply is wrapped in does not count, see :func:`tabrag.evaluation.answer_replies.final_answer`.

    Returns:
        ``exact_match`` and ``token_f1`` (0..1) over ``num_questions``; ``numeric_match`` over the
        ``num_numeric`` ones whose gold answers are numbers. Questions without a prediction count as wrong and
        are counted in ``missing``, empty predictions in ``empty``, those that say that there is no answer
        in ``not_found``, and those without any number where one is due in ``unparsed``. Predictions
        without gold answers are counted in ``unjudged``.
    """
    rules = rules or AnswerRules()
    judged = {query_id: answers for query_id, answers in gold.items() if answers}
    given = {query_id: final_answer(predictions[query_id]) for query_id in judged if query_id in predictions}
    exact = sum(
        exact_match(given[query_id], answers, rules=rules, sample_id=query_id)
        for query_id, answers in judged.items()
        if query_id in given
    )
    numeric = {query_id: answers for query_id, answers in judged.items() if all(map(number, answers))}
    matched = sum(
        bool(numeric_match(given[query_id], answers, rules=rules))
        for query_id, answers in numeric.items()
        if query_id in given
    )
    f1 = sum(_overlap(given[query_id], judged[query_id], rules) for query_id in given)
    said = {query_id: text for query_id, text in given.items() if text.strip()}
    not_found = {query_id for query_id, text in said.items() if is_refusal(text)}
    return {
        "exact_match": exact / max(1, len(judged)),
        "numeric_match": matched / max(1, len(numeric)),
        "token_f1": f1 / max(1, len(judged)),
        "num_questions": len(judged),
        "num_numeric": len(numeric),
        "missing": len(judged) - len(given),
        "empty": len(given) - len(said),
        "not_found": len(not_found),
        "unparsed": sum(
            first_number(text) is None and number(text) is None
            for query_id, text in said.items()
            if query_id in numeric and query_id not in not_found
        ),
        "unjudged": sum(query_id not in judged for query_id in predictions),
    }


def score_statements(predictions: Mapping[str, str], gold: Mapping[str, str]) -> Figures:
    """Figures of labels over all statements with a gold label.

    Returns:
        ``accuracy`` over ``num_statements``, where what is missing, empty or unparsed counts as wrong;
        ``accuracy_parsed`` over those whose prediction is one label (``coverage`` is their share);
        ``accuracy_by_label``; and the counts ``missing``, ``empty`` and ``unparsed``, with the first ids of
        the latter in ``unparsed_ids``.
    """
    given = {query_id: predictions[query_id] for query_id in gold if query_id in predictions}
    labels = {query_id: label for query_id, text in given.items() if (label := parse_label(text)) is not None}
    right = {query_id for query_id, label in labels.items() if label == gold[query_id]}
    unparsed = [query_id for query_id, text in given.items() if text.strip() and query_id not in labels]
    by_label = {
        label: [query_id in right for query_id, one in gold.items() if one == label]
        for label in sorted(set(gold.values()))
    }
    return {
        "accuracy": len(right) / max(1, len(gold)),
        "accuracy_parsed": len(right) / max(1, len(labels)),
        "coverage": len(labels) / max(1, len(gold)),
        "accuracy_by_label": {label: sum(some) / len(some) for label, some in by_label.items()},
        "num_statements": len(gold),
        "missing": len(gold) - len(given),
        "empty": sum(not text.strip() for text in given.values()),
        "unparsed": len(unparsed),
        "unparsed_ids": unparsed[:_MAX_NAMED],
    }


def score_descriptions(predictions: Mapping[str, str], gold: Mapping[str, Sequence[str]]) -> Figures:
    """Figures of sentences over all requests with gold sentences.

    Returns:
        ``bleu`` (0..1, see :func:`bleu`) and ``token_f1`` over ``num_questions``; missing and empty
        predictions count as empty sentences, and are counted.
    """
    judged = {query_id: answers for query_id, answers in gold.items() if answers}
    given = {query_id: predictions.get(query_id, "") for query_id in judged}
    f1 = sum(token_f1(text, judged[query_id]) for query_id, text in given.items())
    return {
        "bleu": bleu(list(given.values()), list(judged.values())),
        "token_f1": f1 / max(1, len(judged)),
        "num_questions": len(judged),
        "missing": sum(query_id not in predictions for query_id in judged),
        "empty": sum(query_id in predictions and not text.strip() for query_id, text in given.items()),
    }


def token_f1(prediction: str, references: Sequence[str]) -> float:
    """Overlap of words with the best of the references, 0..1 (Rajpurkar et al., 2016).

    Case, articles and punctuation do not count. Numbers are words by value (``2.0`` is ``2``, ``6,000`` is
    ``6000``): punctuation is not taken out of them.
    """
    return max((_f1(_tokens(prediction), _tokens(one)) for one in references), default=0.0)


def bleu(predictions: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    """Corpus BLEU of sacrebleu (Post, 2018) with its default settings, as a share: 0..1.

    Args:
        predictions: One text a sample.
        references: One or more texts a sample.

    Raises:
        UserError: sacrebleu is not installed.
    """
    try:
        from sacrebleu.metrics import BLEU
    except ModuleNotFoundError as error:
        raise UserError("BLEU needs the package sacrebleu: pip install sacrebleu") from error
    if not predictions:
        return 0.0
    most = max(map(len, references))
    streams = [[some[i] if i < len(some) else None for some in references] for i in range(most)]
    return BLEU().corpus_score(list(predictions), streams).score / 100


def _overlap(prediction: str, answers: Sequence[str], rules: AnswerRules) -> float:
    """Token F1 of an answer; the words in which it says that there is none do not count."""
    if is_refusal(prediction) or all(map(is_refusal, answers)):
        return float(is_refusal(prediction) and any(map(is_refusal, answers)))
    return token_f1(prediction, _references(answers, rules))


def _references(answers: Sequence[str], rules: AnswerRules) -> list[str]:
    """Alternatives each for itself, the members of a list as one text."""
    return list(answers) if rules.several == "any" else [", ".join(answers)]


def _tokens(text: str) -> Counter[str]:
    found = _TOKEN.findall(unicodedata.normalize("NFKC", text).casefold())
    words = (f"{float(word.replace(',', '')):.12g}" if word[0].isdecimal() else word for word in found)
    return Counter(word for word in words if word not in _ARTICLES)


def _f1(given: Counter[str], wanted: Counter[str]) -> float:
    if not given or not wanted:
        return float(given == wanted)
    return 2 * (given & wanted).total() / (given.total() + wanted.total())
