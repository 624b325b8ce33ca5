"""A believable corpus of statistical and financial tables with questions, made without any download."""

from tabrag.data.synthetic.corpus import CITATION, LICENCE, NAME, make

__all__ = ["CITATION", "LICENCE", "NAME", "make"]
