"""Late interaction within one input, against loops."""

from __future__ import annotations

import pytest
import torch

from tabrag.models.token_match import NUM_MATCHES, token_match


def test_against_loops() -> None:
    generator = torch.Generator().manual_seed(0)
    states = torch.randn(2, 6, 5, generator=generator)
    question = torch.tensor([[0, 1, 1, 0, 0, 0], [0, 1, 0, 0, 0, 0]]).bool()
    owner = torch.tensor([[-1, -1, -1, 0, 0, 1], [-1, -1, -1, 2, -1, 3]])
    window = torch.tensor([0, 0, 1, 1])
    found = token_match(states, question_BT=question, owner_BT=owner, window_N=window)
    assert found.shape == (4, NUM_MATCHES)
    means = []
    for number, row in enumerate(window.tolist()):
        best = [
            max(
                torch.cosine_similarity(states[row, token], states[row, asked], dim=0).item()
                for asked in range(6)
                if question[row, asked]
            )
            for token in range(6)
            if owner[row, token] == number
        ]
        means.append(sum(best) / len(best))
        assert found[number, 0].item() == pytest.approx(means[-1], abs=1e-5)
        assert found[number, 1].item() == pytest.approx(max(best), abs=1e-5)
    for number, row in enumerate(window.tolist()):
        top = max(mean for mean, other in zip(means, window.tolist(), strict=True) if other == row)
        assert found[number, 2].item() == pytest.approx(means[number] - top, abs=1e-5)


def test_questions_of_other_lengths_in_a_batch_change_nothing() -> None:
    generator = torch.Generator().manual_seed(0)
    states = torch.randn(3, 8, 5, generator=generator)
    question = torch.tensor([[0, 1, 0, 0, 0, 0, 0, 0], [0, 1, 1, 1, 0, 0, 0, 0], [0] * 8]).bool()
    owner = torch.tensor([[-1, -1, -1, 0, -1, 1, 1, -1], [-1] * 5 + [2, -1, 3], [-1] * 6 + [4, -1]])
    window = torch.tensor([0, 0, 1, 1, 2])
    together = token_match(states, question_BT=question, owner_BT=owner, window_N=window)
    for row, first, count in ((0, 0, 2), (1, 2, 2), (2, 4, 1)):
        alone = token_match(
            states[row : row + 1],
            question_BT=question[row : row + 1],
            owner_BT=(owner[row : row + 1] - first).clamp(min=-1),
            window_N=window[window == row] - row,
        )
        assert len(alone) == count and torch.allclose(together[first : first + count], alone, atol=1e-6)


def test_a_question_without_tokens() -> None:
    found = token_match(
        torch.randn(1, 3, 4),
        question_BT=torch.zeros(1, 3).bool(),
        owner_BT=torch.tensor([[-1, 0, 1]]),
        window_N=torch.tensor([0, 0]),
    )
    assert found.isfinite().all() and found[:, 0].tolist() == [-1, -1]
