"""Central sentences: near to the group, each told once, as many as find room, in reading order."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tabrag.documents.sentences import split_sentences
from tabrag.documents.summaries import CentralSentences, Group
from tabrag.tables.token_estimate import estimate_tokens

HARBOUR = (
    "The harbour of Lund has berths for fishing boats. It rained on Monday. Fishing boats paid harbour fees.",
    "The harbour of Lund has room for fishing boats.\nHarbour fees\nFees for boats in it rose in 2021.",
    "A cat slept in the office all day long.",
)


def _group(texts: tuple[str, ...], vectors: np.ndarray | None = None) -> Group:
    return Group(texts, np.ones((len(texts), 4)) if vectors is None else vectors)


def test_central_sentences_in_reading_order_each_told_once() -> None:
    (summary,) = CentralSentences(HARBOUR, max_tokens=28)([_group(HARBOUR)])
    assert "Lund" in summary and "rose in 2021" in summary
    assert "cat" not in summary and "rained" not in summary
    assert summary.count("harbour of Lund") == 1  # the other sentence says the same
    sentences = [part for text in HARBOUR for line in text.splitlines() for part in split_sentences(line)]
    places = [summary.find(part) for part in sentences if part in summary]
    assert len(places) >= 2 and places == sorted(places)


def test_vectors_count_too() -> None:
    texts = ("Alpha beta gamma delta.", "Epsilon zeta eta theta.", "Iota kappa lambda mu.")
    vectors = np.array([[1.0, 0.3], [1.0, -0.2], [-0.2, 1.0]])
    write = CentralSentences(texts, max_tokens=8)
    assert write([_group(texts, vectors)]) == ["Alpha beta gamma delta."]
    assert write([_group(texts, vectors[::-1])]) == ["Iota kappa lambda mu."]


def test_without_sentences_and_with_long_ones() -> None:
    write = CentralSentences(["", "x"], max_tokens=5)
    assert write([_group(("", " ")), _group(())]) == ["", ""]
    long = " ".join(f"word{number}" for number in range(40))
    (cut,) = write([_group((long,))])
    assert cut and long.startswith(cut) and estimate_tokens(cut) <= 5 < estimate_tokens(long)
    assert write([Group(("Zeros are fine.",), np.zeros((1, 4)))]) == ["Zeros are fine."]


_SENTENCE = st.lists(
    st.sampled_from(["boat", "fee", "Lund", "2021", "rain", "%", "île"]), min_size=1, max_size=9
)


@settings(max_examples=60, deadline=None)
@given(
    texts=st.lists(st.lists(_SENTENCE, max_size=5), min_size=1, max_size=8),
    room=st.integers(1, 40),
    seed=st.integers(0, 999),
)
def test_a_summary_is_made_of_the_sentences_and_finds_room(
    texts: list[list[list[str]]], room: int, seed: int
) -> None:
    written = tuple("\n".join(" ".join(words) + "." for words in text) for text in texts)
    vectors = np.random.default_rng(seed).standard_normal((len(written), 6))
    group = _group(written, vectors)
    (summary,) = CentralSentences(written, max_tokens=room)([group])
    sentences = {part for text in written for line in text.splitlines() for part in split_sentences(line)}
    assert bool(summary) == bool(sentences)
    assert estimate_tokens(summary) <= max(room, min(map(estimate_tokens, summary.split()), default=0))
    fitting = [part for part in sentences if estimate_tokens(part) <= room]
    if fitting:
        assert any(part in summary for part in fitting)
    assert CentralSentences(written, max_tokens=room)([group]) == [summary]


def test_sentences_with_figures_count_more() -> None:
    texts = ("Fees for boats rose in the harbour.", "Fees for boats rose by 5 per cent in the harbour.")
    for order in (texts, texts[::-1]):
        assert CentralSentences(order, max_tokens=16)([_group(order)]) == [texts[1]]


def test_headings_stand_in_their_own_line() -> None:
    text = "Harbour fees\nFees for boats rose."
    assert CentralSentences([text])([_group((text,))]) == [text]


def test_groups_keep_their_order() -> None:
    groups = [_group((text,)) for text in HARBOUR]
    write = CentralSentences(HARBOUR, max_tokens=100)
    assert write(groups) == [write([group])[0] for group in groups]
    assert len(set(write(groups))) == 3


def test_a_rare_word_counts_more() -> None:
    """What every text of the document says is no mark of a group."""
    group = ("An annual report.", "On a quay.")
    common = [f"The annual report of {name}." for name in ("Lund", "Malmö", "Ystad", "Kivik") * 5]
    assert CentralSentences([*common, *group], max_tokens=6)([_group(group)]) == ["On a quay."]
    assert CentralSentences(group, max_tokens=6)([_group(group)]) == ["An annual report."]
