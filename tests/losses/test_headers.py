"""Losses of the header classifier against sums written out."""

from __future__ import annotations

import math

import pytest
import torch

from tabrag.losses.headers import IGNORED, header_sigmoid, token_softmax


def test_sigmoid_is_summed_over_headers() -> None:
    logits = torch.tensor([2.0, -1.0, 0.5, 3.0])
    labels = torch.tensor([1.0, 0.0, IGNORED, 0.0])
    expected = -(
        math.log(1 / (1 + math.exp(-2))) + math.log(1 / (1 + math.exp(-1))) + math.log(1 / (1 + math.exp(3)))
    )
    assert header_sigmoid(logits, labels).item() == pytest.approx(expected, rel=1e-5)
    other = header_sigmoid(torch.tensor([2.0, -1.0, 9.0, 3.0]), labels)
    assert other.item() == pytest.approx(expected, rel=1e-5)  # an ignored header says nothing


def test_softmax_runs_over_all_tokens_with_the_target_in_equal_parts() -> None:
    logits = torch.tensor([[0.0, 1.0, 2.0, 3.0, 9.0]], requires_grad=True)
    mask = torch.tensor([[1, 1, 1, 1, 0]])
    loss = token_softmax(
        logits,
        mask,
        window_N=torch.tensor([0, 0, 0]),
        start_N=torch.tensor([1, 2, 3]),
        labels_N=torch.tensor([1.0, 1.0, 0.0]),
    )
    total = math.log(sum(math.exp(value) for value in (0, 1, 2, 3)))
    assert loss.item() == pytest.approx(total - 0.5 * (1 + 2), rel=1e-5)
    loss.backward()
    assert logits.grad is not None and logits.grad[0, 4] == 0 and (logits.grad[0, :4] != 0).all()


def test_softmax_leaves_ignored_headers_out() -> None:
    mask = torch.ones(1, 3)
    where = {"window_N": torch.tensor([0, 0]), "start_N": torch.tensor([1, 2])}
    loss = token_softmax(
        torch.tensor([[0.0, 1.0, 5.0]]), mask, labels_N=torch.tensor([1.0, IGNORED]), **where
    )
    assert loss.item() == pytest.approx(math.log(1 + math.e) - 1, rel=1e-5)


def test_an_input_without_gold_gives_nothing() -> None:
    logits = torch.tensor([[0.0, 1.0], [3.0, 1.0]], requires_grad=True)
    loss = token_softmax(
        logits,
        torch.ones(2, 2),
        window_N=torch.tensor([0, 1]),
        start_N=torch.tensor([1, 1]),
        labels_N=torch.tensor([1.0, 0.0]),
    )
    loss.backward()
    assert logits.grad is not None and logits.grad[0].abs().sum() > 0
    assert logits.grad[1].abs().sum() == 0
    assert loss.item() == pytest.approx(math.log(1 + math.e) - 1, rel=1e-5)
