"""A believable corpus of business documents with questions of known evidence, made without any download."""

from tabrag.data.synthetic_documents.corpus import make_folder

__all__ = ["make_folder"]
