"""The cell reader's loss against its parts computed one by one."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F

from tabrag.losses.cells import program_loss


def _scores() -> tuple[Tensor, Tensor, Tensor]:
    generator = torch.Generator().manual_seed(3)
    shapes = ((3, 5), (3, 3, 2, 4), (3, 6))
    return tuple(torch.randn(shape, generator=generator, requires_grad=True) for shape in shapes)  # type: ignore[return-value]


def _targets() -> dict[str, Tensor]:
    """A pair; a set; a header. The last column of the first table is padding."""
    valid = torch.ones(3, 2, 4, dtype=torch.bool)
    valid[0, :, 3] = False
    members = torch.zeros(3, 2, 4)
    members[1, 0, 1] = members[1, 1, 1] = 1
    return {
        "target_B": torch.tensor([2, 4, 0]),
        "first_B": torch.tensor([1, -1, -1]),
        "second_B": torch.tensor([6, -1, -1]),
        "header_B": torch.tensor([-1, -1, 5]),
        "members_BRC": members,
        "valid_BRC": valid,
    }


def test_the_loss_is_the_sum_of_the_parts_that_a_program_has() -> None:
    choice, cells, headers = _scores()
    targets = _targets()
    loss = program_loss(choice, cells, headers, **targets)
    logs = choice.log_softmax(dim=1)
    pair = -logs[0, 2] - cells[0, 0].flatten().log_softmax(0)[1] - cells[0, 1].flatten().log_softmax(0)[6]
    each = F.binary_cross_entropy_with_logits(cells[1, 2], targets["members_BRC"][1], reduction="sum")
    set_ = -logs[1, 4] + each / 2
    header = -logs[2, 0] - headers[2].log_softmax(0)[5]
    assert len({round(float(part.detach()), 3) for part in (pair, set_, header)}) == 3
    torch.testing.assert_close(loss, (pair + set_ + header) / 3)


def test_impossible_places_count_for_nothing() -> None:
    choice, cells, headers = _scores()
    targets = _targets()
    targets["first_B"] = torch.tensor([1, 2, -1])
    targets["members_BRC"][0, 0, 0] = 1
    lowest = torch.finfo(torch.float32).min
    masked = cells.masked_fill(~targets["valid_BRC"][:, None], lowest)
    loss = program_loss(choice, masked, headers.masked_fill(torch.zeros(3, 6) > 0, lowest), **targets)
    changed = cells.detach().clone()
    changed[0, :, :, 3] += 7.0
    again = program_loss(
        choice, changed.masked_fill(~targets["valid_BRC"][:, None], lowest), headers, **targets
    )
    assert loss.isfinite() and float(loss.detach()) == float(again.detach())
    loss.backward()
    assert cells.grad is not None and cells.grad.isfinite().all() and cells.grad[0].abs().sum() > 0
    assert not cells.grad[0, :, :, 3].any()


def test_an_axis_without_headers_gives_no_nan() -> None:
    choice, cells, headers = _scores()
    hidden = torch.full_like(headers, torch.finfo(torch.float32).min)
    targets = _targets() | {"header_B": torch.full((3,), -1)}
    loss = program_loss(choice, cells, hidden, **targets)
    loss.backward()
    assert loss.isfinite() and choice.grad is not None and choice.grad.isfinite().all()
