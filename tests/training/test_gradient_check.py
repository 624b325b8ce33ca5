"""Weights that no gradient reaches are named after the first step."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from tabrag.errors import UserError
from tabrag.training.gradient_check import GradientCheck


def test_unreached_and_zero_gradients_are_named_once() -> None:
    module = nn.ModuleDict({name: nn.Linear(2, 2, bias=False) for name in ("used", "zero", "idle", "frozen")})
    module["frozen"].requires_grad_(False)
    check = GradientCheck(module)
    x = torch.ones(1, 2)
    (module["used"](x) + 0 * module["zero"](x) + module["frozen"](x)).sum().backward()
    with pytest.raises(UserError) as caught:
        check.check()
    assert "2 weights" in str(caught.value)
    assert "zero.weight (a zero gradient)" in str(caught.value)
    assert "idle.weight (no gradient)" in str(caught.value)
    check.check()  # only the first step is watched


def test_zero_is_allowed_where_it_is_meant() -> None:
    module = nn.ModuleDict({name: nn.Linear(2, 2, bias=False) for name in ("used", "lora_A")})
    check = GradientCheck(module, starts_at_zero="lora_A")
    x = torch.ones(1, 2)
    (module["used"](x) + 0 * module["lora_A"](x)).sum().backward()
    check.check()
    assert not module["used"].weight._backward_hooks
