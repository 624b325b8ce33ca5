"""The loss against hand-computed values and against PyTorch's cross-entropy."""

from __future__ import annotations

import math

import pytest
import torch
import torch.nn.functional as F

from tabrag.losses.info_nce import false_negatives, info_nce, repeated


def _loss(q, i, target, relevant=None, **kwargs):
    target = torch.tensor(target)
    if relevant is None:
        relevant = torch.zeros(len(q), len(i), dtype=torch.bool)
    return info_nce(q, i, target_A=target, relevant_AN=relevant, scale=kwargs.pop("scale", 1.0), **kwargs)


@pytest.mark.parametrize("symmetric", [False, True])
def test_uniform_scores_give_the_log_of_the_number_of_candidates(symmetric: bool) -> None:
    zeros = torch.zeros(4, 8)
    assert _loss(zeros, zeros, [0, 1, 2, 3], symmetric=symmetric).item() == pytest.approx(math.log(4))


def test_query_side_equals_cross_entropy_with_hard_negatives() -> None:
    torch.manual_seed(0)
    q, i = torch.randn(3, 5), torch.randn(7, 5)
    expected = F.cross_entropy(20 * q @ i.T, torch.tensor([4, 0, 6]))
    assert expected > 0.1
    assert torch.allclose(_loss(q, i, [4, 0, 6], scale=20.0, symmetric=False), expected)


def test_symmetric_side_takes_each_positive_against_all_queries() -> None:
    torch.manual_seed(0)
    q, i = torch.randn(3, 5), torch.randn(4, 5)
    target = torch.tensor([2, 0, 1])
    back = F.cross_entropy((q @ i[target].T).T, torch.arange(3))
    forth = F.cross_entropy(q @ i.T, target)
    assert abs(back - forth) > 1e-3
    assert torch.allclose(_loss(q, i, target.tolist()), (back + forth) / 2)


@pytest.mark.parametrize("symmetric", [False, True])
def test_two_queries_on_one_table_are_no_negatives_of_each_other(symmetric: bool) -> None:
    same = F.normalize(torch.ones(2, 4), dim=-1)
    relevant = false_negatives(torch.tensor([9, 9]), torch.tensor([[9], [9]]))
    assert relevant.all()
    assert _loss(same, same, [0, 1], symmetric=symmetric).item() == pytest.approx(math.log(2))
    assert _loss(same, same, [0, 1], relevant, symmetric=symmetric).item() == pytest.approx(0.0)


def test_a_hard_negative_that_is_relevant_elsewhere_is_masked() -> None:
    q = torch.tensor([[1.0, 0.0]])
    i = torch.tensor([[1.0, 0.0], [1.0, 0.0], [-1.0, 0.0]])
    positives = torch.tensor([[5, 7, -1]])
    relevant = false_negatives(torch.tensor([5, 7, 8]), positives)
    assert relevant.tolist() == [[True, True, False]]
    expected = math.log(1 + math.exp(-2))
    assert _loss(q, i, [0], relevant, symmetric=False).item() == pytest.approx(expected)


def test_an_item_that_stands_twice_counts_once() -> None:
    torch.manual_seed(0)
    q, i = torch.randn(3, 5), torch.randn(5, 5)
    numbers = torch.tensor([4, 6, 9, 2, 5])
    positives = torch.tensor([[4, -1], [6, -1], [9, 2]])
    once = _loss(q, i, [0, 1, 2], false_negatives(numbers, positives))
    # The last query's own item stands first among the candidates of others, and 5 stands three times.
    order = torch.tensor([0, 1, 4, 2, 2, 3, 4, 4])
    again = numbers[order]
    assert repeated(again).tolist() == [False, False, False, False, True, False, True, True]
    masks = {"relevant": false_negatives(again, positives), "repeated_N": repeated(again)}
    assert _loss(q, i[order], [0, 1, 4], **masks).item() == pytest.approx(once.item())
    del masks["repeated_N"]
    assert _loss(q, i[order], [0, 1, 4], **masks).item() > once.item() + 0.01
    assert repeated(torch.tensor([], dtype=torch.int64)).shape == (0,)


def test_padding_is_nobodys_positive() -> None:
    assert not false_negatives(torch.tensor([0, 1]), torch.tensor([[-1, -1]])).any()


def test_local_rows_average_to_the_whole() -> None:
    torch.manual_seed(1)
    q, i = torch.randn(4, 6), torch.randn(6, 6)
    target, relevant = torch.tensor([0, 1, 2, 3]), torch.zeros(4, 6, dtype=torch.bool)
    parts = [
        info_nce(q, i, target_A=target, relevant_AN=relevant, scale=3.0, local=part)
        for part in (slice(0, 2), slice(2, 4))
    ]
    whole = info_nce(q, i, target_A=target, relevant_AN=relevant, scale=3.0)
    assert abs(parts[0] - parts[1]) > 1e-3
    assert torch.allclose(sum(parts) / 2, whole)


def test_shapes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="do not fit"):
        _loss(torch.zeros(2, 3), torch.zeros(2, 3), [0])


def test_autocast_does_not_round_the_similarities() -> None:
    generator = torch.Generator().manual_seed(0)
    q, i = (F.normalize(torch.randn(8, 32, generator=generator), dim=1) for _ in range(2))
    expected = _loss(q, i, list(range(8)), scale=20.0)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert (q @ i.T).dtype == torch.bfloat16
        found = _loss(q, i, list(range(8)), scale=20.0)
    assert found.dtype == torch.float32 and found.item() == expected.item() > 1
