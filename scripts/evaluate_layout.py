"""How well slides are told from reports: precision, recall and F1 of slides, and how many are left open.

python scripts/evaluate_layout.py --data=data/mine --truth=layouts.jsonl
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tabrag.config import main


@dataclass(kw_only=True)
class Config:
    """Documents that are told wrongly go to standard output, one a line; the last line has the figures.

    Attributes:
        data: Data set folder, made by scripts/prepare_data.py documents.
        truth: JSONL with ``document`` (path of a file below the folder that was read) and ``layout``
            (``horizontal`` for slides, ``vertical`` for all else).
    """

    data: str
    truth: str


def run(config: Config) -> dict[str, Any]:
    """Compare; return the figures."""
    from tabrag.data.folder import DataFolder
    from tabrag.evaluation.layouts import layout_figures, read_layouts

    truth = read_layouts(config.truth)
    found = {document.id: document.layout for document in DataFolder(config.data).documents}
    figures, wrong = layout_figures(truth, found)
    for one in wrong:
        print(f"{one.document}: is {one.truth}, found {one.found or 'nothing sure'}", flush=True)
    return figures


if __name__ == "__main__":
    main(run, Config, description="Evaluate the layouts of documents.")
