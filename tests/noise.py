"""Pictures of grey noise, the same in every run: one drawn anew each time makes a test chancy."""

from __future__ import annotations

import numpy as np
from PIL import Image


def noise(size: tuple[int, int], spread: float, *, seed: int = 0) -> Image.Image:
    """``size`` is (width, height) in pixels; ``spread`` the standard deviation of the grey values."""
    values = np.random.default_rng(seed).normal(128, spread, (size[1], size[0]))
    return Image.fromarray(values.clip(0, 255).astype(np.uint8), "L")
