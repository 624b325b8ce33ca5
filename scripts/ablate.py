"""What does the picture add? A trained retriever over pictures with parts of its input taken away.

python scripts/ablate.py --checkpoint=RUN/export --data=DIR --split=dev --out=RUN/ablation
python scripts/ablate.py --checkpoint=RUN/export --data=DIR --split=dev --out=RUN/ablation --limit=500
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tabrag.config import main
from tabrag.index.config import EncodeConfig


@dataclass(kw_only=True)
class Config:
    """Settings of an ablation. Killed and started again, it continues with the variant that it was at.

    Attributes:
        checkpoint: Retriever over pictures (folder or hub id).
        data: Data set folder.
        out: Folder for indexes, runs and tables.
        split: Whose queries.
        variants: Out of full, blank_picture, zeroed_boxes, pixels_only, shuffled_words and ocr_words; all
            where null.
        limit: Tables of the pool, those that the queries ask for first; all where null. OCR takes seconds a
            picture on a CPU.
        figures: Columns; Hit@1, Hit@10 and MRR@10 where null.
        ocr_folder: Where words that OCR read are kept; OUT/ocr where null.
        encoding: How entries and queries are embedded.
    """

    checkpoint: str
    data: str
    out: str
    split: str = "dev"
    variants: list[str] | None = None
    limit: int | None = None
    figures: list[str] | None = None
    ocr_folder: str | None = None
    encoding: EncodeConfig = field(default_factory=EncodeConfig)


def run(config: Config) -> dict[str, Any]:
    """Make and evaluate the variants; return their figures and differences to the full input."""
    from tabrag.inference.ablation import FIGURES, ablate

    return ablate(
        config.checkpoint,
        config.data,
        config.out,
        split=config.split,
        variants=config.variants,
        limit=config.limit,
        figures=FIGURES if config.figures is None else config.figures,
        ocr_folder=config.ocr_folder,
        encoding=config.encoding,
    )


if __name__ == "__main__":
    main(run, Config, description="Take parts of the input of a retriever over pictures away.")
