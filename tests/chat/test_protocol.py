from __future__ import annotations

import math

import pytest
import torch

from tabrag.chat.encoding import split_choices
from tabrag.chat.protocol import first_stop, probabilities
from tabrag.errors import UserError


def test_what_the_probability_of_a_choice_means():
    log_probs = torch.log_softmax(torch.tensor([2.0, 1.0, 9.0]), dim=0)[:2].tolist()
    two_way = probabilities(log_probs)
    assert two_way[0] == pytest.approx(0.7311, abs=1e-4)
    assert two_way[0] == pytest.approx(1 / (1 + math.exp(-(2.0 - 1.0))))
    assert sum(two_way) == pytest.approx(1)
    whole = probabilities(log_probs, among="vocabulary")
    assert whole[0] == pytest.approx(0.0009, abs=1e-4)
    assert sum(whole) < 0.01


def test_very_small_log_probabilities_do_not_underflow():
    assert probabilities([-1000.0, -1001.0])[0] == pytest.approx(0.7311, abs=1e-4)
    with pytest.raises(UserError, match="no choices"):
        probabilities([])
    for broken in ([math.nan, -1.0], [-math.inf, -math.inf]):
        with pytest.raises(UserError, match="are none"):
            probabilities(broken)
    assert probabilities([-math.inf, -1.0]) == [0, 1]


def test_choices_are_split_where_the_prompt_itself_changes_its_tokens():
    # the prompt alone ends in token 9 (a blank), which merges with the label's first letters
    assert split_choices([1, 2, 9], [[1, 2, 30], [1, 2, 31, 5]], ["True", "False"]) == (2, [[30], [31, 5]])
    with pytest.raises(UserError, match="adds no token"):
        split_choices([1, 2], [[1, 2], [1, 2, 3]], ["", "x"])


def test_a_reply_ends_at_its_first_stop_text_but_not_at_blanks_before_it():
    assert first_stop("42\nand END", ["END", "\n"]) == 2
    assert first_stop(" \n42 END\n", ["\n", "END"]) == 5
    assert first_stop("42", ["\n", ""]) is None
    assert first_stop("\n\n", ["\n"]) is None
