"""tabrag: retrieval and question answering over tables, table images and documents.

Public names resolve on first use, so that ``import tabrag`` loads neither torch nor transformers.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_LAZY = {
    "CellReader": "tabrag.models.cell_reader",
    "ChatReranker": "tabrag.models.chat_reranker",
    "CrossEncoder": "tabrag.models.cross_encoder",
    "Embedder": "tabrag.models.embedder",
    "HeaderClassifier": "tabrag.models.header_classifier",
    "Pipeline": "tabrag.inference.pipeline",
    "Retriever": "tabrag.models.retriever",
    "WordReranker": "tabrag.models.word_reranker",
}

__all__ = [
    "CellReader",
    "ChatReranker",
    "CrossEncoder",
    "Embedder",
    "HeaderClassifier",
    "Pipeline",
    "Retriever",
    "WordReranker",
    "__version__",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'tabrag' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
