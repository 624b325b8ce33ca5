"""Make a trained chat model stand for itself: adapters added to the weights of its base.

python scripts/merge.py --checkpoint=RUN/export --out=MERGED [--dtype=bfloat16]

The folder opens in any tool that reads Hugging Face models, and runs a little faster than base and adapters.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from tabrag.config import main


@dataclass(kw_only=True)
class Config:
    """Settings of merging.

    Attributes:
        checkpoint: Trained chat model (a folder with ``chat_reranker.json``), or hub id.
        out: Folder to write.
        dtype: Number format of the weights: float32 gives the same scores, the others half the size.
    """

    checkpoint: str
    out: str
    dtype: Literal["float32", "bfloat16", "float16"] = "float32"


def run(config: Config) -> dict[str, Any]:
    """Merge in float32, then write."""
    import torch

    from tabrag.models.chat_reranker import ChatReranker

    model = ChatReranker.from_pretrained(config.checkpoint)
    changed = model.save_merged(config.out, dtype=getattr(torch, config.dtype))
    return {"out": config.out, "changed_weights": changed, "dtype": config.dtype}


if __name__ == "__main__":
    main(run, Config, description="Make a trained chat model stand for itself.")
