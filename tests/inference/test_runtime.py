"""Devices and number formats."""

from __future__ import annotations

import pytest
import torch

from tabrag.errors import UserError
from tabrag.inference import runtime

CPU = torch.device("cpu")


def test_precision() -> None:
    assert runtime.precision("auto", CPU) == torch.float32
    assert runtime.precision("bfloat16", CPU) == torch.bfloat16
    with pytest.raises(UserError) as caught:
        runtime.precision("float16", CPU)
    assert "float16" in str(caught.value) and "\n" not in str(caught.value)
    with pytest.raises(UserError, match="int8"):
        runtime.precision("int8", CPU)


def test_device() -> None:
    assert runtime.device("cpu") == CPU
    assert runtime.device().type == ("cuda" if torch.cuda.is_available() else "cpu")
    with pytest.raises(UserError, match="tpu9"):
        runtime.device("tpu9")
    with pytest.raises(UserError, match="cuda:99"):
        runtime.device("cuda:99")


def test_autocast() -> None:
    a = torch.randn(4, 4)
    with runtime.autocast(CPU, torch.bfloat16):
        assert (a @ a).dtype == torch.bfloat16
        with runtime.autocast(CPU, torch.float32):
            assert (a @ a).dtype == torch.float32
    with runtime.autocast(CPU, torch.float32):
        assert (a @ a).dtype == torch.float32
