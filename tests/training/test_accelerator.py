"""What a launch gives the loop: precision, and the kernels of attention that go with it."""

from __future__ import annotations

import pytest
import torch
from processes import forget_accelerator
from torch.backends import cuda

from tabrag.errors import UserError
from tabrag.training.accelerator import attention, make_accelerator


@pytest.fixture(autouse=True)
def _new_accelerator() -> None:
    forget_accelerator()


@pytest.mark.parametrize(("precision", "fused"), [("float32", True), ("bfloat16", False)])
def test_on_a_cpu_bfloat16_trains_with_plain_attention(precision: str, fused: bool) -> None:
    accelerator = make_accelerator(precision)
    assert cuda.flash_sdp_enabled()
    with attention(accelerator):
        assert cuda.flash_sdp_enabled() is fused
    assert cuda.flash_sdp_enabled()


@pytest.mark.skipif(torch.cuda.is_available(), reason="float16 is right on a GPU")
def test_float16_needs_a_gpu() -> None:
    with pytest.raises(UserError, match="float16 needs a GPU"):
        make_accelerator("float16")
