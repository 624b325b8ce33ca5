"""What a launch gives the loop: the kernels of attention that go with its precision."""

from __future__ import annotations

import pytest
from torch.backends import cuda

from tabrag.training.accelerator import attention, make_accelerator


@pytest.mark.parametrize(("precision", "fused"), [("float32", True), ("bfloat16", False)])
def test_on_a_cpu_bfloat16_trains_with_plain_attention(precision: str, fused: bool) -> None:
    accelerator = make_accelerator(precision)
    assert cuda.flash_sdp_enabled()
    with attention(accelerator):
        assert cuda.flash_sdp_enabled() is fused
    assert cuda.flash_sdp_enabled()
